// SPDX-License-Identifier: MIT
// Program ids, facts, assertions, prints.
#include "compiler/interpreter/decoder.h"
#include "compiler/interpreter/memory.h"
#include "compiler/interpreter/movement.h"
#include "compiler/interpreter/program_ops.h"

using namespace mlir;

namespace tile::interpreter {

bool Decoder::decodeTileOp(Operation *op) {
  if (isa<ir::ProgramIdOp, ir::NumProgramsOp>(op)) {
    GridAxis axis;
    axis.axis = static_cast<int>(isa<ir::ProgramIdOp>(op) ? cast<ir::ProgramIdOp>(op).getAxis()
                                                          : cast<ir::NumProgramsOp>(op).getAxis());
    define(op->getResult(0), op);
    emit(isa<ir::ProgramIdOp>(op) ? programIdHandler() : numProgramsHandler(), op).detail =
        &program_->add(std::move(axis));
    return true;
  }
  // The lanes of a program are in step here; a barrier matters to who looks for missing ones.
  if (isa<ir::BarrierOp>(op)) {
    emit(barrierHandler(), op);
    return true;
  }

  const auto claim = [&](Value condition, Value mask, std::string message) {
    if (!checks_.asserts)
      return;
    Claim detail;
    detail.message = std::move(message);
    detail.extents = extentsOf(condition.getType());
    Instruction &instruction = emit(claimHandler(), op);
    instruction.a = slot(condition).place;
    if (mask)
      instruction.b = slot(mask).place;
    instruction.lanes = slot(condition).lanes;
    instruction.detail = &program_->add(std::move(detail));
  };
  if (auto check = dyn_cast<ir::AssertOp>(op)) {
    claim(check.getCondition(), check.getMask(), "assertion failed: " + check.getMessage().str());
    return true;
  }
  if (auto assume = dyn_cast<ir::AssumeTrueOp>(op)) {
    claim(assume.getCondition(), {}, "a promised fact does not hold: the condition is false");
    return true;
  }
  if (auto assume = dyn_cast<ir::AssumeApartOp>(op)) {
    if (checks_.asserts) {
      Instruction &instruction = emit(apartHandler(), op);
      instruction.a = slot(assume.getPtr()).place;
      instruction.b = slot(assume.getOther()).place;
    }
    return true;
  }
  if (auto assume = dyn_cast<ir::AssumeOp>(op)) {
    const Value value = assume.getValue();
    const auto fact = [&](Fact::Kind kind, std::int64_t first, std::int64_t last) {
      Fact detail;
      detail.kind = kind;
      detail.first = first;
      detail.last = last;
      detail.lane = slot(value).lane;
      detail.extents = extentsOf(value.getType());
      if (auto pointer = dyn_cast<ir::PtrType>(ir::getElementType(value.getType())))
        detail.unit = static_cast<std::int64_t>(bytesOf(laneOf(pointer.getPointee(), op)));
      Instruction &instruction = emit(factHandler(), op);
      instruction.a = slot(value).place;
      instruction.lanes = slot(value).lanes;
      instruction.detail = &program_->add(std::move(detail));
    };
    if (checks_.asserts) {
      if (assume.getDivisible())
        fact(Fact::Divisible, *assume.getDivisible(), 0);
      if (assume.getContiguous())
        fact(Fact::Contiguous, *assume.getContiguous(), 0);
      if (assume.getConstant())
        fact(Fact::Constant, *assume.getConstant(), 0);
      if (assume.getRange())
        fact(Fact::Range, (*assume.getRange())[0], (*assume.getRange())[1]);
    }
    alias(assume, value, op);
    moveWrapped(op, assume, value, copyHandler(sizeof(std::uint16_t)), nullptr);
    return true;
  }
  if (auto print = dyn_cast<ir::PrintOp>(op)) {
    Print detail;
    detail.prefix = print.getPrefix().str();
    detail.hex = print.getHex();
    for (auto [index, value] : llvm::enumerate(print.getValues())) {
      const bool isUnsigned = print.getUnsignedOperands() && (*print.getUnsignedOperands())[index];
      detail.operands.push_back(
          {slot(value).place, slot(value).lane, extentsOf(value.getType()), isUnsigned});
    }
    emit(printHandler(), op).detail = &program_->add(std::move(detail));
    return true;
  }
  return false;
}

}   // namespace tile::interpreter
