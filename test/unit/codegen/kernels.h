// SPDX-License-Identifier: MIT
// Small kernels that between them use every family of ops the code generator knows.
#pragma once

#include <tile/dsl.h>

#include <limits>

namespace tile::codegen_test {

struct Config {
  int block = 256, rows = 64, cols = 64, inner = 32;
  Launch launch{.num_warps = 4};
};

inline void add_vectors(Ptr<const f32> x, Ptr<const f32> y, Ptr<f32> z, Int n, const Config &cfg) {
  auto i = program_id(0) * cfg.block + arange(0, cfg.block);
  auto mask = i < n;
  store(z + i, load(x + i, mask) + load(y + i, mask), mask);
}

// One row a program, kept in registers.
template <class T> void softmax_rows(Ptr<const T> x, Ptr<T> y, Int columns, const Config &cfg) {
  auto j = arange(0, cfg.block);
  auto mask = j < columns;
  auto row = cast<i64>(program_id(0)) * cast<i64>(columns);
  auto v = cast<f32>(load(x + row + j, mask));
  auto shown = where(mask, v, -std::numeric_limits<float>::infinity());
  auto e = exp(shown - max(shown, 0));
  store(y + row + j, cast<T>(e / sum(e, 0)), mask);
}

// Sums of the rows of a matrix, a tile of rows a program.
inline void sum_rows(Ptr<const f32> x, Ptr<f32> sums, Int rows, Int columns, const Config &cfg) {
  auto i = program_id(0) * cfg.rows + arange(0, cfg.rows);
  auto total = zeros<f32>({cfg.rows});
  for (auto start : range(0, columns, cfg.cols)) {
    auto j = start + arange(0, cfg.cols);
    auto tile =
        load(x + i[all, none] * columns + j[none, all], (i[all, none] < rows) & (j[none, all] < columns));
    total += sum(tile, 1);
  }
  store(sums + i, total, i < rows);
}

template <class T, class R>
void product(Ptr<const T> a, Ptr<const T> b, Ptr<R> c, Int m, Int n, Int k, const Config &cfg) {
  auto i = (program_id(0) * cfg.rows + arange(0, cfg.rows))[all, none];
  auto j = (program_id(1) * cfg.cols + arange(0, cfg.cols))[none, all];
  auto acc = zeros<R>({cfg.rows, cfg.cols});
  for (auto start : range(0, k, cfg.inner)) {
    auto x = start + arange(0, cfg.inner);
    auto left = load(a + i * k + x[none, all], (i < m) & (x[none, all] < k));
    auto right = load(b + x[all, none] * n + j, (x[all, none] < k) & (j < n));
    acc = dot(left, right, acc);
  }
  store(c + i * n + j, acc, (i < m) & (j < n));
}

// B stored by columns: its tile is a transposed load.
inline void transpose(Ptr<const f32> x, Ptr<f32> y, Int m, Int n, const Config &cfg) {
  auto i = program_id(0) * cfg.rows + arange(0, cfg.rows);
  auto j = program_id(1) * cfg.cols + arange(0, cfg.cols);
  auto tile = load(x + i[all, none] * n + j[none, all], (i[all, none] < m) & (j[none, all] < n));
  store(y + j[all, none] * m + i[none, all], trans(tile), (j[all, none] < n) & (i[none, all] < m));
}

}   // namespace tile::codegen_test
