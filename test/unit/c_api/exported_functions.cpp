// SPDX-License-Identifier: MIT
#include "exported_functions.h"

#include <tile/dsl.h>

namespace tile {

std::string told;

namespace {

struct BlockConfig {
  int block = 64;
  Launch launch{.num_warps = 1};
};

void axpy_kernel(Ptr<const f32> x, Ptr<f32> y, Float a, Int n, const BlockConfig &cfg) {
  auto i = program_id(0) * cfg.block + arange(0, cfg.block);
  store(y + i, a * load(x + i, i < n) + load(y + i, i < n), i < n);
}
const Kernel<&axpy_kernel> axpy{
    .name = "axpy", .parameters = {"x", "y", "a", "n"}, .grid = [](auto &cfg, auto, auto, auto, int n) {
      return Grid{cdiv(n, cfg.block)};
    }};

// Sees the strides of its matrix.
void sum_rows(OnDevice, const MatrixView<const f32> &x, const VectorView<f32> &y) {
  for (std::int64_t row = 0; row < y.size; ++row) {
    y.data[row] = 0;
    for (std::int64_t column = 0; column < x.cols; ++column)
      y.data[row] += x.data[row * x.row_stride + column * x.col_stride];
  }
}

void tell(OnDevice, AnyTensor<const void> anything, std::int64_t whole, double real, bool yes, f16 half,
          std::string_view text) {
  told = anything.element().name() + " " + std::to_string(anything.rank()) + " " + std::to_string(whole) +
         " " + std::to_string(real) + (yes ? " yes " : " no ") + std::to_string(static_cast<float>(half)) +
         " " + std::string(text);
}

void stack(OnDevice, const TensorView<f32, 3> &x) {
  told = std::to_string(x.extents[0]) + " " + std::to_string(x.extents[1]) + " " +
         std::to_string(x.extents[2]) + " by " + std::to_string(x.strides[0]) + " " +
         std::to_string(x.strides[1]) + " " + std::to_string(x.strides[2]);
}

// Takes any tensor for a vector of floats.
void sum_any(OnDevice, AnyTensor<const void> x, const VectorView<f32> &y) {
  const VectorView<const f32> elements = x.vector<f32>();
  y.data[0] = 0;
  for (std::int64_t i = 0; i < elements.size; ++i)
    y.data[0] += elements.data[i];
}

void throw_one(OnDevice, VectorView<f32>) { throw std::string("not an exception of the library"); }

}   // namespace
}   // namespace tile

TILE_EXPORT_AS(test, axpy, tile::axpy);
TILE_EXPORT_AS(test, sum_rows, tile::sum_rows, "x", "y");
TILE_EXPORT_AS(test, tell, tile::tell, "anything", "whole", "real", "yes", "half", "text");
TILE_EXPORT_AS(test, stack, tile::stack);
TILE_EXPORT_AS(test, sum, tile::sum_any, "x", "y");
TILE_EXPORT_AS(test, throw, tile::throw_one, "x");
