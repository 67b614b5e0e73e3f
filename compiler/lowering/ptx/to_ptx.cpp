// SPDX-License-Identifier: MIT
// `tile-gpu-to-ptx`: what only a GPU runs. Nothing but assembly text and LLVM's intrinsics is made here, so
// that the simulator runs the same program.
#include "compiler/lowering/passes.h"
#include "compiler/lowering/ptx/ptx_text.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace tile::gpu {

#define GEN_PASS_DEF_TILEGPUTOPTX
#include "compiler/lowering/passes.h.inc"

std::string constraint(unsigned bits) { return bits == 64 ? "l" : bits == 32 ? "r" : "h"; }

LLVM::InlineAsmOp assembly(OpBuilder &b, Location loc, TypeRange results, ValueRange operands,
                           const std::string &text, const std::string &constraints, bool hasSideEffects) {
  return LLVM::InlineAsmOp::create(b, loc, results, operands, text, constraints, hasSideEffects,
                                   /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
                                   LLVM::AsmDialectAttr(), ArrayAttr());
}

namespace {

template <class Op> struct ShiftPattern : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &b) const override {
    std::string text = "shl.b64 $0, $1, $2;";
    if constexpr (std::is_same_v<Op, PtxShiftRightOp>)
      text = op.getIsSigned() ? "shr.s64 $0, $1, $2;" : "shr.u64 $0, $1, $2;";
    auto shift = assembly(b, op.getLoc(), op.getType(), op.getOperands(), text, "=l,l,r",
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
    if (failed(checkMatrixUnits(module, *target)) || failed(checkProductQueue(module)))
      return signalPassFailure();
    keepWgmmaOperandsBeforeFences(module);
    keepArithmeticBehindWaits(module);
    RewritePatternSet patterns(&getContext());
    populatePtxAccesses(patterns);
    populatePtxBarriers(patterns);
    populatePtxTensorMaps(patterns);
    populatePtxAtomics(*target, patterns);
    populatePtxMma(patterns);
    populatePtxWgmma(patterns);
    patterns.add<ShiftPattern<PtxShiftLeftOp>, ShiftPattern<PtxShiftRightOp>>(&getContext());
    walkAndApplyPatterns(module, std::move(patterns));
    splitSharedAddresses(module);
    if (failed(printIntoMemory(module)))
      signalPassFailure();
  }
};

}   // namespace
}   // namespace tile::gpu
