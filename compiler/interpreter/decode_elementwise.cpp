// SPDX-License-Identifier: MIT
// Operations that work lane by lane, by name: what arith, math and tile call them and which loop
// does them.
#include "compiler/interpreter/decoder.h"
#include "compiler/interpreter/movement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tile::interpreter {
namespace {

const llvm::StringMap<IntegerOp> &integerOps() {
  using enum IntegerOp;
  static const llvm::StringMap<IntegerOp> ops = {
      {"arith.addi", Add},
      {"arith.subi", Subtract},
      {"arith.muli", Multiply},
      {"arith.divsi", DivideSigned},
      {"arith.divui", DivideUnsigned},
      {"arith.remsi", RemainderSigned},
      {"arith.remui", RemainderUnsigned},
      {"arith.ceildivsi", CeilDivideSigned},
      {"arith.ceildivui", CeilDivideUnsigned},
      {"arith.floordivsi", FloorDivideSigned},
      {"arith.shli", ShiftLeft},
      {"arith.shrsi", ShiftRightSigned},
      {"arith.shrui", ShiftRightUnsigned},
      {"arith.andi", And},
      {"arith.ori", Or},
      {"arith.xori", Xor},
      {"arith.maxsi", MaximumSigned},
      {"arith.maxui", MaximumUnsigned},
      {"arith.minsi", MinimumSigned},
      {"arith.minui", MinimumUnsigned},
      {"tile.divsi", DivideSigned},
      {"tile.divui", DivideUnsigned},
      {"tile.remsi", RemainderSigned},
      {"tile.remui", RemainderUnsigned},
      {"tile.ceildivsi", CeilDivideSigned},
      {"tile.ceildivui", CeilDivideUnsigned},
      {"tile.shli", ShiftLeft},
      {"tile.shrsi", ShiftRightSigned},
      {"tile.shrui", ShiftRightUnsigned},
      {"tile.mulhiui", MultiplyHighUnsigned},
      {"tile.mulhisi", MultiplyHighSigned},
  };
  return ops;
}

const llvm::StringMap<FloatOp> &floatOps() {
  using enum FloatOp;
  static const llvm::StringMap<FloatOp> ops = {
      {"arith.addf", Add},
      {"arith.subf", Subtract},
      {"arith.mulf", Multiply},
      {"arith.divf", Divide},
      {"arith.remf", Remainder},
      {"arith.maxnumf", Maximum},
      {"arith.minnumf", Minimum},
      {"arith.maximumf", MaximumPropagating},
      {"arith.minimumf", MinimumPropagating},
  };
  return ops;
}

const llvm::StringMap<UnaryOp> &unaryOps() {
  using enum UnaryOp;
  static const llvm::StringMap<UnaryOp> ops = {
      {"arith.negf", Negate},
      {"math.absf", Absolute},
      {"math.floor", Floor},
      {"math.ceil", Ceil},
      {"math.roundeven", RoundEven},
      {"math.round", Round},
      {"math.trunc", Truncate},
      {"math.sqrt", SquareRoot},
      {"math.rsqrt", ReciprocalSquareRoot},
      {"math.exp", Exp},
      {"math.exp2", Exp2},
      {"math.expm1", Expm1},
      {"math.log", Log},
      {"math.log2", Log2},
      {"math.log10", Log10},
      {"math.log1p", Log1p},
      {"math.sin", Sin},
      {"math.cos", Cos},
      {"math.tan", Tan},
      {"math.asin", Asin},
      {"math.acos", Acos},
      {"math.atan", Atan},
      {"math.sinh", Sinh},
      {"math.cosh", Cosh},
      {"math.tanh", Tanh},
      {"math.erf", Erf},
      {"math.cbrt", Cbrt},
  };
  return ops;
}

const llvm::StringMap<Conversion> &conversions() {
  using enum Conversion;
  static const llvm::StringMap<Conversion> ops = {
      {"arith.extsi", SignExtend},        {"arith.extui", ZeroExtend},
      {"arith.trunci", Truncate},         {"arith.index_cast", SignExtend},
      {"arith.index_castui", ZeroExtend}, {"arith.sitofp", SignedToFloat},
      {"arith.uitofp", UnsignedToFloat},  {"arith.fptosi", FloatToSigned},
      {"arith.fptoui", FloatToUnsigned},  {"tile.fptosi", FloatToSigned},
      {"tile.fptoui", FloatToUnsigned},   {"arith.extf", FloatToFloat},
      {"arith.truncf", FloatToFloat},
  };
  return ops;
}

template <class Op> std::optional<Op> find(const llvm::StringMap<Op> &ops, StringRef name) {
  const auto found = ops.find(name);
  return found == ops.end() ? std::nullopt : std::optional<Op>(found->second);
}

bool propagates(ir::NanRule rule) { return rule == ir::NanRule::propagate; }

}   // namespace

void Decoder::decodeInteger(Operation *op, IntegerOp kind) {
  const Value a = op->getOperand(0), b = op->getOperand(1), result = op->getResult(0);
  const Lane lane = slot(a).lane;
  if (mayWrap(op) && slice_ && slice_->carries(result)) {
    define(result, op);
    WrapCheck check;
    program_->wrappers.push_back({where(op->getLoc()),
                                  kind == IntegerOp::Add        ? "+"
                                  : kind == IntegerOp::Subtract ? "-"
                                                                : "*",
                                  static_cast<int>(8 * bytesOf(lane))});
    check.number = static_cast<std::uint16_t>(program_->wrappers.size());
    check.a = slot(a).wrapped;
    check.b = slot(b).wrapped;
    check.result = *slot(result).wrapped;
    Instruction &instruction = emit(checkedHandler(kind, lane, slice_->isUnsigned(result)), op);
    instruction.a = slot(a).place;
    instruction.b = slot(b).place;
    instruction.detail = &program_->add(std::move(check));
    return;
  }
  const Handler handler = need(integerHandler(kind, lane), op);
  defineOver(result, op, op->getOperands());
  mergeWrapped(op, result, op->getOperands());
  Instruction &instruction = emit(handler, op);
  instruction.a = slot(a).place;
  instruction.b = slot(b).place;
}

bool Decoder::decodeElementwise(Operation *op) {
  const StringRef name = op->getName().getStringRef();
  // Operands in order, the result over one of them where it may.
  const auto elementwise = [&](Handler handler) {
    need(handler, op);
    defineOver(op->getResult(0), op, op->getOperands());
    Instruction &instruction = emit(handler, op);
    Place *places[] = {&instruction.a, &instruction.b, &instruction.c};
    for (auto [index, operand] : llvm::enumerate(op->getOperands()))
      *places[index] = slot(operand).place;
    return true;
  };
  const auto lane = [&](unsigned operand) { return slot(op->getOperand(operand)).lane; };

  if (const auto kind = find(integerOps(), name)) {
    decodeInteger(op, *kind);
    return true;
  }
  if (const auto kind = find(floatOps(), name))
    return elementwise(floatHandler(*kind, lane(0)));
  if (const auto kind = find(unaryOps(), name))
    return elementwise(unaryHandler(*kind, lane(0)));
  if (const auto kind = find(conversions(), name)) {
    const Value result = op->getResult(0);
    const Lane to = laneOf(result.getType(), op);
    const bool same = to == lane(0);   // index and i64
    const bool narrows = bytesOf(to) < bytesOf(lane(0)) && isInteger(to) && isInteger(lane(0));
    const Conversion conversion = narrows ? Conversion::Truncate : *kind;
    const Handler handler =
        need(same ? copyHandler(bytesOf(to)) : convertHandler(conversion, lane(0), to), op);
    defineOver(result, op, op->getOperands());
    mergeWrapped(op, result, op->getOperands());
    emit(handler, op).a = slot(op->getOperand(0)).place;
    return true;
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return elementwise(compareHandler(static_cast<IntegerPredicate>(compare.getPredicate()), lane(0)));
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return elementwise(compareHandler(static_cast<FloatPredicate>(compare.getPredicate()), lane(0)));
  if (auto maximum = dyn_cast<ir::MaximumOp>(op))
    return elementwise(
        floatHandler(propagates(maximum.getNan()) ? FloatOp::MaximumPropagating : FloatOp::Maximum, lane(0)));
  if (auto minimum = dyn_cast<ir::MinimumOp>(op))
    return elementwise(
        floatHandler(propagates(minimum.getNan()) ? FloatOp::MinimumPropagating : FloatOp::Minimum, lane(0)));
  if (auto clamp = dyn_cast<ir::ClampOp>(op))
    return elementwise(clampHandler(propagates(clamp.getNan()), lane(0)));
  if (auto cast = dyn_cast<ir::FpCastOp>(op))
    return elementwise(convertHandler(cast.getRounding() == ir::Rounding::toward_zero
                                          ? Conversion::FloatToFloatTowardZero
                                          : Conversion::FloatToFloat,
                                      lane(0), laneOf(cast.getType(), op)));
  if (isa<math::FmaOp>(op))
    return elementwise(fmaHandler(lane(0)));
  if (isa<math::AbsIOp>(op))
    return elementwise(absoluteIntegerHandler(lane(0)));
  if (isa<math::PowFOp, math::Atan2Op>(op))
    return elementwise(binaryMathHandler(isa<math::PowFOp>(op), lane(0)));
  if (isa<arith::BitcastOp>(op)) {
    const Lane to = laneOf(op->getResult(0).getType(), op);
    if (bytesOf(to) != bytesOf(lane(0)) || (to == Lane::I1) != (lane(0) == Lane::I1))
      need(nullptr, op);
    alias(op->getResult(0), op->getOperand(0), op);
    return true;
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    const bool one =
        !isa<RankedTensorType>(select.getCondition().getType()) && isa<RankedTensorType>(select.getType());
    const std::size_t bytes = bytesOf(lane(1));
    const Handler handler = need(lane(1) == Lane::Descriptor ? nullptr
                                 : one                       ? selectOneHandler(bytes)
                                                             : selectHandler(bytes),
                                 op);
    defineOver(select, op, {select.getTrueValue(), select.getFalseValue()});
    mergeWrapped(op, select, {select.getTrueValue(), select.getFalseValue()}, select.getCondition());
    Instruction &instruction = emit(handler, op);
    instruction.a = slot(select.getCondition()).place;
    instruction.b = slot(select.getTrueValue()).place;
    instruction.c = slot(select.getFalseValue()).place;
    return true;
  }
  // Two results: neither in an operand's place.
  if (isa<arith::MulSIExtendedOp, arith::MulUIExtendedOp, arith::AddUIExtendedOp>(op)) {
    const Handler handler = need(isa<arith::AddUIExtendedOp>(op)
                                     ? extendedAddHandler(lane(0))
                                     : extendedMultiplyHandler(isa<arith::MulSIExtendedOp>(op), lane(0)),
                                 op);
    define(op->getResult(0), op);
    define(op->getResult(1), op);
    Instruction &instruction = emit(handler, op);
    instruction.a = slot(op->getOperand(0)).place;
    instruction.b = slot(op->getOperand(1)).place;
    instruction.result = slot(op->getResult(0)).place;
    instruction.c = slot(op->getResult(1)).place;
    instruction.lanes = slot(op->getResult(0)).lanes;
    return true;
  }
  if (auto add = dyn_cast<ir::AddPtrOp>(op)) {
    const auto pointee = cast<ir::PtrType>(ir::getElementType(add.getType())).getPointee();
    const Handler handler =
        need(addPointerHandler(bytesOf(laneOf(pointee, op)), lane(1), add.getUnsignedOffset()), op);
    defineOver(add, op, {add.getPtr(), add.getOffset()});
    mergeWrapped(op, add, op->getOperands());
    Instruction &instruction = emit(handler, op);
    instruction.a = slot(add.getPtr()).place;
    instruction.b = slot(add.getOffset()).place;
    return true;
  }
  if (isa<ir::PtrToIntOp>(op))
    return elementwise(pointerToIntegerHandler());
  if (isa<ir::IntToPtrOp>(op))
    return elementwise(integerToPointerHandler());
  if (auto philox = dyn_cast<ir::PhiloxOp>(op)) {
    PhiloxPlaces places;
    for (unsigned word = 0; word < 4; ++word) {
      places.results[word] = define(op->getResult(word), op).place;
      places.counters[word] = slot(op->getOperand(word + 1)).place;
    }
    Instruction &instruction = emit(philoxHandler(), op);
    instruction.a = slot(philox.getSeed()).place;
    instruction.lanes = slot(op->getResult(0)).lanes;
    instruction.detail = &program_->add(std::move(places));
    return true;
  }
  return false;
}

}   // namespace tile::interpreter
