// SPDX-License-Identifier: MIT
// `tile-gpu-cast-bytes`: bytes become floats without the conversion instruction, of which a multiprocessor
// does 16 in a cycle.
//
//    w = word of x0, x1, x2, x3                        before
//    y0 = sitofp x0 : i8 to f16
//    y1 = sitofp x1 : i8 to f16
//
//    v = xor w, 0x80808080                             after: 0 to 255 instead of -128 to 127
//    h = shuffle v, 0x64 : v0, 0x64, v1, 0x64          0x6400 is the f16 1024, whose last bit counts ones
//    y0, y1 = fsub h, 1152 : vector<2xf16>             1024 and 128
//
// The same way an f32 is made: 0x4b000000 is 2^23. A bf16 is the rounded f32, as its 7 bits hold no byte.
// What is done to all bytes of a word alike before, is done to the word: x & 15, x >> 4.
#include "compiler/lowering/llvm/scalar_code.h"
#include "compiler/lowering/passes.h"

#include "mlir/IR/Matchers.h"

#include <map>

using namespace mlir;

namespace tile::gpu {

#define GEN_PASS_DEF_TILEGPUCASTBYTES
#include "compiler/lowering/passes.h.inc"

namespace {

struct Byte {
  Value word;
  int32_t at;
};

// The words of 32 bits that bytes are parts of, each made once.
class Words {
 public:
  std::optional<Byte> partOf(Value byte) {
    Operation *op = byte.getDefiningOp();
    if (!op || !byte.getType().isInteger(8))
      return std::nullopt;
    APInt number;
    if (auto extract = dyn_cast<LLVM::ExtractElementOp>(op)) {
      const int64_t count = cast<VectorType>(extract.getVector().getType()).getNumElements();
      if ((count != 2 && count % 4 != 0) || !matchPattern(extract.getPosition(), m_ConstantInt(&number)) ||
          number.uge(static_cast<std::uint64_t>(count)))
        return std::nullopt;
      const auto at = static_cast<int32_t>(number.getZExtValue());
      return Byte{word(extract.getVector(), at / 4), at % 4};
    }
    if (!isa<LLVM::AndOp, LLVM::OrOp, LLVM::XOrOp, LLVM::ShlOp, LLVM::LShrOp>(op) ||
        !matchPattern(op->getOperand(1), m_ConstantInt(&number)) || number.uge(256))
      return std::nullopt;
    std::optional<Byte> of = partOf(op->getOperand(0));
    if (!of)
      return std::nullopt;
    if (isa<LLVM::ShlOp, LLVM::LShrOp>(op) && number.ugt(7))
      return std::nullopt;
    const auto each = static_cast<unsigned>(number.getZExtValue());
    return Byte{ofAll(op->getName().getStringRef(), of->word, each), of->at};
  }

  // 0 to 255 for -128 to 127.
  Value fromLeast(Value word) { return ofAll(LLVM::XOrOp::getOperationName(), word, 0x80); }

 private:
  Value word(Value bytes, int32_t i) {
    Value &word = words_[{bytes, i}];
    if (word)
      return word;
    if (auto cast = bytes.getDefiningOp<LLVM::BitcastOp>(); cast && cast.getArg().getType().isInteger(32))
      return word = cast.getArg();
    OpBuilder b(bytes.getContext());
    b.setInsertionPointAfterValue(bytes);
    ScalarCode c(b, bytes.getLoc());
    const int64_t count = cast<VectorType>(bytes.getType()).getNumElements();
    if (count == 2)
      return word = c.zeroExtend(c.i32(), c.bitcast(c.integer(16), bytes));
    if (count == 4)
      return word = c.bitcast(c.i32(), bytes);
    Value words = c.bitcast(VectorType::get(count / 4, c.i32()), bytes);
    Value at = c.constant(c.i32(), static_cast<std::uint64_t>(i));
    return word = LLVM::ExtractElementOp::create(b, bytes.getLoc(), words, at);
  }

  // An op with a number for each byte of a word.
  Value ofAll(StringRef op, Value word, unsigned number) {
    Value &result = results_[{op, word.getAsOpaquePointer(), number}];
    if (result)
      return result;
    constexpr unsigned each = 0x01010101;
    OpBuilder b(word.getContext());
    b.setInsertionPointAfterValue(word);
    ScalarCode c(b, word.getLoc());
    if (op == LLVM::AndOp::getOperationName())
      return result = c.and_(word, number * each);
    if (op == LLVM::OrOp::getOperationName())
      return result = c.or_(word, number * each);
    if (op == LLVM::XOrOp::getOperationName())
      return result = c.xor_(word, number * each);
    if (op == LLVM::ShlOp::getOperationName())
      return result = c.and_(c.shiftLeft(word, number), (0xffU << number & 0xffU) * each);
    return result = c.and_(c.shiftRight(word, number), (0xffU >> number) * each);
  }

  llvm::DenseMap<std::pair<Value, int32_t>, Value> words_;
  std::map<std::tuple<StringRef, const void *, unsigned>, Value> results_;
};

class CastsOfBytes {
 public:
  void rewrite(Operation *kernel) {
    SmallVector<Operation *> casts;
    kernel->walk([&](Operation *op) {
      if (isa<LLVM::SIToFPOp, LLVM::UIToFPOp>(op) && op->getOperand(0).getType().isInteger(8))
        casts.push_back(op);
    });
    for (Operation *cast : casts)
      if (cast->getResult(0).getType().isF16())
        addHalf(cast);
      else if (cast->getResult(0).getType().isF32() || cast->getResult(0).getType().isBF16())
        replace(cast, asSingle(cast));
    for (const auto &waiting : waiting_)
      for (Operation *alone : llvm::make_second_range(waiting))
        replace(alone, asHalf(alone));
  }

 private:
  static bool isSigned(Operation *cast) { return isa<LLVM::SIToFPOp>(cast); }

  static void replace(Operation *cast, Value value) {
    cast->getResult(0).replaceAllUsesWith(value);
    cast->erase();
  }

  Value wordOf(Operation *cast, const Byte &byte) {
    return isSigned(cast) ? words_.fromLeast(byte.word) : byte.word;
  }

  // A cast to f16 waits for another one of the same word.
  void addHalf(Operation *cast) {
    std::optional<Byte> byte = words_.partOf(cast->getOperand(0));
    if (!byte)
      return replace(cast, asHalf(cast));
    auto &waiting = waiting_[isSigned(cast)];
    auto [place, isFirst] = waiting.try_emplace({cast->getBlock(), byte->word}, cast);
    if (isFirst)
      return;
    Operation *first = place->second;
    waiting.erase(place);
    const int32_t lowest = words_.partOf(first->getOperand(0))->at;
    OpBuilder b(first);
    ScalarCode c(b, first->getLoc());
    Value halves = shuffled(b, wordOf(cast, *byte), 0x64646464, {lowest, 4, byte->at, 4});
    halves = c.bitcast(VectorType::get(2, b.getF16Type()), halves);
    halves = c.sub(halves, c.number(halves.getType(), isSigned(cast) ? 1152 : 1024));
    auto half = [&](std::uint64_t i) -> Value {
      return LLVM::ExtractElementOp::create(b, halves.getLoc(), halves, c.constant(c.i32(), i));
    };
    Value low = half(0), high = half(1);
    replace(first, low);
    replace(cast, high);
  }

  Value asHalf(Operation *cast) {
    OpBuilder b(cast);
    ScalarCode c(b, cast->getLoc());
    Value bits = c.or_(c.zeroExtend(c.integer(16), fromLeast(c, cast)), 0x6400);
    Value half = c.bitcast(b.getF16Type(), bits);
    return c.sub(half, c.number(half.getType(), isSigned(cast) ? 1152 : 1024));
  }

  Value asSingle(Operation *cast) {
    OpBuilder b(cast);
    ScalarCode c(b, cast->getLoc());
    Value bits;
    if (std::optional<Byte> byte = words_.partOf(cast->getOperand(0)))
      bits = shuffled(b, wordOf(cast, *byte), 0x4b000000, {byte->at, 4, 5, 7});
    else
      bits = c.or_(c.zeroExtend(c.i32(), fromLeast(c, cast)), 0x4b000000);
    Value single = c.bitcast(c.f32(), bits);
    return c.round(cast->getResult(0).getType(),
                   c.sub(single, c.number(c.f32(), isSigned(cast) ? 0x1p23 + 128 : 0x1p23)));
  }

  static Value fromLeast(ScalarCode &c, Operation *cast) {
    Value byte = cast->getOperand(0);
    return isSigned(cast) ? c.xor_(byte, 0x80) : byte;
  }

  // Bytes of two words: 0 to 3 of the first one, 4 to 7 of the second. LLVM makes `prmt` of it.
  static Value shuffled(OpBuilder &b, Value word, std::uint64_t other, ArrayRef<int32_t> bytes) {
    ScalarCode c(b, word.getLoc());
    Type vector = VectorType::get(4, c.integer(8));
    Value first = c.bitcast(vector, word), second = c.bitcast(vector, c.constant(c.i32(), other));
    return LLVM::ShuffleVectorOp::create(b, word.getLoc(), first, second, bytes);
  }

  Words words_;
  std::array<llvm::MapVector<std::pair<Block *, Value>, Operation *>, 2> waiting_;   // unsigned, signed
};

struct CastBytes : impl::TileGpuCastBytesBase<CastBytes> {
  void runOnOperation() override { CastsOfBytes().rewrite(getOperation()); }
};

}   // namespace
}   // namespace tile::gpu
