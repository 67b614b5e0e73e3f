// SPDX-License-Identifier: MIT
// Products without a matrix unit: both operands go to shared memory, and every thread sums up the elements of
// the accumulator that it holds, in the order of K.
//
//    for k { acc[i, j] += a[i, k] * b[k, j] }        i, j: of this thread's registers
#include "compiler/lowering/Distribution.h"
#include "compiler/lowering/SharedTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <map>

using namespace mlir;

namespace tile::gpu {
namespace {

// An operand's element as the sum's type has it.
Value widened(ImplicitLocOpBuilder &b, Value v, Type type, bool isUnsigned) {
  if (v.getType() == type)
    return v;
  if (isa<IntegerType>(type))
    return isUnsigned ? Value(arith::ExtUIOp::create(b, type, v)) : Value(arith::ExtSIOp::create(b, type, v));
  return ir::FpCastOp::create(b, type, v, ir::Rounding::nearest_even);
}

}   // namespace

void Distribution::scalarProduct(ir::DotOp dot) {
  layout::TileLayout layout = layoutOf(dot.getResult());
  std::vector<std::int64_t> shapeA = layoutOf(dot.getA()).shape(), shapeB = layoutOf(dot.getB()).shape();
  Type elementA = ir::getElementType(dot.getA().getType()),
       elementB = ir::getElementType(dot.getB().getType());
  Type sum = ir::getElementType(dot.getType());
  std::int64_t bytesA = elementCount(shapeA) * SharedTile::bytesOf(elementA);
  bytesA = static_cast<std::int64_t>(llvm::alignTo(static_cast<std::uint64_t>(bytesA), 16));
  barrier();   // whoever used the scratch before is done
  Value base = scratch(bytesA + elementCount(shapeB) * SharedTile::bytesOf(elementB));
  SharedTile a(*this, base, elementA), b(*this, base, elementB, bytesA);
  auto write = [&](const SharedTile &tile, Value operand) {
    layout::TileLayout from = layoutOf(operand);
    Registers values(registers(operand));
    for (std::int64_t reg = 0; reg < from.places(); ++reg)
      tile.store(values[static_cast<size_t>(reg)], rowMajorIndex(*this, from, reg));
  };
  write(a, dot.getA());
  write(b, dot.getB());
  barrier();

  unsigned rank = layout.rank(), row = rank - 2, column = rank - 1;
  std::int64_t depth = shapeA[column], width = shapeB[column];
  // Of each row of A and each column of B, where it begins: the batch is part of both.
  std::map<std::vector<std::int64_t>, Value> rows, columns;
  auto coordinatesOf = [&](std::int64_t reg) { return layout.coordinates({reg, 0, 0, 0}); };
  auto keyOf = [&](std::int64_t reg, unsigned without) {
    std::vector<std::int64_t> key = coordinatesOf(reg);
    key.erase(key.begin() + without);
    return key;
  };
  for (std::int64_t reg = 0; reg < layout.places(); ++reg) {
    Value batch = rank == 3 ? coordinate(layout, 0, reg) : Value();
    auto startOf = [&](Value own, std::int64_t stride, std::int64_t matrix) -> Value {
      Value at = arith::MulIOp::create(builder_, own, constant(stride));
      if (batch)
        at = arith::AddIOp::create(builder_, at, arith::MulIOp::create(builder_, batch, constant(matrix)));
      return at;
    };
    if (auto [it, fresh] = rows.try_emplace(keyOf(reg, column)); fresh)
      it->second = startOf(coordinate(layout, row, reg), depth, shapeA[row] * depth);
    if (auto [it, fresh] = columns.try_emplace(keyOf(reg, row)); fresh)
      it->second = startOf(coordinate(layout, column, reg), 1, depth * width);
  }

  Registers inits(registers(dot.getAcc()));
  auto loop = scf::ForOp::create(builder_, constant(0), constant(depth), constant(1), inits);
  {
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToEnd(loop.getBody());
    Value k = loop.getInductionVar(), down = arith::MulIOp::create(builder_, k, constant(width));
    std::map<std::vector<std::int64_t>, Value> left, right;
    for (auto &[key, start] : rows)
      left[key] =
          widened(builder_, a.load(arith::AddIOp::create(builder_, start, k)), sum, dot.getUnsignedA());
    for (auto &[key, start] : columns)
      right[key] =
          widened(builder_, b.load(arith::AddIOp::create(builder_, start, down)), sum, dot.getUnsignedB());
    Registers sums;
    for (std::int64_t reg = 0; reg < layout.places(); ++reg) {
      Value x = left.at(keyOf(reg, column)), y = right.at(keyOf(reg, row));
      Value before = loop.getRegionIterArgs()[static_cast<unsigned>(reg)];
      if (isa<IntegerType>(sum))
        sums.push_back(arith::AddIOp::create(builder_, before, arith::MulIOp::create(builder_, x, y)));
      else
        sums.push_back(math::FmaOp::create(builder_, x, y, before));
    }
    scf::YieldOp::create(builder_, sums);
  }
  set(dot.getResult(), Registers(loop.getResults()));
}

}   // namespace tile::gpu
