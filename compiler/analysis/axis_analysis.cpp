// SPDX-License-Identifier: MIT
#include "compiler/analysis/axis_analysis.h"

#include "compiler/analysis/integer_ranges.h"
#include "dialects/tile/dialect.h"
#include "dialects/tile_gpu/dialect.h"
#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tile {
namespace {

// The optimistic start of a loop-carried value is "not visited yet", below every fact.
struct FactsState {
  std::optional<AxisFacts> facts;
  bool operator==(const FactsState &) const = default;
  static FactsState join(const FactsState &a, const FactsState &b) {
    if (!a.facts || !b.facts)
      return a.facts ? a : b;
    return {tile::join(*a.facts, *b.facts)};
  }
  void print(raw_ostream &os) const {
    os << (facts ? "known" : "not visited");   // NOLINT: for a debugger
  }
};
using FactsLattice = dataflow::Lattice<FactsState>;

std::vector<std::int64_t> shapeOf(Type type) { return ir::getShape(type).vec(); }

unsigned widthOf(Type type) {
  Type element = ir::getElementType(type);
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

Comparison comparisonOf(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
  case arith::CmpIPredicate::ne:
    return Comparison::Equality;
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::ult:
  case arith::CmpIPredicate::uge:
    return Comparison::Less;
  default:
    return Comparison::LessEqual;
  }
}

// What tile.assume promises of a scalar or of a tile's last axis.
AxisFacts assumed(ir::AssumeOp op, AxisFacts facts) {
  AxisFact &last = facts.axes.back();
  if (auto n = op.getContiguous())
    last.contiguity = std::max(last.contiguity, powerOfTwoIn(static_cast<std::int64_t>(*n)));
  if (auto n = op.getConstant())
    last.constancy = std::max(last.constancy, powerOfTwoIn(static_cast<std::int64_t>(*n)));
  if (auto n = op.getDivisible())
    for (AxisFact &fact : facts.axes)
      fact.divisibility = std::max(fact.divisibility, powerOfTwoIn(static_cast<std::int64_t>(*n)));
  return facts;
}

// Facts of an operation's result from those of its operands. `exact`: of a quotient, that the dividend is
// not negative and the divisor not zero.
AxisFacts transfer(Operation *op, ArrayRef<AxisFacts> in, bool exact) {
  Type type = op->getResult(0).getType();
  std::vector<std::int64_t> shape = shapeOf(type);
  unsigned width = widthOf(type);
  auto unknown = AxisFacts::unknown(shape.size());

  if (DenseElementsAttr values;
      matchPattern(op, m_Constant(&values)) && values.isSplat() && ir::getElementType(type).isInteger())
    return AxisFacts::ofConstant(values.getSplatValue<APInt>().getSExtValue(), shape);
  if (APInt value; matchPattern(op, m_ConstantInt(&value)) && value.getBitWidth() <= 64)
    return AxisFacts::ofConstant(value.getSExtValue(), shape);

  return TypeSwitch<Operation *, AxisFacts>(op)
      .Case<ir::ArangeOp>([&](ir::ArangeOp range) { return AxisFacts::ofRange(range.getStart(), shape[0]); })
      .Case<ir::AssumeOp>([&](ir::AssumeOp assume) { return assumed(assume, in[0]); })
      .Case<gpu::ConvertLayoutOp>([&](auto) { return in[0]; })   // the same values elsewhere
      .Case<ir::SplatOp>([&](auto) { return splat(in[0], shape); })
      .Case<ir::BroadcastOp>(
          [&](ir::BroadcastOp b) { return broadcast(in[0], shapeOf(b.getValue().getType()), shape); })
      .Case<ir::ExpandDimsOp>([&](ir::ExpandDimsOp e) { return expandDims(in[0], e.getAxis()); })
      .Case<ir::PermuteOp>(
          [&](ir::PermuteOp p) { return permute(in[0], {p.getOrder().begin(), p.getOrder().end()}); })
      .Case<ir::AddPtrOp>([&](ir::AddPtrOp sum) {
        bool isWide = widthOf(sum.getOffset().getType()) == 64;   // others are extended, and may have wrapped
        return addToPointer(in[0], isWide ? in[1] : extend(in[1]), ir::pointeeBytes(type));
      })
      .Case<arith::AddIOp>([&](auto) { return add(in[0], in[1], width); })
      .Case<arith::SubIOp>([&](auto) { return subtract(in[0], in[1], width); })
      .Case<arith::MulIOp>([&](auto) { return multiply(in[0], in[1], width); })
      .Case<arith::DivSIOp, arith::DivUIOp, ir::DivSIOp, ir::DivUIOp>(
          [&](auto) { return divide(in[0], in[1], exact); })
      .Case<arith::RemSIOp, arith::RemUIOp, ir::RemSIOp, ir::RemUIOp>(
          [&](auto) { return remainder(in[0], in[1], exact); })
      .Case<arith::MinSIOp, arith::MinUIOp>([&](auto) { return minimum(in[0], in[1]); })
      .Case<arith::CmpIOp>(
          [&](arith::CmpIOp c) { return compare(in[0], in[1], comparisonOf(c.getPredicate())); })
      .Case<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::MaxSIOp, arith::MaxUIOp, ir::CeilDivSIOp,
            ir::CeilDivUIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(
          [&](auto) { return elementwise(in[0], in[1]); })
      .Case<arith::ExtSIOp>([&](auto) { return extend(in[0]); })
      .Case<arith::ExtUIOp>([&](arith::ExtUIOp e) {
        AxisFacts facts = extend(in[0]);
        if (facts.constant && *facts.constant < 0)   // facts are of the signed number
          facts.constant = *facts.constant & ((std::int64_t(1) << widthOf(e.getIn().getType())) - 1);
        return facts;
      })
      .Case<arith::TruncIOp>([&](auto) { return truncate(in[0], width); })
      .Case<arith::SelectOp>([&](arith::SelectOp s) {
        AxisFacts condition = in[0];
        if (condition.axes.size() != unknown.axes.size() || shapeOf(s.getCondition().getType()) != shape)
          condition = splat(condition, shape);   // a scalar condition chooses whole tiles
        return select(condition, in[1], in[2]);
      })
      .Default([&](Operation *) { return unknown; });
}

class Dataflow : public dataflow::SparseForwardDataFlowAnalysis<FactsLattice> {
 public:
  using SparseForwardDataFlowAnalysis::SparseForwardDataFlowAnalysis;

  LogicalResult visitOperation(Operation *op, ArrayRef<const FactsLattice *> operands,
                               ArrayRef<FactsLattice *> results) override {
    SmallVector<AxisFacts> in;
    for (auto [lattice, value] : llvm::zip(operands, op->getOperands())) {
      const std::optional<AxisFacts> &facts = lattice->getValue().facts;
      if (!facts)
        return success();   // visited again when it is known
      in.push_back(*facts);
    }
    if (results.size() != 1) {
      setAllToEntryStates(results);
      return success();
    }
    if (std::optional<bool> exact = isExactQuotient(op))
      propagateIfChanged(results[0], results[0]->join(FactsState{transfer(op, in, *exact)}));
    return success();
  }

  void setToEntryState(FactsLattice *lattice) override {
    Value value = lattice->getAnchor();
    AxisFacts facts = AxisFacts::unknown(ir::getShape(value.getType()).size());
    if (auto argument = dyn_cast<BlockArgument>(value))
      if (auto function = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp()))
        if (auto divisibility =
                function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), "tile.divisibility"))
          facts.axes[0].divisibility = powerOfTwoIn(divisibility.getInt());
    propagateIfChanged(lattice, lattice->join(FactsState{facts}));
  }

  // The induction variable of a loop: a multiple of what divides both start and step, whatever the bounds.
  void visitNonControlFlowArguments(Operation *op, const RegionSuccessor &successor,
                                    ArrayRef<FactsLattice *> lattices, unsigned firstIndex) override {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop) {
      SparseForwardDataFlowAnalysis::visitNonControlFlowArguments(op, successor, lattices, firstIndex);
      return;
    }
    ProgramPoint *start = getProgramPointBefore(loop.getBody());
    auto factsOf = [&](Value v) { return getLatticeElementFor(start, v)->getValue().facts; };
    std::optional<AxisFacts> low = factsOf(loop.getLowerBound()), step = factsOf(loop.getStep());
    if (!low || !step)
      return;
    AxisFacts facts = AxisFacts::unknown(0);
    facts.axes[0].divisibility = std::min(low->elementDivisibility(0), step->elementDivisibility(0));
    FactsLattice *induction = getLatticeElement(loop.getInductionVar());
    propagateIfChanged(induction, induction->join(FactsState{facts}));
  }

 private:
  // None while the operands' ranges are not known yet: this point is visited again when they are, or
  // when they have grown.
  std::optional<bool> isExactQuotient(Operation *op) {
    if (!isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, ir::DivSIOp, ir::DivUIOp,
             ir::RemSIOp, ir::RemUIOp>(op))
      return false;
    auto range = [&](Value v) -> std::optional<ConstantIntRanges> {
      const auto *lattice = getOrCreateFor<dataflow::IntegerValueRangeLattice>(getProgramPointAfter(op), v);
      return lattice->getValue().isUninitialized() ? std::nullopt
                                                   : std::optional(lattice->getValue().getValue());
    };
    std::optional<ConstantIntRanges> dividend = range(op->getOperand(0)), divisor = range(op->getOperand(1));
    if (!dividend || !divisor)
      return std::nullopt;
    bool isUnsigned = isa<arith::DivUIOp, arith::RemUIOp, ir::DivUIOp, ir::RemUIOp>(op);
    bool nonZero = divisor->umin().ugt(0) || divisor->smin().sgt(0);
    return nonZero && (isUnsigned || dividend->smin().isNonNegative());
  }
};

}   // namespace

AxisAnalysis::AxisAnalysis(Operation *kernel) : solver_(std::make_unique<DataFlowSolver>()) {
  // Both decide which code runs at all; the dataflow visits only that.
  solver_->load<dataflow::DeadCodeAnalysis>();
  solver_->load<dataflow::SparseConstantPropagation>();
  solver_->load<RangeAnalysis>();
  solver_->load<Dataflow>();
  if (failed(solver_->initializeAndRun(kernel)))
    solver_.reset();   // every answer is then "unknown"
}

AxisAnalysis::~AxisAnalysis() = default;

bool AxisAnalysis::isNonNegative(Value value) const {
  const auto *lattice = solver_ ? solver_->lookupState<dataflow::IntegerValueRangeLattice>(value) : nullptr;
  return lattice && !lattice->getValue().isUninitialized() &&
         lattice->getValue().getValue().smin().isNonNegative();
}

AxisFacts AxisAnalysis::of(Value value) const {
  if (solver_)
    if (const auto *lattice = solver_->lookupState<FactsLattice>(value); lattice && lattice->getValue().facts)
      return *lattice->getValue().facts;
  return AxisFacts::unknown(ir::getShape(value.getType()).size());
}

}   // namespace tile
