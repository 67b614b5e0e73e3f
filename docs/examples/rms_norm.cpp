// SPDX-License-Identifier: MIT
// RMSNorm, as in most language models: y = x / sqrt(mean(x^2) + epsilon) * weight for each row. A row
// is one program, whatever its length: the first loop sums, the second writes.
#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/dsl.h>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace tile;

struct RmsNormConfig {
  int block = 256;
  Launch launch{.num_warps = 4};
};

// The number of rows is a parameter because the grid needs it; no program looks at it, so it has no name.
template <class T>
void rms_norm_program(Ptr<const T> x, Ptr<const T> weight, Ptr<T> y, Dynamic<Int>, Int cols, Float epsilon,
                      const RmsNormConfig &cfg) {
  auto row = cast<i64>(program_id(0)) * cast<i64>(cols);
  auto lane = arange(0, cfg.block);

  auto squares = zeros<f32>({cfg.block});
  for (auto begin : range(0, cols, cfg.block)) {
    auto col = begin + lane;
    auto v = cast<f32>(load(x + row + col, col < cols));
    squares += v * v;
  }
  Float scale = rsqrt(sum(squares, 0) / cast<f32>(cols) + epsilon);

  for (auto begin : range(0, cols, cfg.block)) {
    auto col = begin + lane;
    auto v = cast<f32>(load(x + row + col, col < cols));
    auto w = cast<f32>(load(weight + col, col < cols));
    store(y + row + col, cast<T>(v * scale * w), col < cols);
  }
}

template <class T>
const Kernel<&rms_norm_program<T>> rms_norm{
    .name = "rms_norm",
    .parameters = {"x", "weight", "y", "rows", "cols", "epsilon"},
    .grid = [](auto &, auto, auto, auto, int rows, auto...) { return Grid{rows}; },
    .configs = {{.block = 256}, {.block = 1024, .launch = {.num_warps = 8}}},
    .key = [](auto, auto, auto, int rows, int cols, float) { return Key{rows, cols}; }};

int main() {
  const int rows = 5, cols = 700;
  std::vector<bf16> x(rows * cols), weight(cols);
  for (int i = 0; i < rows * cols; ++i)
    x[i] = bf16(std::sin(0.37 * i) * (1 + i / cols));
  for (int i = 0; i < cols; ++i)
    weight[i] = bf16(1 + 0.001 * i);

  auto device = open_device();
  Buffer<bf16> dx(*device, x, "x"), dw(*device, weight, "weight"), dy(*device, x.size(), "y");
  rms_norm<bf16>(*device, dx, dw, dy, rows, cols, 1e-6f);

  const std::vector<bf16> y = dy.to_host();
  double worst = 0;
  for (int r = 0; r < rows; ++r) {
    double squares = 0;
    for (int c = 0; c < cols; ++c)
      squares += double(x[r * cols + c]) * double(x[r * cols + c]);
    for (int c = 0; c < cols; ++c) {
      const double expected = double(x[r * cols + c]) / std::sqrt(squares / cols + 1e-6) * double(weight[c]);
      worst = std::fmax(worst, std::abs(double(y[r * cols + c]) - expected) / (1 + std::abs(expected)));
    }
  }
  std::printf("rms_norm of %d x %d: largest error %.2g, %s\n", rows, cols, worst,
              worst < 0.01 ? "correct" : "WRONG");
  return worst < 0.01 ? 0 : 1;
}
