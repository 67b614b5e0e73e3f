// SPDX-License-Identifier: MIT
#include "compiler/analysis/matrix_products.h"

#include "compiler/analysis/layout_choice.h"
#include "dialects/tile_gpu/dialect.h"

using namespace mlir;

namespace tile {
namespace {

// What the unit sees of an element of the language: f32 is never multiplied as it is, but rounded, or as a
// sum of several that the unit takes (compiler/lowering/distribute/split_floats.h).
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

// Whether pieces of `unit` rows or columns make up an extent: so many of them, or a part of one, which then
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
      return unit.a.inShared && unit.b.inShared && shape[0] % unit.m == 0 && shape[1] % unit.n.least() == 0;
    return unit.a.inRegisters && unit.b.inRegisters && isMadeOf(shape[0], unit.m) &&
           isMadeOf(shape[1], unit.n.least());
  };
  for (const MatrixUnit &unit : target.matrixUnits())
    if (makes(unit))
      return &unit;
  return nullptr;
}

bool readsSharedMemory(ir::DotOp dot) {
  return llvm::all_of(ValueRange{dot.getA(), dot.getB()}, [](Value operand) {
    gpu::LayoutAttr layout = gpu::getLayoutAttr(operand.getType());
    return layout && layout.getLayout().isShared();
  });
}

// The product that operand A is made of, element by element.
static ir::DotOp productBehind(Value tile) {
  SmallVector<Value> open{tile};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (auto dot = dyn_cast<ir::DotOp>(op))
      return dot;
    if (ir::isElementwise(op))
      llvm::append_range(open, op->getOperands());
  }
  return nullptr;
}

// Whether each warp should have whole rows of the product and not the part for which it reads the least. So
// it is where rows are reduced or multiplied by a further product as often as the product is made: neither
// then leaves its warp.
static bool wantsWholeRows(ir::DotOp dot) {
  auto asOften = [&](Operation *op) { return dot->getBlock()->findAncestorOpInBlock(*op) != nullptr; };
  if (ir::DotOp first = productBehind(dot.getA()))
    return first->getBlock() == dot->getBlock();
  SmallVector<Value> open{dot.getResult()};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!open.empty())
    for (OpOperand &use : open.pop_back_val().getUses()) {
      Operation *op = use.getOwner();
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
    return ProductLayouts{unit->sums(shape, grid->m * unit->warps(), grid->n), std::nullopt, std::nullopt};
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
