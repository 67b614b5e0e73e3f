// SPDX-License-Identifier: MIT
// Making tiles, and ops that move elements to other coordinates. Where the operand lies as the
// result needs it, each register of the result is one of the operand's.
#include "compiler/lowering/distribute/distribution.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tile::gpu {

using layout::Coordinates;
using layout::TileLayout;

LogicalResult Distribution::shapes(Operation *op, bool &handled) {
  // The result's registers from the operand's, by where each result coordinate comes from.
  auto move = [&](llvm::function_ref<Coordinates(Coordinates)> source) {
    Value operand = op->getOperand(0), result = op->getResult(0);
    std::map<Coordinates, std::int64_t> held = layoutOf(operand).registersOfFirstThread();
    TileLayout to = layoutOf(result);
    Registers from(registers(operand)), moved;
    for (std::int64_t reg = 0; reg < to.places(); ++reg)
      moved.push_back(from[static_cast<size_t>(held.at(source(to.coordinates({reg, 0, 0, 0}))))]);
    set(result, std::move(moved));
    return success();
  };
  handled = true;
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<ir::ArangeOp>([&](ir::ArangeOp range) {
        TileLayout layout = layoutOf(range.getResult());
        Registers values;
        for (std::int64_t reg = 0; reg < layout.places(); ++reg) {
          Value index = coordinate(layout, 0, reg);
          if (range.getStart() != 0)
            index =
                arith::AddIOp::create(builder_, index, constant(static_cast<std::int32_t>(range.getStart())));
          values.push_back(index);
        }
        set(range.getResult(), std::move(values));
        return success();
      })
      .Case<ir::SplatOp>([&](ir::SplatOp splat) {
        Value one = registers(splat.getValue()).front();
        set(splat.getResult(), Registers(static_cast<size_t>(layoutOf(splat.getResult()).places()), one));
        return success();
      })
      .Case<ir::ExpandDimsOp>([&](ir::ExpandDimsOp expand) {
        return move([&](Coordinates c) {
          c.erase(c.begin() + static_cast<std::ptrdiff_t>(expand.getAxis()));
          return c;
        });
      })
      .Case<ir::BroadcastOp>([&](ir::BroadcastOp broadcast) {
        ArrayRef<int64_t> shape = ir::getShape(broadcast.getValue().getType());
        return move([&](Coordinates c) {
          for (auto [coordinate, extent] : llvm::zip(c, shape))
            coordinate = extent == 1 ? 0 : coordinate;
          return c;
        });
      })
      .Case<ir::PermuteOp>([&](ir::PermuteOp permute) {
        return move([&](const Coordinates &c) {
          Coordinates source(c.size());
          for (auto [i, axis] : llvm::enumerate(permute.getOrder()))
            source[static_cast<size_t>(axis)] = c[i];
          return source;
        });
      })
      .Case<ConvertLayoutOp>([&](ConvertLayoutOp convertOp) {
        Registers from(registers(convertOp.getValue()));
        set(convertOp.getResult(), convert(from, ir::getElementType(convertOp.getType()),
                                           layoutOf(convertOp.getValue()), layoutOf(convertOp.getResult())));
        return success();
      })
      .Default([&](Operation *) {
        handled = false;
        return success();
      });
}

}   // namespace tile::gpu
