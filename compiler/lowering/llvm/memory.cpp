// SPDX-License-Identifier: MIT
// Accesses of one thread to global memory. A plain access is LLVM's; a predicated one, or one with a
// cache operator, is an op of our own: LLVM has none for it.
#include "compiler/lowering/llvm/patterns.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tile::gpu {
namespace {

constexpr unsigned Global = 1;

// Consecutive elements as the machine moves them: words of up to 32 bits, or of 64 for wider elements.
struct Words {
  unsigned elementBits, wordBits, count;
  unsigned elementsPerWord() const { return wordBits / elementBits; }
};

Words wordsOf(Type element, unsigned elements) {
  unsigned bits = element.getIntOrFloatBitWidth();
  unsigned word = bits > 32 ? bits : std::min(32u, bits * elements);
  return {bits, word, bits * elements / word};
}

// The type an element has in memory: a condition is a byte, a pointer its 64 bits.
Type storedType(Type element) {
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  if (isa<LLVM::LLVMPointerType>(element))
    return IntegerType::get(element.getContext(), 64);
  return element;
}

Value toStored(OpBuilder &b, Location loc, Value v) {
  if (v.getType().isInteger(1))
    return LLVM::ZExtOp::create(b, loc, b.getI8Type(), v);
  if (isa<LLVM::LLVMPointerType>(v.getType()))
    return LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), v);
  return v;
}

Value fromStored(OpBuilder &b, Location loc, Value v, Type element) {
  if (element.isInteger(1)) {   // any byte but zero is true
    Value zero = LLVM::ConstantOp::create(b, loc, b.getI8Type(), 0);
    return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, v, zero);
  }
  if (isa<LLVM::LLVMPointerType>(element))
    return LLVM::IntToPtrOp::create(b, loc, element, v);
  return v;
}

}   // namespace

// Bytes come in pairs, which LLVM sees are halves of numbers that casts made (`tile-gpu-pair-casts`). Of four
// bytes it sees only the first two.
Value pack(OpBuilder &b, Location loc, ValueRange elements, unsigned wordBits) {
  if (elements.size() == 4) {
    Value low = pack(b, loc, elements.take_front(2), wordBits / 2);
    Value high = pack(b, loc, elements.drop_front(2), wordBits / 2);
    return pack(b, loc, {low, high}, wordBits);
  }
  Type word = b.getIntegerType(wordBits);
  if (elements.size() == 1)
    return elements[0].getType() == word ? elements[0]
                                         : Value(LLVM::BitcastOp::create(b, loc, word, elements[0]));
  Value vector = LLVM::UndefOp::create(
      b, loc, VectorType::get(static_cast<int64_t>(elements.size()), elements[0].getType()));
  for (auto [i, element] : llvm::enumerate(elements)) {
    Value at = LLVM::ConstantOp::create(b, loc, b.getI32Type(), static_cast<int64_t>(i));
    vector = LLVM::InsertElementOp::create(b, loc, vector, element, at);
  }
  return LLVM::BitcastOp::create(b, loc, word, vector);
}

namespace {

void unpack(OpBuilder &b, Location loc, Value word, Type element, unsigned count,
            SmallVectorImpl<Value> &elements) {
  if (count == 1) {
    elements.push_back(word.getType() == element ? word
                                                 : Value(LLVM::BitcastOp::create(b, loc, element, word)));
    return;
  }
  Value vector = LLVM::BitcastOp::create(b, loc, VectorType::get(count, element), word);
  for (unsigned i = 0; i < count; ++i) {
    Value at = LLVM::ConstantOp::create(b, loc, b.getI32Type(), static_cast<int64_t>(i));
    elements.push_back(LLVM::ExtractElementOp::create(b, loc, vector, at));
  }
}

struct LoadPattern : ConvertOpToLLVMPattern<LoadGlobalOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(LoadGlobalOp op, OpAdaptor in, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    unsigned count = op.getNumResults();
    Type element = getTypeConverter()->convertType(op.getResult(0).getType()), stored = storedType(element);
    SmallVector<Value> elements;
    bool plain = !in.getPredicate() && op.getCache() == ir::Cache::none && op.getEvict() == ir::Evict::normal;
    if (plain) {
      Type type = count == 1 ? stored : Type(VectorType::get(count, stored));
      unsigned bytes = count * stored.getIntOrFloatBitWidth() / 8;
      Value loaded = LLVM::LoadOp::create(b, loc, type, in.getPtr(), bytes, op.getIsVolatile());
      if (count == 1)
        elements.push_back(loaded);
      else
        for (unsigned i = 0; i < count; ++i)
          elements.push_back(LLVM::ExtractElementOp::create(
              b, loc, loaded, LLVM::ConstantOp::create(b, loc, b.getI32Type(), static_cast<int64_t>(i))));
    } else {
      predicated(op, in, b, stored, elements);
    }
    for (Value &v : elements)
      v = fromStored(b, loc, v, element);
    b.replaceOp(op, elements);
    return success();
  }

 private:
  void predicated(LoadGlobalOp op, OpAdaptor in, ConversionPatternRewriter &b, Type stored,
                  SmallVectorImpl<Value> &elements) const {
    Location loc = op.getLoc();
    Words words = wordsOf(stored, op.getNumResults());
    SmallVector<Value> others;
    if (in.getPredicate())
      for (unsigned i = 0; i < words.count; ++i)
        others.push_back(otherWord(op, in, b, words, i));
    auto load = PtxLoadOp::create(b, loc, SmallVector<Type>(words.count, b.getIntegerType(words.wordBits)),
                                  in.getPtr(), in.getPredicate(), others, op.getCache(), op.getEvict(),
                                  op.getIsVolatile());
    for (Value word : load.getResults())
      unpack(b, loc, word, stored, words.elementsPerWord(), elements);
  }

  static Value otherWord(LoadGlobalOp op, OpAdaptor in, OpBuilder &b, const Words &words, unsigned i) {
    Location loc = op.getLoc();
    if (in.getOthers().empty())
      return LLVM::ConstantOp::create(b, loc, b.getIntegerType(words.wordBits), 0);
    SmallVector<Value> elements;
    for (Value v : in.getOthers().slice(i * words.elementsPerWord(), words.elementsPerWord()))
      elements.push_back(toStored(b, loc, v));
    return pack(b, loc, elements, words.wordBits);
  }
};

struct StorePattern : ConvertOpToLLVMPattern<StoreGlobalOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(StoreGlobalOp op, OpAdaptor in, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    SmallVector<Value> elements;
    for (Value v : in.getValues())
      elements.push_back(toStored(b, loc, v));
    Type stored = elements.front().getType();
    Words words = wordsOf(stored, static_cast<unsigned>(elements.size()));
    bool plain = !in.getPredicate() && op.getCache() == ir::Cache::none && op.getEvict() == ir::Evict::normal;
    if (plain) {
      Value value = elements.front();
      if (elements.size() > 1) {
        value = LLVM::UndefOp::create(b, loc, VectorType::get(static_cast<int64_t>(elements.size()), stored));
        for (auto [i, element] : llvm::enumerate(elements))
          value = LLVM::InsertElementOp::create(
              b, loc, value, element,
              LLVM::ConstantOp::create(b, loc, b.getI32Type(), static_cast<int64_t>(i)));
      }
      unsigned bytes = static_cast<unsigned>(elements.size()) * stored.getIntOrFloatBitWidth() / 8;
      LLVM::StoreOp::create(b, loc, value, in.getPtr(), bytes, op.getIsVolatile());
      b.eraseOp(op);
      return success();
    }
    SmallVector<Value> packed;
    for (unsigned i = 0; i < words.count; ++i)
      packed.push_back(
          pack(b, loc, ArrayRef<Value>(elements).slice(i * words.elementsPerWord(), words.elementsPerWord()),
               words.wordBits));
    PtxStoreOp::create(b, loc, in.getPtr(), packed, in.getPredicate(), op.getCache(), op.getEvict(),
                       op.getIsVolatile());
    b.eraseOp(op);
    return success();
  }
};

struct CopyPattern : ConvertOpToLLVMPattern<CopyGlobalOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(CopyGlobalOp op, OpAdaptor in, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value size = in.getInside();
    if (Value predicate = in.getPredicate()) {
      auto number = [&](int64_t n) { return LLVM::ConstantOp::create(b, loc, b.getI32Type(), n); };
      size = LLVM::SelectOp::create(b, loc, predicate, size ? size : number(op.getBytes()), number(0));
    }
    // 16 bytes go past L1, which other programs' data may then keep.
    auto modifier = op.getBytes() == 16 ? NVVM::LoadCacheModifierKind::CG : NVVM::LoadCacheModifierKind::CA;
    NVVM::CpAsyncOp::create(b, loc, in.getAddress(), in.getPtr(), op.getBytes(), modifier, size);
    b.eraseOp(op);
    return success();
  }
};

struct AddPtrPattern : ConvertOpToLLVMPattern<ir::AddPtrOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(ir::AddPtrOp op, OpAdaptor in, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value offset = in.getOffset();
    if (offset.getType().isInteger(32))   // extended first, scaled afterwards
      offset = op.getUnsignedOffset() ? Value(LLVM::ZExtOp::create(b, loc, b.getI64Type(), offset))
                                      : Value(LLVM::SExtOp::create(b, loc, b.getI64Type(), offset));
    Type element = storedType(getTypeConverter()->convertType(ir::getPointeeType(op.getPtr().getType())));
    b.replaceOpWithNewOp<LLVM::GEPOp>(op, in.getPtr().getType(), element, in.getPtr(), ValueRange{offset});
    return success();
  }
};

struct PtrToIntPattern : ConvertOpToLLVMPattern<ir::PtrToIntOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(ir::PtrToIntOp op, OpAdaptor in,
                                ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<LLVM::PtrToIntOp>(op, b.getI64Type(), in.getPtr());
    return success();
  }
};

struct IntToPtrPattern : ConvertOpToLLVMPattern<ir::IntToPtrOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(ir::IntToPtrOp op, OpAdaptor in,
                                ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<LLVM::IntToPtrOp>(op, getTypeConverter()->convertType(op.getType()), in.getValue());
    return success();
  }
};

}   // namespace

void addPointerConversion(LLVMTypeConverter &types) {
  types.addConversion([](ir::PtrType type) { return LLVM::LLVMPointerType::get(type.getContext(), Global); });
}

void populateMemoryPatterns(LLVMTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<LoadPattern, StorePattern, CopyPattern, AddPtrPattern, PtrToIntPattern, IntToPtrPattern>(
      types);
}

}   // namespace tile::gpu
