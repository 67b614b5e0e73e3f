// SPDX-License-Identifier: MIT
// Where a program is in the grid, and its shared memory.
#include "compiler/lowering/llvm/patterns.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tile::gpu {
namespace {

template <class Op, class X, class Y, class Z> struct GridPattern : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor, ConversionPatternRewriter &b) const override {
    Type i32 = b.getI32Type();
    switch (op.getAxis()) {
    case ir::Axis::x:
      b.template replaceOpWithNewOp<X>(op, i32);
      break;
    case ir::Axis::y:
      b.template replaceOpWithNewOp<Y>(op, i32);
      break;
    case ir::Axis::z:
      b.template replaceOpWithNewOp<Z>(op, i32);
      break;
    }
    return success();
  }
};

template <class Op, class Register> struct CtaPattern : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor, ConversionPatternRewriter &b) const override {
    b.template replaceOpWithNewOp<Register>(op, b.getI32Type());
    return success();
  }
};

constexpr StringRef SharedSymbol = "tile_shared";

// All shared memory is one array whose length the launch gives.
struct SharedPattern : ConvertOpToLLVMPattern<SharedOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(SharedOp op, OpAdaptor, ConversionPatternRewriter &b) const override {
    auto module = op->getParentOfType<ModuleOp>();
    auto global = module.lookupSymbol<LLVM::GlobalOp>(SharedSymbol);
    if (!global) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(module.getBody());
      global =
          LLVM::GlobalOp::create(b, module.getLoc(), LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                                 /*isConstant=*/false, LLVM::Linkage::External, SharedSymbol, Attribute(),
                                 /*alignment=*/1024, /*addrSpace=*/3);
    }
    Value base = LLVM::AddressOfOp::create(b, op.getLoc(), global);
    b.replaceOpWithNewOp<LLVM::GEPOp>(op, base.getType(), b.getI8Type(), base,
                                      LLVM::GEPArg(static_cast<int32_t>(op.getOffset())));
    return success();
  }
};

}   // namespace

void populateProgramPatterns(LLVMTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<GridPattern<ir::ProgramIdOp, NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp>,
               GridPattern<ir::NumProgramsOp, NVVM::GridDimXOp, NVVM::GridDimYOp, NVVM::GridDimZOp>,
               CtaPattern<CtaRankOp, NVVM::BlockInClusterIdXOp>, CtaPattern<CtaIdOp, NVVM::ClusterIdXOp>,
               CtaPattern<CtaCountOp, NVVM::ClusterDimXOp>, SharedPattern>(types);
}

}   // namespace tile::gpu
