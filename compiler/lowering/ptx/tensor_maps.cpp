// SPDX-License-Identifier: MIT
// Changes of tensor maps as assembly text.
#include "compiler/lowering/ptx/ptx_text.h"
#include "dialects/tile_gpu/tensor_map_ops.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tile::gpu {
namespace {

// An address of shared memory fits in 32 bits, whatever the pointer is made of.
Value mapAddress(OpBuilder &b, Location loc, Value pointer) {
  if (cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() != 3)
    return pointer;
  return LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), pointer);
}

struct ReplacePattern : OpRewritePattern<PtxMapReplaceOp> {
  using OpRewritePattern::OpRewritePattern;

  // tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [map], 1, value;
  LogicalResult matchAndRewrite(PtxMapReplaceOp op, PatternRewriter &b) const override {
    bool isShared = cast<LLVM::LLVMPointerType>(op.getMap().getType()).getAddressSpace() == 3;
    SmallVector<Value> operands{mapAddress(b, op.getLoc(), op.getMap())};
    bool isWide = op.getValue() && op.getValue().getType().isInteger(64);
    std::string text = "tensormap.replace.tile." + op.getField().str() +
                       (isShared ? ".shared::cta" : ".global") + ".b1024." + (isWide ? "b64" : "b32") +
                       " [$0]",
                constraints = isShared ? "r" : "l";
    if (op.getDimension())
      text += ", " + std::to_string(*op.getDimension());
    if (op.getValue()) {
      operands.push_back(op.getValue());
      text += ", $1;";
      constraints += isWide ? ",l" : ",r";
    } else {
      text += ", " + std::to_string(*op.getConstant()) + ";";
    }
    assembly(b, op.getLoc(), TypeRange(), operands, text, constraints + ",~{memory}");
    b.eraseOp(op);
    return success();
  }
};

struct CopyPattern : OpRewritePattern<PtxMapCopyOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PtxMapCopyOp op, PatternRewriter &b) const override {
    std::string text = "{ .reg .b64 a, b, c, d; ";
    for (int at = 0; at < 128; at += 32) {
      const std::string first = "+" + std::to_string(at) + "]", second = "+" + std::to_string(at + 16) + "]";
      text += "ld.v2.b64 {a, b}, [$0" + first + "; ld.v2.b64 {c, d}, [$0" + second +
              "; st.global.v2.b64 [$1" + first + ", {a, b}; st.global.v2.b64 [$1" + second + ", {c, d}; ";
    }
    assembly(b, op.getLoc(), TypeRange(), {op.getMap(), op.getPlace()}, text + "}", "l,l,~{memory}");
    b.eraseOp(op);
    return success();
  }
};

struct PublishPattern : OpRewritePattern<PtxMapPublishOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PtxMapPublishOp op, PatternRewriter &b) const override {
    assembly(b, op.getLoc(), TypeRange(), {op.getPlace(), mapAddress(b, op.getLoc(), op.getMap())},
             "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
             "[$0], [$1], 128;",
             "l,r,~{memory}");
    b.eraseOp(op);
    return success();
  }
};

}   // namespace

void populatePtxTensorMaps(RewritePatternSet &patterns) {
  patterns.add<CopyPattern, ReplacePattern, PublishPattern>(patterns.getContext());
}

}   // namespace tile::gpu
