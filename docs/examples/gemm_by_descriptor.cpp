// SPDX-License-Identifier: MIT
// The product of matmul.cpp, with descriptors: it loads and stores blocks at coordinates, without pointers
// and masks. The program prints which instructions both become, checks the result, and shows an error.
#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/dsl.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <vector>

using namespace tile;

struct GemmConfig {
  int block_m = 128, block_n = 128, block_k = 64;
  int group_m = 8;
  Launch launch{.num_warps = 8, .num_stages = 3};
};

template <class T>
void by_descriptor(Ptr<const T> a, Ptr<const T> b, Ptr<T> c, Int m, Int n, Int k, Int64 a_row, Int64 b_row,
                   Int64 c_row, const GemmConfig &cfg) {
  const auto [BM, BN, BK, group_m, launch] = cfg;
  Int tiles_m = cdiv(m, BM), tiles_n = cdiv(n, BN), pid = program_id(0);
  auto [tile_m, tile_n] = swizzle2d(pid / tiles_n, pid % tiles_n, tiles_m, tiles_n, group_m);
  Int from_m = tile_m * BM, from_n = tile_n * BN;

  auto A = descriptor(a, {m, k}, {a_row, 1}, {BM, BK});
  auto B = descriptor(b, {k, n}, {b_row, 1}, {BK, BN});
  auto C = descriptor(c, {m, n}, {c_row, 1}, {BM, BN});

  auto acc = zeros<f32>({BM, BN});
  for (auto step : range(cdiv(k, BK)))
    acc = dot(A.load({from_m, step * BK}), B.load({step * BK, from_n}), acc);
  C.store({from_m, from_n}, cast<T>(acc));
}

// As in matmul.cpp.
template <class T>
void by_pointers(Ptr<const T> a, Ptr<const T> b, Ptr<T> c, Int m, Int n, Int k, Int64 a_row, Int64 b_row,
                 Int64 c_row, const GemmConfig &cfg) {
  const auto [BM, BN, BK, group_m, launch] = cfg;
  Int tiles_m = cdiv(m, BM), tiles_n = cdiv(n, BN), pid = program_id(0);
  auto [tile_m, tile_n] = swizzle2d(pid / tiles_n, pid % tiles_n, tiles_m, tiles_n, group_m);
  auto rm = tile_m * BM + arange(0, BM), rn = tile_n * BN + arange(0, BN), rk = arange(0, BK);
  auto row_inside = rm[all, none] < m, column_inside = rn[none, all] < n;
  auto pa = a + rm[all, none] * a_row + rk[none, all];
  auto pb = b + rk[all, none] * b_row + rn[none, all];

  auto acc = zeros<f32>({BM, BN});
  for (auto step : range(cdiv(k, BK))) {
    Int left = k - step * BK;
    auto x = load(pa, row_inside & (rk[none, all] < left));
    auto y = load(pb, (rk[all, none] < left) & column_inside);
    acc = dot(x, y, acc);
    pa += BK;
    pb += BK * b_row;
  }
  store(c + rm[all, none] * c_row + rn[none, all], cast<T>(acc), row_inside & column_inside);
}

template <class T>
const Kernel<&by_descriptor<T>> gemm{
    .name = "gemm_by_descriptor",
    .parameters = {"a", "b", "c", "m", "n", "k", "a_row", "b_row", "c_row"},
    .grid = [](auto &cfg, auto, auto, auto, int m, int n,
               auto...) { return Grid{cdiv(m, cfg.block_m) * cdiv(n, cfg.block_n)}; },
};

struct Column {
  const char *accesses;
  CompiledKernel code;
};

// How many instructions of each kind the PTX of a kernel has.
void show_instructions(const std::vector<Column> &columns) {
  auto row = [&](const char *name, auto cell) {
    std::printf("%-31s", name);
    for (const Column &column : columns)
      std::printf(" %10s", std::string(cell(column)).c_str());
    std::printf("\n");
  };
  row("", [](auto &column) { return column.accesses; });
  row("GPU", [](auto &column) { return column.code.lowered().target; });
  row("threads", [](auto &column) { return std::to_string(column.code.threads()); });
  for (const char *kind : {"cp.async.cg", "cp.async.bulk.tensor.2d.shared", "mma.sync", "wgmma.mma_async",
                           "setmaxnreg", "st.global", "cp.async.bulk.tensor.2d.global"})
    row(kind, [&](auto &column) {
      int count = 0;
      for (const auto &[name, times] : column.code.instructions())
        count += name.starts_with(kind) ? times : 0;
      return std::to_string(count);
    });
}

// A matrix whose rows begin at multiples of 16 bytes: `row` elements apart, a multiple of 8.
std::vector<f16> matrix(int rows, int columns, int row, int step, int period) {
  std::vector<f16> values(static_cast<std::size_t>(rows * row),
                          f16(1000.0f));   // a product that reads it is wrong
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      values[i * row + j] = f16((i * columns + j) * step % period - period / 2);
  return values;
}

int main() {
  std::printf("== instructions\n");
  const Kernel<&by_pointers<f16>> pointers{.name = "gemm_by_pointers"};
  constexpr ArgClass any = ArgClass::generic, by_16 = ArgClass::divisible_by_16;
  // As the launch below has them: aligned pointers, any m, n, k, and strides that are multiples of 16.
  const std::vector<ArgClass> classes{by_16, by_16, by_16, any, any, any, by_16, by_16, by_16};
  show_instructions({{"pointers", pointers.compile({}, classes, "sm_90a")},
                     {"descriptor", gemm<f16>.compile({}, classes, "sm_90a")},
                     {"descriptor", gemm<f16>.compile({}, classes, "sm_80")}});

  const int m = 200, n = 150, k = 333, a_row = 336, b_row = 160, c_row = 160;
  const std::vector<f16> a = matrix(m, k, a_row, 7, 9), b = matrix(k, n, b_row, 5, 7);
  auto device = open_device();
  Buffer<f16> da(*device, a, "a"), db(*device, b, "b"), dc(*device, m * c_row, "c");
  gemm<f16>(*device, da, db, dc, m, n, k, a_row, b_row, c_row);

  double worst = 0;
  const std::vector<f16> c = dc.to_host();
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double want = 0;
      for (int l = 0; l < k; ++l)
        want += static_cast<double>(a[i * a_row + l]) * static_cast<double>(b[l * b_row + j]);
      worst = std::max(worst, std::abs(static_cast<double>(c[i * c_row + j]) - want) / (1 + std::abs(want)));
    }
  std::printf("== result\ngemm_by_descriptor of %d x %d x %d: largest error %.1e, %s\n", m, n, k, worst,
              worst < 1e-3 ? "correct" : "WRONG");

  std::printf("== stride\n");
  try {
    auto interpreter = open_device("interpreter");
    Buffer<f16> ia(*interpreter, m * k, "a"), ib(*interpreter, b, "b"), ic(*interpreter, m * c_row, "c");
    gemm<f16>(*interpreter, ia, ib, ic, m, n, k, k, b_row, c_row);   // a row of a has 666 bytes
  } catch (const Error &e) {
    std::printf("%s\n", e.what());
  }
  return worst < 1e-3 ? 0 : 1;
}
