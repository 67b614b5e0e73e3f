// SPDX-License-Identifier: MIT
// C = activation(A B) in 16-bit floats with an f32 accumulator. A loop carries the accumulator and the
// pointers, masks keep accesses inside the matrices, and the first launch chooses one of several configs.
#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/dsl.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

using namespace tile;

struct MatmulConfig {
  int block_m = 128, block_n = 128, block_k = 64;
  int group_m = 8;   // rows of tiles that run together, so that they share the L2 cache
  Launch launch{.num_warps = 8, .num_stages = 3};
};

// Helpers are functions. They are traced into the kernel that calls them.
Tensor<f32> identity(const Tensor<f32> &x) { return x; }
Tensor<f32> leaky_relu(const Tensor<f32> &x) { return where(x >= 0, x, 0.01f * x); }

template <class T, auto activation>
void matmul_kernel(Ptr<const T> a, Ptr<const T> b, Ptr<T> c, Int m, Int n, Int k, Int64 a_row, Int64 b_row,
                   Int64 c_row, const MatmulConfig &cfg) {
  const auto [BM, BN, BK, group_m, launch] = cfg;

  // Which tile of C does this program compute?
  Int tiles_m = cdiv(m, BM), tiles_n = cdiv(n, BN), pid = program_id(0);
  auto [tile_m, tile_n] = swizzle2d(pid / tiles_n, pid % tiles_n, tiles_m, tiles_n, group_m);

  auto rm = tile_m * BM + arange(0, BM);
  auto rn = tile_n * BN + arange(0, BN);
  auto rk = arange(0, BK);
  auto row_inside = rm[all, none] < m, column_inside = rn[none, all] < n;
  auto pa = a + rm[all, none] * a_row + rk[none, all];
  auto pb = b + rk[all, none] * b_row + rn[none, all];

  auto acc = zeros<f32>({BM, BN});
  for (auto step : range(cdiv(k, BK))) {
    Int left = k - step * BK;
    auto x = load(pa, row_inside & (rk[none, all] < left));
    auto y = load(pb, (rk[all, none] < left) & column_inside);
    acc = dot(x, y, acc);   // acc, pa and pb are assigned here, so the loop carries them
    pa += BK;
    pb += BK * b_row;
  }
  store(c + rm[all, none] * c_row + rn[none, all], cast<T>(activation(acc)), row_inside & column_inside);
}

template <class T, auto activation = &identity>
const Kernel<&matmul_kernel<T, activation>> matmul{
    .name = "matmul",
    .parameters = {"a", "b", "c", "m", "n", "k", "a_row", "b_row", "c_row"},
    .grid = [](auto &cfg, auto, auto, auto, int m, int n,
               auto...) { return Grid{cdiv(m, cfg.block_m) * cdiv(n, cfg.block_n)}; },
    .configs = {{.block_m = 128, .block_n = 256, .block_k = 64},
                {.block_m = 128, .block_n = 192, .block_k = 64},   // not a power of two
                {.block_m = 64, .block_n = 64, .block_k = 32, .launch = {.num_warps = 4}}},
    .key = [](auto, auto, auto, int m, int n, int k, auto...) { return Key{m, n, k}; },
    // Do not try tiles that are mostly mask.
    .keep = [](auto &cfg, auto, auto, auto, int m, int n,
               auto...) { return 2 * m >= cfg.block_m && 2 * n >= cfg.block_n; },
};

int main() {
  const int m = 200, n = 150, k = 333;
  std::vector<f16> a(m * k), b(k * n);
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = f16(static_cast<int>(i * 7 % 9) - 4);
  for (std::size_t i = 0; i < b.size(); ++i)
    b[i] = f16(static_cast<int>(i * 5 % 7) - 3);

  auto device = open_device();
  Buffer<f16> da(*device, a, "a"), db(*device, b, "b"), dc(*device, m * n, "c");
  matmul<f16, &leaky_relu>(*device, da, db, dc, m, n, k, k, n, n);

  std::vector<f16> c = dc.to_host();
  double worst = 0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double want = 0;
      for (int l = 0; l < k; ++l)
        want += static_cast<double>(a[i * k + l]) * static_cast<double>(b[l * n + j]);
      want = want >= 0 ? want : 0.01 * want;
      worst = std::max(worst, std::abs(static_cast<double>(c[i * n + j]) - want) / (1 + std::abs(want)));
    }
  std::printf("matmul of %d x %d x %d on %s: largest error %.1e\n", m, n, k, device->description().c_str(),
              worst);
  return !(worst < 1e-3);
}
