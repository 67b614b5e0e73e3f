// SPDX-License-Identifier: MIT
// Products. The target's row for the types says which handler multiplies; those here: one mma.sync for each
// 16 x 8 fragment of the accumulator and each step of K. Others are in warpgroup_products.cpp, and those
// without a matrix unit in scalar_products.cpp.
#include "compiler/analysis/matrix_products.h"
#include "compiler/lowering/distribute/decompose_floats.h"
#include "compiler/lowering/distribute/scalar_products.h"
#include "compiler/lowering/distribute/shared_tile.h"
#include "compiler/lowering/distribute/warpgroup_products.h"

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

Parts wholeWord(Value word) {
  Parts parts{};
  parts[static_cast<size_t>(Part::First)] = word;
  return parts;
}

// One instruction of a warp.
Value multiply(ImplicitLocOpBuilder &b, const MatrixUnit &unit, ArrayRef<Value> wordsA,
               ArrayRef<Value> wordsB, ArrayRef<Value> sums) {
  Type result = LLVM::LLVMStructType::getLiteral(
      b.getContext(), llvm::map_to_vector(sums, [](Value v) { return v.getType(); }));
  if (isFloat8(unit.a.element)) {   // which NVVM's op does not take
    auto typeA = TypeAttr::get(typeOf(unit.a.element, b.getContext()));
    auto typeB = TypeAttr::get(typeOf(unit.b.element, b.getContext()));
    return PtxMmaOp::create(b, result, wordsA, wordsB, sums, typeA, typeB);
  }
  NVVM::MMATypes types[] = {*NVVM::symbolizeMMATypes(nameOf(unit.a.element)),
                            *NVVM::symbolizeMMATypes(nameOf(unit.b.element))};
  std::optional<NVVM::MMAIntOverflow> overflow;
  if (isInteger(unit.sum))
    overflow = NVVM::MMAIntOverflow::wrapped;
  return NVVM::MmaOp::create(b, result, wordsA, wordsB, sums,
                             ArrayRef<int64_t>{unit.m, unit.n.least(), unit.k},
                             /*b1Op=*/std::nullopt, overflow, std::to_array(types),
                             std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row, NVVM::MMALayout::col});
}

std::map<Coordinates, Value> firstThread(const TileLayout &layout, ArrayRef<Value> registers) {
  std::map<Coordinates, Value> result;
  for (auto &[coordinates, reg] : layout.registersOfFirstThread())
    result.emplace(coordinates, registers[static_cast<size_t>(reg)]);
  return result;
}

void addTo(ImplicitLocOpBuilder &b, std::map<Coordinates, Value> &total,
           const std::map<Coordinates, Value> &sums) {
  if (total.empty())
    total = sums;
  else
    for (auto &[place, sum] : total)
      sum = arith::AddFOp::create(b, sum, sums.at(place));
}

}   // namespace

static LogicalResult product(ir::DotOp dot, Distribution &d) {
  ImplicitLocOpBuilder &builder = d.build();
  const MatrixUnit *unit = matrixUnitOf(dot, d.target());
  if ((isInShared(dot.getA()) || isInShared(dot.getB())) && (!unit || !unit->b.inShared))
    return dot.emitError("an operand of this product is in shared memory, and no matrix unit of ")
           << d.target().name()
           << " multiplies these tiles there: give tile-assign-layouts the same target as the passes before "
              "it";
  if (!unit) {
    scalarProduct(dot, d);
    return success();
  }
  if (unit->instruction == Wgmma)
    return warpgroupProduct(dot, *unit, d);
  if (unit->instruction != MmaSync)
    return dot.emitError() << "no handler multiplies by " << unit->instruction;
  std::int64_t depth = ir::getShape(dot.getA().getType()).back(), step = unit->k;
  std::int64_t rows = ir::getShape(dot.getType())[0], columns = ir::getShape(dot.getType()).back();

  TileLayout accLayout = layoutOf(dot.getResult());
  auto a = firstThread(layoutOf(dot.getA()), d.registers(dot.getA()));
  auto b = firstThread(layoutOf(dot.getB()), d.registers(dot.getB()));
  auto acc = firstThread(accLayout, d.registers(dot.getAcc()));

  // Operand registers travel four or two elements to a word: f16 as vectors, the others as bits.
  ir::Precision precision = dot.getPrecision();
  ArrayRef<PartProduct> terms = partProducts(ir::Precision::tf32);
  bool isDecomposed = ir::getElementType(dot.getA().getType()).isF32() && precision != ir::Precision::tf32;
  if (isDecomposed)
    terms = partProducts(precision);
  auto word = [&](auto &&elementAt) -> Parts {
    unsigned n = 32 / bitsOf(unit->a.element);
    if (isDecomposed)
      return n == 1
                 ? decomposeIntoTf32(builder, elementAt(0))
                 : decomposeIntoBf16(builder, elementAt(0), elementAt(1), precision == ir::Precision::bf16x6);
    Value first = toStored(builder, elementAt(0));
    if (n == 1)
      return wholeWord(arith::BitcastOp::create(builder, builder.getI32Type(), first));
    Value packed = LLVM::UndefOp::create(builder, VectorType::get(n, first.getType()));
    for (unsigned i = 0; i < n; ++i)
      packed = LLVM::InsertElementOp::create(builder, packed, i ? toStored(builder, elementAt(i)) : first,
                                             d.constant(i));
    if (unit->a.element == MatrixElement::f16)
      return wholeWord(packed);
    return wholeWord(LLVM::BitcastOp::create(builder, builder.getI32Type(), packed));
  };

  // Where a fragment of 16 x 8 has its four elements of lane 0. A tile lower than 16 or narrower than 8 holds
  // replicas: the other half repeats the first one.
  auto cornersOf = [&](const Coordinates &first) {
    std::int64_t row = first[0], column = first[1], lower = rows > 8 ? row + 8 : row;
    std::int64_t next = columns > 1 ? column + 1 : column;
    return std::array<Coordinates, 4>{{{row, column}, {row, next}, {lower, column}, {lower, next}}};
  };
  // The fragments this warp computes: those whose first element lane 0 holds.
  SmallVector<std::array<Coordinates, 4>> fragments;
  for (auto &[first, ignored] : acc)
    if (first[0] % unit->m == 0 && first[1] % unit->n.least() == 0)
      fragments.push_back(cornersOf(first));

  std::int64_t half = step / 2;
  // The verifier knows shapes and types; where the elements lie is asked here.
  auto liesAsRead = [&](const std::array<Coordinates, 4> &fragment) {
    unsigned n = 32 / bitsOf(unit->a.element);
    for (const Coordinates &corner : fragment)
      if (!acc.count(corner))
        return false;
    for (std::int64_t k = 0; k < depth; k += half)
      for (std::int64_t e = 0; e < n; ++e)
        if (!a.count({fragment[0][0], k + e}) || !a.count({fragment[2][0], k + e}) ||
            !b.count({k + e, fragment[0][1]}))
          return false;
    return true;
  };
  if (fragments.empty() || !llvm::all_of(fragments, liesAsRead) || layoutOf(dot.getAcc()) != accLayout)
    return dot.emitError("the layouts of these tiles do not fit the matrix unit of this target; "
                         "tile-assign-layouts chooses layouts that fit");
  // Of 8-bit floats the unit adds up fewer bits than f32 has: so many elements of K at a time, if asked for.
  std::int64_t limit = dot.getMaxImpreciseAcc(), atOnce = limit ? std::max(step, limit / step * step) : depth;
  std::map<Coordinates, Value> total;
  // Step by step of K, so that of both operands no more than a step's registers need be there at once.
  for (std::int64_t k = 0; k < depth; k += step) {
    if (limit && k % atOnce == 0) {
      addTo(builder, total, acc);
      Value zero = arith::ConstantOp::create(builder, builder.getF32FloatAttr(0));
      for (auto &[ignored, sum] : acc)
        sum = zero;
    }
    std::map<Coordinates, Parts> wordsOfA, wordsOfB;
    auto wordA = [&](std::int64_t i, std::int64_t j) -> const Parts & {
      auto [it, fresh] = wordsOfA.try_emplace({i, j});
      if (fresh)
        it->second = word([&](std::int64_t e) { return a.at({i, j + e}); });
      return it->second;
    };
    auto wordB = [&](std::int64_t i, std::int64_t j) -> const Parts & {
      auto [it, fresh] = wordsOfB.try_emplace({i, j});
      if (fresh)
        it->second = word([&](std::int64_t e) { return b.at({i + e, j}); });
      return it->second;
    };
    for (const std::array<Coordinates, 4> &fragment : fragments) {
      std::int64_t row = fragment[0][0], lower = fragment[2][0], column = fragment[0][1];
      const Parts *partsA[] = {&wordA(row, k), &wordA(lower, k), &wordA(row, k + half),
                               &wordA(lower, k + half)};
      const Parts *partsB[] = {&wordB(k, column), &wordB(k + half, column)};
      SmallVector<Value> sums;
      for (const Coordinates &corner : fragment)
        sums.push_back(acc.at(corner));
      for (const PartProduct &term : terms) {
        SmallVector<Value> wordsA, wordsB;
        for (const Parts *parts : partsA)
          wordsA.push_back((*parts)[static_cast<size_t>(term.a)]);
        for (const Parts *parts : partsB)
          wordsB.push_back((*parts)[static_cast<size_t>(term.b)]);
        Value mma = multiply(builder, *unit, wordsA, wordsB, sums);
        for (size_t i = 0; i < sums.size(); ++i)
          sums[i] = LLVM::ExtractValueOp::create(builder, mma, ArrayRef<int64_t>{static_cast<int64_t>(i)});
      }
      for (auto [corner, sum] : llvm::zip(fragment, sums))
        acc[corner] = sum;
    }
  }
  if (!total.empty()) {
    addTo(builder, total, acc);
    acc = std::move(total);
  }
  Registers registers;
  for (std::int64_t reg = 0; reg < accLayout.places(); ++reg)
    registers.push_back(acc.at(accLayout.coordinates({reg, 0, 0, 0})));
  d.set(dot.getResult(), std::move(registers));
  return success();
}

void addProducts(Handlers &handlers) {
  handlers.add(product);
  handlers.add(awaitProducts);
  handlers.add(computeFirst);
}

}   // namespace tile::gpu
