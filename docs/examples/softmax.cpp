// SPDX-License-Identifier: MIT
// The softmax of each row in one pass over memory: a tile holds a whole row.
#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/dsl.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <vector>

using namespace tile;

struct SoftmaxConfig {
  int block = 1024;   // at least the number of columns
  int programs = 64;
};

void softmax_kernel(Ptr<const f32> x, Ptr<f32> y, Int rows, Int columns, Int64 x_row, Int64 y_row,
                    const SoftmaxConfig &cfg) {
  auto column = arange(0, cfg.block);
  auto inside = column < columns;
  for (auto row : range(program_id(0), rows, num_programs(0))) {
    auto v = load(x + row * x_row + column, inside, -INFINITY);
    auto e = exp(v - max(v, 0));
    store(y + row * y_row + column, e / sum(e, 0), inside);
  }
}

const Kernel<&softmax_kernel> softmax_rows{
    .name = "softmax_rows",
    .parameters = {"x", "y", "rows", "columns", "x_row", "y_row"},
    .grid = [](auto &cfg, auto, auto, int rows, auto...) { return Grid{std::min(rows, cfg.programs)}; },
    .keep = [](auto &cfg, auto, auto, int, int columns, auto...) { return columns <= cfg.block; },
};

void softmax(Device &device, const Buffer<f32> &x, Buffer<f32> &y, int rows, int columns) {
  SoftmaxConfig config{.block = static_cast<int>(std::bit_ceil(static_cast<unsigned>(columns)))};
  softmax_rows.with(config)(device, x, y, rows, columns, columns, columns);
}

int main() {
  const int rows = 100, columns = 781;
  std::vector<f32> x(rows * columns);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<f32>(i * 37 % 101) * 0.1f;

  auto device = open_device();
  Buffer<f32> dx(*device, x, "x"), dy(*device, x.size(), "y");
  softmax(*device, dx, dy, rows, columns);

  std::vector<f32> y = dy.to_host();
  double worst = 0;
  for (int r = 0; r < rows; ++r) {
    const f32 *in = x.data() + r * columns, *out = y.data() + r * columns;
    double top = *std::max_element(in, in + columns), total = 0;
    for (int c = 0; c < columns; ++c)
      total += std::exp(in[c] - top);
    for (int c = 0; c < columns; ++c)
      worst = std::max(worst, std::abs(out[c] - std::exp(in[c] - top) / total));
  }
  std::printf("softmax of %d x %d on %s: largest error %.1e\n", rows, columns, device->description().c_str(),
              worst);
  return !(worst < 1e-6);
}
