// SPDX-License-Identifier: MIT
// Making tiles, and ops that move elements to other coordinates. Where the operand lies as the
// result needs it, each register of the result is one of the operand's.
#include "compiler/lowering/distribute/distribution.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tile::gpu {

using layout::Coordinates;
using layout::TileLayout;

// The result's registers from the operand's, by where each result coordinate comes from.
static void moveElements(Operation *op, Distribution &d,
                         llvm::function_ref<Coordinates(Coordinates)> source) {
  Value operand = op->getOperand(0), result = op->getResult(0);
  std::map<Coordinates, std::int64_t> held = layoutOf(operand).registersOfFirstThread();
  TileLayout to = layoutOf(result);
  Registers from(d.registers(operand)), moved;
  for (std::int64_t reg = 0; reg < to.places(); ++reg)
    moved.push_back(from[static_cast<size_t>(held.at(source(to.coordinates({reg, 0, 0, 0}))))]);
  d.set(result, std::move(moved));
}

static void arange(ir::ArangeOp range, Distribution &d) {
  TileLayout layout = layoutOf(range.getResult());
  Registers values;
  for (std::int64_t reg = 0; reg < layout.places(); ++reg) {
    Value index = d.threads().coordinate(layout, 0, reg);
    if (range.getStart() != 0)
      index =
          arith::AddIOp::create(d.build(), index, d.constant(static_cast<std::int32_t>(range.getStart())));
    values.push_back(index);
  }
  d.set(range.getResult(), std::move(values));
}

static void splat(ir::SplatOp splat, Distribution &d) {
  Value one = d.registers(splat.getValue()).front();
  d.set(splat.getResult(), Registers(static_cast<size_t>(layoutOf(splat.getResult()).places()), one));
}

static void expandDims(ir::ExpandDimsOp expand, Distribution &d) {
  moveElements(expand, d, [&](Coordinates c) {
    c.erase(c.begin() + static_cast<std::ptrdiff_t>(expand.getAxis()));
    return c;
  });
}

static void broadcast(ir::BroadcastOp broadcast, Distribution &d) {
  ArrayRef<int64_t> shape = ir::getShape(broadcast.getValue().getType());
  moveElements(broadcast, d, [&](Coordinates c) {
    for (auto [coordinate, extent] : llvm::zip(c, shape))
      coordinate = extent == 1 ? 0 : coordinate;
    return c;
  });
}

static void permute(ir::PermuteOp permute, Distribution &d) {
  if (layoutOf(permute.getResult()).isShared())   // of a view the layout alone is another
    return d.set(permute.getResult(), Registers(d.registers(permute.getValue())));
  moveElements(permute, d, [&](const Coordinates &c) {
    Coordinates source(c.size());
    for (auto [i, axis] : llvm::enumerate(permute.getOrder()))
      source[static_cast<size_t>(axis)] = c[i];
    return source;
  });
}

void addShapes(Handlers &handlers) {
  handlers.add(arange);
  handlers.add(splat);
  handlers.add(expandDims);
  handlers.add(broadcast);
  handlers.add(permute);
}

}   // namespace tile::gpu
