// SPDX-License-Identifier: MIT
#include "compiler/analysis/anchored_tensors.h"

#include "compiler/analysis/descriptor_rules.h"
#include "compiler/analysis/launch_numbers.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tile {

std::optional<unsigned> anchorOf(ir::MakeDescriptorOp made) {
  Value v = made.getBase();
  while (Operation *op = v.getDefiningOp()) {   // each of these takes the pointer first
    if (!isa<ir::AddPtrOp, ir::AssumeOp, ir::LoadOp>(op))
      return std::nullopt;
    v = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(v);
  if (!isa<func::FuncOp>(argument.getOwner()->getParentOp()) || !isa<ir::PtrType>(argument.getType()))
    return std::nullopt;
  return argument.getArgNumber();
}

bool canBeAnchored(ir::MakeDescriptorOp made, const AxisAnalysis &facts) {
  constexpr unsigned rows = 0;
  if (isKnownAtLaunch(made) || made.getShape().size() != 2 || !knownAtLaunch(made.getShape().back()) ||
      !knownAtLaunch(made.getStrides().front()) || !matchPattern(made.getStrides().back(), m_One()) ||
      !anchorOf(made))
    return false;
  const OpenRules open = openRules(made, facts);   // the launch checks the others
  if (open.base)
    return false;
  if (knownAtLaunch(made.getShape().front()))
    return true;
  return !llvm::is_contained(open.extents, rows) && llvm::all_of(made->getUsers(), [&](Operation *user) {
    auto load = dyn_cast<ir::DescriptorLoadOp>(user);
    return !load || facts.isNonNegative(load.getCoords().front());   // stores never begin there
  });
}

bool isAnchored(ir::MakeDescriptorOp made) { return made->hasAttr(gpu::AnchoredName); }

}   // namespace tile
