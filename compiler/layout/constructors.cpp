// SPDX-License-Identifier: MIT
#include "compiler/layout/constructors.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <numeric>

namespace tile::layout {
namespace {

unsigned log2(std::uint64_t n) {
  assert(std::has_single_bit(n));
  return static_cast<unsigned>(std::countr_zero(n));
}

std::vector<Dim> axes(std::size_t rank) {
  std::vector<Dim> result;
  for (unsigned i = 0; i < rank; ++i)
    result.push_back(axis(i));
  return result;
}

constexpr Dim Distributed[] = {Dim::Register, Dim::Lane, Dim::Warp, Dim::Block};

// Makes a pattern cover the tile. Where the pattern is larger along an axis, the bits of the
// coordinate that the tile lacks are dropped, which leaves replicas; where it is smaller, registers
// are added, the fastest axis of `order` first.
TileLayout cover(LinearLayout pattern, const Shape &shape, const std::vector<unsigned> &order) {
  std::vector<std::int64_t> repeats;
  std::vector<Space> outs;
  for (unsigned i = 0; i < shape.size(); ++i) {
    Extent extent = factor(shape[i]);
    repeats.push_back(extent.odd);
    outs.push_back({axis(i), std::min(extent.log2, pattern.outBits(axis(i)))});
  }
  std::vector<Space> ins;
  for (Dim d : Distributed)
    ins.push_back({d, pattern.inBits(d)});
  std::vector<std::uint64_t> columns;
  for (const Space &in : ins)
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      std::uint64_t column = 0;
      unsigned at = 0;
      for (const Space &out : outs) {
        std::uint64_t coordinate = pattern.hasOut(out.dim) ? pattern.basis(in.dim, bit, out.dim) : 0;
        column |= (coordinate & ((std::uint64_t(1) << out.bits) - 1)) << at;
        at += out.bits;
      }
      columns.push_back(column);
    }
  LinearLayout result =
      LinearLayout(std::move(ins), outs, std::move(columns)).withoutZeroBases(Dim::Register);
  for (unsigned i : order)
    result = result * LinearLayout::identity(Dim::Register, axis(i), factor(shape[i]).log2 - outs[i].bits);
  return {result.ordered({Distributed, Distributed + 4}, axes(shape.size())), std::move(repeats)};
}

}   // namespace

TileLayout blocked(const Shape &shape, const Blocking &b) {
  assert(b.elements.size() == shape.size() && b.lanes.size() == shape.size() &&
         b.warps.size() == shape.size() && b.order.size() == shape.size());
  LinearLayout pattern;
  for (unsigned i : b.order)
    pattern = pattern * LinearLayout::identity(Dim::Register, axis(i), log2(b.elements[i]));
  for (unsigned i : b.order)
    pattern = pattern * LinearLayout::identity(Dim::Lane, axis(i), log2(b.lanes[i]));
  for (unsigned i : b.order)
    pattern = pattern * LinearLayout::identity(Dim::Warp, axis(i), log2(b.warps[i]));
  return cover(std::move(pattern), shape, b.order);
}

TileLayout slice(const TileLayout &parent, unsigned removed) {
  assert(removed < parent.rank());
  std::vector<Dim> ins, outs;
  for (const Space &s : parent.linear().ins())
    ins.push_back(s.dim);
  for (unsigned i = 0; i < parent.rank(); ++i)
    if (i != removed)
      outs.push_back(axis(i));
  LinearLayout kept = parent.linear().restrictedTo(ins, outs).withoutZeroBases(Dim::Register);
  // The axes behind the removed one move up by one.
  std::vector<Space> renamed;
  for (unsigned i = 0; i < outs.size(); ++i)
    renamed.push_back({axis(i), kept.outBits(outs[i])});
  std::vector<std::int64_t> repeats = parent.repeats();
  repeats.erase(repeats.begin() + removed);
  return {LinearLayout(kept.ins(), std::move(renamed), kept.columns()), std::move(repeats)};
}

// Lanes 0-3 of a group along the columns, two columns each; the eight groups along the rows:
//
//      columns  0 1   2 3   4 5   6 7
//      row 0    l0    l1    l2    l3        registers 0, 1
//      row 1    l4    l5    l6    l7
//      ...
//      row 8    l0    l1    l2    l3        registers 2, 3
static LinearLayout accumulatorAtom() {
  Dim m = axis(0), n = axis(1);
  return LinearLayout::identity(Dim::Register, n, 1) * LinearLayout::identity(Dim::Lane, n, 2) *
         LinearLayout::identity(Dim::Lane, m, 3) * LinearLayout::identity(Dim::Register, m, 1);
}

TileLayout mmaAccumulator(const Shape &mn, unsigned warpsM, unsigned warpsN) {
  LinearLayout pattern = accumulatorAtom() * LinearLayout::identity(Dim::Warp, axis(0), log2(warpsM)) *
                         LinearLayout::identity(Dim::Warp, axis(1), log2(warpsN));
  return cover(std::move(pattern), mn, {1, 0});
}

TileLayout wgmmaAccumulator(const Shape &mn, unsigned warpsM, unsigned warpsN) {
  const unsigned columns = factor(mn[1]).log2,
                 taken = 3 + log2(warpsN);   // bits; those of the atom, of warps
  LinearLayout pattern =
      accumulatorAtom() * LinearLayout::identity(Dim::Warp, axis(0), log2(warpsM)) *
      LinearLayout::identity(Dim::Register, axis(1), columns > taken ? columns - taken : 0) *
      LinearLayout::identity(Dim::Warp, axis(1), log2(warpsN));
  return cover(std::move(pattern), mn, {1, 0});
}

LinearLayout ldmatrixAtom(unsigned bits) {
  return LinearLayout::identity(Dim::Register, axis(1), log2(32 / bits)) *
         LinearLayout::identity(Dim::Lane, axis(1), 2) * LinearLayout::identity(Dim::Lane, axis(0), 3);
}

// Operand A: four 8-row matrices as ldmatrix reads them, rows before columns; each warp along N
// holds the same rows.
TileLayout mmaOperandA(const Shape &mk, unsigned bits, unsigned warpsM, unsigned warpsN) {
  LinearLayout pattern = ldmatrixAtom(bits) * LinearLayout::identity(Dim::Register, axis(0), 1) *
                         LinearLayout::identity(Dim::Register, axis(1), 1) *
                         LinearLayout::identity(Dim::Warp, axis(0), log2(warpsM)) *
                         LinearLayout::zeros(Dim::Warp, axis(1), log2(warpsN));
  return cover(std::move(pattern), mk, {1, 0});
}

// Operand B is [K, N]: the same matrices with k along the lanes of a group and n along the groups.
TileLayout mmaOperandB(const Shape &kn, unsigned bits, unsigned warpsM, unsigned warpsN) {
  Dim k = axis(0), n = axis(1);
  LinearLayout pattern =
      LinearLayout::identity(Dim::Register, k, log2(32 / bits)) * LinearLayout::identity(Dim::Lane, k, 2) *
      LinearLayout::identity(Dim::Lane, n, 3) * LinearLayout::identity(Dim::Register, k, 1) *
      LinearLayout::zeros(Dim::Warp, k, log2(warpsM)) * LinearLayout::identity(Dim::Warp, n, log2(warpsN));
  return cover(std::move(pattern), kn, {0, 1});
}

TileLayout sharedPlain(const Shape &shape, const std::vector<unsigned> &order) {
  LinearLayout linear;
  std::vector<std::int64_t> repeats(shape.size());
  for (unsigned i : order) {
    repeats[i] = factor(shape[i]).odd;
    linear = linear * LinearLayout::identity(Dim::Offset, axis(i), factor(shape[i]).log2);
  }
  return {linear.ordered({Dim::Offset}, axes(shape.size())), std::move(repeats)};
}

TileLayout sharedSwizzled(const Shape &shape, unsigned bits, unsigned swizzleBytes,
                          const std::vector<unsigned> &order) {
  assert(shape.size() == 2 && (swizzleBytes == 32 || swizzleBytes == 64 || swizzleBytes == 128));
  unsigned fast = order[0], slow = order[1];
  unsigned columnBits = factor(shape[fast]).log2, rowBits = factor(shape[slow]).log2;
  unsigned chunk = log2(16 * 8 / bits), panel = log2(swizzleBytes * 8 / bits);
  assert(columnBits >= panel && "a row of the tile is shorter than the swizzle");
  // Offset bits within a panel: columns, then rows. The row whose offset reaches address bit 7
  // exchanges the lowest chunk bit: rows per 128 bytes = 128 / swizzleBytes.
  std::vector<std::uint64_t> columns;
  unsigned slowAt = fast < slow ? columnBits : 0, fastAt = fast < slow ? 0 : rowBits;
  for (unsigned i = 0; i < panel; ++i)
    columns.push_back(std::uint64_t(1) << (fastAt + i));
  unsigned skip = log2(128 / swizzleBytes);
  for (unsigned i = 0; i < rowBits; ++i) {
    std::uint64_t column = std::uint64_t(1) << (slowAt + i);
    if (i >= skip && i - skip < panel - chunk)
      column |= std::uint64_t(1) << (fastAt + chunk + i - skip);
    columns.push_back(column);
  }
  for (unsigned i = panel; i < columnBits; ++i)
    columns.push_back(std::uint64_t(1) << (fastAt + i));
  std::vector<Space> outs = {{axis(0), fast == 0 ? columnBits : rowBits},
                             {axis(1), fast == 1 ? columnBits : rowBits}};
  return {LinearLayout({{Dim::Offset, rowBits + columnBits}}, std::move(outs), std::move(columns)),
          {factor(shape[0]).odd, factor(shape[1]).odd}};
}

unsigned sharedSwizzle(const Shape &shape, unsigned bits, unsigned fast) {
  if (shape[1 - fast] == 1)   // nothing to exchange units with
    return 0;
  std::int64_t rowBytes = (std::int64_t(1) << factor(shape[fast]).log2) * bits / 8;
  return rowBytes < 32 ? 0 : static_cast<unsigned>(std::min<std::int64_t>(rowBytes, 128));
}

TileLayout sharedRows(const Shape &shape, unsigned bits, unsigned fast) {
  std::vector<unsigned> order = {fast, 1 - fast};
  if (unsigned swizzle = sharedSwizzle(shape, bits, fast))
    return sharedSwizzled(shape, bits, swizzle, order);
  return sharedPlain(shape, order);
}

}   // namespace tile::layout
