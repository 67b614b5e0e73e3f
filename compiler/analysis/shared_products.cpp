// SPDX-License-Identifier: MIT
#include "compiler/analysis/shared_products.h"

#include "compiler/analysis/warpgroup_fragments.h"
#include "dialects/tile/launch_attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

#include <array>

using namespace mlir;

namespace tile {

using layout::TileLayout;

namespace {

// The axis along which elements of a tile are neighbours: in memory, where it is loaded or computed from what
// is. Nothing where nobody says so.
std::optional<unsigned> fastAxisOf(Value tile, const AxisAnalysis &facts) {
  bool isTransposed = false;
  while (Operation *op = tile.getDefiningOp()) {
    if (isa<gpu::ReadOp, gpu::ViewOp>(op))   // of a slot, where the copy engine puts rows
      return isTransposed ? 0 : 1;
    if (auto load = dyn_cast<ir::LoadOp>(op)) {
      const AxisFacts pointers = facts.of(load.getPtr());
      const std::int64_t rows = pointers.axes[0].contiguity, columns = pointers.axes[1].contiguity;
      if (rows == columns)
        return std::nullopt;
      return unsigned((columns > rows) != isTransposed);
    }
    if (auto permute = dyn_cast<ir::PermuteOp>(op))
      isTransposed = !isTransposed;
    else if (!ir::isElementwise(op))
      return std::nullopt;
    auto isMatrix = [](Value v) {
      auto type = dyn_cast<RankedTensorType>(v.getType());
      return type && type.getRank() == 2;
    };
    auto next = llvm::find_if(op->getOperands(), isMatrix);
    if (next == op->operand_end())
      return std::nullopt;
    tile = *next;
  }
  return std::nullopt;
}

// The axis of an operand that the rows of its tile are along, if products want the tile along different axes:
//
//    dot(x, x)        1 and 1, although the second operand would be along 0 by itself
//    dot(x, trans(x)) none: both want rows of x
std::optional<unsigned> rowsOfDisputed(Value operand) {
  unsigned transposed = 0;
  Value tile = operand;
  for (; auto permute = tile.getDefiningOp<ir::PermuteOp>(); transposed ^= 1)
    tile = permute.getValue();
  std::array<bool, 2> wanted{};   // along that axis of the tile
  SmallVector<std::pair<Value, unsigned>> views{{tile, 0}};
  while (!views.empty()) {
    const auto [view, parity] = views.pop_back_val();
    for (OpOperand &use : view.getUses()) {
      if (auto permute = dyn_cast<ir::PermuteOp>(use.getOwner()))
        views.emplace_back(permute.getResult(), parity ^ 1);
      else if (isa<ir::DotOp>(use.getOwner()) && use.getOperandNumber() < 2)
        wanted[(1 - use.getOperandNumber()) ^ parity] = true;
    }
  }
  return wanted[0] && wanted[1] ? std::optional<unsigned>(1 ^ transposed) : std::nullopt;
}

// Registers that sums may take: the rest is for where they come from and go to.
std::int64_t mostSumsOf(func::FuncOp kernel, unsigned warps) {
  constexpr std::int64_t registers = 65536, mostOfThread = 255, others = 47, lanes = 32;
  std::int64_t most = std::min(mostOfThread, registers / (lanes * warps));
  if (std::optional<unsigned> limit = ir::maxRegisters(kernel))
    most = std::min<std::int64_t>(most, *limit);
  return most - others;
}

bool isInBlock(ir::DotOp first, ir::DotOp dot) { return first && first->getBlock() == dot->getBlock(); }

// Shared memory that the operands of a block's products take at most, if some of them are computed: these
// have slots beside those of what they are computed from. Loads alone take what they take for any unit.
std::int64_t putBytesOf(Block &block) {
  auto loop = dyn_cast<scf::ForOp>(block.getParentOp());
  const std::int64_t stages = loop ? std::max<std::int64_t>(ir::numStages(loop), 1) : 1;
  std::int64_t bytes = 0;
  bool isAnyComputed = false;
  llvm::SmallDenseSet<Value> seen;
  for (auto dot : block.getOps<ir::DotOp>())
    for (Value operand : {dot.getA(), dot.getB()}) {
      if (operand == dot.getA() && isInBlock(productBehind(operand), dot))   // it stays in registers
        continue;
      while (auto permute = operand.getDefiningOp<ir::PermuteOp>())
        operand = permute.getValue();
      // What a role reads from slots the plan has counted.
      if (isInShared(operand) || isReadFromSlot(operand) || !seen.insert(operand).second)
        continue;
      auto tile = cast<RankedTensorType>(operand.getType());
      const std::int64_t once = tile.getNumElements() * tile.getElementTypeBitWidth() / 8;
      const bool isInLoop = operand.getParentBlock() == &block;
      const bool isComputed = isInLoop && !operand.getDefiningOp<ir::LoadOp>();
      isAnyComputed |= isComputed;
      bytes += once * (isInLoop ? stages : 1) + (isComputed ? once : 0);
    }
  return isAnyComputed ? bytes : 0;
}

// The product in the block that has this one's result in its operand A; null if there is no such product.
ir::DotOp nextOf(ir::DotOp dot) {
  for (auto next : dot->getBlock()->getOps<ir::DotOp>())
    if (productBehind(next.getA()) == dot)
      return next;
  return nullptr;
}

class SharedProduct {
 public:
  SharedProduct(const Target &target, unsigned warps, const AxisAnalysis &facts)
      : target_(target), warps_(warps), facts_(facts) {}

  // Each product for itself.
  std::optional<ProductLayouts> layoutsOf(ir::DotOp dot) const {
    ArrayRef<int64_t> shape = ir::getShape(dot.getType());
    const unsigned groups = warpgroupsOf(warps_);
    // What is computed from sums of the block goes to shared memory for a role that multiplies a block there.
    if (readsSharedMemory(dot) || shape.size() != 2 || groups == 0 ||
        (isInBlock(productBehind(dot.getB()), dot) && !isInShared(dot.getA())))
      return std::nullopt;
    const bool isAInRegisters =
        !isInShared(dot.getA()) && (isInBlock(productBehind(dot.getA()), dot) || isReadFromSlot(dot.getA()));
    const Lies liesA = isAInRegisters ? Lies::inRegisters : liesOf(dot.getA(), 1),
               liesB = liesOf(dot.getB(), 0);
    const MatrixUnit *unit = sharedUnitOf(dot, liesA, liesB, target_, groups);
    if (!unit)
      return std::nullopt;
    std::optional<WarpGrid> grid = warpgroupsOver(shape, groups);
    if (!grid || (grid->n > 1 && wantsWholeRows(dot)))
      return std::nullopt;
    grid->m *= unit->warps();
    auto operand = [&](const MatrixOperand &of, Value v, Lies lies, unsigned axisOfK) {
      layout::Shape extents = ir::getShape(v.getType()).vec();
      return lies == Lies::inRegisters
                 ? of.inRegisters(extents, bitsOf(of.element), grid->m, grid->n)
                 : of.inShared(extents, bitsOf(of.element), lies == Lies::alongK ? axisOfK : 1 - axisOfK);
    };
    ProductLayouts layouts{unit->sums(shape.vec(), grid->m, grid->n), operand(unit->a, dot.getA(), liesA, 1),
                           operand(unit->b, dot.getB(), liesB, 0)};
    const auto right = SharedOperand::of(*layouts.b, bitsOf(unit->b.element), 1);
    const bool isReadA =
        liesA == Lies::inRegisters || SharedOperand::of(*layouts.a, bitsOf(unit->a.element), 0);
    if (!isReadA || !right || !warpgroupFragments(layouts.sums, *right, *unit))
      return std::nullopt;
    return layouts;
  }

 private:
  // What nobody says anything of lies as suits all units, or by rows where there is a choice, or where
  // products want it otherwise.
  Lies liesOf(Value operand, unsigned axisOfK) const {
    std::optional<unsigned> fast = fastAxisOf(operand, facts_);
    if (!fast)
      fast = rowsOfDisputed(operand);
    const bool isChoice = ir::getElementType(operand.getType()).getIntOrFloatBitWidth() == 16;
    const bool alongK = fast ? *fast == axisOfK : !isChoice || axisOfK == 1;
    return alongK ? Lies::alongK : Lies::across;
  }

  const Target &target_;
  unsigned warps_;
  const AxisAnalysis &facts_;
};

}   // namespace

std::optional<ProductLayouts> sharedLayoutsOf(ir::DotOp dot, const Target &target, unsigned warps,
                                              const AxisAnalysis &facts) {
  const SharedProduct shared(target, warps, facts);
  std::optional<ProductLayouts> layouts = shared.layoutsOf(dot);
  if (!layouts)
    return std::nullopt;
  // In a chain of products rows stay in their warps, and so in registers: all of it, or none.
  ir::DotOp first = productBehind(dot.getA()), next = nextOf(dot);
  if ((isInBlock(first, dot) && !shared.layoutsOf(first)) || (next && !shared.layoutsOf(next)))
    return std::nullopt;
  std::int64_t sums = 0;
  for (auto other : dot->getBlock()->getOps<ir::DotOp>())
    if (std::optional<ProductLayouts> ofOther = other == dot ? layouts : shared.layoutsOf(other))
      sums += ofOther->sums.places() * (other.getMaxImpreciseAcc() ? 2 : 1);
  const bool isPlanned = bool(dot->getParentOfType<gpu::RolesOp>());   // which counts registers
  if ((!isPlanned && sums > mostSumsOf(dot->getParentOfType<func::FuncOp>(), warps)) ||
      putBytesOf(*dot->getBlock()) > target.sharedBytesPerBlock())
    return std::nullopt;
  return layouts;
}

}   // namespace tile
