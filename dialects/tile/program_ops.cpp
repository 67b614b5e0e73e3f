// SPDX-License-Identifier: MIT
// Rules of the ops that state facts, check conditions and print.
#include "dialects/tile/constants.h"
#include "dialects/tile/dialect.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tile::ir;

// The run-length facts speak of the last axis.
static LogicalResult verifyRuns(AssumeOp op, StringRef fact, std::optional<uint64_t> length) {
  if (!length)
    return success();
  auto runs = static_cast<int64_t>(*length);
  if (runs < 1)
    return op.emitOpError() << "`" << fact << "` is a number of elements, at least 1, not " << runs;
  ArrayRef<int64_t> shape = getShape(op.getType());
  if (shape.empty())
    return op.emitOpError() << "`" << fact << "` is about runs along the last axis, and a scalar has no axes";
  if (shape.back() % runs != 0)
    return op.emitOpError() << "runs of `" << fact << " = " << runs
                            << "` do not divide the last axis of extent " << shape.back();
  return success();
}

LogicalResult AssumeOp::verify() {
  if (!getDivisible() && !getContiguous() && !getConstant() && !getRange())
    return emitOpError("states no fact: give `divisible`, `contiguous`, `constant` or `range`");
  Type element = getElementType(getType());
  bool isFloat = isa<FloatType>(element);
  if (isFloat && (getDivisible() || getContiguous() || getRange()))
    return emitOpError() << "only `constant` can be assumed of floats, here of elements " << element;
  if (std::optional<uint64_t> divisor = getDivisible(); divisor && static_cast<int64_t>(*divisor) < 1)
    return emitOpError() << "`divisible` is at least 1, not " << static_cast<int64_t>(*divisor);
  if (failed(verifyRuns(*this, "contiguous", getContiguous())) ||
      failed(verifyRuns(*this, "constant", getConstant())))
    return failure();
  std::optional<ArrayRef<int64_t>> range = getRange();
  if (!range)
    return success();
  if (!isa<IntegerType>(element))
    return emitOpError() << "a `range` is for integers, not for " << element;
  if (range->size() != 2)
    return emitOpError() << "a `range` has two ends, not " << range->size();
  int64_t low = range->front(), high = range->back();
  if (low > high)
    return emitOpError() << "`range` ends before it begins: [" << low << ", " << high << "]";
  unsigned width = element.getIntOrFloatBitWidth();
  if (width < 64 && (!llvm::isIntN(width, low) || !llvm::isIntN(width, high)))
    return emitOpError() << "`range` [" << low << ", " << high << "] does not fit " << element
                         << ", whose values are read as signed";
  return success();
}

// A constant needs no facts about it; a wrong one keeps its assume, so that the checks still see it.
OpFoldResult AssumeOp::fold(FoldAdaptor adaptor) {
  std::optional<llvm::APInt> value = getSplatInt(adaptor.getValue());
  if (!value || getContiguous().value_or(1) != 1)
    return {};
  if (getDivisible() && value->getSExtValue() % static_cast<int64_t>(*getDivisible()) != 0)
    return {};
  if (std::optional<ArrayRef<int64_t>> range = getRange())
    if (value->getSExtValue() < range->front() || value->getSExtValue() > range->back())
      return {};
  return adaptor.getValue();
}

bool tile::ir::isPromise(Operation *op) { return isa<AssumeTrueOp, AssumeApartOp>(op); }

LogicalResult AssumeTrueOp::canonicalize(AssumeTrueOp op, PatternRewriter &rewriter) {
  if (!isAllTrue(op.getCondition()))
    return failure();
  rewriter.eraseOp(op);
  return success();
}

LogicalResult AssertOp::canonicalize(AssertOp op, PatternRewriter &rewriter) {
  if (isAllTrue(op.getCondition()) || (op.getMask() && isAllFalse(op.getMask()))) {
    rewriter.eraseOp(op);
    return success();
  }
  if (!op.getMask() || !isAllTrue(op.getMask()))
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
  return success();
}

LogicalResult PrintOp::verify() {
  std::optional<ArrayRef<bool>> isUnsigned = getUnsignedOperands();
  if (isUnsigned && isUnsigned->size() != getValues().size())
    return emitOpError() << "`unsigned_operands` has " << isUnsigned->size() << " entries for "
                         << getValues().size() << " values";
  return success();
}
