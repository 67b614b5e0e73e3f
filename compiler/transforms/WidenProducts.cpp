// SPDX-License-Identifier: MIT
// `tile-widen-products`: products of types that mma.sync does not take become products of wider ones.
//
//    dot of 8-bit floats        dot of f16, which holds every one of them and, in f32, their products exactly
//    accumulator of f16         accumulator of f32, rounded once behind the product
#include "compiler/transforms/Passes.h"
#include "dialects/tile/TileDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace tile::ir {
#define GEN_PASS_DEF_TILEWIDENPRODUCTS
#include "compiler/transforms/Passes.h.inc"

namespace {

struct WidenProducts : impl::TileWidenProductsBase<WidenProducts> {
  void runOnOperation() override {
    SmallVector<DotOp> dots;
    getOperation().walk([&](DotOp dot) { dots.push_back(dot); });
    for (DotOp dot : dots)
      widen(dot);
  }

 private:
  static void widen(DotOp dot) {
    ImplicitLocOpBuilder b(dot.getLoc(), dot);
    auto cast = [&](Value v, Type element) -> Value {
      return FpCastOp::create(b, withElement(v.getType(), element), v, Rounding::nearest_even);
    };
    for (OpOperand *operand : {&dot.getAMutable(), &dot.getBMutable()})
      if (isa<Float8E4M3FNType, Float8E5M2Type>(getElementType(operand->get().getType())))
        operand->set(cast(operand->get(), b.getF16Type()));
    if (getElementType(dot.getA().getType()).isF16())
      dot.setMaxImpreciseAcc(0);   // every sum is one of f32 now
    Type result = dot.getType();
    if (!getElementType(result).isF16())
      return;
    dot.getAccMutable().assign(cast(dot.getAcc(), b.getF32Type()));
    dot.getResult().setType(llvm::cast<RankedTensorType>(withElement(result, b.getF32Type())));
    b.setInsertionPointAfter(dot);
    Value rounded = cast(dot.getResult(), b.getF16Type());
    dot.getResult().replaceAllUsesExcept(rounded, rounded.getDefiningOp());
  }
};

}   // namespace
}   // namespace tile::ir
