// SPDX-License-Identifier: MIT
#include "compiler/analysis/warpgroup_fragments.h"

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

// Cuts the columns into numbers that the instruction accepts, as few as possible: 104 columns of 8-bit
// integers become 96 and 8. False if no accepted number is small enough.
static bool cutColumns(std::vector<WarpgroupFragment> &fragments, const MatrixColumns &accepted) {
  for (std::size_t i = 0; i < fragments.size(); ++i) {
    std::int64_t columns = fragments[i].columns;
    while (columns > 0 && !accepted.has(columns))
      columns -= 8;
    if (columns == 0)
      return false;
    if (columns == fragments[i].columns)
      continue;
    WarpgroupFragment rest = fragments[i];
    const std::int64_t kept = std::int64_t(rest.registers.size()) * columns / rest.columns;
    rest.column += columns;
    rest.columns -= columns;
    rest.registers.erase(rest.registers.begin(), rest.registers.begin() + kept);
    fragments[i].columns = columns;
    fragments[i].registers.resize(static_cast<std::size_t>(kept));
    fragments.insert(fragments.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(rest));
  }
  return true;
}

std::optional<std::vector<WarpgroupFragment>>
warpgroupFragments(const TileLayout &sums, const SharedOperand &right, const MatrixUnit &unit) {
  const auto registers = sums.registersOfFirstThread();
  std::vector<WarpgroupFragment> fragments;
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
    if (fragments.empty() || fragments.back().row != first[0] ||
        fragments.back().column + fragments.back().columns != first[1] ||
        fragments.back().columns == unit.n.most || !right.reaches(fragments.back().column, first[1]))
      fragments.push_back({first[0], first[1], 0, {}});
    fragments.back().columns += 8;
    fragments.back().registers.insert(fragments.back().registers.end(), eight.begin(), eight.end());
  }
  if (!cutColumns(fragments, unit.n))
    return std::nullopt;
  std::size_t covered = 0;
  for (const WarpgroupFragment &fragment : fragments)
    covered += fragment.registers.size();
  if (covered != registers.size() || static_cast<std::int64_t>(covered) != sums.places())
    return std::nullopt;
  return fragments;
}

}   // namespace tile
