// SPDX-License-Identifier: MIT
#include "compiler/analysis/layout_movement.h"

#include <algorithm>

namespace tile {

using namespace layout;

namespace {

// Neighbouring axes of both shapes that hold the same elements: 4 x 6 x 8 as 24 x 8 has the groups
// (4 x 6, 24) and (8, 8).
struct Group {
  unsigned from, fromEnd, to, toEnd;   // ranges of axes
};

std::vector<Group> groupAxes(const Shape &from, const Shape &to) {
  std::vector<Group> groups;
  unsigned i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    Group g{i, i, j, j};
    std::int64_t a = 1, b = 1;
    if (i < from.size())
      a = from[g.fromEnd++];
    if (j < to.size())
      b = to[g.toEnd++];
    while (a != b) {
      if (a < b)
        a *= from[g.fromEnd++];
      else
        b *= to[g.toEnd++];
    }
    i = g.fromEnd;
    j = g.toEnd;
    groups.push_back(g);
  }
  return groups;
}

// A repetition is outermost in its axis. It is outermost in the whole group, too, if all axes before it
// are 1.
bool oddFactorLeads(const Shape &shape, unsigned first, unsigned end) {
  bool before = false;
  for (unsigned i = first; i < end; ++i) {
    if (before && factor(shape[i]).odd != 1)
      return false;
    before |= shape[i] != 1;
  }
  return true;
}

}   // namespace

std::optional<TileLayout> reshapeLayout(const TileLayout &layout, const Shape &to) {
  Shape from = layout.shape();
  std::vector<std::int64_t> repeats;
  for (std::int64_t extent : to)
    repeats.push_back(factor(extent).odd);
  for (const Group &g : groupAxes(from, to))
    if (!oddFactorLeads(from, g.from, g.fromEnd) || !oddFactorLeads(to, g.to, g.toEnd))
      return std::nullopt;

  const LinearLayout &linear = layout.linear();
  std::vector<Space> outs;
  for (unsigned i = 0; i < to.size(); ++i)
    outs.push_back({axis(i), factor(to[i]).log2});
  std::vector<std::uint64_t> columns;
  for (const Space &in : linear.ins())
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      // The row-major number, whose lowest bits are the last axis, and its bits again from there.
      std::uint64_t number = 0;
      for (unsigned i = 0; i < from.size(); ++i)
        number = number << linear.outBits(axis(i)) | linear.basis(in.dim, bit, axis(i));
      std::uint64_t column = 0;
      unsigned at = linear.outBits();
      for (std::size_t i = to.size(); i-- > 0;) {
        at -= outs[i].bits;
        column |= (number & ((std::uint64_t(1) << outs[i].bits) - 1)) << at;
        number >>= outs[i].bits;
      }
      columns.push_back(column);
    }
  return TileLayout(LinearLayout(linear.ins(), std::move(outs), std::move(columns)), std::move(repeats));
}

TileLayout joinLayout(const TileLayout &operand) {
  const LinearLayout &linear = operand.linear();
  unsigned last = operand.rank();
  std::vector<Space> ins = linear.ins(), outs = linear.outs();
  outs.push_back({axis(last), 1});
  std::uint64_t pair = std::uint64_t(1) << linear.outBits();   // the new axis has the highest bit
  std::vector<std::uint64_t> columns;
  bool placed = false;
  std::size_t next = 0;
  for (Space &in : ins) {
    if (in.dim == Dim::Register) {
      columns.push_back(pair);
      placed = true;
    }
    for (unsigned bit = 0; bit < in.bits; ++bit)
      columns.push_back(linear.columns()[next++]);
    in.bits += in.dim == Dim::Register;
  }
  if (!placed) {
    ins.insert(ins.begin(), {Dim::Register, 1});
    columns.insert(columns.begin(), pair);
  }
  std::vector<std::int64_t> repeats = operand.repeats();
  repeats.push_back(1);
  return {LinearLayout(std::move(ins), std::move(outs), std::move(columns)), std::move(repeats)};
}

}   // namespace tile
