// SPDX-License-Identifier: MIT
#include "compiler/analysis/warpgroup_pieces.h"

#include "compiler/layout/constructors.h"

#include <algorithm>

namespace tile {

using layout::Coordinates;
using layout::TileLayout;

std::optional<SharedOperand> SharedOperand::of(const TileLayout &tile, unsigned bits, unsigned along) {
  const layout::Shape &shape = tile.shape();
  for (unsigned fast : {1U, 0U})
    if (unsigned swizzle = layout::sharedSwizzle(shape, bits, fast))
      if (tile == layout::sharedRows(shape, bits, fast))
        return SharedOperand(tile, bits, along, fast, swizzle);
  return std::nullopt;
}

std::int64_t SharedOperand::offset(std::int64_t at, std::int64_t k) const {
  Coordinates place(2);
  place[along_] = at;
  place[1 - along_] = k;
  return layout_.place(place).reg * bits_ / 8;
}

std::uint64_t SharedOperand::form() const {
  const std::uint64_t mode = swizzle_ == 128 ? 1 : swizzle_ == 64 ? 2 : 3;
  return static_cast<std::uint64_t>(leading() >> 4) << 16 | static_cast<std::uint64_t>(stride() >> 4) << 32 |
         mode << 62;
}

bool SharedOperand::reaches(std::int64_t from, std::int64_t to) const {
  const std::int64_t apart = to - from;
  const std::int64_t there =
      isTransposed() ? apart / panel() * leading() + apart % panel() * bits_ / 8 : apart / Rows * stride();
  return offset(to, 0) == offset(from, 0) + there;
}

// As few as the instruction takes: 104 columns of 8-bit integers are 96 and 8. False where there are none.
static bool cutColumns(std::vector<WarpgroupPiece> &pieces, const MatrixColumns &accepted) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    std::int64_t columns = pieces[i].columns;
    while (columns > 0 && !accepted.has(columns))
      columns -= 8;
    if (columns == 0)
      return false;
    if (columns == pieces[i].columns)
      continue;
    WarpgroupPiece rest = pieces[i];
    const std::int64_t kept = std::int64_t(rest.registers.size()) * columns / rest.columns;
    rest.column += columns;
    rest.columns -= columns;
    rest.registers.erase(rest.registers.begin(), rest.registers.begin() + kept);
    pieces[i].columns = columns;
    pieces[i].registers.resize(static_cast<std::size_t>(kept));
    pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(rest));
  }
  return true;
}

std::optional<std::vector<WarpgroupPiece>> warpgroupPieces(const TileLayout &sums, const SharedOperand &right,
                                                           const MatrixUnit &unit) {
  const auto registers = sums.registersOfFirstThread();
  std::vector<WarpgroupPiece> pieces;
  for (const auto &[first, ignored] : registers) {   // by rows, then by columns
    if (first[0] % unit.m != 0 || first[1] % 8 != 0)
      continue;
    std::vector<std::int64_t> eight;   // columns
    for (std::int64_t down : {0, 8})
      for (std::int64_t aside : {0, 1}) {
        auto found = registers.find({first[0] + down, first[1] + aside});
        if (found == registers.end())
          return std::nullopt;
        eight.push_back(found->second);
      }
    if (pieces.empty() || pieces.back().row != first[0] ||
        pieces.back().column + pieces.back().columns != first[1] || pieces.back().columns == unit.n.most ||
        !right.reaches(pieces.back().column, first[1]))
      pieces.push_back({first[0], first[1], 0, {}});
    pieces.back().columns += 8;
    pieces.back().registers.insert(pieces.back().registers.end(), eight.begin(), eight.end());
  }
  if (!cutColumns(pieces, unit.n))
    return std::nullopt;
  std::size_t covered = 0;
  for (const WarpgroupPiece &piece : pieces)
    covered += piece.registers.size();
  if (covered != registers.size() || static_cast<std::int64_t>(covered) != sums.places())
    return std::nullopt;
  return pieces;
}

}   // namespace tile
