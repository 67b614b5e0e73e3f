// SPDX-License-Identifier: MIT
// What host functions check about their operands before they launch, with the caller's line.
#pragma once

#include "tile/device.h"
#include "tile/error.h"
#include "tile/launch_description.h"

#include <cstdint>
#include <source_location>
#include <string_view>

namespace tile::kernels::detail {

struct Extents {
  std::int64_t rows, cols;
};

class Operands {
 public:
  // `function` is what the user called, `where` its call.
  Operands(std::string_view function, std::source_location where) : function_(function), where_(where) {}

  void same_size(std::string_view name, std::int64_t size, std::string_view other,
                 std::int64_t expected) const;
  void same_shape(std::string_view name, Extents shape, std::string_view other, Extents expected) const;
  void product(Extents a, Extents b, Extents c) const;

  // An extent as kernels count it: 32 bits, with room for the last tile's indices to run past the end.
  int extent(std::string_view name, std::int64_t value) const;
  [[noreturn]] void refuse(std::string_view message, std::string_view help = {}) const;

 private:
  std::string_view function_;
  std::source_location where_;
};

inline Work work_of_product(std::int64_t m, std::int64_t n, std::int64_t k) {
  return {.flop = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k)};
}

template <class View> Extents extents(const View &view) { return {view.rows, view.cols}; }

}   // namespace tile::kernels::detail
