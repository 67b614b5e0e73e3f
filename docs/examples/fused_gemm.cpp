// SPDX-License-Identifier: MIT
// c = gelu(a x b + bias): a matrix product with the work after it, in one launch. The bias is a row, one
// number for each column of c. The program checks the result against loops on the host.
#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/dsl.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

using namespace tile;

struct FusedConfig {
  int block_m = 128, block_n = 128, block_k = 64;
  Launch launch{.num_warps = 8, .num_stages = 4};
};

Tensor<f32> gelu(const Tensor<f32> &x) { return 0.5f * x * (1.0f + erf(x * 0.70710678f)); }

void fused_gemm_kernel(Ptr<const f16> a, Ptr<const f16> b, Ptr<const f16> bias, Ptr<f16> c, Int m, Int n,
                       Int k, const FusedConfig &cfg) {
  const auto [BM, BN, BK, launch] = cfg;
  Int tiles_m = cdiv(m, BM), tiles_n = cdiv(n, BN), pid = program_id(0);
  auto [tile_m, tile_n] = swizzle2d(pid / tiles_n, pid % tiles_n, tiles_m, tiles_n, 8);
  Int row = tile_m * BM, column = tile_n * BN;
  auto A = descriptor(a, {m, k}, {k, 1}, {BM, BK});
  auto B = descriptor(b, {k, n}, {n, 1}, {BK, BN});
  auto C = descriptor(c, {m, n}, {n, 1}, {BM, BN});

  auto sum = zeros<f32>({BM, BN});
  for (auto step : range(cdiv(k, BK)))
    sum = dot(A.load({row, step * BK}), B.load({step * BK, column}), sum);

  auto columns = column + arange(0, BN);
  auto biases = cast<f32>(load(bias + columns, columns < n));   // one for each column of the tile
  C.store({row, column}, cast<f16>(gelu(sum + biases[none, all])));
}

const Kernel<&fused_gemm_kernel> fused_gemm{
    .name = "fused_gemm",
    .parameters = {"a", "b", "bias", "c", "m", "n", "k"},
    .grid = [](auto &cfg, auto, auto, auto, auto, int m, int n,
               auto...) { return Grid{cdiv(m, cfg.block_m) * cdiv(n, cfg.block_n)}; },
};

std::vector<f16> numbers(int count, int step, int period) {
  std::vector<f16> values(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    values[i] = f16(static_cast<float>(i * step % period - period / 2) / static_cast<float>(period));
  return values;
}

int main() {
  const int m = 200, n = 136, k = 328;   // no block divides them; rows begin at multiples of 16 bytes
  const std::vector<f16> a = numbers(m * k, 7, 9), b = numbers(k * n, 5, 11), bias = numbers(n, 3, 13);
  auto device = open_device();
  Buffer<f16> da(*device, a, "a"), db(*device, b, "b"), dbias(*device, bias, "bias"), dc(*device, m * n, "c");
  fused_gemm(*device, da, db, dbias, dc, m, n, k);

  const std::vector<f16> c = dc.to_host();
  double worst = 0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      auto x = static_cast<double>(bias[j]);
      for (int l = 0; l < k; ++l)
        x += static_cast<double>(a[i * k + l]) * static_cast<double>(b[l * n + j]);
      const double want = 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
      worst = std::max(worst, std::abs(static_cast<double>(c[i * n + j]) - want) / (1 + std::abs(want)));
    }
  std::printf("fused_gemm of %d x %d x %d: largest error %.1e, %s\n", m, n, k, worst,
              worst < 1e-3 ? "correct" : "WRONG");
  return worst < 1e-3 ? 0 : 1;
}
