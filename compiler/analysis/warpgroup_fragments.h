// SPDX-License-Identifier: MIT
// How instructions of a group of four warps make up a product of tiles in shared memory:
//
//     sums of 128 x 256, two groups        group 0   64 x 256, k = 0, 16, 32, 48
//                                          group 1   the same of rows 64 to 127
//
// Operands are named by matrix descriptors: where the first element lies, and how far it is to the next
// fragment of 8 rows and to the next panel of the swizzle. All that follows from the layouts of the tiles,
// and so does the place of a step: wherever it begins, its first row is a multiple of 8, which the swizzle
// leaves alone.
#pragma once

#include "compiler/layout/tile_layout.h"
#include "compiler/target/matrix_units.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tile {

// An operand as the matrix unit reads it.
class SharedOperand {
 public:
  // `along`: its axis that is not K. Nothing where the unit cannot read what lies so.
  static std::optional<SharedOperand> of(const layout::TileLayout &tile, unsigned bits, unsigned along);

  // Whether the axis that is not K is the one along which memory is contiguous.
  bool isTransposed() const { return fast_ == along_; }
  // Bytes from the tile's begin.
  std::int64_t offset(std::int64_t at, std::int64_t k) const;
  // All of the descriptor but the address.
  std::uint64_t form() const;
  // Whether a descriptor of what begins at `from` reads what is at `to`, both multiples of 8.
  bool reaches(std::int64_t from, std::int64_t to) const;

 private:
  static constexpr std::int64_t Rows = 8;   // of the pattern that is swizzled
  std::int64_t panel() const { return swizzle_ * 8 / bits_; }
  // From panel to panel; where K is contiguous nobody looks at it.
  std::int64_t leading() const {
    return isTransposed() && layout_.shape()[along_] > panel() ? offset(panel(), 0) : 16;
  }
  std::int64_t stride() const { return isTransposed() ? offset(0, Rows) : offset(Rows, 0); }

  SharedOperand(layout::TileLayout layout, unsigned bits, unsigned along, unsigned fast, unsigned swizzle)
      : layout_(std::move(layout)), bits_(bits), along_(along), fast_(fast), swizzle_(swizzle) {}

  layout::TileLayout layout_;
  unsigned bits_, along_, fast_, swizzle_;
};

// What one instruction adds to: 64 rows from `row` on, `columns` from `column` on, of the first group.
struct WarpgroupFragment {
  std::int64_t row, column, columns;
  std::vector<std::int64_t> registers;   // of each thread, in the instruction's order
};

// By rows, then by columns. Nothing where the instruction has no such columns, or the sums lie otherwise.
std::optional<std::vector<WarpgroupFragment>>
warpgroupFragments(const layout::TileLayout &sums, const SharedOperand &right, const MatrixUnit &unit);

}   // namespace tile
