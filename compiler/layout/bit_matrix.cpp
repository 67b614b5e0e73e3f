// SPDX-License-Identifier: MIT
#include "compiler/layout/bit_matrix.h"

namespace tile::layout {

Bits sumOf(const Columns &columns, Bits chosen) {
  Bits sum = 0;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (chosen >> i & 1)
      sum ^= columns[i];
  return sum;
}

bool isIndependent(Columns columns, const Columns &more) {
  columns.insert(columns.end(), more.begin(), more.end());
  return Echelon(columns).rank() == columns.size();
}

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
