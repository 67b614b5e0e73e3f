// SPDX-License-Identifier: MIT
#include "compiler/layout/first_columns.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace tile::layout {

std::optional<FirstColumns> FirstColumns::of(const TileLayout &tile, std::int64_t columns) {
  const LinearLayout &all = tile.linear();
  const unsigned rowBits = all.outBits(axis(0)),
                 columnBits = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(columns)) - 1);
  std::vector<std::uint64_t> images;
  std::vector<std::pair<std::uint64_t, unsigned>> others;   // by their first column
  auto take = [&](Dim dim, unsigned &count) {
    for (unsigned bit = 0; bit < all.inBits(dim); ++bit) {
      std::uint64_t row = all.basis(dim, bit, axis(0)), column = all.basis(dim, bit, axis(1));
      if (column >= static_cast<std::uint64_t>(columns)) {
        if (dim == Dim::Lane || row != 0 || !std::has_single_bit(column))
          return false;
        if (dim == Dim::Register)
          continue;
        others.emplace_back(column, bit);
        column = 0;
      }
      images.push_back(row | column << rowBits);
      ++count;
    }
    return true;
  };
  unsigned registers = 0, lanes = 0, warps = 0;
  if (!take(Dim::Register, registers) || !take(Dim::Lane, lanes) || !take(Dim::Warp, warps))
    return std::nullopt;
  std::ranges::sort(others);
  Columns group(warps, 0);
  for (std::size_t i = 0; i < others.size(); ++i) {
    const auto [column, bit] = others[i];
    if (column << (others.size() - i) != static_cast<std::uint64_t>(tile.shape()[1]))
      return std::nullopt;
    group[bit] = std::uint64_t{1} << i;
  }
  LinearLayout part({{Dim::Register, registers}, {Dim::Lane, lanes}, {Dim::Warp, warps}, {Dim::Block, 0}},
                    {{axis(0), rowBits}, {axis(1), columnBits}}, std::move(images));
  return FirstColumns{TileLayout(std::move(part), {tile.repeats()[0], 1}), std::int64_t(1) << others.size(),
                      std::move(group)};
}

}   // namespace tile::layout
