// SPDX-License-Identifier: MIT
#include "compiler/analysis/matrix_products.h"

#include "compiler/analysis/layout_choice.h"
#include "dialects/tile/launch_attributes.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tile {
namespace {

// What the unit sees of an element of the language: f32 is never multiplied as it is, but rounded, or as a
// sum of several that the unit takes (compiler/lowering/distribute/decompose_floats.h).
std::optional<MatrixElement> operandOf(Type type, bool isUnsigned, ir::Precision precision) {
  if (type.isInteger(8))
    return isUnsigned ? MatrixElement::u8 : MatrixElement::s8;
  if (type.isF16())
    return MatrixElement::f16;
  if (type.isBF16())
    return MatrixElement::bf16;
  if (isa<Float8E4M3FNType>(type))
    return MatrixElement::e4m3;
  if (isa<Float8E5M2Type>(type))
    return MatrixElement::e5m2;
  if (!type.isF32())
    return std::nullopt;
  switch (precision) {
  case ir::Precision::tf32:
  case ir::Precision::tf32x3:
    return MatrixElement::tf32;
  case ir::Precision::bf16x3:
  case ir::Precision::bf16x6:
    return MatrixElement::bf16;
  case ir::Precision::ieee:
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<MatrixElement> sumOf(Type type) {
  if (type.isF32())
    return MatrixElement::f32;
  if (type.isF16())
    return MatrixElement::f16;
  if (type.isInteger(32))
    return MatrixElement::s32;
  return std::nullopt;
}

// Whether blocks of `unit` rows or columns make up an extent: so many of them, or a part of one, which then
// holds replicas. Of 24 rows the last 8 would have none 8 further on.
bool isMadeOf(std::int64_t extent, unsigned unit) { return extent % unit == 0 || unit % extent == 0; }

// Sums of products without a unit lie as if mma.sync made them: a thread then reads few rows and columns.
constexpr unsigned RowsWithoutUnit = 16, ColumnsWithoutUnit = 8;

}   // namespace

ProductElements elementsOf(ir::DotOp dot) {
  ir::Precision precision = dot.getPrecision();
  return {operandOf(ir::getElementType(dot.getA().getType()), dot.getUnsignedA(), precision),
          operandOf(ir::getElementType(dot.getB().getType()), dot.getUnsignedB(), precision),
          sumOf(ir::getElementType(dot.getType()))};
}

const MatrixUnit *matrixUnitOf(ir::DotOp dot, const Target &target) {
  ArrayRef<std::int64_t> shapeA = ir::getShape(dot.getA().getType()), shape = ir::getShape(dot.getType());
  if (shapeA.size() != 2)
    return nullptr;
  const auto [a, b, sum] = elementsOf(dot);
  auto makes = [&, a = a, b = b, sum = sum](const MatrixUnit &unit) {
    if (unit.a.element != a || unit.b.element != b || unit.sum != sum || shapeA[1] % unit.k != 0)
      return false;
    if (readsSharedMemory(dot))
      return (isInShared(dot.getA()) ? unit.a.inShared != nullptr : unit.a.inRegisters != nullptr) &&
             unit.b.inShared && shape[0] % unit.m == 0 && shape[1] % unit.n.least() == 0;
    return unit.a.inRegisters && unit.b.inRegisters && isMadeOf(shape[0], unit.m) &&
           isMadeOf(shape[1], unit.n.least());
  };
  for (const MatrixUnit &unit : target.matrixUnits())
    if (makes(unit))
      return &unit;
  return nullptr;
}

const MatrixUnit *sharedUnitOf(ir::DotOp dot, Lies a, Lies b, const Target &target, unsigned groups,
                               unsigned ctas) {
  SmallVector<int64_t> shape(ir::getShape(dot.getType()));   // of a CTA
  if (shape.size() != 2 || shape[0] % ctas != 0)
    return nullptr;
  shape[0] /= ctas;
  const ProductElements elements = elementsOf(dot);
  // Numbers that are decomposed are in registers.
  auto isWhole = [&](Value v) {
    return !ir::getElementType(v.getType()).isF32() || dot.getPrecision() == ir::Precision::tf32;
  };
  auto takes = [](const MatrixOperand &of, std::optional<MatrixElement> element, Lies as) {
    if (as == Lies::inRegisters)
      return of.inRegisters && element == of.element;
    return of.inShared && element == of.element && (as == Lies::alongK || of.alongEitherAxis);
  };
  // Sums of f16 are sums of f32, rounded once: the unit's own would be rounded at each step.
  if (ir::getElementType(dot.getType()).isF16() || !isWhole(dot.getA()) || !isWhole(dot.getB()) ||
      !warpgroupsOver(shape, groups))
    return nullptr;
  for (const MatrixUnit &unit : target.matrixUnits())
    if (unit.b.inShared && unit.sum == elements.sum && takes(unit.a, elements.a, a) &&
        takes(unit.b, elements.b, b) && shape[0] % unit.m == 0 && shape[1] % unit.n.least() == 0 &&
        ir::getShape(dot.getA().getType())[1] % unit.k == 0)
      return &unit;
  return nullptr;
}

bool hasUnitOfShared(const Target &target) {
  return llvm::any_of(target.matrixUnits(), [](const MatrixUnit &unit) { return unit.b.inShared; });
}

bool isInShared(Value operand) {
  gpu::LayoutAttr layout = gpu::getLayoutAttr(operand.getType());
  return layout && layout.getLayout().isShared();
}

bool readsSharedMemory(ir::DotOp dot) { return isInShared(dot.getB()); }

ir::DotOp productBehind(Value tile) {
  SmallVector<Value> open{tile};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (auto carried = dyn_cast<BlockArgument>(next); carried && carried.getArgNumber() > 0)
      if (auto loop = dyn_cast<scf::ForOp>(carried.getOwner()->getParentOp()))   // from the iteration before
        op = loop.getTiedLoopYieldedValue(carried)->get().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (auto dot = dyn_cast<ir::DotOp>(op))
      return dot;
    if (ir::isElementwise(op))
      llvm::append_range(open, op->getOperands());
    if (auto branch = dyn_cast<scf::IfOp>(op))
      for (Region *side : {&branch.getThenRegion(), &branch.getElseRegion()})
        open.push_back(side->front().getTerminator()->getOperand(cast<OpResult>(next).getResultNumber()));
  }
  return nullptr;
}

bool isReadFromSlot(Value tile) {
  SmallVector<Value> open{tile};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (isa<gpu::ReadOp>(op))
      return true;
    llvm::append_range(open, op->getOperands());
  }
  return false;
}

bool wantsWholeRows(ir::DotOp dot) {
  auto asOften = [&](Operation *op) { return dot->getBlock()->findAncestorOpInBlock(*op) != nullptr; };
  if (ir::DotOp first = productBehind(dot.getA()))
    return first->getBlock() == dot->getBlock();
  SmallVector<Value> open{dot.getResult()};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!open.empty())
    for (OpOperand &use : open.pop_back_val().getUses()) {
      Operation *op = use.getOwner();
      if (auto loop = dyn_cast<scf::ForOp>(dot->getParentOp());
          loop && isa<scf::YieldOp>(op) && op->getParentOp() == loop)   // to the iteration behind
        open.push_back(loop.getRegionIterArg(use.getOperandNumber()));
      if (auto branch = dyn_cast<scf::IfOp>(op->getParentOp());
          branch && isa<scf::YieldOp>(op) && asOften(op))
        open.push_back(branch.getResult(use.getOperandNumber()));
      if (!asOften(op) || !seen.insert(op).second)
        continue;
      if (auto reduce = dyn_cast<ir::ReduceOp>(op); reduce && reduce.getAxis() == 1)
        return true;
      if (auto next = dyn_cast<ir::DotOp>(op); next && next.getA() == use.get())
        return true;
      if (ir::isElementwise(op))
        llvm::append_range(open, op->getResults());
    }
  return false;
}

bool mayEndIn(Block &block) {
  return block.walk([](ir::AssertOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

bool mayStayInFlight(ir::DotOp dot, scf::ForOp loop) {
  auto sums = dyn_cast<BlockArgument>(dot.getAcc());
  return sums && sums.getOwner() == loop.getBody() && sums.hasOneUse() && dot->hasOneUse() &&
         loop.getTiedLoopYieldedValue(sums)->get() == dot.getResult() && dot.getMaxImpreciseAcc() == 0 &&
         ir::unrollFactor(loop) <= 1 && !mayEndIn(*loop.getBody());
}

unsigned warpgroupsOf(unsigned warps) {
  constexpr unsigned warpsOfGroup = 4, mostGroups = 4;
  return warps % warpsOfGroup == 0 && warps <= warpsOfGroup * mostGroups ? warps / warpsOfGroup : 0;
}

std::optional<WarpGrid> warpgroupsOver(ArrayRef<std::int64_t> shape, unsigned groups) {
  constexpr unsigned rowsOfGroup = 64, leastColumns = 8;
  // What repeats an odd number of times is in the registers of all groups.
  auto part = [&](unsigned axis) { return std::int64_t(1) << layout::factor(shape[axis]).log2; };
  WarpGrid grid = warpsOverRows(part(0), rowsOfGroup, groups);
  if (part(1) < std::int64_t(grid.n) * leastColumns)
    return std::nullopt;
  return grid;
}

std::optional<ProductLayouts> layoutsOf(ir::DotOp dot, const Target &target, unsigned warps) {
  layout::Shape shape = ir::getShape(dot.getType()).vec();
  if (shape.size() != 2)
    return std::nullopt;
  const MatrixUnit *unit = matrixUnitOf(dot, target);
  if (!unit) {
    WarpGrid grid = matrixWarps(shape[0], shape[1], {RowsWithoutUnit, ColumnsWithoutUnit}, warps);
    return ProductLayouts{layout::mmaAccumulator(shape, grid.m, grid.n), std::nullopt, std::nullopt};
  }
  unsigned teams = std::max(1u, warps / unit->warps());   // of as many warps as do one instruction
  if (readsSharedMemory(dot)) {
    std::optional<WarpGrid> grid = warpgroupsOver(shape, teams);
    if (!grid)
      return std::nullopt;
    grid->m *= unit->warps();
    ProductLayouts layouts{unit->sums(shape, grid->m, grid->n), std::nullopt, std::nullopt};
    if (unit->a.inRegisters)
      layouts.a = unit->a.inRegisters(ir::getShape(dot.getA().getType()).vec(), bitsOf(unit->a.element),
                                      grid->m, grid->n);
    return layouts;
  }
  WarpGrid grid = wantsWholeRows(dot) ? warpsOverRows(shape[0], unit->m, teams)
                                      : matrixWarps(shape[0], shape[1], {unit->m, unit->n.least()}, teams);
  grid.m *= unit->warps();   // which are rows of one instruction
  auto operand = [&](const MatrixOperand &of, Value v) {
    return of.inRegisters(ir::getShape(v.getType()).vec(), bitsOf(of.element), grid.m, grid.n);
  };
  return ProductLayouts{unit->sums(shape, grid.m, grid.n), operand(unit->a, dot.getA()),
                        operand(unit->b, dot.getB())};
}

}   // namespace tile
