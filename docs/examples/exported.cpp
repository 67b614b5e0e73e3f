// SPDX-License-Identifier: MIT
// A kernel and a function for C, Python and other languages: docs/c-api.md.
#include <tile/dsl.h>
#include <tile/export.h>

using namespace tile;

struct BlockConfig {
  int block = 256;
  Launch launch{.num_warps = 4};
};

void axpy_kernel(Ptr<const f32> x, Ptr<f32> y, Float a, Int n, const BlockConfig &cfg) {
  auto i = program_id(0) * cfg.block + arange(0, cfg.block);
  store(y + i, a * load(x + i, i < n) + load(y + i, i < n), i < n);
}
const Kernel<&axpy_kernel> axpy{
    .name = "axpy", .parameters = {"x", "y", "a", "n"}, .grid = [](auto &cfg, auto, auto, auto, int n) {
      return Grid{cdiv(n, cfg.block)};
    }};

void scale_kernel(Ptr<f32> x, Ptr<const f32> by, [[maybe_unused]] Int rows, Int columns, Int64 row_stride,
                  Int64 column_stride, const BlockConfig &cfg) {
  Int row = program_id(0);
  auto j = program_id(1) * cfg.block + arange(0, cfg.block);
  auto at = x + (cast<i64>(row) * row_stride + cast<i64>(j) * column_stride);
  store(at, load(at, j < columns) * load(by + row), j < columns);
}
const Kernel<&scale_kernel> scale{.name = "scale",
                                  .parameters = {"x", "by", "rows", "columns", "row_stride", "column_stride"},
                                  .grid = [](auto &cfg, auto, auto, int rows, int columns, auto...) {
                                    return Grid{rows, cdiv(columns, cfg.block)};
                                  }};

// Multiplies each row by a factor of its own.
void scale_rows(OnDevice on, MatrixView<f32> x, VectorView<const f32> by) {
  if (by.size != x.rows)
    throw Error("x has " + std::to_string(x.rows) + " rows, and by " + std::to_string(by.size) + " factors",
                {});
  scale(on, x, by, narrow<int>(x.rows), narrow<int>(x.cols), x.row_stride, x.col_stride);
}

TILE_EXPORT(mine, axpy);
TILE_EXPORT(mine, scale_rows, "x", "by");
