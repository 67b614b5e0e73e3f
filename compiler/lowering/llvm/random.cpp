// SPDX-License-Identifier: MIT
// Philox-4x32-10, as runtime/philox.h writes it.
#include "compiler/lowering/llvm/patterns.h"
#include "compiler/lowering/llvm/scalar_code.h"
#include "dialects/tile/dialect.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;

namespace tile::gpu {
namespace {

struct PhiloxPattern : ConvertOpToLLVMPattern<ir::PhiloxOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(ir::PhiloxOp op, OpAdaptor in, ConversionPatternRewriter &b) const override {
    ScalarCode c(b, op.getLoc());
    Type i64 = c.integer(64);
    Value key[2] = {c.truncate(c.i32(), in.getSeed()), c.truncate(c.i32(), c.shiftRight(in.getSeed(), 32))};
    Value word[4] = {in.getC0(), in.getC1(), in.getC2(), in.getC3()};
    for (int round = 0; round < 10; ++round) {
      Value first = c.times(c.zeroExtend(i64, word[0]), c.constant(i64, 0xD2511F53));
      Value second = c.times(c.zeroExtend(i64, word[2]), c.constant(i64, 0xCD9E8D57));
      auto high = [&](Value v) { return c.truncate(c.i32(), c.shiftRight(v, 32)); };
      Value next[4] = {c.xor_(c.xor_(high(second), word[1]), key[0]), c.truncate(c.i32(), second),
                       c.xor_(c.xor_(high(first), word[3]), key[1]), c.truncate(c.i32(), first)};
      std::copy(std::begin(next), std::end(next), word);
      key[0] = c.plus(key[0], 0x9E3779B9);
      key[1] = c.plus(key[1], 0xBB67AE85);
    }
    b.replaceOp(op, ValueRange(word));
    return success();
  }
};

}   // namespace

void populateRandomPatterns(LLVMTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<PhiloxPattern>(types);
}

}   // namespace tile::gpu
