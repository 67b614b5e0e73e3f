// SPDX-License-Identifier: MIT
// Atomics of one thread. They stay what the machine calls them: LLVM would expand some of them with other
// fences than the language asks for, and has no predicates.
#include "compiler/lowering/llvm/patterns.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tile::gpu {
namespace {

Value bitsOf(OpBuilder &b, Location loc, Value v) {
  Type integer = b.getIntegerType(v.getType().getIntOrFloatBitWidth());
  return v.getType() == integer ? v : Value(LLVM::BitcastOp::create(b, loc, integer, v));
}

// The bits of an element as the language's value.
Value fromBits(OpBuilder &b, Location loc, Value v, Type element) {
  return v.getType() == element ? v : Value(LLVM::BitcastOp::create(b, loc, element, v));
}

struct AtomicPattern : ConvertOpToLLVMPattern<AtomicGlobalOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(AtomicGlobalOp op, OpAdaptor in,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type element = in.getValue().getType();
    Value bits = bitsOf(b, loc, in.getValue());
    Value old = PtxAtomicOp::create(b, loc, bits.getType(), op.getUpdate(), in.getPtr(), bits, element,
                                    in.getPredicate(), op.getOrdering(), op.getScope());
    b.replaceOp(op, fromBits(b, loc, old, element));
    return success();
  }
};

struct AddPattern : ConvertOpToLLVMPattern<AddGlobalOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(AddGlobalOp op, OpAdaptor in, ConversionPatternRewriter &b) const override {
    Type element = in.getValues().front().getType();
    const size_t ofWord = 32 / element.getIntOrFloatBitWidth();
    SmallVector<Value> words;
    for (size_t i = 0; i < in.getValues().size(); i += ofWord)
      words.push_back(pack(b, op.getLoc(), in.getValues().slice(i, ofWord), /*wordBits=*/32));
    b.replaceOpWithNewOp<PtxAddOp>(op, in.getPtr(), words, element, in.getPredicate(), op.getScope());
    return success();
  }
};

struct SwapPattern : ConvertOpToLLVMPattern<SwapGlobalOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(SwapGlobalOp op, OpAdaptor in, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value expected = bitsOf(b, loc, in.getExpected()), desired = bitsOf(b, loc, in.getDesired());
    Value old = PtxSwapOp::create(b, loc, desired.getType(), in.getPtr(), expected, desired,
                                  in.getPredicate(), op.getOrdering(), op.getScope());
    b.replaceOp(op, fromBits(b, loc, old, in.getDesired().getType()));
    return success();
  }
};

}   // namespace

void populateAtomicPatterns(LLVMTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<AtomicPattern, AddPattern, SwapPattern>(types);
}

}   // namespace tile::gpu
