// SPDX-License-Identifier: MIT
// What MLIR's range analysis proves, put to use. The tile ops tell it their own ranges
// (dialects/tile/ranges.cpp); loop bounds and `arith` are its own. Examples:
//
//    tile.divsi %x, %n        with n = assume(n, 1 .. 100)       ->  arith.divsi
//    arith.cmpi slt, %r, %n   with r = arange(0, 64), n >= 64    ->  all true, and the mask goes
//    arith.remsi %r, %n       likewise                           ->  %r
//    arith.divsi %i, %n       in scf.for %i = %c0 to %n          ->  0
#include "compiler/transforms/simplify.h"

#include "compiler/analysis/integer_ranges.h"
#include "dialects/tile/constants.h"
#include "dialects/tile/dialect.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tile::ir;

namespace {

using Lattice = dataflow::IntegerValueRangeLattice;

class Strengthener {
 public:
  Strengthener(DataFlowSolver &solver, RewriterBase &rewriter) : solver(solver), rewriter(rewriter) {}

  bool changed = false;

  void visit(Operation *op) {
    if (op->getNumResults() == 0 || op->getNumRegions() != 0 || op->hasTrait<OpTrait::ConstantLike>() ||
        !isMemoryEffectFree(op) || op->use_empty())
      return;
    if (op->getNumResults() == 1 && replaceByConstant(op->getResult(0)))
      return;
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](DivSIOp each) { quotientOfLess(each), quotient<arith::DivSIOp>(each); })
        .Case([&](RemSIOp each) { remainder(each), quotient<arith::RemSIOp>(each); })
        .Case([&](CeilDivSIOp each) { quotient<arith::CeilDivSIOp>(each); })
        .Case([&](DivUIOp each) { unsignedQuotient<arith::DivUIOp>(each); })
        .Case([&](RemUIOp each) { remainder(each), unsignedQuotient<arith::RemUIOp>(each); })
        .Case([&](CeilDivUIOp each) { unsignedQuotient<arith::CeilDivUIOp>(each); })
        .Case([&](ShLIOp each) { shift<arith::ShLIOp>(each); })
        .Case([&](ShRSIOp each) { shift<arith::ShRSIOp>(each); })
        .Case([&](ShRUIOp each) { shift<arith::ShRUIOp>(each); })
        .Case<arith::RemSIOp, arith::RemUIOp>([&](auto each) { remainder(each); })
        .Case([&](arith::DivSIOp each) { quotientOfLess(each); })
        .Case([&](arith::MaxSIOp each) { signedExtremum(each, /*wantsLarger=*/true); })
        .Case([&](arith::MinSIOp each) { signedExtremum(each, /*wantsLarger=*/false); });
  }

 private:
  std::optional<ConstantIntRanges> rangeOf(Value value) {
    auto *lattice = solver.lookupState<Lattice>(value);
    if (!lattice || lattice->getValue().isUninitialized() || !getElementType(value.getType()).isInteger())
      return std::nullopt;
    return lattice->getValue().getValue();
  }

  void replace(Operation *op, Value value) {
    rewriter.replaceAllUsesWith(op->getResult(0), value);
    changed = true;
  }

  bool replaceByConstant(Value value) {
    std::optional<ConstantIntRanges> range = rangeOf(value);
    std::optional<llvm::APInt> only = range ? range->getConstantValue() : std::nullopt;
    if (!only)
      return false;
    Operation *op = value.getDefiningOp();
    rewriter.setInsertionPoint(op);
    replace(op, createInt(rewriter, op->getLoc(), value.getType(), *only));
    return true;
  }

  template <class ArithOp, class Op> void strengthen(Op op) {
    rewriter.setInsertionPoint(op);
    replace(op, ArithOp::create(rewriter, op.getLoc(), op.getLhs(), op.getRhs()));
  }

  static bool contains(const ConstantIntRanges &range, const llvm::APInt &value) {
    return range.umin().ule(value) && value.ule(range.umax()) && range.smin().sle(value) &&
           value.sle(range.smax());
  }

  // `arith` is undefined for a zero divisor and for MIN / -1.
  template <class ArithOp, class Op> void quotient(Op op) {
    std::optional<ConstantIntRanges> dividend = rangeOf(op.getLhs()), divisor = rangeOf(op.getRhs());
    if (op->use_empty() || !dividend || !divisor)
      return;
    unsigned width = divisor->umin().getBitWidth();
    bool mayBeZero = contains(*divisor, llvm::APInt::getZero(width));
    bool mayOverflow = contains(*divisor, llvm::APInt::getAllOnes(width)) &&
                       contains(*dividend, llvm::APInt::getSignedMinValue(width));
    if (!mayBeZero && !mayOverflow)
      strengthen<ArithOp>(op);
  }

  template <class ArithOp, class Op> void unsignedQuotient(Op op) {
    std::optional<ConstantIntRanges> divisor = rangeOf(op.getRhs());
    if (!op->use_empty() && divisor &&
        !contains(*divisor, llvm::APInt::getZero(divisor->umin().getBitWidth())))
      strengthen<ArithOp>(op);
  }

  template <class ArithOp, class Op> void shift(Op op) {
    std::optional<ConstantIntRanges> amount = rangeOf(op.getRhs());
    if (amount && amount->umax().ult(amount->umax().getBitWidth()))
      strengthen<ArithOp>(op);
  }

  // Whether 0 <= x < n, both signed: because of their ranges, or because x counts up to n.
  bool isLess(Value x, Value n) {
    std::optional<ConstantIntRanges> less = rangeOf(x), more = rangeOf(n);
    if (!less || !more || !less->smin().isNonNegative())
      return false;
    auto counter = dyn_cast<BlockArgument>(x);
    auto loop = counter ? dyn_cast<scf::ForOp>(counter.getOwner()->getParentOp()) : scf::ForOp();
    return less->smax().slt(more->smin()) ||
           (loop && counter == loop.getInductionVar() && n == loop.getUpperBound() && !loop.getUnsignedCmp());
  }

  // x % n is x for 0 <= x < n, and x / n is 0.
  template <class Op> void remainder(Op op) {
    if (isa<RemSIOp, arith::RemSIOp>(op.getOperation())) {
      if (isLess(op.getLhs(), op.getRhs()))
        replace(op, op.getLhs());
      return;
    }
    std::optional<ConstantIntRanges> dividend = rangeOf(op.getLhs()), divisor = rangeOf(op.getRhs());
    if (dividend && divisor && dividend->umax().ult(divisor->umin()))
      replace(op, op.getLhs());
  }
  template <class Op> void quotientOfLess(Op op) {
    if (!isLess(op.getLhs(), op.getRhs()))
      return;
    rewriter.setInsertionPoint(op);
    replace(op, createInt(rewriter, op.getLoc(), op.getType(),
                          llvm::APInt::getZero(getElementType(op.getType()).getIntOrFloatBitWidth())));
  }

  // max(x, y) is x where y is never above it.
  template <class Op> void signedExtremum(Op op, bool wantsLarger) {
    std::optional<ConstantIntRanges> lhs = rangeOf(op.getLhs()), rhs = rangeOf(op.getRhs());
    if (!lhs || !rhs)
      return;
    if (rhs->smax().sle(lhs->smin()))
      replace(op, wantsLarger ? op.getLhs() : op.getRhs());
    else if (lhs->smax().sle(rhs->smin()))
      replace(op, wantsLarger ? op.getRhs() : op.getLhs());
  }

  DataFlowSolver &solver;
  RewriterBase &rewriter;
};

}   // namespace

LogicalResult tile::ir::applyIntegerRanges(Operation *function, bool &changed) {
  DataFlowSolver solver;
  dataflow::loadBaselineAnalyses(solver);
  solver.load<tile::RangeAnalysis>();
  if (failed(solver.initializeAndRun(function)))
    return function->emitError("tile-simplify: the analysis of integer ranges failed");
  // The ops that are replaced stay where they are, unused: what the solver knows is keyed by them.
  IRRewriter rewriter(function->getContext());
  Strengthener strengthener(solver, rewriter);
  function->walk([&](Operation *op) { strengthener.visit(op); });
  changed |= strengthener.changed;
  return success();
}
