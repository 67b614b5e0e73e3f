// SPDX-License-Identifier: MIT
// Arrivals at another CTA's mbarrier that publish nothing. `.release.cluster` is a fence of all memory each
// time, a third of a product's speed; PTX has had `.relaxed` since a version that our targets do not write.
// Without a qualifier the assembler makes the code that `.relaxed.cluster` is.
#include "compiler/lowering/ptx/ptx_text.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tile::gpu {
namespace {

struct ReadsArrivePattern : OpRewritePattern<NVVM::MBarrierArriveOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(NVVM::MBarrierArriveOp op, PatternRewriter &b) const override {
    auto address = cast<LLVM::LLVMPointerType>(op.getAddr().getType());
    constexpr unsigned ofCluster = 7;
    if (!op->hasAttr(AfterMatrixReadsName) || address.getAddressSpace() != ofCluster ||
        op->getNumResults() != 0 || op.getCount())
      return failure();
    Value at = LLVM::PtrToIntOp::create(b, op.getLoc(), b.getI32Type(), op.getAddr());
    assembly(b, op.getLoc(), TypeRange(), at, "mbarrier.arrive.shared::cluster.b64 _, [$0];", "r,~{memory}");
    b.eraseOp(op);
    return success();
  }
};

}   // namespace

void populatePtxBarriers(RewritePatternSet &patterns) {
  patterns.add<ReadsArrivePattern>(patterns.getContext());
}

}   // namespace tile::gpu
