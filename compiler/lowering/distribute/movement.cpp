// SPDX-License-Identifier: MIT
// Reshape, join, split and gather. The first three only rename registers where the layouts allow it;
// what is chosen by indices goes through shared memory.
#include "compiler/layout/layout_movement.h"
#include "compiler/lowering/distribute/distribution.h"
#include "compiler/lowering/distribute/shared_tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>

using namespace mlir;

namespace tile::gpu {

using layout::Dim;
using layout::TileLayout;

// Whether a coordinate depends on the register alone.
static bool isOfRegisters(const TileLayout &layout, unsigned axis) {
  for (Dim dim : {Dim::Lane, Dim::Warp})
    for (unsigned i = 0; i < layout.linear().inBits(dim); ++i)
      if (layout.linear().basis(dim, i, layout::axis(axis)))
        return false;
  return true;
}

static Registers reshaped(Distribution &d, ir::ReshapeOp reshape, ArrayRef<Value> values) {
  TileLayout from = d.layoutOf(reshape.getValue()), to = d.layoutOf(reshape.getResult());
  Type element = ir::getElementType(reshape.getType());
  if (std::optional<TileLayout> same = reshapeLayout(from, to.shape()))
    return d.convert(values, element, *same, to);
  SharedTile shared = share(d, values, element, from);
  Registers result;
  ElementIndex index(d, to);
  for (std::int64_t reg = 0; reg < to.places(); ++reg)
    result.push_back(shared.load(index.at(reg)));
  return result;
}

// Both operands are brought to where the result has its pairs; then each register takes one or the other.
static Registers joined(Distribution &d, ir::JoinOp join, Registers lhs, Registers rhs) {
  TileLayout to = d.layoutOf(join.getResult());
  unsigned last = to.rank() - 1;
  TileLayout halves = layout::slice(to, last);
  Type element = ir::getElementType(join.getType());
  if (last > 0) {   // two scalars are everywhere
    TileLayout from = d.layoutOf(join.getLhs());
    lhs = d.convert(lhs, element, from, halves);
    rhs = d.convert(rhs, element, from, halves);
  }
  std::map<layout::Coordinates, std::int64_t> held = halves.registersOfFirstThread();
  bool known = isOfRegisters(to, last);
  Registers result;
  for (std::int64_t reg = 0; reg < to.places(); ++reg) {
    std::vector<std::int64_t> c = to.coordinates({reg, 0, 0, 0});
    bool second = c.back() == 1;
    c.pop_back();
    auto source = static_cast<size_t>(held.at(c));
    if (known) {
      result.push_back(second ? rhs[source] : lhs[source]);
      continue;
    }
    Value isSecond = arith::CmpIOp::create(d.build(), arith::CmpIPredicate::ne, d.coordinate(to, last, reg),
                                           d.constant(0));
    result.push_back(arith::SelectOp::create(d.build(), isSecond, rhs[source], lhs[source]));
  }
  return result;
}

// The pairs are brought into neighbouring registers, and parted.
static std::pair<Registers, Registers> parted(Distribution &d, ir::SplitOp split, ArrayRef<Value> values) {
  TileLayout from = d.layoutOf(split.getValue());
  TileLayout halves;
  if (isa<RankedTensorType>(split.getLhs().getType())) {
    halves = d.layoutOf(split.getLhs());
  } else {   // scalars, which every thread needs
    std::vector<layout::Space> ins = from.linear().ins();
    std::vector<std::uint64_t> columns;
    for (layout::Space &in : ins) {
      in.bits = in.dim == Dim::Register ? 0 : in.bits;
      columns.insert(columns.end(), in.bits, 0);
    }
    halves = TileLayout(layout::LinearLayout(std::move(ins), {}, std::move(columns)));
  }
  Registers pairs =
      d.convert(values, ir::getElementType(split.getValue().getType()), from, joinLayout(halves));
  std::pair<Registers, Registers> result;
  for (size_t reg = 0; reg < pairs.size(); reg += 2) {
    result.first.push_back(pairs[reg]);
    result.second.push_back(pairs[reg + 1]);
  }
  return result;
}

static Registers gathered(Distribution &d, ir::GatherOp gather, ArrayRef<Value> source,
                          ArrayRef<Value> index) {
  ImplicitLocOpBuilder &b = d.build();
  TileLayout from = d.layoutOf(gather.getSource()), to = d.layoutOf(gather.getResult());
  auto axis = static_cast<unsigned>(gather.getAxis());
  SharedTile shared = share(d, source, ir::getElementType(gather.getType()), from);
  Registers result;
  for (std::int64_t reg = 0; reg < to.places(); ++reg) {
    Value at = index[static_cast<size_t>(reg)];
    if (at.getType() != b.getI32Type())
      at = arith::TruncIOp::create(b, b.getI32Type(), at);
    // An index outside gives any value, but touches nothing else.
    at = arith::MinUIOp::create(b, at, d.constant(from.shape()[axis] - 1));
    Registers coordinates;
    for (unsigned i = 0; i < to.rank(); ++i)
      coordinates.push_back(i == axis ? at : d.coordinate(to, i, reg));
    result.push_back(shared.load({rowMajorIndex(d, coordinates, from.shape())}));
  }
  return result;
}

LogicalResult Distribution::movement(Operation *op, bool &handled) {
  handled = true;
  TypeSwitch<Operation *>(op)
      .Case<ir::ReshapeOp>([&](ir::ReshapeOp reshape) {
        set(reshape.getResult(), reshaped(*this, reshape, Registers(registers(reshape.getValue()))));
      })
      .Case<ir::JoinOp>([&](ir::JoinOp join) {
        Registers lhs(registers(join.getLhs())), rhs(registers(join.getRhs()));
        set(join.getResult(), joined(*this, join, std::move(lhs), std::move(rhs)));
      })
      .Case<ir::SplitOp>([&](ir::SplitOp split) {
        auto [lhs, rhs] = parted(*this, split, Registers(registers(split.getValue())));
        set(split.getLhs(), std::move(lhs));
        set(split.getRhs(), std::move(rhs));
      })
      .Case<ir::GatherOp>([&](ir::GatherOp gather) {
        TileLayout own = layoutOf(gather.getIndex()), to = layoutOf(gather.getResult());
        Registers source(registers(gather.getSource())), index(registers(gather.getIndex()));
        index = convert(index, ir::getElementType(gather.getIndex().getType()), own, to);
        set(gather.getResult(), gathered(*this, gather, source, index));
      })
      .Default([&](Operation *) { handled = false; });
  return success();
}

}   // namespace tile::gpu
