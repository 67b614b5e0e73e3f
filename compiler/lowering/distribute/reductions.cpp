// SPDX-License-Identifier: MIT
// Reductions: over the registers of a thread, then the lanes of a warp, then the warps.
//
// A combine region need not commute: then elements meet in the order of their coordinates, bit by bit of the
// coordinate from the lowest, each bit being one of a register number, a lane or a warp. Where it does
// commute, as sums and extrema do, a thread's registers meet first: fewer values cross lanes. Where the CTAs
// of a cluster have parts of the axis (`tile_gpu.over_ctas`), they meet last, in the order of their ranks.
#include "compiler/lowering/distribute/conversions.h"
#include "compiler/lowering/distribute/ordered_axis.h"

#include "compiler/layout/constructors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tile::gpu {

using layout::Dim;
using layout::PlaceBit;
using layout::placeBit;
using layout::TileLayout;

namespace {

using Sums = RowValues;

// One op whose operands may be exchanged, between the two arguments.
bool commutes(Region &combine) {
  Block &block = combine.front();
  if (block.getNumArguments() != 2 || !llvm::hasNItems(block.getOperations(), 2))
    return false;
  Operation &op = block.front();
  return op.hasTrait<OpTrait::IsCommutative>() ||
         isa<arith::AddFOp, arith::MulFOp, ir::MaximumOp, ir::MinimumOp>(op);
}

bool everyBitHasAPlace(const TileLayout &layout, unsigned axis) {
  for (unsigned bit = 0; bit < layout.linear().outBits(layout::axis(axis)); ++bit)
    if (!placeBit(layout, axis, bit))
      return false;
  return true;
}

class Reduction {
 public:
  Reduction(Distribution &distribution, ir::ReduceOp op, TileLayout layout, SmallVector<Registers> tiles)
      : d_(distribution), b_(distribution.build()), op_(op), layout_(std::move(layout)),
        tiles_(std::move(tiles)), axis_(static_cast<unsigned>(op.getAxis())) {}

  // Every place of the layout without the axis holds its sum afterwards.
  Sums run() {
    Sums sums;
    for (auto &[remaining, row] : rowsOf(layout_, axis_, tiles_))
      sums.emplace(remaining, withinWarp(row));
    if (!warpBits(layout_, axis_).empty())
      sums = acrossWarps(sums);
    return op_->hasAttr(OverCtasName) ? acrossCtas(sums) : sums;
  }

 private:
  unsigned bits() const { return layout_.linear().outBits(layout::axis(axis_)); }

  Registers withinWarp(Row partial) {
    if (commutes(op_.getCombine()))
      return withinWarpInAnyOrder(partial);
    for (unsigned bit = 0; bit < bits(); ++bit) {
      PlaceBit place = *placeBit(layout_, axis_, bit);
      if (place.dim == Dim::Warp)
        continue;
      Row next;
      for (auto &[along, mine] : partial) {
        if (place.dim == Dim::Lane)
          next.emplace(along, acrossLanes(mine, place.bit));
        else if (!(along >> bit & 1))   // its upper neighbour goes into it
          next.emplace(along,
                       combine(d_, op_.getCombine(), mine, partial.at(along | std::int64_t(1) << bit)));
      }
      partial = std::move(next);
    }
    // What is left are the repetitions, in order.
    Registers sum = partial.begin()->second;
    for (auto &[along, later] : llvm::drop_begin(partial))
      sum = combine(d_, op_.getCombine(), sum, later);
    return sum;
  }

  Registers withinWarpInAnyOrder(const Row &partial) {
    // As a tree: half the depth of a chain for each level, and rounding errors that grow more slowly.
    SmallVector<Registers> values;
    for (auto &[along, value] : partial)
      values.push_back(value);
    for (; values.size() > 1; values.resize((values.size() + 1) / 2))
      for (size_t i = 0; 2 * i < values.size(); ++i)
        values[i] = 2 * i + 1 < values.size()
                        ? combine(d_, op_.getCombine(), values[2 * i], values[2 * i + 1])
                        : values[2 * i];
    Registers sum = values.front();
    for (unsigned bit = 0; bit < bits(); ++bit)
      if (PlaceBit place = *placeBit(layout_, axis_, bit); place.dim == Dim::Lane) {
        Registers theirs;
        for (Value mine : sum)
          theirs.push_back(shuffle(b_, mine, 1u << place.bit));
        sum = combine(d_, op_.getCombine(), sum, theirs);
      }
    return sum;
  }

  // Of two lanes the one with the bit set holds the later elements.
  Registers acrossLanes(ValueRange mine, unsigned bit) {
    Value isLater = laneBit(d_, bit);
    Registers first, second;
    for (Value m : mine) {
      Value theirs = shuffle(b_, m, 1u << bit);
      first.push_back(arith::SelectOp::create(b_, isLater, theirs, m));
      second.push_back(arith::SelectOp::create(b_, isLater, m, theirs));
    }
    return combine(d_, op_.getCombine(), first, second);
  }

  // Each warp leaves its part of a row in shared memory; everyone reads all parts, in order.
  Sums acrossWarps(const Sums &parts) {
    Sums sums;
    for (auto &[row, read] : exchangeAcrossWarps(d_, layout_, axis_, parts))
      sums.emplace(row, inOrder(read));
    return sums;
  }

  // Each CTA leaves its part of a row in the shared memory of all CTAs; everyone reads all parts, in order.
  Sums acrossCtas(const Sums &parts) {
    Sums sums;
    for (auto &[row, read] : exchangeAcrossCtas(d_, layout_, axis_, parts, clusterOf(op_)))
      sums.emplace(row, inOrder(read));
    return sums;
  }

  Registers inOrder(ArrayRef<Registers> parts) {
    Registers sum = parts.front();
    for (const Registers &later : llvm::drop_begin(parts))
      sum = combine(d_, op_.getCombine(), sum, later);
    return sum;
  }

  Distribution &d_;
  ImplicitLocOpBuilder &b_;
  ir::ReduceOp op_;
  TileLayout layout_;
  SmallVector<Registers> tiles_;
  unsigned axis_;
};

}   // namespace

static void reduce(ir::ReduceOp reduce, Distribution &d) {
  unsigned axis = static_cast<unsigned>(reduce.getAxis());
  TileLayout own = layoutOf(reduce.getValues().front());
  bool suits = commutes(reduce.getCombine()) ? everyBitHasAPlace(own, axis) : meetsInOrder(own, axis);
  TileLayout layout = suits ? own : rowsInWarps(own, axis);
  SmallVector<Registers> tiles;
  for (Value v : reduce.getValues()) {
    Registers from(d.registers(v));
    tiles.push_back(convert(d, from, ir::getElementType(v.getType()), own, layout));
  }
  Sums sums = Reduction(d, reduce, layout, std::move(tiles)).run();

  TileLayout rest = layout::slice(layout, axis), expected = layout::slice(own, axis);
  for (auto [tile, result] : llvm::enumerate(reduce.getResults())) {
    Registers places;
    for (std::int64_t reg = 0; reg < rest.places(); ++reg)
      places.push_back(sums.at(rest.coordinates({reg, 0, 0, 0}))[tile]);
    d.set(result, rest.rank() == 0
                      ? places
                      : convert(d, places, ir::getElementType(result.getType()), rest, expected));
  }
}

void addReductions(Handlers &handlers) { handlers.add(reduce); }

}   // namespace tile::gpu
