// SPDX-License-Identifier: MIT
#include "compiler/lowering/distribute/words.h"

#include "compiler/lowering/distribute/shared_tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tile::gpu {

static unsigned bitsOf(Type element) { return storedType(element).getIntOrFloatBitWidth(); }

unsigned elementsPerWord(Type element) { return std::max(1u, 32 / bitsOf(element)); }

static Value number(ImplicitLocOpBuilder &b, std::int64_t value, unsigned bits) {
  return arith::ConstantIntOp::create(b, value, bits);
}

Registers toWords(ImplicitLocOpBuilder &b, ValueRange elements) {
  Type element = elements.front().getType(), stored = storedType(element), word = b.getI32Type();
  unsigned count = elementsPerWord(element);
  if (count > 1) {
    Type vector = VectorType::get(count, stored);
    Value packed = elements.size() < count ? Value(LLVM::ZeroOp::create(b, vector))
                                           : Value(LLVM::UndefOp::create(b, vector));
    for (auto [i, v] : llvm::enumerate(elements)) {
      Value one = toStored(b, v), at = number(b, static_cast<std::int64_t>(i), 32);
      packed = LLVM::InsertElementOp::create(b, packed, one, at);
    }
    return {LLVM::BitcastOp::create(b, word, packed)};
  }
  Type integer = b.getIntegerType(bitsOf(element));
  Value raw = toStored(b, elements.front());
  if (raw.getType() != integer)
    raw = arith::BitcastOp::create(b, integer, raw);
  if (integer == word)
    return {raw};
  Value low = arith::TruncIOp::create(b, word, raw), shift = number(b, 32, 64);
  Value high = arith::ShRUIOp::create(b, raw, shift);
  return {low, arith::TruncIOp::create(b, word, high)};
}

Registers fromWords(ImplicitLocOpBuilder &b, ValueRange words, Type element) {
  Type stored = storedType(element);
  unsigned count = elementsPerWord(element);
  if (count == 1) {
    Value raw = words.front();
    if (words.size() == 2) {
      Type wide = b.getI64Type();
      Value high = arith::ExtUIOp::create(b, wide, words[1]), shift = number(b, 32, 64);
      high = arith::ShLIOp::create(b, high, shift);
      Value low = arith::ExtUIOp::create(b, wide, words[0]);
      raw = arith::OrIOp::create(b, low, high);
    }
    return {fromStored(b, raw.getType() == stored ? raw : Value(arith::BitcastOp::create(b, stored, raw)),
                       element)};
  }
  Value vector = LLVM::BitcastOp::create(b, VectorType::get(count, stored), words.front());
  Registers result;
  for (unsigned i = 0; i < count; ++i)
    result.push_back(fromStored(b, LLVM::ExtractElementOp::create(b, vector, number(b, i, 32)), element));
  return result;
}

static NVVM::MMALayout orderOf(bool isTransposed) {
  return isTransposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
}

Registers loadMatrices(ImplicitLocOpBuilder &b, unsigned count, bool isTransposed, Value at) {
  Type word = b.getI32Type();
  Type type = count == 1
                  ? word
                  : Type(LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(count, word)));
  auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
  Value words = NVVM::LdMatrixOp::create(b, type, at, count, orderOf(isTransposed), shape,
                                         NVVM::LdStMatrixEltType::B16);
  if (count == 1)
    return {words};
  Registers result;
  for (unsigned i = 0; i < count; ++i)
    result.push_back(LLVM::ExtractValueOp::create(b, words, ArrayRef<int64_t>{i}));
  return result;
}

void storeMatrices(ImplicitLocOpBuilder &b, ValueRange words, bool isTransposed, Value at) {
  NVVM::StMatrixOp::create(b, at, words, orderOf(isTransposed),
                           NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
                           NVVM::LdStMatrixEltType::B16);
}

}   // namespace tile::gpu
