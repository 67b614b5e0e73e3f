// SPDX-License-Identifier: MIT
// Operations on floats where floats are a ring. Only what looks into a float is here: all others move lanes.
#include "compiler/interpreter/decoder.h"
#include "compiler/interpreter/movement.h"
#include "compiler/interpreter/ring_ops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tile::interpreter {

bool Decoder::decodeRing(Operation *op) {
  const StringRef name = op->getName().getStringRef();
  const auto lane = [&](unsigned operand) { return slot(op->getOperand(operand)).lane; };
  const auto elementwise = [&](Handler handler) -> Instruction & {
    need(handler, op);
    defineOver(op->getResult(0), op, op->getOperands());
    Instruction &instruction = emit(handler, op);
    Place *places[] = {&instruction.a, &instruction.b, &instruction.c};
    for (auto [index, operand] : llvm::enumerate(op->getOperands()))
      *places[index] = slot(operand).place;
    return instruction;
  };
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    const float_ring::Comparison how = float_ring::comparison(static_cast<int>(compare.getPredicate()));
    if (how.predicate) {
      elementwise(compareHandler(static_cast<IntegerPredicate>(*how.predicate), lane(0)));
      return true;
    }
    RingAnswer answer;
    answer.always = how.always;
    elementwise(ringAnswerHandler()).detail = &program_->add(std::move(answer));
    return true;
  }
  const auto function = float_ring::function(name);
  if (function && isa<FloatType>(ir::getElementType(op->getResult(0).getType()))) {
    RingFunction detail;
    detail.function = *function;
    elementwise(ringHandler(lane(0))).detail = &program_->add(std::move(detail));
    return true;
  }
  if (const auto extension = float_ring::conversion(name)) {
    const Lane from = lane(0), to = laneOf(op->getResult(0).getType(), op);
    const bool narrows = to == Lane::I1 || (from != Lane::I1 && bytesOf(to) < bytesOf(from));
    elementwise(from == to
                    ? copyHandler(bytesOf(to))
                    : convertHandler(narrows                                     ? Conversion::Truncate
                                     : *extension == float_ring::Extension::sign ? Conversion::SignExtend
                                                                                 : Conversion::ZeroExtend,
                                     from, to));
    return true;
  }
  return false;
}

}   // namespace tile::interpreter
