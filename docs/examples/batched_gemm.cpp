// SPDX-License-Identifier: MIT
// C[i] = A[i] * B[i] for a stack of matrices: the third program axis is the member of the stack. Strides are
// 64 bits wide, so the stack may be larger than 2^31 elements.
#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/dsl.h>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace tile;

struct BatchedConfig {
  int block_m = 64, block_n = 64, block_k = 32;
  Launch launch{.num_warps = 4, .num_stages = 3};
};

template <class T>
void batched_gemm_program(Ptr<const T> a, Ptr<const T> b, Ptr<T> c, Dynamic<Int>, Int m, Int n, Int k,
                          Int64 a_batch, Int64 b_batch, Int64 c_batch, const BatchedConfig &cfg) {
  const auto [BM, BN, BK, launch] = cfg;
  auto batch = cast<i64>(program_id(2));
  a += batch * a_batch;
  b += batch * b_batch;
  c += batch * c_batch;

  auto rm = program_id(0) * BM + arange(0, BM);
  auto rn = program_id(1) * BN + arange(0, BN);
  auto rk = arange(0, BK);
  auto pa = a + (rm[all, none] * k + rk[none, all]);
  auto pb = b + (rk[all, none] * n + rn[none, all]);
  auto acc = zeros<f32>({BM, BN});
  for (auto i : range(0, cdiv(k, BK))) {
    auto left = k - i * BK;
    auto x = load(pa, (rm[all, none] < m) & (rk[none, all] < left));
    auto y = load(pb, (rk[all, none] < left) & (rn[none, all] < n));
    acc = dot(x, y, acc);
    pa += BK;
    pb += BK * n;
  }
  store(c + (rm[all, none] * n + rn[none, all]), cast<T>(acc), (rm[all, none] < m) & (rn[none, all] < n));
}

template <class T>
const Kernel<&batched_gemm_program<T>> batched_gemm{
    .name = "batched_gemm",
    .parameters = {"a", "b", "c", "batches", "m", "n", "k", "a_batch", "b_batch", "c_batch"},
    .grid = [](auto &cfg, auto, auto, auto, int batches, int m, int n,
               auto...) { return Grid{cdiv(m, cfg.block_m), cdiv(n, cfg.block_n), batches}; },
    .configs = {{}, {.block_m = 128, .block_n = 128, .launch = {.num_warps = 8}}},
    .key = [](auto, auto, auto, int batches, int m, int n, int k, auto...) { return Key{batches, m, n, k}; }};

int main() {
  const int batches = 3, m = 70, n = 50, k = 90;
  std::vector<f16> a(batches * m * k), b(batches * k * n);
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = f16(std::sin(0.1 * static_cast<double>(i)));
  for (std::size_t i = 0; i < b.size(); ++i)
    b[i] = f16(std::cos(0.3 * static_cast<double>(i)));

  auto device = open_device();
  Buffer<f16> da(*device, a, "a"), db(*device, b, "b"), dc(*device, batches * m * n, "c");
  batched_gemm<f16>(*device, da, db, dc, batches, m, n, k, m * k, k * n, m * n);

  const std::vector<f16> c = dc.to_host();
  double worst = 0;
  for (int s = 0; s < batches; ++s)
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        double expected = 0;
        for (int l = 0; l < k; ++l)
          expected += double(a[(s * m + i) * k + l]) * double(b[(s * k + l) * n + j]);
        worst = std::fmax(worst, std::abs(double(c[(s * m + i) * n + j]) - expected));
      }
  std::printf("batched_gemm of %d x (%d x %d x %d): largest error %.2g, %s\n", batches, m, n, k, worst,
              worst < 0.01 ? "correct" : "WRONG");
  return worst < 0.01 ? 0 : 1;
}
