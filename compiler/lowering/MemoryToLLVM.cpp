// SPDX-License-Identifier: MIT
// Accesses of one thread to global memory. A plain access is LLVM's; a predicated one, or one with a
// cache operator, is the PTX instruction itself, which LLVM has no op for.
#include "compiler/lowering/ThreadToLLVM.h"
#include "dialects/tile_gpu/TileGpuDialect.h"

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

Value pack(OpBuilder &b, Location loc, ValueRange elements, unsigned wordBits) {
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

// ".ca.L1::evict_first" and ".v4.b32".
std::string modifiers(ir::Cache cache, ir::Evict evict, bool isVolatile) {
  if (isVolatile)
    return ".volatile.global";
  std::string text = ".global";
  if (cache != ir::Cache::none)
    text += "." + ir::stringifyCache(cache).str();
  if (evict != ir::Evict::normal)
    text += ".L1::evict_" + ir::stringifyEvict(evict).str();
  return text;
}
std::string shape(const Words &words) {
  std::string text = words.count > 1 ? ".v" + std::to_string(words.count) : "";
  return text + ".b" + std::to_string(words.wordBits);
}
// PTX has no 8-bit registers: a byte travels in 16 bits.
std::string constraint(const Words &words) {
  return words.wordBits == 64 ? "l" : words.wordBits == 32 ? "r" : "h";
}
std::string list(const Words &words, unsigned first) {
  std::string text = words.count > 1 ? "{" : "";
  for (unsigned i = 0; i < words.count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return text + (words.count > 1 ? "}" : "");
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
  // mov.b32 $0, other; @p ld.global.b32 $0, [address];
  void predicated(LoadGlobalOp op, OpAdaptor in, ConversionPatternRewriter &b, Type stored,
                  SmallVectorImpl<Value> &elements) const {
    Location loc = op.getLoc();
    unsigned count = op.getNumResults();
    Words words = wordsOf(stored, count);
    unsigned registerBits = std::max(16u, words.wordBits);
    Type word = b.getIntegerType(registerBits);
    std::string text, constraints;
    for (unsigned i = 0; i < words.count; ++i)
      constraints += (i ? ",=&" : "=&") + constraint(words);
    SmallVector<Value> operands{in.getPtr()};
    constraints += ",l";
    unsigned next = words.count + 1;
    if (in.getPredicate()) {
      operands.push_back(in.getPredicate());
      constraints += ",b";
      std::string predicate = "@$" + std::to_string(next++) + " ";
      for (unsigned i = 0; i < words.count; ++i) {
        Value other = otherWord(op, in, b, stored, words, i);
        if (registerBits != words.wordBits)
          other = LLVM::ZExtOp::create(b, loc, word, other);
        operands.push_back(other);
        constraints += "," + constraint(words);
        text += "mov.b" + std::to_string(registerBits) + " $" + std::to_string(i) + ", $" +
                std::to_string(next++) + "; ";
      }
      text += predicate;
    }
    text += "ld" + modifiers(op.getCache(), op.getEvict(), op.getIsVolatile()) + shape(words) + " " +
            list(words, 0) + ", [$" + std::to_string(words.count) + "];";
    SmallVector<Type> types(words.count, word);
    Type result = words.count == 1 ? word : Type(LLVM::LLVMStructType::getLiteral(b.getContext(), types));
    auto assembly =
        LLVM::InlineAsmOp::create(b, loc, result, operands, text, constraints, /*has_side_effects=*/true,
                                  /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
                                  LLVM::AsmDialectAttr(), ArrayAttr());
    for (unsigned i = 0; i < words.count; ++i) {
      Value w =
          words.count == 1
              ? assembly.getResult(0)
              : Value(LLVM::ExtractValueOp::create(b, loc, assembly.getResult(0), ArrayRef<int64_t>{i}));
      if (registerBits != words.wordBits)
        w = LLVM::TruncOp::create(b, loc, b.getIntegerType(words.wordBits), w);
      unpack(b, loc, w, stored, words.elementsPerWord(), elements);
    }
  }

  static Value otherWord(LoadGlobalOp op, OpAdaptor in, OpBuilder &b, Type stored, const Words &words,
                         unsigned i) {
    Location loc = op.getLoc();
    if (in.getOthers().empty())
      return LLVM::ConstantOp::create(b, loc, b.getIntegerType(words.wordBits), 0);
    SmallVector<Value> elements;
    for (Value v : in.getOthers().slice(i * words.elementsPerWord(), words.elementsPerWord()))
      elements.push_back(toStored(b, loc, v));
    (void)stored;
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
    SmallVector<Value> operands{in.getPtr()};
    std::string constraints = "l", predicate;
    for (unsigned i = 0; i < words.count; ++i) {
      Value w =
          pack(b, loc, ArrayRef<Value>(elements).slice(i * words.elementsPerWord(), words.elementsPerWord()),
               words.wordBits);
      if (words.wordBits < 16)
        w = LLVM::ZExtOp::create(b, loc, b.getI16Type(), w);
      operands.push_back(w);
      constraints += "," + constraint(words);
    }
    if (in.getPredicate()) {
      operands.push_back(in.getPredicate());
      constraints += ",b";
      predicate = "@$" + std::to_string(words.count + 1) + " ";
    }
    std::string text = predicate + "st" + modifiers(op.getCache(), op.getEvict(), op.getIsVolatile()) +
                       shape(words) + " [$0], " + list(words, 1) + ";";
    LLVM::InlineAsmOp::create(b, loc, TypeRange(), operands, text, constraints, /*has_side_effects=*/true,
                              /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
                              LLVM::AsmDialectAttr(), ArrayAttr());
    b.eraseOp(op);
    return success();
  }
};

struct CopyPattern : ConvertOpToLLVMPattern<CopyGlobalOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(CopyGlobalOp op, OpAdaptor in, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value size;
    if (Value predicate = in.getPredicate()) {
      auto number = [&](int64_t n) { return LLVM::ConstantOp::create(b, loc, b.getI32Type(), n); };
      size = LLVM::SelectOp::create(b, loc, predicate, number(op.getBytes()), number(0));
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
