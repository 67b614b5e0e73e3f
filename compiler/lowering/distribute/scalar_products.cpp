// SPDX-License-Identifier: MIT
// Products without a matrix unit: both operands go to shared memory, and every thread sums up the elements of
// the accumulator that it holds, in the order of K.
//
//    for k { acc[i, j] += a[i, k] * b[k, j] }        i, j: of this thread's registers
//
// Operands that are too large for it go there in slices of K, one after the other.
#include "compiler/lowering/distribute/scalar_products.h"

#include "compiler/lowering/distribute/shared_tile.h"

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

// What both operands may take of the shared memory, so that several CTAs fit on a multiprocessor.
constexpr std::int64_t MostBytes = 48 << 10;

// How much of K is in shared memory at a time: all of it, or half as often as it takes.
std::int64_t sliceOf(std::int64_t depth, std::int64_t bytesPerStep) {
  while (depth % 2 == 0 && depth * bytesPerStep > MostBytes)
    depth /= 2;
  return depth;
}

}   // namespace

// The part of an operand whose coordinate along `axis` is from `first` on, as many as `shape` has.
static void writeSlice(Distribution &d, const SharedTile &tile, Value operand, unsigned axis, Value first,
                       const std::vector<std::int64_t> &shape) {
  ImplicitLocOpBuilder &b = d.build();
  layout::TileLayout from = layoutOf(operand);
  Registers values(d.registers(operand));
  bool whole = from.shape()[axis] == shape[axis];
  for (std::int64_t reg = 0; reg < from.places(); ++reg) {
    Registers coordinates;
    for (unsigned i = 0; i < from.rank(); ++i)
      coordinates.push_back(d.threads().coordinate(from, i, reg));
    OpBuilder::InsertionGuard guard(b);
    if (!whole) {
      Value &along = coordinates[axis];
      along = arith::SubIOp::create(b, along, first);
      Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, along, d.constant(shape[axis]));
      b.setInsertionPointToStart(scf::IfOp::create(b, inside, /*withElseRegion=*/false).thenBlock());
    }
    tile.store(values[static_cast<size_t>(reg)], {rowMajorIndex(d, coordinates, shape)});
  }
}

void scalarProduct(ir::DotOp dot, Distribution &d) {
  ImplicitLocOpBuilder &builder = d.build();
  layout::TileLayout layout = layoutOf(dot.getResult());
  std::vector<std::int64_t> shapeA = layoutOf(dot.getA()).shape(), shapeB = layoutOf(dot.getB()).shape();
  Type elementA = ir::getElementType(dot.getA().getType()),
       elementB = ir::getElementType(dot.getB().getType());
  Type sum = ir::getElementType(dot.getType());
  unsigned rank = layout.rank(), row = rank - 2, column = rank - 1;
  std::int64_t depth = shapeA[column], width = shapeB[column];
  std::int64_t bytesA = SharedTile::bytesOf(elementA), bytesB = SharedTile::bytesOf(elementB);
  std::int64_t slice =
      sliceOf(depth, elementCount(shapeA) / depth * bytesA + elementCount(shapeB) / depth * bytesB);
  shapeA[column] = shapeB[row] = slice;
  auto startOfB =
      static_cast<std::int64_t>(llvm::alignTo(static_cast<std::uint64_t>(elementCount(shapeA) * bytesA), 16));
  Value base = d.scratch(startOfB + elementCount(shapeB) * bytesB);
  SharedTile a(d, base, elementA), b(d, base, elementB, startOfB);

  // Of each row of A and each column of B, where it begins: the batch is part of both.
  std::map<std::vector<std::int64_t>, Value> rows, columns;
  auto coordinatesOf = [&](std::int64_t reg) { return layout.coordinates({reg, 0, 0, 0}); };
  auto keyOf = [&](std::int64_t reg, unsigned without) {
    std::vector<std::int64_t> key = coordinatesOf(reg);
    key.erase(key.begin() + without);
    return key;
  };
  for (std::int64_t reg = 0; reg < layout.places(); ++reg) {
    Value batch = rank == 3 ? d.threads().coordinate(layout, 0, reg) : Value();
    auto startOf = [&](Value own, std::int64_t stride, std::int64_t matrix) -> Value {
      Value at = arith::MulIOp::create(builder, own, d.constant(stride));
      if (batch)
        at = arith::AddIOp::create(builder, at, arith::MulIOp::create(builder, batch, d.constant(matrix)));
      return at;
    };
    if (auto [it, fresh] = rows.try_emplace(keyOf(reg, column)); fresh)
      it->second = startOf(d.threads().coordinate(layout, row, reg), slice, shapeA[row] * slice);
    if (auto [it, fresh] = columns.try_emplace(keyOf(reg, row)); fresh)
      it->second = startOf(d.threads().coordinate(layout, column, reg), 1, slice * width);
  }

  // The sums after all of a slice, which begins at `first`.
  auto sumUp = [&](Value first, ValueRange sums) -> ValueRange {
    d.awaitScratch();
    writeSlice(d, a, dot.getA(), column, first, shapeA);
    writeSlice(d, b, dot.getB(), row, first, shapeB);
    d.barrier();
    auto loop = scf::ForOp::create(builder, d.constant(0), d.constant(slice), d.constant(1), sums);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(loop.getBody());
    Value k = loop.getInductionVar(), down = arith::MulIOp::create(builder, k, d.constant(width));
    std::map<std::vector<std::int64_t>, Value> left, right;
    for (auto &[key, start] : rows)
      left[key] =
          widened(builder, a.load({arith::AddIOp::create(builder, start, k)}), sum, dot.getUnsignedA());
    for (auto &[key, start] : columns)
      right[key] =
          widened(builder, b.load({arith::AddIOp::create(builder, start, down)}), sum, dot.getUnsignedB());
    Registers next;
    for (std::int64_t reg = 0; reg < layout.places(); ++reg) {
      Value x = left.at(keyOf(reg, column)), y = right.at(keyOf(reg, row));
      Value before = loop.getRegionIterArgs()[static_cast<unsigned>(reg)];
      if (isa<IntegerType>(sum))
        next.push_back(arith::AddIOp::create(builder, before, arith::MulIOp::create(builder, x, y)));
      else
        next.push_back(math::FmaOp::create(builder, x, y, before));
    }
    scf::YieldOp::create(builder, next);
    return loop.getResults();
  };

  Registers sums(d.registers(dot.getAcc()));
  if (slice == depth) {
    d.set(dot.getResult(), Registers(sumUp(d.constant(0), sums)));
    return;
  }
  auto slices = scf::ForOp::create(builder, d.constant(0), d.constant(depth), d.constant(slice), sums);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(slices.getBody());
    scf::YieldOp::create(builder, sumUp(slices.getInductionVar(), slices.getRegionIterArgs()));
  }
  d.set(dot.getResult(), Registers(slices.getResults()));
}

}   // namespace tile::gpu
