// SPDX-License-Identifier: MIT
// Reshape, join, split and gather. The first three only rename registers where the layouts allow it;
// what is chosen by indices goes through shared memory.
#include "compiler/analysis/layout_movement.h"
#include "compiler/lowering/distribute/conversions.h"
#include "compiler/lowering/distribute/shared_tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

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
  TileLayout from = layoutOf(reshape.getValue()), to = layoutOf(reshape.getResult());
  Type element = ir::getElementType(reshape.getType());
  if (std::optional<TileLayout> same = reshapeLayout(from, to.shape()))
    return convert(d, values, element, *same, to);
  SharedTile shared = share(d, values, element, from);
  Registers result;
  ElementIndex index(d, to);
  for (std::int64_t reg = 0; reg < to.places(); ++reg)
    result.push_back(shared.load(index.at(reg)));
  return result;
}

// Both operands are brought to where the result has its pairs; then each register takes one or the other.
static Registers joined(Distribution &d, ir::JoinOp join, Registers lhs, Registers rhs) {
  TileLayout to = layoutOf(join.getResult());
  unsigned last = to.rank() - 1;
  TileLayout halves = layout::slice(to, last);
  Type element = ir::getElementType(join.getType());
  if (last > 0) {   // two scalars are everywhere
    TileLayout from = layoutOf(join.getLhs());
    lhs = convert(d, lhs, element, from, halves);
    rhs = convert(d, rhs, element, from, halves);
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
    Value isSecond = arith::CmpIOp::create(d.build(), arith::CmpIPredicate::ne,
                                           d.threads().coordinate(to, last, reg), d.constant(0));
    result.push_back(arith::SelectOp::create(d.build(), isSecond, rhs[source], lhs[source]));
  }
  return result;
}

// The pairs are brought into neighbouring registers, and parted.
static std::pair<Registers, Registers> parted(Distribution &d, ir::SplitOp split, ArrayRef<Value> values) {
  TileLayout from = layoutOf(split.getValue());
  TileLayout halves;
  if (isa<RankedTensorType>(split.getLhs().getType())) {
    halves = layoutOf(split.getLhs());
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
      convert(d, values, ir::getElementType(split.getValue().getType()), from, joinLayout(halves));
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
  TileLayout from = layoutOf(gather.getSource()), to = layoutOf(gather.getResult());
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
      coordinates.push_back(i == axis ? at : d.threads().coordinate(to, i, reg));
    result.push_back(shared.load({rowMajorIndex(d, coordinates, from.shape())}));
  }
  return result;
}

static void reshape(ir::ReshapeOp reshape, Distribution &d) {
  d.set(reshape.getResult(), reshaped(d, reshape, Registers(d.registers(reshape.getValue()))));
}

static void join(ir::JoinOp join, Distribution &d) {
  Registers lhs(d.registers(join.getLhs())), rhs(d.registers(join.getRhs()));
  d.set(join.getResult(), joined(d, join, std::move(lhs), std::move(rhs)));
}

static void split(ir::SplitOp split, Distribution &d) {
  auto [lhs, rhs] = parted(d, split, Registers(d.registers(split.getValue())));
  d.set(split.getLhs(), std::move(lhs));
  d.set(split.getRhs(), std::move(rhs));
}

static void gather(ir::GatherOp gather, Distribution &d) {
  TileLayout own = layoutOf(gather.getIndex()), to = layoutOf(gather.getResult());
  Registers source(d.registers(gather.getSource())), index(d.registers(gather.getIndex()));
  index = convert(d, index, ir::getElementType(gather.getIndex().getType()), own, to);
  d.set(gather.getResult(), gathered(d, gather, source, index));
}

void addMovement(Handlers &handlers) {
  handlers.add(reshape);
  handlers.add(join);
  handlers.add(split);
  handlers.add(gather);
}

}   // namespace tile::gpu
