// SPDX-License-Identifier: MIT
#include "compiler/analysis/operand_sources.h"

#include "compiler/analysis/layout_choice.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace tile {

ir::DescriptorLoadOp loadOf(Value operand) {
  while (auto permute = operand.getDefiningOp<ir::PermuteOp>())
    operand = permute.getValue();
  return operand.getDefiningOp<ir::DescriptorLoadOp>();
}

// A block of about the operand's size that each thread loads by itself.
static bool isBlockByPointers(Operation *op, Value operand) {
  auto load = dyn_cast<ir::LoadOp>(op);
  auto tile = load ? dyn_cast<RankedTensorType>(load.getType()) : RankedTensorType();
  return tile && tile.getNumElements() * 4 >= cast<RankedTensorType>(operand.getType()).getNumElements();
}

static bool isOfRank2(Value v) {
  auto tile = dyn_cast<RankedTensorType>(v.getType());
  return tile && tile.getRank() == 2;
}

// Whether rows and columns change places on the way to the first tile of rank 2 that is not computed.
static bool isTransposedOnTheWay(Value v) {
  bool isTransposed = false;
  while (Operation *op = v.getDefiningOp()) {
    if (isa<ir::PermuteOp>(op))
      isTransposed = !isTransposed;
    else if (!ir::isElementwise(op))
      break;
    auto next = llvm::find_if(op->getOperands(), isOfRank2);
    if (next == op->operand_end())
      break;
    v = *next;
  }
  return isTransposed;
}

OperandSources OperandSources::of(Value operand) {
  OperandSources sources;
  sources.isTransposed = isTransposedOnTheWay(operand);
  auto permute = operand.getDefiningOp<ir::PermuteOp>();
  Value loaded = permute ? permute.getValue() : operand;
  auto load = loaded.getDefiningOp<ir::DescriptorLoadOp>();
  sources.isLoaded = load && isOfRank2(loaded) &&
                     (!permute || (permute.getOrder() == ArrayRef<int32_t>{1, 0} &&
                                   permutesInPlace(ir::getShape(load.getType()).vec(), {1, 0})));
  SmallVector<std::pair<Value, bool>> open{{operand, false}};   // and whether a branch may change it
  llvm::SmallDenseSet<Value> seen[2];
  while (!open.empty()) {
    const auto [v, isChanged] = open.pop_back_val();
    Operation *op = v.getDefiningOp();
    if (!op || !seen[isChanged].insert(v).second)
      continue;
    if (auto branch = dyn_cast<scf::IfOp>(op))   // as far as it hands on what comes from outside
      for (Region &side : branch->getRegions()) {
        if (side.empty())
          continue;
        Value yielded = side.front().getTerminator()->getOperand(cast<OpResult>(v).getResultNumber());
        if (Operation *from = yielded.getDefiningOp(); from && !branch->isAncestor(from))
          open.push_back({yielded, true});
      }
    if (auto load = dyn_cast<ir::DescriptorLoadOp>(op)) {
      if (!llvm::is_contained(sources.loads, load))
        sources.loads.push_back(load);
      continue;
    }
    if (auto dot = dyn_cast<ir::DotOp>(op)) {
      sources.product = dot;
      continue;
    }
    if (!isChanged && isBlockByPointers(op, operand))
      sources.obstacle = op;
    for (Value part : op->getOperands())
      if (isa<RankedTensorType>(part.getType()))
        open.push_back({part, isChanged});
  }
  return sources;
}

}   // namespace tile
