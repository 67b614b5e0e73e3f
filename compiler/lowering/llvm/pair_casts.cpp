// SPDX-License-Identifier: MIT
// `tile-gpu-pair-casts`: two casts of 8-bit floats by one instruction.
//
//    a = fp_cast x : f32 to e4m3                                       before
//    b = fp_cast y : f32 to e4m3
//
//    both = cvt.rn.satfinite.e4m3x2.f32 y, x                           after: b in the high byte, a in the
//    low
//
// A tile's registers are cast one behind the other, and two neighbours are neighbours in memory, too. So the
// bytes of a pair mostly stay together. Only casts to e4m3 and e5m2 that round to nearest, and casts from
// e4m3. An e5m2 is the high byte of an f16, which needs no help.
#include "compiler/analysis/kernel_target.h"
#include "compiler/lowering/llvm/scalar_code.h"
#include "compiler/lowering/passes.h"
#include "dialects/tile/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace tile::gpu {

#define GEN_PASS_DEF_TILEGPUPAIRCASTS
#include "compiler/lowering/passes.h.inc"

namespace {

bool hasInstruction(ir::FpCastOp cast) {
  Type from = cast.getValue().getType(), to = cast.getType();
  if (isa<Float8E4M3FNType>(from))   // exact, whatever the rounding
    return isa<FloatType>(to) && !isFloat8(to);
  // An f64 would be rounded twice.
  return isFloat8(to) && !isFloat8(from) && isa<FloatType>(from) && !from.isF64() &&
         cast.getRounding() == ir::Rounding::nearest_even;
}

// Two casts, the second of which stands behind the first and before all that uses it.
class Pair {
 public:
  Pair(ir::FpCastOp first, ir::FpCastOp second)
      : first_(first), second_(second), b_(second.getLoc(), second) {}

  void join() {
    const auto [low, high] = isFloat8(first_.getType()) ? toFloat8() : fromE4M3();
    first_.replaceAllUsesWith(low);
    second_.replaceAllUsesWith(high);
    first_.erase();
    second_.erase();
  }

 private:
  Value cast(Type to, Value v) {
    return v.getType() == to ? v : Value(ir::FpCastOp::create(b_, to, v, ir::Rounding::nearest_even));
  }
  Value call(Type type, StringRef name, ValueRange operands) {
    return ScalarCode(b_, b_.getLoc()).intrinsic(type, name, operands);
  }

  std::pair<Value, Value> toFloat8() {
    Type to = first_.getType();
    Value low = cast(b_.getF32Type(), first_.getValue()), high = cast(b_.getF32Type(), second_.getValue());
    const char *name = isa<Float8E4M3FNType>(to) ? "llvm.nvvm.ff.to.e4m3x2.rn" : "llvm.nvvm.ff.to.e5m2x2.rn";
    Value both = call(b_.getI16Type(), name, {high, low});
    Value shift = arith::ConstantIntOp::create(b_, 8, 16), above = arith::ShRUIOp::create(b_, both, shift);
    auto code = [&](Value bits) -> Value {
      return arith::BitcastOp::create(b_, to, arith::TruncIOp::create(b_, b_.getI8Type(), bits));
    };
    return {code(both), code(above)};
  }

  std::pair<Value, Value> fromE4M3() {
    auto code = [&](Value v) -> Value {
      Value byte = arith::BitcastOp::create(b_, b_.getI8Type(), v);
      return arith::ExtUIOp::create(b_, b_.getI16Type(), byte);
    };
    Value low = code(first_.getValue()), high = code(second_.getValue());
    Value shift = arith::ConstantIntOp::create(b_, 8, 16);
    Value both = arith::OrIOp::create(b_, arith::ShLIOp::create(b_, high, shift), low);
    Value halves = call(VectorType::get(2, b_.getF16Type()), "llvm.nvvm.e4m3x2.to.f16x2.rn", {both});
    auto half = [&](int i) -> Value {
      Value at = arith::ConstantIntOp::create(b_, i, 32);
      return cast(first_.getType(), LLVM::ExtractElementOp::create(b_, halves, at));
    };
    Value x = half(0), y = half(1);
    return {x, y};
  }

  ir::FpCastOp first_, second_;
  ImplicitLocOpBuilder b_;
};

// Whether all uses of a cast stand behind another op of its block.
bool isUsedBehind(ir::FpCastOp cast, Operation *other) {
  return llvm::all_of(cast->getUsers(), [&](Operation *user) {
    Operation *inBlock = cast->getBlock()->findAncestorOpInBlock(*user);
    return inBlock && other->isBeforeInBlock(inBlock);
  });
}

void pairCasts(Block &block) {
  SmallVector<ir::FpCastOp> casts(block.getOps<ir::FpCastOp>());
  llvm::SmallDenseMap<std::pair<Type, Type>, ir::FpCastOp>
      waiting;   // the last one of its kind without a partner
  for (ir::FpCastOp cast : casts) {
    if (!hasInstruction(cast))
      continue;
    ir::FpCastOp &before = waiting[{cast.getValue().getType(), cast.getType()}];
    if (before && isUsedBehind(before, cast)) {
      Pair(before, cast).join();
      before = nullptr;
    } else {
      before = cast;
    }
  }
}

struct PairCasts : impl::TileGpuPairCastsBase<PairCasts> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (kernel.isExternal() || !targetOf(kernel).has(Feature::Float8Casts))
      return;
    SmallVector<Block *> blocks;
    kernel.walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      pairCasts(*block);
  }
};

}   // namespace
}   // namespace tile::gpu
