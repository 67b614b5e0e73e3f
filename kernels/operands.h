// SPDX-License-Identifier: MIT
// What host functions check about their operands before they launch, with the caller's line.
#pragma once

#include "tile/device.h"
#include "tile/error.h"
#include "tile/launch_description.h"

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

// Where the elements of an operand lie: strides in elements.
struct Placed {
  const void *data;
  Extents shape;
  std::int64_t row_stride, col_stride;
  int element_bytes;
};
// Whether an element of one and an element of the other share memory.
bool overlap(const Placed &a, const Placed &b);

// Matrices at equal distances: strides from one to the next, from row to row and from column to column.
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
std::string text(const Stack &stack);   // its shape: "[4, 8, 16]"

struct NamedOperand {
  std::string name;
  Placed place;
  bool is_written;
};

// As kernels count: 32 bits, with room for the last tile's indices to run past the end.
inline constexpr std::int64_t most_extent = std::numeric_limits<std::int32_t>::max() - 65536;

class Operands {
 public:
  // `function` is what the user called, `where` its call.
  Operands(std::string_view function, std::source_location where) : function_(function), where_(where) {}

  void same_size(std::string_view name, std::int64_t size, std::string_view other,
                 std::int64_t expected) const;
  void same_shape(std::string_view name, Extents shape, std::string_view other, Extents expected) const;
  void product(Extents a, Extents b, Extents c) const;

  // Of what is written: no two elements are one.
  void output(std::string_view name, const Placed &out) const;
  void output(std::string_view name, const Stack &out) const;
  // ... and none is an element of what is read meanwhile. `in_place`: each program reads what it writes
  // before it writes it, so that they may be one operand, but not overlap in another way.
  void apart(std::string_view name, const Placed &out, std::string_view other, const Placed &in,
             bool in_place = false) const;
  void apart(std::string_view name, const Stack &out, std::string_view other, const Stack &in,
             bool in_place = false) const;
  // No operand that is written overlaps another one.
  void all_apart(std::vector<NamedOperand> operands) const;
  // A field of a config that the caller chose.
  void positive(std::string_view field, std::int64_t value) const;
  // ... of a kernel that works row by row, `whole_row` with a block for all of one.
  void row_config(std::int64_t block, bool whole_row, std::int64_t cols) const;

  // From 0 to most_extent.
  int extent(std::string_view name, std::int64_t value) const;
  // The fields that products have in common.
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
