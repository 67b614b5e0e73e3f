// SPDX-License-Identifier: MIT
#include "compiler/layout/bit_matrix.h"

namespace tile::layout {

Echelon::Echelon(const std::vector<std::uint64_t> &columns) {
  for (unsigned i = 0; i < columns.size(); ++i) {
    std::uint64_t value = columns[i], used = std::uint64_t(1) << i;
    for (const Row &row : rows_)
      if (value & row.pivot) {
        value ^= row.value;
        used ^= row.columns;
      }
    if (value == 0) {
      redundant_ |= std::uint64_t(1) << i;
      continue;
    }
    std::uint64_t pivot = value & -value;
    for (Row &row : rows_)
      if (row.value & pivot) {
        row.value ^= value;
        row.columns ^= used;
      }
    rows_.push_back({value, pivot, used});
  }
}

bool Echelon::solve(std::uint64_t target, std::uint64_t &columns) const {
  columns = 0;
  for (const Row &row : rows_)
    if (target & row.pivot) {
      target ^= row.value;
      columns ^= row.columns;
    }
  return target == 0;
}

}   // namespace tile::layout
