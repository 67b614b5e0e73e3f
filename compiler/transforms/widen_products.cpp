// SPDX-License-Identifier: MIT
// `tile-widen-products`: products of types that no matrix unit of the target takes become products of wider
// ones.
//
//    accumulator of f16         accumulator of f32, rounded once behind the product
//    dot of 8-bit floats        dot of f16, which holds every one of them and, in f32, their products exactly
#include "compiler/analysis/kernel_form.h"
#include "compiler/analysis/matrix_products.h"
#include "compiler/analysis/shared_products.h"
#include "compiler/transforms/passes.h"
#include "dialects/tile/dialect.h"
#include "dialects/tile/launch_attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace tile::ir {
#define GEN_PASS_DEF_TILEWIDENPRODUCTS
#include "compiler/transforms/passes.h.inc"

namespace {

struct WidenProducts : impl::TileWidenProductsBase<WidenProducts> {
  using TileWidenProductsBase::TileWidenProductsBase;

  void runOnOperation() override {
    std::optional<Target> found = Target::parse(target);
    if (!found)   // a name that is of no target is tile-assign-layouts' to complain about
      return;
    if (failed(checkTiles(getOperation())))
      return signalPassFailure();
    SmallVector<DotOp> dots;
    getOperation().walk([&](DotOp dot) { dots.push_back(dot); });
    std::optional<AxisAnalysis> facts;   // most kernels do not ask
    auto isMade = [&](DotOp dot) {
      if (matrixUnitOf(dot, *found))
        return true;
      if (!facts)
        facts.emplace(getOperation());
      return sharedLayoutsOf(dot, *found, numWarps(getOperation()), *facts).has_value();
    };
    for (DotOp dot : dots) {
      if (!isMade(dot))
        widenSum(dot);
      if (!isMade(dot))
        widenOperands(dot);
    }
  }

 private:
  static Value cast(ImplicitLocOpBuilder &b, Value v, Type element) {
    return FpCastOp::create(b, withElement(v.getType(), element), v, Rounding::nearest_even);
  }

  static void widenSum(DotOp dot) {
    Type result = dot.getType();
    if (!getElementType(result).isF16())
      return;
    ImplicitLocOpBuilder b(dot.getLoc(), dot);
    dot.getAccMutable().assign(cast(b, dot.getAcc(), b.getF32Type()));
    dot.getResult().setType(llvm::cast<RankedTensorType>(withElement(result, b.getF32Type())));
    b.setInsertionPointAfter(dot);
    Value rounded = cast(b, dot.getResult(), b.getF16Type());
    dot.getResult().replaceAllUsesExcept(rounded, rounded.getDefiningOp());
  }

  static void widenOperands(DotOp dot) {
    ImplicitLocOpBuilder b(dot.getLoc(), dot);
    for (OpOperand *operand : {&dot.getAMutable(), &dot.getBMutable()})
      if (isa<Float8E4M3FNType, Float8E5M2Type>(getElementType(operand->get().getType()))) {
        operand->set(cast(b, operand->get(), b.getF16Type()));
        dot.setMaxImpreciseAcc(0);   // every sum is one of f32 now
      }
  }
};

}   // namespace
}   // namespace tile::ir
