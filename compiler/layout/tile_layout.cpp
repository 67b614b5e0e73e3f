// SPDX-License-Identifier: MIT
#include "compiler/layout/tile_layout.h"

#include <algorithm>
#include <cassert>

namespace tile::layout {

Extent factor(std::int64_t extent) {
  assert(extent > 0);
  unsigned log2 = 0;
  while (extent % 2 == 0) {
    extent /= 2;
    ++log2;
  }
  return {extent, log2};
}

TileLayout::TileLayout(LinearLayout linear, std::vector<std::int64_t> repeats)
    : linear_(std::move(linear)), repeats_(std::move(repeats)) {
  assert(linear_.outs().size() == repeats_.size());
}

TileLayout::TileLayout(LinearLayout linear) : linear_(std::move(linear)) {
  repeats_.assign(linear_.outs().size(), 1);
}

std::int64_t TileLayout::repetitions() const {
  std::int64_t n = 1;
  for (std::int64_t r : repeats_)
    n *= r;
  return n;
}

std::vector<std::int64_t> TileLayout::shape() const {
  std::vector<std::int64_t> shape;
  for (unsigned i = 0; i < rank(); ++i)
    shape.push_back(repeats_[i] << linear_.outBits(axis(i)));
  return shape;
}

Coordinates TileLayout::coordinates(const Place &place) const {
  std::int64_t inner = std::int64_t(1) << linear_.inBits(repeated());
  std::int64_t repetition = place.reg / inner;
  std::vector<Index> image = linear_.apply({{repeated(), static_cast<std::uint64_t>(place.reg % inner)},
                                            {Dim::Lane, place.lane},
                                            {Dim::Warp, place.warp},
                                            {Dim::Block, place.block}});
  std::vector<std::int64_t> result(rank());
  for (const Index &i : image)
    result[static_cast<unsigned>(i.dim) - static_cast<unsigned>(Dim::Axis0)] =
        static_cast<std::int64_t>(i.value);
  // The last axis repeats fastest, as the columns of one wide matrix instruction do.
  for (unsigned i = rank(); i-- > 0;) {
    result[i] += repetition % repeats_[i] << linear_.outBits(axis(i));
    repetition /= repeats_[i];
  }
  return result;
}

std::map<Coordinates, std::int64_t> TileLayout::registersOfFirstThread() const {
  std::map<Coordinates, std::int64_t> result;
  for (std::int64_t reg = 0; reg < places(); ++reg)
    result.try_emplace(coordinates({reg, 0, 0, 0}), reg);
  return result;
}

Place TileLayout::place(const Coordinates &coordinates) const {
  assert(coordinates.size() == rank());
  std::int64_t repetition = 0;
  std::vector<Index> inner;
  for (unsigned i = 0; i < rank(); ++i) {
    unsigned bits = linear_.outBits(axis(i));
    repetition = repetition * repeats_[i] + (coordinates[i] >> bits);
    inner.push_back({axis(i), static_cast<std::uint64_t>(coordinates[i]) & ((std::uint64_t(1) << bits) - 1)});
  }
  Place result;
  for (const Index &i : linear_.rightInverse().apply(inner)) {
    if (i.dim == repeated())
      result.reg = static_cast<std::int64_t>(i.value);
    else if (i.dim == Dim::Lane)
      result.lane = i.value;
    else if (i.dim == Dim::Warp)
      result.warp = i.value;
    else
      result.block = i.value;
  }
  result.reg += repetition << linear_.inBits(repeated());
  return result;
}

std::string TileLayout::table() const {
  std::vector<std::int64_t> extents = shape();
  assert(!extents.empty() && extents.size() <= 2);
  if (extents.size() == 1)
    extents.insert(extents.begin(), 1);
  std::vector<std::string> cells;
  std::size_t width = 0;
  for (std::int64_t i = 0; i < extents[0]; ++i)
    for (std::int64_t j = 0; j < extents[1]; ++j) {
      Place p = rank() == 1 ? place({j}) : place({i, j});
      std::string cell = isShared() ? std::to_string(p.reg)
                                    : "w" + std::to_string(p.warp) + ":l" + std::to_string(p.lane) + ":r" +
                                          std::to_string(p.reg);
      width = std::max(width, cell.size());
      cells.push_back(std::move(cell));
    }
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    bool last = (i + 1) % static_cast<std::size_t>(extents[1]) == 0;
    text += cells[i];
    text += last ? "\n" : std::string(width + 1 - cells[i].size(), ' ');
  }
  return text;
}

std::optional<PlaceBit> placeBit(const TileLayout &layout, unsigned axis, unsigned bit) {
  for (Dim dim : {Dim::Register, Dim::Lane, Dim::Warp})
    for (unsigned i = 0; i < layout.linear().inBits(dim); ++i) {
      bool alone = true;
      for (unsigned a = 0; a < layout.rank(); ++a)
        alone &= layout.linear().basis(dim, i, layout::axis(a)) == (a == axis ? std::uint64_t(1) << bit : 0);
      if (alone)
        return PlaceBit{dim, i};
    }
  return std::nullopt;
}

}   // namespace tile::layout
