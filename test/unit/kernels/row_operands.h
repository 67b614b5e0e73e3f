// SPDX-License-Identifier: MIT
// Operands of the tests of row kernels: filled with numbers that a reference gets, too, or poisoned.
#pragma once

#include "on_device.h"
#include "tools/reference/row_functions.h"

#include <tile/error.h>
#include <tile/rows.h>

#include <string>
#include <utility>
#include <vector>

namespace tile {

inline reference::Matrix as_row(const std::vector<double> &values) {
  reference::Matrix row(1, static_cast<std::int64_t>(values.size()));
  row.values = values;
  return row;
}

// Random numbers in [-factor, factor), the same for a name, a shape and a seed.
template <class T> struct Filled {
  reference::Placed<T> memory;
  reference::Matrix values;   // as rounded to T
  Filled(const std::string &name, std::int64_t rows, std::int64_t cols, reference::Placement at = {},
         std::uint64_t seed = 0, double factor = 1)
      : memory(device(), name, rows, cols, at) {
    std::mt19937_64 source(static_cast<std::uint64_t>(rows * 1009 + cols) + 7919 * seed +
                           static_cast<std::uint64_t>(name.size()) * 104729);
    values = reference::random_matrix(rows, cols, element_type<T>, source);
    for (double &value : values.values)
      value *= factor;
    values = memory.fill(std::move(values));
  }
  MatrixView<T> view() const { return memory.view(); }
  VectorView<T> row() const { return memory.row(0); }
};

template <class T> struct Written {
  reference::Placed<T> memory;
  Written(const std::string &name, std::int64_t rows, std::int64_t cols, reference::Placement at = {})
      : memory(device(), name, rows, cols, at) {
    memory.poison();
  }
  MatrixView<T> view() const { return memory.view(); }
  VectorView<T> row() const { return memory.row(0); }
};

// Programs of several rows of at most 128 elements: a row in a warp, rows in a warp, a row in several warps,
// and a number of rows that is no power of two.
inline const kernels::RowConfig configs_of_several_rows[] = {
    {.rows = 4, .block = 128, .whole_row = true, .launch = {.num_warps = 4}},
    {.rows = 16, .block = 128, .whole_row = true, .launch = {.num_warps = 4}},
    {.rows = 2, .block = 128, .whole_row = true, .launch = {.num_warps = 8}},
    {.rows = 3, .block = 128, .whole_row = true, .launch = {.num_warps = 1}}};

template <class F> void expect_refused(const std::string &message, F call) {
  try {
    call();
    ADD_FAILURE() << "not refused: " << message;
  } catch (const Error &error) {
    EXPECT_EQ(error.message(), message);
    EXPECT_NE(error.where().file.find("_test.cpp"), std::string::npos) << error.where().file;
  }
}

}   // namespace tile
