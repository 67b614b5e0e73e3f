// SPDX-License-Identifier: MIT
// Scans. Elements meet in order, as in a reduction, bit by bit of their coordinate from the lowest.
// After some bits a row consists of blocks of neighbouring elements. Of each the thread knows the total,
// and the prefixes within what it holds itself; what comes before those, in lower lanes or lower
// registers, is the carry of a group, combined into the prefixes only at the end:
//
//     one block, 4 lanes with 2 registers each:  a b | c d | e f | g h
//     prefixes                                   a ab  c cd  e ef  g gh
//     carries after both bits of the lane        -     ab    abcd  abcdef
#include "compiler/lowering/distribute/conversions.h"
#include "compiler/lowering/distribute/ordered_axis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tile::gpu {

using layout::Dim;
using layout::PlaceBit;
using layout::placeBit;
using layout::TileLayout;

namespace {

// Values that some threads have: `present` is null where all do.
struct Carry {
  Registers values;   // empty: no thread has any
  Value present;
};
struct Group {
  Carry carry;
  Row prefixes;   // by coordinate along the axis
};
struct Block {
  Registers total;
  SmallVector<Group> groups;
};

class Scan {
 public:
  Scan(Distribution &distribution, ir::ScanOp op, const TileLayout &layout)
      : d_(distribution), b_(distribution.build()), op_(op), layout_(layout),
        axis_(static_cast<unsigned>(op.getAxis())), reverse_(op.getReverse()) {}

  // The running values of all registers of all rows.
  std::map<Coordinates, Row> run(std::map<Coordinates, Row> rows) {
    std::map<Coordinates, Block> blocks;
    for (auto &[remaining, row] : rows)
      blocks.emplace(remaining, withinWarp(row));
    if (!warpBits(layout_, axis_).empty())
      acrossWarps(blocks);
    std::map<Coordinates, Row> result;
    for (auto &[remaining, block] : blocks)
      result.emplace(remaining, finished(block));
    return result;
  }

 private:
  Registers combine(ValueRange earlier, ValueRange later) {
    return gpu::combine(d_, op_.getCombine(), earlier, later);
  }
  Registers select(Value condition, ValueRange yes, ValueRange no) {
    Registers result;
    for (auto [a, b] : llvm::zip(yes, no))
      result.push_back(arith::SelectOp::create(b_, condition, a, b));
    return result;
  }

  // `values` come before what the carry has, in the threads where `present` (null: in all of them).
  void prepend(Carry &carry, const Registers &values, Value present) {
    if (carry.values.empty()) {
      carry = {values, present};
      return;
    }
    Registers longer = combine(values, carry.values);
    if (carry.present)
      longer = select(carry.present, longer, values);
    carry.values = present ? select(present, longer, carry.values) : std::move(longer);
    if (!present)
      carry.present = Value();
    else if (carry.present)
      carry.present = arith::OrIOp::create(b_, carry.present, present);
  }

  Block withinWarp(const Row &row) {
    unsigned bits = layout_.linear().outBits(layout::axis(axis_)), bit = 0;
    // The lowest bits, as far as they are registers, are one walk over neighbours.
    while (bit < bits && placeBit(layout_, axis_, bit)->dim == Dim::Register)
      ++bit;
    std::map<std::int64_t, Block> blocks;
    for (auto &[along, values] : row)
      if (std::int64_t first = along >> bit; !blocks.contains(first))
        blocks.emplace(first, walk(row, first << bit, (first + 1) << bit));
    for (unsigned shifted = bit; bit < bits; ++bit) {
      PlaceBit place = *placeBit(layout_, axis_, bit);
      if (place.dim == Dim::Warp)
        break;
      if (place.dim == Dim::Lane) {
        for (auto &[first, block] : blocks)
          acrossLanes(block, place.bit);
        continue;
      }
      std::int64_t apart = std::int64_t(1) << (bit - shifted);
      std::map<std::int64_t, Block> next;
      for (auto &[first, block] : blocks)
        if (!(first & apart))
          next.emplace(first, joined(block, blocks.at(first | apart)));
      blocks = std::move(next);
    }
    // What is left are the repetitions, in order.
    Block all = blocks.begin()->second;
    for (auto &[first, later] : llvm::drop_begin(blocks))
      all = joined(all, later);
    return all;
  }

  // The elements of a row from `begin` to `end` that this thread holds are all of them.
  Block walk(const Row &row, std::int64_t begin, std::int64_t end) {
    Block block;
    Group group;
    for (std::int64_t i = 0; i < end - begin; ++i) {
      std::int64_t along = reverse_ ? end - 1 - i : begin + i;
      const Registers &own = row.at(along);
      block.total = i ? combine(block.total, own) : own;
      group.prefixes.emplace(along, block.total);
    }
    block.groups.push_back(std::move(group));
    return block;
  }

  // Two blocks of one thread, the first with the lower coordinates.
  Block joined(Block lower, Block upper) {
    if (reverse_)
      std::swap(lower, upper);
    for (Group &group : upper.groups)
      prepend(group.carry, lower.total, Value());
    Block all{combine(lower.total, upper.total), std::move(lower.groups)};
    llvm::append_range(all.groups, upper.groups);
    return all;
  }

  void acrossLanes(Block &block, unsigned bit) {
    Value isLater = laneBit(d_, bit);
    if (reverse_)
      isLater = arith::XOrIOp::create(b_, isLater, arith::ConstantIntOp::create(b_, 1, 1));
    Registers theirs;
    for (Value mine : block.total)
      theirs.push_back(shuffle(b_, mine, 1u << bit));
    for (Group &group : block.groups)
      prepend(group.carry, theirs, isLater);
    Registers later = select(isLater, block.total, theirs);
    block.total = combine(select(isLater, theirs, block.total), later);
  }

  // The totals of the warps before this one go before everything that it holds.
  void acrossWarps(std::map<Coordinates, Block> &blocks) {
    RowValues totals;
    for (auto &[remaining, block] : blocks)
      totals.emplace(remaining, block.total);
    Value own = warpAlong(d_, layout_, axis_);
    for (auto &[remaining, parts] : exchangeAcrossWarps(d_, layout_, axis_, totals)) {
      auto count = static_cast<std::int64_t>(parts.size());
      // A warp takes what is before it; later parts leave its sum as it is.
      Registers before;
      Value present;
      for (std::int64_t i = 0; i + 1 < count; ++i) {
        std::int64_t part = reverse_ ? count - 1 - i : i;
        Value counts = arith::CmpIOp::create(
            b_, reverse_ ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sgt, own, d_.constant(part));
        const Registers &total = parts[static_cast<size_t>(part)];
        if (i == 0) {
          before = total;
          present = counts;
        } else {
          before = select(counts, combine(before, total), before);
        }
      }
      for (Group &group : blocks.at(remaining).groups)
        prepend(group.carry, before, present);
    }
  }

  Row finished(const Block &block) {
    Row result;
    for (const Group &group : block.groups)
      for (const auto &[along, prefix] : group.prefixes) {
        Registers all = prefix;
        if (!group.carry.values.empty()) {
          all = combine(group.carry.values, prefix);
          if (group.carry.present)
            all = select(group.carry.present, all, prefix);
        }
        result.emplace(along, std::move(all));
      }
    return result;
  }

  Distribution &d_;
  ImplicitLocOpBuilder &b_;
  ir::ScanOp op_;
  const TileLayout &layout_;
  unsigned axis_;
  bool reverse_;
};

}   // namespace

static void scan(ir::ScanOp scan, Distribution &d) {
  auto axis = static_cast<unsigned>(scan.getAxis());
  TileLayout own = layoutOf(scan.getValues().front());
  TileLayout layout = meetsInOrder(own, axis) ? own : rowsInWarps(own, axis);
  SmallVector<Registers> tiles;
  for (Value v : scan.getValues()) {
    Registers from(d.registers(v));
    tiles.push_back(convert(d, from, ir::getElementType(v.getType()), own, layout));
  }
  std::map<Coordinates, Row> rows = Scan(d, scan, layout).run(rowsOf(layout, axis, tiles));

  for (auto [tile, result] : llvm::enumerate(scan.getResults())) {
    Registers places;
    for (std::int64_t reg = 0; reg < layout.places(); ++reg) {
      Coordinates c = layout.coordinates({reg, 0, 0, 0});
      std::int64_t along = c[axis];
      c.erase(c.begin() + axis);
      places.push_back(rows.at(c).at(along)[tile]);
    }
    d.set(result, convert(d, places, ir::getElementType(result.getType()), layout, layoutOf(result)));
  }
}

void addScans(Handlers &handlers) { handlers.add(scan); }

}   // namespace tile::gpu
