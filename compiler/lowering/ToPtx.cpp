// SPDX-License-Identifier: MIT
// `tile-gpu-to-ptx`: what only a GPU runs. Nothing but assembly text is made here, so that the simulator
// runs the same program.
#include "compiler/lowering/Passes.h"
#include "compiler/lowering/PtxText.h"
#include "dialects/tile_gpu/TileGpuDialect.h"

#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace tile::gpu {

#define GEN_PASS_DEF_TILEGPUTOPTX
#include "compiler/lowering/Passes.h.inc"

std::string constraint(unsigned bits) { return bits == 64 ? "l" : bits == 32 ? "r" : "h"; }

LLVM::InlineAsmOp assembly(OpBuilder &b, Location loc, TypeRange results, ValueRange operands,
                           const std::string &text, const std::string &constraints, bool hasSideEffects) {
  return LLVM::InlineAsmOp::create(b, loc, results, operands, text, constraints, hasSideEffects,
                                   /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
                                   LLVM::AsmDialectAttr(), ArrayAttr());
}

namespace {

struct ShiftLeftPattern : OpRewritePattern<PtxShiftLeftOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PtxShiftLeftOp op, PatternRewriter &b) const override {
    auto shift = assembly(b, op.getLoc(), op.getType(), op.getOperands(), "shl.b64 $0, $1, $2;", "=l,l,r",
                          /*hasSideEffects=*/false);
    b.replaceOp(op, shift.getResult(0));
    return success();
  }
};

struct ToPtx : impl::TileGpuToPtxBase<ToPtx> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto name = module->getAttrOfType<StringAttr>("tile_gpu.target");
    std::optional<Target> target = name ? Target::parse(name.getValue()) : std::nullopt;
    if (!target) {
      module.emitError("tile-gpu-to-ptx needs a module whose `tile_gpu.target` is set by tile-gpu-to-llvm");
      return signalPassFailure();
    }
    RewritePatternSet patterns(&getContext());
    populatePtxAccesses(patterns);
    populatePtxAtomics(*target, patterns);
    patterns.add<ShiftLeftPattern>(&getContext());
    walkAndApplyPatterns(module, std::move(patterns));
  }
};

}   // namespace
}   // namespace tile::gpu
