// SPDX-License-Identifier: MIT
// The checks of operands that host functions make before they launch. Errors show the caller's line.
#pragma once

#include <tile/device.h>
#include <tile/error.h>
#include <tile/launch_description.h>

#include <array>
#include <cstdint>
#include <limits>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tile::kernels::detail {

struct Extents {
  std::int64_t rows, cols;
};

// The place of an operand in memory. Strides are in elements.
struct Placed {
  const void *data;
  Extents shape;
  std::int64_t row_stride, col_stride;
  int element_bytes;
};
// Whether an element of a and an element of b share memory.
bool overlap(const Placed &a, const Placed &b);

// Matrices at equal distances. Strides: from matrix to matrix, from row to row, from column to column.
struct Stack {
  const void *data;
  std::array<std::int64_t, 3> extents, strides;
  int element_bytes;
  Placed member(std::int64_t index) const {
    return {static_cast<const char *>(data) + index * strides[0] * element_bytes,
            {extents[1], extents[2]},
            strides[1],
            strides[2],
            element_bytes};
  }
};
template <class View> Stack stack_of(const View &view) {
  return {view.data, view.extents, view.strides, sizeof(*view.data)};
}
std::string text(const Stack &stack);   // the shape: "[4, 8, 16]"

struct NamedOperand {
  std::string name;
  Placed place;
  bool is_written;
};

// The largest extent. Kernels count in 32 bits, and the indices of the last tile may go past the extent.
inline constexpr std::int64_t most_extent = std::numeric_limits<std::int32_t>::max() - 65536;

class Operands {
 public:
  // `function`: the name of the function that the user called; `where`: the place of the call.
  Operands(std::string_view function, std::source_location where) : function_(function), where_(where) {}

  void same_size(std::string_view name, std::int64_t size, std::string_view other,
                 std::int64_t expected) const;
  void same_shape(std::string_view name, Extents shape, std::string_view other, Extents expected) const;
  void product(Extents a, Extents b, Extents c) const;

  // For an operand that is written: no two of its elements may share an address.
  void output(std::string_view name, const Placed &out) const;
  void output(std::string_view name, const Stack &out) const;
  // The written operand must not overlap an operand that the launch reads. `in_place`: each program reads its
  // elements before it writes them, so both may be the same operand; any other overlap is refused.
  void apart(std::string_view name, const Placed &out, std::string_view other, const Placed &in,
             bool in_place = false) const;
  void apart(std::string_view name, const Stack &out, std::string_view other, const Stack &in,
             bool in_place = false) const;
  // A written operand must not overlap any other operand.
  void all_apart(std::vector<NamedOperand> operands) const;
  // Checks a field of a config that the caller chose.
  void positive(std::string_view field, std::int64_t value) const;
  // Checks a config of a kernel that works row by row. `whole_row`: one block must hold a whole row. `rows`:
  // that a program takes together, which must be whole.
  void row_config(std::int64_t rows, std::int64_t block, bool whole_row, std::int64_t cols) const;
  template <class Config> void row_config(const Config &config, std::int64_t cols) const {
    row_config(config.rows, config.block, config.whole_row, cols);
  }
  // Likewise, of a kernel whose programs take one row after the other.
  template <class Config> void config_of_single_rows(const Config &config, std::int64_t cols) const {
    row_config(config, cols);
    single_row(config.rows);
  }
  void single_row(std::int64_t rows) const;

  // Checks that the value is from 0 to most_extent, and returns it as an int.
  int extent(std::string_view name, std::int64_t value) const;
  // Checks the fields that the configs of all products have.
  template <class Config> void tiles(const Config &config) const {
    positive("block_m", config.block_m);
    positive("block_n", config.block_n);
    positive("block_k", config.block_k);
    if constexpr (requires { config.group_m; })
      positive("group_m", config.group_m);
    if constexpr (requires { config.split_k; })
      positive("split_k", config.split_k);
    if constexpr (requires { config.programs; })
      positive("programs", config.programs);
  }
  [[noreturn]] void refuse(std::string_view message, std::string_view help = {}) const;

 private:
  std::string_view function_;
  std::source_location where_;
};

inline Work work_of_product(std::int64_t m, std::int64_t n, std::int64_t k) {
  return {.flop = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k)};
}

template <class View> Extents extents(const View &view) { return {view.rows, view.cols}; }
template <class View> Placed placed(const View &view) {
  constexpr int bytes = sizeof(*view.data);
  if constexpr (requires { view.row_stride; })
    return {view.data, {view.rows, view.cols}, view.row_stride, view.col_stride, bytes};
  else
    return {view.data, {view.size, 1}, 1, 0, bytes};
}

}   // namespace tile::kernels::detail
