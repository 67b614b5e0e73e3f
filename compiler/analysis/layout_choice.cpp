// SPDX-License-Identifier: MIT
#include "compiler/analysis/layout_choice.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>

namespace tile {

using namespace layout;

namespace {

constexpr unsigned LanesPerWarp = 32;
constexpr std::int64_t MaxVectorBytes = 16;

// Lays lanes and warps over the tile after each lane has its vector along order[0].
TileLayout spread(const Shape &shape, std::vector<unsigned> order, std::int64_t vector, unsigned warps) {
  std::size_t rank = shape.size();
  Blocking b{std::vector<unsigned>(rank, 1), std::vector<unsigned>(rank, 1), std::vector<unsigned>(rank, 1),
             order};
  std::vector<std::int64_t> left(rank);   // what no thread covers yet
  for (std::size_t i = 0; i < rank; ++i)
    left[i] = std::int64_t(1) << factor(shape[i]).log2;
  auto take = [&](unsigned axis, std::int64_t most) {
    std::int64_t taken = std::min(most, left[axis]);
    left[axis] /= taken;
    return static_cast<unsigned>(taken);
  };
  b.elements[order[0]] = take(order[0], vector);
  unsigned lanes = LanesPerWarp, warpsLeft = warps;
  for (unsigned axis : order) {
    b.lanes[axis] = take(axis, lanes);
    lanes /= b.lanes[axis];
  }
  b.lanes[order.back()] *= lanes;   // a tile smaller than a warp: the lanes left over hold replicas
  // Warps along the slowest axis first: a row then stays in few warps, which a reduction of rows likes.
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    b.warps[*axis] = take(*axis, warpsLeft);
    warpsLeft /= b.warps[*axis];
  }
  b.warps[order.back()] *= warpsLeft;
  return blocked(shape, b);
}

std::vector<unsigned> rowMajor(std::size_t rank) {
  std::vector<unsigned> order(rank);
  std::iota(order.rbegin(), order.rend(), 0u);
  return order;
}

}   // namespace

TileLayout coalescedLayout(const Shape &shape, const AxisFacts &pointers, unsigned elementBits,
                           unsigned warps) {
  std::vector<unsigned> order = rowMajor(shape.size());
  // The longest run first; of equal ones the last axis.
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::pair(pointers.axes[a].contiguity, a) > std::pair(pointers.axes[b].contiguity, b);
  });
  std::int64_t bytes = std::max(1u, elementBits / 8), elements = 1;
  for (std::int64_t extent : shape)   // odd factors repeat registers, whatever the threads
    elements <<= factor(extent).log2;
  const AxisFact &fast = pointers.axes[order[0]];
  std::int64_t vector = std::min(
      {fast.contiguity, std::max<std::int64_t>(1, fast.divisibility / bytes), MaxVectorBytes / bytes});
  // Rather all threads at work than wide vectors in a few of them.
  std::int64_t perThread = std::max<std::int64_t>(1, elements / (LanesPerWarp * warps));
  while (vector > perThread)
    vector /= 2;
  return spread(shape, order, vector, warps);
}

TileLayout defaultLayout(const Shape &shape, unsigned warps) {
  return spread(shape, rowMajor(shape.size()), 1, warps);
}

// Whether what lanes, warps or further registers give changes the order within a run of `length` elements.
static bool isOutOfOrder(const LinearLayout &linear, Dim axis, std::int64_t length) {
  for (Dim dim : {Dim::Register, Dim::Lane, Dim::Warp, Dim::Block})
    for (unsigned bit = dim == Dim::Register ? factor(length).log2 : 0; bit < linear.inBits(dim); ++bit)
      if (linear.basis(dim, bit, axis) & static_cast<std::uint64_t>(length - 1))
        return true;
  return false;
}

std::int64_t vectorLength(const TileLayout &layout, unsigned axis, const AxisFacts &pointers,
                          const AxisFacts *mask, std::int64_t elementBytes) {
  const AxisFact &fact = pointers.axes[axis];
  std::int64_t limit =
      std::min({fact.contiguity, fact.divisibility / elementBytes, MaxVectorBytes / elementBytes});
  if (mask)
    limit = std::min(limit, mask->axes[axis].constancy);
  auto continues = [&](unsigned bit, std::int64_t length) {
    for (unsigned other = 0; other < layout.rank(); ++other)
      if (layout.linear().basis(Dim::Register, bit, layout::axis(other)) !=
          (other == axis ? static_cast<std::uint64_t>(length) : 0))
        return false;
    return true;
  };
  std::int64_t length = 1;
  for (unsigned bit = 0; bit < layout.linear().inBits(Dim::Register) && length * 2 <= limit; ++bit) {
    if (!continues(bit, length))
      break;
    length *= 2;
  }
  while (isOutOfOrder(layout.linear(), layout::axis(axis), length))
    length /= 2;
  return length;
}

std::int64_t vectorLength(const TileLayout &layout, const AxisFacts &pointers, const AxisFacts *mask,
                          std::int64_t elementBytes) {
  std::int64_t best = 1;
  for (unsigned axis = 0; axis < layout.rank(); ++axis)
    best = std::max(best, vectorLength(layout, axis, pointers, mask, elementBytes));
  return best;
}

std::int64_t neighbours(const TileLayout &layout, AxisFacts pointers, std::int64_t elementBytes) {
  for (AxisFact &fact : pointers.axes)
    fact.divisibility = AxisFacts::MaxDivisibility;
  return vectorLength(layout, pointers, nullptr, elementBytes);
}

WarpGrid warpsOverRows(std::int64_t m, unsigned rowsOfFragment, unsigned warps) {
  WarpGrid grid{warps, 1};
  while (grid.m > 1 && m < std::int64_t(grid.m) * rowsOfFragment)
    grid = {grid.m / 2, grid.n * 2};
  return grid;
}

WarpGrid matrixWarps(std::int64_t m, std::int64_t n, ProductFragment fragment, unsigned warps) {
  WarpGrid best{warps, 1};
  auto traffic = [&](WarpGrid g) {   // rows of A and columns of B that each warp reads
    return std::max<std::int64_t>(fragment.m, m / g.m) + std::max<std::int64_t>(fragment.n, n / g.n);
  };
  for (unsigned along = warps; along >= 1; along /= 2)
    if (WarpGrid g{along, warps / along}; traffic(g) < traffic(best))
      best = g;
  return best;
}

TileLayout broadcastOperand(const TileLayout &result, const Shape &operand) {
  const LinearLayout &from = result.linear();
  std::vector<Space> outs;
  std::vector<std::int64_t> repeats = result.repeats();
  Shape shape = result.shape();
  for (unsigned i = 0; i < operand.size(); ++i) {
    bool stretched = operand[i] != shape[i];
    outs.push_back({axis(i), stretched ? 0 : from.outBits(axis(i))});
    if (stretched)
      repeats[i] = 1;
  }
  std::vector<std::uint64_t> columns;
  for (const Space &in : from.ins())
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      std::uint64_t column = 0;
      unsigned at = 0;
      for (const Space &out : outs) {
        if (out.bits)
          column |= from.basis(in.dim, bit, out.dim) << at;
        at += out.bits;
      }
      columns.push_back(column);
    }
  return {LinearLayout(from.ins(), std::move(outs), std::move(columns)).withoutZeroBases(Dim::Register),
          std::move(repeats)};
}

// Axis i of a permutation's result is axis order[i] of its operand.
TileLayout permuteOperand(const TileLayout &result, const std::vector<unsigned> &order) {
  std::vector<unsigned> inverse(order.size());
  for (unsigned i = 0; i < order.size(); ++i)
    inverse[order[i]] = i;
  return permuteResult(result, inverse);
}

bool permutesInPlace(const Shape &operand, const std::vector<unsigned> &order) {
  std::vector<unsigned> repeated;
  for (unsigned axis : order)
    if (factor(operand[axis]).odd != 1)
      repeated.push_back(axis);
  return std::is_sorted(repeated.begin(), repeated.end());
}

TileLayout permuteResult(const TileLayout &operand, const std::vector<unsigned> &order) {
  const LinearLayout &from = operand.linear();
  std::vector<Space> outs;
  std::vector<std::int64_t> repeats;
  for (unsigned i = 0; i < order.size(); ++i) {
    outs.push_back({axis(i), from.outBits(axis(order[i]))});
    repeats.push_back(operand.repeats()[order[i]]);
  }
  std::vector<std::uint64_t> columns;
  for (const Space &in : from.ins())
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      std::uint64_t column = 0;
      unsigned at = 0;
      for (unsigned i = 0; i < order.size(); ++i) {
        column |= from.basis(in.dim, bit, axis(order[i])) << at;
        at += outs[i].bits;
      }
      columns.push_back(column);
    }
  return {LinearLayout(from.ins(), std::move(outs), std::move(columns)), std::move(repeats)};
}

}   // namespace tile
