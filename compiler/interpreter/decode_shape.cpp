// SPDX-License-Identifier: MIT
// Operations that make tiles and move lanes. What only changes the shape is no instruction.
#include "compiler/interpreter/decoder.h"
#include "compiler/interpreter/movement.h"

using namespace mlir;

namespace tile::interpreter {
namespace {

std::vector<std::int64_t> rowMajorSteps(ArrayRef<int64_t> shape) {
  std::vector<std::int64_t> steps(shape.size(), 1);
  for (std::size_t axis = shape.size(); axis-- > 1;)
    steps[axis - 1] = steps[axis] * shape[axis];
  return steps;
}

}   // namespace

bool Decoder::decodeShape(Operation *op) {
  const auto bytes = [&](Value value) {
    if (slot(value).lane == Lane::Descriptor)
      need(nullptr, op);
    return bytesOf(slot(value).lane);
  };
  const auto move = [&](Value result, Value from, Handler (*handler)(std::size_t), const Detail *detail) {
    define(result, op);
    moveWrapped(op, result, from, handler(sizeof(std::uint16_t)), detail);
    Instruction &instruction = emit(handler(bytes(from)), op);
    instruction.a = slot(from).place;
    instruction.detail = detail;
  };
  // The same lanes in the same order.
  const auto view = [&](Value result, Value from) {
    alias(result, from, op);
    moveWrapped(op, result, from, copyHandler(sizeof(std::uint16_t)), nullptr);
  };
  const auto moveAxes = [&](Value result, Value from, std::vector<std::int64_t> steps) {
    Strided axes = strided(extentsOf(result.getType()), steps);
    if (axes.extents.size() == 1 && (axes.steps[0] == 1 || axes.extents[0] == 1))
      return view(result, from);
    move(result, from, stridedHandler, &program_->add(std::move(axes)));
  };

  if (auto range = dyn_cast<ir::ArangeOp>(op)) {
    Arange detail;
    detail.start = static_cast<std::int32_t>(range.getStart());
    define(range, op);
    emit(arangeHandler(), op).detail = &program_->add(std::move(detail));
  } else if (auto splat = dyn_cast<ir::SplatOp>(op)) {
    if (lanesOf(extentsOf(splat.getType())) == 1)
      view(splat, splat.getValue());
    else
      move(splat, splat.getValue(), splatHandler, nullptr);
  } else if (isa<ir::ExpandDimsOp, ir::ReshapeOp>(op)) {
    view(op->getResult(0), op->getOperand(0));
  } else if (auto broadcast = dyn_cast<ir::BroadcastOp>(op)) {
    const ArrayRef<int64_t> from = ir::getShape(broadcast.getValue().getType()),
                            to = ir::getShape(broadcast.getType());
    std::vector<std::int64_t> steps = rowMajorSteps(from);
    for (std::size_t axis = 0; axis < steps.size(); ++axis)
      if (from[axis] != to[axis])
        steps[axis] = 0;
    moveAxes(broadcast, broadcast.getValue(), std::move(steps));
  } else if (auto permute = dyn_cast<ir::PermuteOp>(op)) {
    const std::vector<std::int64_t> from = rowMajorSteps(ir::getShape(permute.getValue().getType()));
    std::vector<std::int64_t> steps;
    for (int32_t axis : permute.getOrder())
      steps.push_back(from[static_cast<std::size_t>(axis)]);
    moveAxes(permute, permute.getValue(), std::move(steps));
  } else if (auto join = dyn_cast<ir::JoinOp>(op)) {
    define(join, op);
    Instruction &instruction = emit(joinHandler(bytes(join.getLhs())), op);
    instruction.a = slot(join.getLhs()).place;
    instruction.b = slot(join.getRhs()).place;
  } else if (auto split = dyn_cast<ir::SplitOp>(op)) {
    define(split.getLhs(), op);
    define(split.getRhs(), op);
    Instruction &instruction = emit(splitHandler(bytes(split.getValue())), op);
    instruction.a = slot(split.getValue()).place;
    instruction.result = slot(split.getLhs()).place;
    instruction.c = slot(split.getRhs()).place;
    instruction.lanes = slot(split.getLhs()).lanes;
  } else if (auto gather = dyn_cast<ir::GatherOp>(op)) {
    Gather detail;
    detail.result = extentsOf(gather.getType());
    detail.source = extentsOf(gather.getSource().getType());
    detail.axis = static_cast<std::size_t>(gather.getAxis());
    detail.wide = slot(gather.getIndex()).lane == Lane::I64;
    define(gather, op);
    Instruction &instruction = emit(gatherHandler(bytes(gather.getSource())), op);
    instruction.a = slot(gather.getSource()).place;
    instruction.b = slot(gather.getIndex()).place;
    instruction.detail = &program_->add(std::move(detail));
  } else {
    return false;
  }
  return true;
}

}   // namespace tile::interpreter
