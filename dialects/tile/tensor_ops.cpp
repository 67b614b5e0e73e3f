// SPDX-License-Identifier: MIT
// Rules of products, reductions, scans and histograms.
#include "dialects/tile/dialect.h"

using namespace mlir;
using namespace tile::ir;

//===------------------------------------------------------------------------===//
// Products
//===------------------------------------------------------------------------===//

static bool isFp8(Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); }

// The accumulators that products of `a` may have; empty where there is no such product.
static StringRef acceptedAccumulators(Type a) {
  if (isa<Float16Type>(a) || isFp8(a))
    return "f32 or f16";
  if (isa<BFloat16Type, Float32Type>(a))
    return "f32";
  if (isa<Float64Type>(a))
    return "f64";
  return a.isInteger(8) ? "i32" : "";
}

static bool accumulates(Type a, Type acc) {
  if (isa<Float16Type>(a) || isFp8(a))
    return isa<Float32Type, Float16Type>(acc);
  if (isa<BFloat16Type, Float32Type>(a))
    return isa<Float32Type>(acc);
  if (isa<Float64Type>(a))
    return isa<Float64Type>(acc);
  return a.isInteger(8) && acc.isInteger(32);
}

// The least K is what one instruction of a matrix unit takes of operands this wide.
static int64_t leastK(Type element) { return 256 / element.getIntOrFloatBitWidth(); }

static LogicalResult verifyDotElements(DotOp op, Type a, Type b, Type acc) {
  if (a != b && !(isFp8(a) && isFp8(b)))
    return op.emitOpError() << "multiplies operands of the same element type (or two fp8 types), not " << a
                            << " and " << b;
  StringRef accepted = acceptedAccumulators(a);
  if (accepted.empty())
    return op.emitOpError() << "multiplies f16, bf16, f32, f64, fp8 or i8, not " << a;
  if (!accumulates(a, acc))
    return op.emitOpError() << "products of " << a << " accumulate in " << accepted << ", not in " << acc;
  if ((op.getUnsignedA() || op.getUnsignedB()) && !a.isInteger(8))
    return op.emitOpError() << "`unsigned_a` and `unsigned_b` say how i8 is read; the operands are " << a;
  if (op.getPrecision() != Precision::tf32 && !a.isF32())
    return op.emitOpError() << "`precision` says how f32 is multiplied; the operands are " << a;
  if (op.getMaxImpreciseAccAttr().getInt() != 0 && !isFp8(a))
    return op.emitOpError() << "`max_imprecise_acc` is for fp8 products; the operands are " << a;
  return success();
}

LogicalResult DotOp::verify() {
  RankedTensorType a = getA().getType(), b = getB().getType(), acc = getAcc().getType();
  if (failed(verifyDotElements(*this, a.getElementType(), b.getElementType(), acc.getElementType())))
    return failure();
  int64_t rank = a.getRank();
  if ((rank != 2 && rank != 3) || b.getRank() != rank || acc.getRank() != rank)
    return emitOpError()
           << "multiplies matrices, or stacks of them along a leading axis: ranks are all 2 or all 3, here "
           << rank << ", " << b.getRank() << " and " << acc.getRank();
  ArrayRef<int64_t> aShape = a.getShape(), bShape = b.getShape(), accShape = acc.getShape();
  if (rank == 3 && (aShape[0] != bShape[0] || aShape[0] != accShape[0]))
    return emitOpError() << "the extents of the leading axis differ: " << aShape[0] << ", " << bShape[0]
                         << " and " << accShape[0];
  int64_t m = aShape[rank - 2], k = aShape[rank - 1], n = bShape[rank - 1];
  if (bShape[rank - 2] != k)
    return emitOpError() << "K differs: " << a << " has " << k << " columns, " << b << " has "
                         << bShape[rank - 2] << " rows";
  if (accShape[rank - 2] != m || accShape[rank - 1] != n)
    return emitOpError() << "the product is " << m << " by " << n << ", the accumulator "
                         << accShape[rank - 2] << " by " << accShape[rank - 1];
  if (int64_t least = leastK(a.getElementType()); k < least)
    return emitOpError() << "K is at least " << least << " for operands " << a.getElementType() << ", not "
                         << k;
  int64_t limit = getMaxImpreciseAccAttr().getInt();
  if (limit < 0 || limit > k)
    return emitOpError() << "`max_imprecise_acc` is a number of elements of K, 0 .. " << k << ", not "
                         << limit;
  return success();
}

//===------------------------------------------------------------------------===//
// Reductions and scans
//===------------------------------------------------------------------------===//

static LogicalResult verifyCombined(Operation *op, OperandRange values, int64_t axis) {
  if (values.empty())
    return op->emitOpError("must combine at least one tile");
  auto first = cast<RankedTensorType>(values.front().getType());
  for (Value value : values.drop_front())
    if (getShape(value.getType()) != first.getShape())
      return op->emitOpError() << "must combine tiles of the same shape, not " << first << " and "
                               << value.getType();
  if (axis < 0 || axis >= first.getRank())
    return op->emitOpError() << "axis " << axis << " is not in 0 .. " << first.getRank() - 1
                             << " for tiles of rank " << first.getRank();
  if (op->getNumResults() != values.size())
    return op->emitOpError() << "must give one result per tile: " << values.size() << ", not "
                             << op->getNumResults();
  return success();
}

static LogicalResult verifyResults(Operation *op, OperandRange values, ArrayRef<int64_t> shape,
                                   StringRef rule) {
  for (auto [index, value, result] : llvm::enumerate(values, op->getResults())) {
    Type expected = getTileType(shape, getElementType(value.getType()));
    // Where the elements of a result lie is not this op's concern.
    if (getTileType(getShape(result.getType()), getElementType(result.getType())) != expected)
      return op->emitOpError() << rule << ": result #" << index << " is " << expected << ", not "
                               << result.getType();
  }
  return success();
}

// For N tiles 2N scalars come in and N go out. Only pure ops: how often and in which order they
// run is the compiler's choice.
static LogicalResult verifyCombineRegion(Operation *op, OperandRange values, Region &region) {
  Block &block = region.front();
  size_t count = values.size();
  if (block.getNumArguments() != 2 * count)
    return op->emitOpError() << "the combine region takes " << 2 * count << " scalars for " << count
                             << (count == 1 ? " tile, not " : " tiles, not ") << block.getNumArguments();
  for (BlockArgument argument : block.getArguments()) {
    Type expected = getElementType(values[argument.getArgNumber() % count].getType());
    if (argument.getType() != expected)
      return op->emitOpError() << "argument #" << argument.getArgNumber() << " of the combine region is "
                               << expected << ", not " << argument.getType();
  }
  auto yield = dyn_cast<YieldOp>(block.back());
  if (!yield)
    return op->emitOpError("the combine region must end in tile.yield");
  if (yield.getValues().size() != count)
    return yield.emitOpError() << "yields " << count << (count == 1 ? " value, not " : " values, not ")
                               << yield.getValues().size();
  for (auto [index, value] : llvm::enumerate(yield.getValues())) {
    Type expected = getElementType(values[index].getType());
    if (value.getType() != expected)
      return yield.emitOpError() << "value #" << index << " is " << expected << ", not " << value.getType();
  }
  WalkResult impure = region.walk([&](Operation *inner) {
    if (isMemoryEffectFree(inner))
      return WalkResult::advance();
    inner->emitOpError("has side effects, and a combine region may contain only pure ops");
    return WalkResult::interrupt();
  });
  return failure(impure.wasInterrupted());
}

LogicalResult ReduceOp::verify() {
  int64_t axis = getAxisAttr().getInt();
  if (failed(verifyCombined(*this, getValues(), axis)))
    return failure();
  SmallVector<int64_t> shape(getShape(getValues().front().getType()));
  shape.erase(shape.begin() + axis);
  return verifyResults(*this, getValues(), shape, "the results lack the axis");
}

LogicalResult ReduceOp::verifyRegions() { return verifyCombineRegion(*this, getValues(), getCombine()); }

LogicalResult ScanOp::verify() {
  if (failed(verifyCombined(*this, getValues(), getAxisAttr().getInt())))
    return failure();
  return verifyResults(*this, getValues(), getShape(getValues().front().getType()),
                       "the results have the operands' types");
}

LogicalResult ScanOp::verifyRegions() { return verifyCombineRegion(*this, getValues(), getCombine()); }

//===------------------------------------------------------------------------===//
// Histograms
//===------------------------------------------------------------------------===//

LogicalResult HistogramOp::verify() {
  if (getValue().getType().getRank() != 1 || getType().getRank() != 1)
    return emitOpError() << "counts the elements of a tile of rank 1 into a tile of rank 1, not "
                         << getValue().getType() << " and " << getType();
  return success();
}
