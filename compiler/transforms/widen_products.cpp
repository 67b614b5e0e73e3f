// SPDX-License-Identifier: MIT
// `tile-widen-products`: products of types that mma.sync does not take become products of wider ones.
//
//    dot of 8-bit floats        dot of f16, which holds every one of them and, in f32, their products
//    exactly,
//                               unless the target multiplies them as they are
//    accumulator of f16         accumulator of f32, rounded once behind the product
#include "compiler/target/target.h"
#include "compiler/transforms/passes.h"
#include "dialects/tile/dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace tile::ir {
#define GEN_PASS_DEF_TILEWIDENPRODUCTS
#include "compiler/transforms/passes.h.inc"

namespace {

constexpr std::int64_t Fp8Depth = 32;   // of one instruction

struct WidenProducts : impl::TileWidenProductsBase<WidenProducts> {
  using TileWidenProductsBase::TileWidenProductsBase;

  void runOnOperation() override {
    // A name that is of no target is tile-assign-layouts' to complain about.
    std::optional<Target> of = Target::parse(target);
    SmallVector<DotOp> dots;
    getOperation().walk([&](DotOp dot) { dots.push_back(dot); });
    for (DotOp dot : dots)
      widen(dot, of && of->hasFp8Products());
  }

 private:
  static void widen(DotOp dot, bool hasFp8Products) {
    ImplicitLocOpBuilder b(dot.getLoc(), dot);
    auto cast = [&](Value v, Type element) -> Value {
      return FpCastOp::create(b, withElement(v.getType(), element), v, Rounding::nearest_even);
    };
    ArrayRef<std::int64_t> shape = getShape(dot.getA().getType());
    bool staysFp8 = hasFp8Products && shape.size() == 2 && shape.back() % Fp8Depth == 0;
    for (OpOperand *operand : {&dot.getAMutable(), &dot.getBMutable()})
      if (!staysFp8 && isa<Float8E4M3FNType, Float8E5M2Type>(getElementType(operand->get().getType())))
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
