// SPDX-License-Identifier: MIT
// Rotary position embedding: pairs of elements of each head are rotated by an angle that grows with the
// position. Element 2i and 2i + 1 are a pair, so `split` divides the tile into its even and odd elements and
// put together again.
#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/dsl.h>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace tile;

struct RotaryConfig {
  int rows = 16, dim = 64;   // positions of a program; elements of a head
};

void rotary_kernel(Ptr<const f16> x, Ptr<f16> y, Int positions, Int64 row_stride, Int64 head_stride,
                   const RotaryConfig &cfg) {
  auto row = program_id(0) * cfg.rows + arange(0, cfg.rows);
  auto column = arange(0, cfg.dim);
  auto offset = program_id(1) * head_stride + row[all, none] * row_stride + column[none, all];
  auto inside = row[all, none] < positions;

  auto pairs = reshape(cast<f32>(load(x + offset, inside)), {cfg.rows, cfg.dim / 2, 2});
  auto [even, odd] = split(pairs);
  auto frequency = pow(10000.0f, cast<f32>(arange(0, cfg.dim / 2)) * (-2.0f / static_cast<float>(cfg.dim)));
  auto angle = cast<f32>(row)[all, none] * frequency[none, all];
  auto rotated = join(even * cos(angle) - odd * sin(angle), even * sin(angle) + odd * cos(angle));
  store(y + offset, cast<f16>(reshape(rotated, {cfg.rows, cfg.dim})), inside);
}

const Kernel<&rotary_kernel> rotary{
    .name = "rotary",
    .parameters = {"x", "y", "positions", "row_stride", "head_stride"},
    .grid = [](auto &cfg, auto, auto, int positions, std::int64_t row_stride,
               std::int64_t) { return Grid{cdiv(positions, cfg.rows), row_stride / cfg.dim}; },
};

int main() {
  // [position, head, element]: the heads of a position lie side by side.
  const int positions = 37, heads = 3, dim = 64, row = heads * dim;
  std::vector<f16> x(static_cast<std::size_t>(positions * row));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = f16(static_cast<float>(i % 23) / 11.0f - 1.0f);

  auto device = open_device();
  Buffer<f16> dx(*device, x, "x"), dy(*device, x.size(), "y");
  rotary.with({.dim = dim})(*device, dx, dy, positions, std::int64_t{row}, std::int64_t{dim});

  double worst = 0;
  std::vector<f16> y = dy.to_host();
  for (int p = 0; p < positions; ++p)
    for (int i = 0; i < row; i += 2) {
      const auto at = static_cast<std::size_t>(p * row + i);
      const double angle = p * std::pow(10000.0, -(i % dim) / static_cast<double>(dim));
      const double a = static_cast<double>(x[at]), b = static_cast<double>(x[at + 1]);
      const double even = a * std::cos(angle) - b * std::sin(angle),
                   odd = a * std::sin(angle) + b * std::cos(angle);
      worst = std::max({worst, std::abs(static_cast<double>(y[at]) - even),
                        std::abs(static_cast<double>(y[at + 1]) - odd)});
    }
  std::printf("rotary of %d x %d x %d: off by at most %.1e, %s\n", positions, heads, dim, worst,
              worst < 2e-3 ? "correct" : "WRONG");
  return worst < 2e-3 ? 0 : 1;
}
