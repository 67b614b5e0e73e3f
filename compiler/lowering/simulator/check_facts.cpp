// SPDX-License-Identifier: MIT
// `tile-gpu-check-facts`: promises are checked where they are made. Promises in loops are still inside them,
// so a promise in a loop that never runs is not checked. Steps of loops are checked, too.
#include "compiler/analysis/trip_count.h"
#include "compiler/lowering/passes.h"
#include "dialects/tile/dialect.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace tile::gpu {

#define GEN_PASS_DEF_TILEGPUCHECKFACTS
#include "compiler/lowering/passes.h.inc"

namespace {

struct CheckFacts : impl::TileGpuCheckFactsBase<CheckFacts> {
  using TileGpuCheckFactsBase::TileGpuCheckFactsBase;
  void runOnOperation() override {
    getOperation().walk([](arith::CmpIOp isPositive) {
      if (isPositive->hasAttr(StepName))
        checkStep(isPositive);
    });
    if (!checksPromises)
      return;
    getOperation().walk([](ir::AssumeOp fact) {
      if (!isa<RankedTensorType>(fact.getType()))
        check(fact);
    });
    getOperation().walk(
        [](ir::AssumeApartOp apart) { apart->setAttr(CheckedName, UnitAttr::get(apart.getContext())); });
  }

 private:
  static Value wide(ImplicitLocOpBuilder &b, Value number) {
    return number.getType().isInteger(64) ? number : Value(arith::ExtSIOp::create(b, b.getI64Type(), number));
  }

  static void checkStep(arith::CmpIOp isPositive) {
    ImplicitLocOpBuilder b(isPositive.getLoc(), isPositive);
    b.setInsertionPointAfter(isPositive);
    LLVM::AssumeOp::create(b, isPositive, "tile.step", ValueRange{wide(b, isPositive.getLhs())});
  }

  static void check(ir::AssumeOp fact) {
    ImplicitLocOpBuilder b(fact.getLoc(), fact);
    bool isPointer = isa<ir::PtrType>(fact.getType());
    auto number = [&](std::int64_t n) -> Value { return arith::ConstantIntOp::create(b, n, 64); };
    auto holds = [&](arith::CmpIPredicate how, Value a, Value c) -> Value {
      return arith::CmpIOp::create(b, how, a, c);
    };
    auto value = [&]() -> Value {
      if (isPointer)
        return ir::PtrToIntOp::create(b, b.getI64Type(), fact.getValue());
      return wide(b, fact.getValue());
    };
    if (std::optional<std::uint64_t> divisor = fact.getDivisible()) {
      Value x = value(), by = number(static_cast<std::int64_t>(*divisor));
      Value rest = arith::RemSIOp::create(b, x, by);
      LLVM::AssumeOp::create(b, holds(arith::CmpIPredicate::eq, rest, number(0)),
                             isPointer ? "tile.aligned" : "tile.divisible", ValueRange{x, by});
    }
    if (std::optional<ArrayRef<std::int64_t>> range = fact.getRange()) {
      Value x = value(), low = number((*range)[0]), high = number((*range)[1]);
      Value isAbove = holds(arith::CmpIPredicate::sge, x, low);
      Value isBelow = holds(arith::CmpIPredicate::sle, x, high);
      LLVM::AssumeOp::create(b, arith::AndIOp::create(b, isAbove, isBelow), "tile.range",
                             ValueRange{x, low, high});
    }
  }
};

}   // namespace
}   // namespace tile::gpu
