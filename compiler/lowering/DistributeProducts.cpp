// SPDX-License-Identifier: MIT
// Products: one mma.sync for each 16 x 8 piece of the accumulator and each step of K.
#include "compiler/lowering/Distribution.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <array>
#include <map>

using namespace mlir;

namespace tile::gpu {

using layout::Coordinates;
using layout::TileLayout;

namespace {

// The forms of mma.sync m16n8kK. PTX ISA, "Matrix multiply-accumulate operation using mma instruction".
struct MatrixUnit {
  std::int64_t k;   // of one instruction
  NVVM::MMATypes type;
  unsigned elementsPerWord;   // of 32 bits
};
std::optional<MatrixUnit> matrixUnit(ir::DotOp dot) {
  Type a = ir::getElementType(dot.getA().getType()), b = ir::getElementType(dot.getB().getType());
  Type acc = ir::getElementType(dot.getAcc().getType());
  if (a != b || ir::getShape(dot.getA().getType()).size() != 2)
    return std::nullopt;
  if (a.isF16() && acc.isF32())
    return MatrixUnit{16, NVVM::MMATypes::f16, 2};
  if (a.isBF16() && acc.isF32())
    return MatrixUnit{16, NVVM::MMATypes::bf16, 2};
  if (a.isF32() && acc.isF32() && dot.getPrecision() == ir::Precision::tf32)
    return MatrixUnit{8, NVVM::MMATypes::tf32, 1};
  if (a.isInteger(8) && acc.isInteger(32) && dot.getUnsignedA() == dot.getUnsignedB())
    return MatrixUnit{32, dot.getUnsignedA() ? NVVM::MMATypes::u8 : NVVM::MMATypes::s8, 4};
  return std::nullopt;
}

// Whether pieces of `unit` rows or columns make up an extent: so many of them, or a part of one, which then
// holds replicas. Of 24 rows the last 8 would have none 8 further on.
bool isMadeOf(std::int64_t extent, std::int64_t unit) { return extent % unit == 0 || unit % extent == 0; }

std::map<Coordinates, Value> firstThread(const TileLayout &layout, ArrayRef<Value> registers) {
  std::map<Coordinates, Value> result;
  for (auto &[coordinates, reg] : layout.registersOfFirstThread())
    result.emplace(coordinates, registers[static_cast<size_t>(reg)]);
  return result;
}

}   // namespace

LogicalResult Distribution::products(Operation *op, bool &handled) {
  auto dot = dyn_cast<ir::DotOp>(op);
  if (!dot)
    return success();
  handled = true;
  std::optional<MatrixUnit> unit = matrixUnit(dot);
  std::int64_t depth = ir::getShape(dot.getA().getType()).back();
  std::int64_t rows = ir::getShape(dot.getType())[0], columns = ir::getShape(dot.getType()).back();
  if (!unit || depth % unit->k != 0 || !isMadeOf(rows, 16) || !isMadeOf(columns, 8)) {
    scalarProduct(dot);
    return success();
  }

  TileLayout accLayout = layoutOf(dot.getResult());
  auto a = firstThread(layoutOf(dot.getA()), registers(dot.getA()));
  auto b = firstThread(layoutOf(dot.getB()), registers(dot.getB()));
  auto acc = firstThread(accLayout, registers(dot.getAcc()));

  // Operand registers travel four or two elements to a word: f16 as vectors, the others as bits.
  auto word = [&](auto &&elementAt) -> Value {
    unsigned n = unit->elementsPerWord;
    Value first = elementAt(0);
    if (n == 1)
      return arith::BitcastOp::create(builder_, builder_.getI32Type(), first);
    Value packed = LLVM::UndefOp::create(builder_, VectorType::get(n, first.getType()));
    for (unsigned i = 0; i < n; ++i)
      packed = LLVM::InsertElementOp::create(builder_, packed, i ? Value(elementAt(i)) : first, constant(i));
    if (unit->type == NVVM::MMATypes::f16)
      return packed;
    return LLVM::BitcastOp::create(builder_, builder_.getI32Type(), packed);
  };

  // Where a piece of 16 x 8 has its four elements of lane 0. A tile lower than 16 or narrower than 8 holds
  // replicas: the other half repeats the first one.
  auto cornersOf = [&](const Coordinates &first) {
    std::int64_t row = first[0], column = first[1], lower = rows > 8 ? row + 8 : row;
    std::int64_t next = columns > 1 ? column + 1 : column;
    return std::array<Coordinates, 4>{{{row, column}, {row, next}, {lower, column}, {lower, next}}};
  };
  // The pieces this warp computes: those whose first element lane 0 holds.
  SmallVector<std::array<Coordinates, 4>> pieces;
  for (auto &[first, ignored] : acc)
    if (first[0] % 16 == 0 && first[1] % 8 == 0)
      pieces.push_back(cornersOf(first));

  Type accElement = ir::getElementType(dot.getResult().getType());
  Type resultType = LLVM::LLVMStructType::getLiteral(builder_.getContext(), SmallVector<Type>(4, accElement));
  std::int64_t half = unit->k / 2;
  std::optional<NVVM::MMAIntOverflow> overflow;
  if (accElement.isInteger(32))
    overflow = NVVM::MMAIntOverflow::wrapped;
  // Step by step of K, so that of both operands no more than a step's registers need be there at once.
  for (std::int64_t k = 0; k < depth; k += unit->k) {
    std::map<Coordinates, Value> wordsOfA, wordsOfB;
    auto wordA = [&](std::int64_t i, std::int64_t j) -> Value {
      auto [it, fresh] = wordsOfA.try_emplace({i, j});
      if (fresh)
        it->second = word([&](std::int64_t e) { return a.at({i, j + e}); });
      return it->second;
    };
    auto wordB = [&](std::int64_t i, std::int64_t j) -> Value {
      auto [it, fresh] = wordsOfB.try_emplace({i, j});
      if (fresh)
        it->second = word([&](std::int64_t e) { return b.at({i + e, j}); });
      return it->second;
    };
    for (const std::array<Coordinates, 4> &piece : pieces) {
      std::int64_t row = piece[0][0], lower = piece[2][0], column = piece[0][1];
      Value wordsA[] = {wordA(row, k), wordA(lower, k), wordA(row, k + half), wordA(lower, k + half)};
      Value wordsB[] = {wordB(k, column), wordB(k + half, column)};
      SmallVector<Value> sums;
      for (const Coordinates &corner : piece)
        sums.push_back(acc.at(corner));
      auto mma = NVVM::MmaOp::create(
          builder_, resultType, wordsA, wordsB, sums, ArrayRef<int64_t>{16, 8, unit->k},
          /*b1Op=*/std::nullopt, overflow, std::array<NVVM::MMATypes, 2>{unit->type, unit->type},
          std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row, NVVM::MMALayout::col});
      for (auto [i, corner] : llvm::enumerate(piece))
        acc[corner] = LLVM::ExtractValueOp::create(builder_, mma, ArrayRef<int64_t>{static_cast<int64_t>(i)});
    }
  }
  Registers registers;
  for (std::int64_t reg = 0; reg < accLayout.places(); ++reg)
    registers.push_back(acc.at(accLayout.coordinates({reg, 0, 0, 0})));
  set(dot.getResult(), std::move(registers));
  return success();
}

}   // namespace tile::gpu
