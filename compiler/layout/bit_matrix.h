// SPDX-License-Identifier: MIT
// Linear algebra over GF(2) on columns of up to 64 bits: what every question about a layout
// (is it injective, where does an element come from) ends in.
#pragma once

#include <cstdint>
#include <vector>

namespace tile::layout {

using Bits = std::uint64_t;
using Columns = std::vector<Bits>;

constexpr Bits bit(std::size_t i) { return Bits(1) << i; }
// The sum of the columns whose bits are set.
Bits sumOf(const Columns &columns, Bits chosen);
bool isIndependent(Columns columns, const Columns &more = {});

// The span of a list of columns, reduced so that each pivot bit occurs in one row only. For each
// row it remembers which of the given columns it is the sum of.
class Echelon {
 public:
  explicit Echelon(const std::vector<std::uint64_t> &columns);

  unsigned rank() const { return static_cast<unsigned>(rows_.size()); }
  // Whether the i-th column is a sum of the columns before it.
  bool isRedundant(unsigned column) const { return redundant_ >> column & 1; }
  // A set of columns, as a mask of the ones not redundant, whose sum is `target`; false if none.
  bool solve(std::uint64_t target, std::uint64_t &columns) const;

 private:
  struct Row {
    std::uint64_t value, pivot, columns;
  };
  std::vector<Row> rows_;
  std::uint64_t redundant_ = 0;
};

}   // namespace tile::layout
