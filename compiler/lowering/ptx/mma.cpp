// SPDX-License-Identifier: MIT
// Matrix operations of a warp that LLVM knows and the NVVM dialect does not, as LLVM's intrinsics; and
// whether the target has the units that a kernel asks for.
#include "compiler/lowering/ptx/ptx_text.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tile::gpu {
namespace {

// "llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e5m2.f32"
struct MmaPattern : OpRewritePattern<PtxMmaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PtxMmaOp op, PatternRewriter &b) const override {
    const MatrixUnit &unit = *op.getMatrixUnit();
    std::string name = "llvm.nvvm.mma.m" + std::to_string(unit.m) + "n" + std::to_string(unit.n.least()) +
                       "k" + std::to_string(unit.k) + ".row.col";
    for (MatrixElement element : {unit.sum, unit.a.element, unit.b.element, unit.sum}) {
      name += '.';
      name += nameOf(element);
    }
    b.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(op, op.getType(), b.getStringAttr(name), op.getOperands());
    return success();
  }
};

}   // namespace

// mma.sync of 8-bit floats is no matter of this: a target may run it without multiplying them as they are.
LogicalResult checkMatrixUnits(ModuleOp module, const Target &target) {
  WalkResult all = module.walk([&](PtxWgmmaOp op) -> WalkResult {
    if (target.has(*op.getMatrixUnit()))
      return WalkResult::advance();
    return op.emitError() << "wgmma of " << op.getTypeA() << " and " << op.getTypeB()
                          << " is missing: " << target.name() << " has no such matrix unit";
  });
  return failure(all.wasInterrupted());
}

void populatePtxMma(RewritePatternSet &patterns) { patterns.add<MmaPattern>(patterns.getContext()); }

}   // namespace tile::gpu
