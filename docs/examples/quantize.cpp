// SPDX-License-Identifier: MIT
// Rows to signed bytes and a scale each, and the product of two such matrices: what a quantised linear layer
// does.
#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/dsl.h>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace tile;

struct RowConfig {
  int block = 128;   // a row fits
};
void quantize_kernel(Ptr<const f32> x, Ptr<i8> q, Ptr<f32> scales, Dynamic<Int>, Int columns,
                     Int64 row_stride, const RowConfig &cfg) {
  auto row = program_id(0);
  auto c = arange(0, cfg.block);
  auto v = load(x + row * row_stride + c, c < columns);
  // Of a row with an infinity or a NaN nothing can be told: its scale says so.
  Float largest = max(abs(v), 0, Nan::propagate), scale = largest / 127.0f;
  auto scaled = where(scale > 0, v / scale, 0.0f);
  store(q + row * row_stride + c, cast<i8>(rint(scaled)), c < columns);
  store(scales + row, where(isfinite(largest), scale, NAN));
}
const Kernel<&quantize_kernel> quantize{
    .name = "quantize",
    .parameters = {"x", "q", "scales", "rows", "columns", "row_stride"},
    .grid = [](auto &, auto, auto, auto, int rows, auto...) { return Grid{rows}; },
};

struct ProductConfig {
  int m = 32, n = 32, k = 64;
};
void product_kernel(Ptr<const i8> a, Ptr<const f32> a_scales, Ptr<const i8> b, Ptr<const f32> b_scales,
                    Ptr<f32> c, Int m, Int n, Int k, const ProductConfig &cfg) {
  auto i = program_id(0) * cfg.m + arange(0, cfg.m), j = program_id(1) * cfg.n + arange(0, cfg.n);
  auto acc = zeros<i32>({cfg.m, cfg.n});
  for (auto begin : range(0, k, cfg.k)) {
    auto x = begin + arange(0, cfg.k);
    auto left = load(a + i[all, none] * k + x[none, all], (i[all, none] < m) & (x[none, all] < k));
    auto right =
        load(b + j[all, none] * k + x[none, all], (j[all, none] < n) & (x[none, all] < k));   // both by rows
    acc = dot(left, trans(right), acc);
  }
  auto scale = load(a_scales + i, i < m)[all, none] * load(b_scales + j, j < n)[none, all];
  store(c + i[all, none] * n + j[none, all], cast<f32>(acc) * scale, (i[all, none] < m) & (j[none, all] < n));
}
const Kernel<&product_kernel> product{
    .name = "product",
    .parameters = {"a", "a_scales", "b", "b_scales", "c", "m", "n", "k"},
    .grid = [](auto &cfg, auto, auto, auto, auto, auto, int m, int n,
               int) { return Grid{cdiv(m, cfg.m), cdiv(n, cfg.n)}; },
};

int main() {
  const int rows = 24, k = 100;   // c = x * transposed x
  std::vector<f32> x(static_cast<std::size_t>(rows * k));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i * 131 % 251) / 50.0f - 2.5f;

  auto device = open_device();
  Buffer<f32> dx(*device, x, "x"), scales(*device, rows, "scales"), c(*device, rows * rows, "c");
  Buffer<i8> q(*device, x.size(), "q");
  quantize(*device, dx, q, scales, rows, k, std::int64_t{k});
  product(*device, q, scales, q, scales, c, rows, rows, k);

  double worst = 0;
  const std::vector<f32> got = c.to_host();
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < rows; ++j) {
      double exact = 0;
      for (int l = 0; l < k; ++l)
        exact += static_cast<double>(x[static_cast<std::size_t>(i * k + l)]) *
                 x[static_cast<std::size_t>(j * k + l)];
      worst = std::max(worst, std::abs(got[static_cast<std::size_t>(i * rows + j)] - exact));
    }
  std::printf("quantised product of %d x %d: off by at most %.2f, %s\n", rows, k, worst,
              worst < 1 ? "correct" : "WRONG");
  return worst < 1 ? 0 : 1;
}
