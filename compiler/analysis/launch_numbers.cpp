// SPDX-License-Identifier: MIT
#include "compiler/analysis/launch_numbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tile {
namespace {

using gpu::Arithmetic;

std::optional<Arithmetic> arithmeticOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Arithmetic>>(op)
      .Case<arith::AddIOp>([](auto) { return Arithmetic::add; })
      .Case<arith::SubIOp>([](auto) { return Arithmetic::subtract; })
      .Case<arith::MulIOp>([](auto) { return Arithmetic::multiply; })
      .Case<arith::DivSIOp, ir::DivSIOp>([](auto) { return Arithmetic::divide; })
      .Case<arith::CeilDivSIOp, ir::CeilDivSIOp>([](auto) { return Arithmetic::ceil_divide; })
      .Case<arith::MinSIOp>([](auto) { return Arithmetic::minimum; })
      .Case<arith::MaxSIOp>([](auto) { return Arithmetic::maximum; })
      .Default([](Operation *) { return std::nullopt; });
}

class Reader {
 public:
  Attribute read(Value v) {
    while (isa_and_nonnull<arith::ExtSIOp, ir::AssumeOp>(v.getDefiningOp()))   // the same number
      v = v.getDefiningOp()->getOperand(0);
    if (++steps_ > MostSteps)
      return nullptr;
    APInt number;
    if (matchPattern(v, m_ConstantInt(&number)))
      return IntegerAttr::get(IntegerType::get(v.getContext(), 64), number.sextOrTrunc(64));
    Operation *op = v.getDefiningOp();
    return op ? computed(op) : argument(cast<BlockArgument>(v));
  }

 private:
  static constexpr unsigned MostSteps = 16;   // as runtime/launch_number.h has it

  static Attribute argument(BlockArgument v) {
    Type type = v.getType();   // narrower numbers launchers do not read
    if (!isa<func::FuncOp>(v.getOwner()->getParentOp()) ||
        !(isa<ir::PtrType>(type) || type.isInteger(32) || type.isInteger(64)))
      return nullptr;
    return gpu::ArgumentAttr::get(v.getContext(), v.getArgNumber());
  }

  Attribute computed(Operation *op) {
    const std::optional<Arithmetic> operation = arithmeticOf(op);
    Type type = op->getNumResults() == 1 ? op->getResult(0).getType() : Type();
    if (!operation || !(type.isInteger(32) || type.isInteger(64)))
      return nullptr;
    Attribute left = read(op->getOperand(0)), right = left ? read(op->getOperand(1)) : nullptr;
    if (!right)
      return nullptr;
    switch (*operation) {
    case Arithmetic::add:
    case Arithmetic::subtract:
    case Arithmetic::multiply:
      return gpu::ComputedAttr::get(op->getContext(), *operation, left, right, type.isInteger(32));
    case Arithmetic::divide:
    case Arithmetic::ceil_divide:
      if (auto divisor = dyn_cast<IntegerAttr>(right); !divisor || divisor.getInt() < 1)
        return nullptr;
      [[fallthrough]];
    default:   // no result is too long for its type
      return gpu::ComputedAttr::get(op->getContext(), *operation, left, right, /*narrow=*/false);
    }
  }

  unsigned steps_ = 0;
};

}   // namespace

Attribute knownAtLaunch(Value v) { return Reader().read(v); }

bool isKnownAtLaunch(ir::MakeDescriptorOp made) {
  auto isKnown = [](Value v) { return bool(knownAtLaunch(v)); };
  return isKnown(made.getBase()) && llvm::all_of(made.getShape(), isKnown) &&
         llvm::all_of(made.getStrides(), isKnown) && matchPattern(made.getStrides().back(), m_One());
}

}   // namespace tile
