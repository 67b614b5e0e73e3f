// SPDX-License-Identifier: MIT
// `tile-gpu-short-forms`: functions of f32 in fewer instructions where the numbers beside them allow it.
//
//    e = exp x : f32                        before
//    y = addf 1.0, e
//    s = divf z, y fastmath<arcp>
//
//    e = ex2.approx.ftz (x * log2 e)        after: what would be below 2^-126 is 0, and 1 + 0 is 1
//    y = addf 1.0, e
//    s = z * rcp.approx.ftz y               y is 1 or more, so that it is never too small for the instruction
//
// The general forms scale arguments and results that are too small. Beyond 2^126 both forms of the quotient
// give 0. And a sign is changed in the arithmetic instruction that follows, if nothing but a NaN could tell.
#include "compiler/lowering/llvm/scalar_code.h"
#include "compiler/lowering/passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <numbers>

using namespace mlir;

namespace tile::gpu {

#define GEN_PASS_DEF_TILEGPUSHORTFORMS
#include "compiler/lowering/passes.h.inc"

namespace {

bool isAtLeast(Value v, double least) {
  FloatAttr number;
  return matchPattern(v, m_Constant(&number)) && number.getValueAsDouble() >= least;
}

// Not below 0, or a NaN.
bool isNotNegative(Value v) {
  Operation *op = v.getDefiningOp();
  return isAtLeast(v, 0) || (op && isa<math::ExpOp, math::Exp2Op, math::AbsFOp, math::SqrtOp>(op)) ||
         (isa_and_nonnull<arith::MulFOp>(op) && op->getOperand(0) == op->getOperand(1));
}

// 1 or more, or a NaN: a sum of 1 and of what is not negative.
bool isAtLeastOne(Value v) {
  auto sum = v.getDefiningOp<arith::AddFOp>();
  return sum && ((isAtLeast(sum.getLhs(), 1) && isNotNegative(sum.getRhs())) ||
                 (isAtLeast(sum.getRhs(), 1) && isNotNegative(sum.getLhs())));
}

// Whether a number is only added to such as are so large that they hide its last bits.
bool isOnlyAddedToOne(Value v) {
  return !v.use_empty() && llvm::all_of(v.getUses(), [](OpOperand &use) {
    auto sum = dyn_cast<arith::AddFOp>(use.getOwner());
    return sum && isAtLeast(sum->getOperand(1 - use.getOperandNumber()), 1);
  });
}

bool isOnlyComputedWith(Value v) {
  return llvm::all_of(v.getUsers(), [](Operation *user) {
    return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, math::ExpOp, math::Exp2Op,
               math::FmaOp>(user);
  });
}

void shorten(math::ExpOp op) {
  OpBuilder b(op);
  ScalarCode c(b, op.getLoc());
  op.replaceAllUsesWith(c.exp2OfNormal(c.mul(op.getOperand(), std::numbers::log2e)));
  op.erase();
}

void shorten(arith::DivFOp op) {
  OpBuilder b(op);
  ScalarCode c(b, op.getLoc());
  FloatAttr number;
  Value quotient = c.reciprocalOfNormal(op.getRhs());
  if (!matchPattern(op.getLhs(), m_Constant(&number)) || number.getValueAsDouble() != 1)
    quotient = c.mul(op.getLhs(), quotient);
  op.replaceAllUsesWith(quotient);
  op.erase();
}

void shorten(arith::NegFOp op) {
  OpBuilder b(op);
  op.replaceAllUsesWith(LLVM::FNegOp::create(b, op.getLoc(), op.getOperand()).getResult());
  op.erase();
}

struct ShortForms : impl::TileGpuShortFormsBase<ShortForms> {
  void runOnOperation() override {
    SmallVector<math::ExpOp> powers;
    SmallVector<arith::DivFOp> quotients;
    SmallVector<arith::NegFOp> signs;
    getOperation().walk([&](Operation *op) {
      if (op->getNumResults() != 1 || !op->getResult(0).getType().isF32())
        return;
      if (auto power = dyn_cast<math::ExpOp>(op); power && isOnlyAddedToOne(power))
        powers.push_back(power);
      if (auto quotient = dyn_cast<arith::DivFOp>(op);
          quotient && bitEnumContainsAll(quotient.getFastmath(), arith::FastMathFlags::arcp) &&
          isAtLeastOne(quotient.getRhs()))
        quotients.push_back(quotient);
      if (auto sign = dyn_cast<arith::NegFOp>(op); sign && isOnlyComputedWith(sign))
        signs.push_back(sign);
    });
    for (arith::NegFOp sign : signs)
      shorten(sign);
    for (math::ExpOp power : powers)
      shorten(power);
    for (arith::DivFOp quotient : quotients)
      shorten(quotient);
  }
};

}   // namespace
}   // namespace tile::gpu
