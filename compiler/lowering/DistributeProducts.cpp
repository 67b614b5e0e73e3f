// SPDX-License-Identifier: MIT
// Products: one mma.sync for each 16 x 8 piece of the accumulator and each step of K.
#include "compiler/lowering/Distribution.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

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
  if (!unit || depth % unit->k != 0) {
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

  // The pieces this warp computes: those whose first element lane 0 holds.
  std::map<Coordinates, Value> result;
  Type accElement = ir::getElementType(dot.getResult().getType());
  Type resultType = LLVM::LLVMStructType::getLiteral(builder_.getContext(), SmallVector<Type>(4, accElement));
  std::int64_t half = unit->k / 2;
  auto at = [](std::map<Coordinates, Value> &map, std::int64_t i, std::int64_t j) { return map.at({i, j}); };
  for (auto &[corner, ignored] : acc) {
    std::int64_t row = corner[0], column = corner[1];
    // A tile lower than 16 or narrower than 8 holds replicas: the upper half repeats the lower one.
    if (row % 16 != 0 || column % 8 != 0)
      continue;
    std::int64_t rows = ir::getShape(dot.getA().getType())[0];
    std::int64_t lower = rows > 8 ? row + 8 : row;
    std::int64_t columns = ir::getShape(dot.getB().getType())[1];
    std::int64_t nextColumn = columns > 1 ? column + 1 : column;
    Value c[4] = {at(acc, row, column), at(acc, row, nextColumn), at(acc, lower, column),
                  at(acc, lower, nextColumn)};
    for (std::int64_t k = 0; k < depth; k += unit->k) {
      auto wordA = [&](std::int64_t i, std::int64_t j) {
        return word([&](std::int64_t e) { return at(a, i, j + e); });
      };
      auto wordB = [&](std::int64_t i) { return word([&](std::int64_t e) { return at(b, i + e, column); }); };
      SmallVector<Value> wordsA = {wordA(row, k), wordA(lower, k), wordA(row, k + half),
                                   wordA(lower, k + half)};
      SmallVector<Value> wordsB = {wordB(k), wordB(k + half)};
      std::optional<NVVM::MMAIntOverflow> overflow;
      if (accElement.isInteger(32))
        overflow = NVVM::MMAIntOverflow::wrapped;
      auto mma =
          NVVM::MmaOp::create(builder_, resultType, wordsA, wordsB, ValueRange{c[0], c[1], c[2], c[3]},
                              ArrayRef<int64_t>{16, 8, unit->k}, /*b1Op=*/std::nullopt, overflow,
                              std::array<NVVM::MMATypes, 2>{unit->type, unit->type},
                              std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row, NVVM::MMALayout::col});
      for (auto [i, element] : llvm::enumerate(c))
        element = LLVM::ExtractValueOp::create(builder_, mma, ArrayRef<int64_t>{static_cast<int64_t>(i)});
    }
    result[{row, column}] = c[0];
    result[{row, nextColumn}] = c[1];
    result[{lower, column}] = c[2];
    result[{lower, nextColumn}] = c[3];
  }
  Registers registers;
  for (std::int64_t reg = 0; reg < accLayout.places(); ++reg)
    registers.push_back(result.at(accLayout.coordinates({reg, 0, 0, 0})));
  set(dot.getResult(), std::move(registers));
  return success();
}

}   // namespace tile::gpu
