// SPDX-License-Identifier: MIT
#include "compiler/analysis/product_chains.h"

#include "compiler/analysis/matrix_products.h"
#include "compiler/analysis/operand_sources.h"
#include "dialects/tile/launch_attributes.h"

using namespace mlir;

namespace tile {

// Whether the operand is computed from what `behind` computes, in the same block.
static bool needs(Value operand, const llvm::SetVector<Operation *> &behind, Value sums) {
  SmallVector<Value> open{operand};
  llvm::SmallDenseSet<Operation *> seen;
  while (!open.empty()) {
    Value v = open.pop_back_val();
    Operation *op = v.getDefiningOp();
    if (v == sums || (op && behind.contains(op)))
      return true;
    if (op && op->getBlock() == sums.getParentBlock() && seen.insert(op).second)
      llvm::append_range(open, op->getOperands());
  }
  return false;
}

// Whether something else reads the block of the product's second operand, such as a product of this
// iteration. The block would have to stay in its slot for both.
static bool sharesBlock(ir::DotOp second) {
  ir::DescriptorLoadOp load = loadOf(second.getB());
  if (!load)
    return false;
  SmallVector<Value> open{load.getResult()};
  while (!open.empty())
    for (Operation *user : open.pop_back_val().getUsers())
      if (isa<ir::PermuteOp>(user))
        open.push_back(user->getResult(0));
      else if (user != second)
        return true;
  return false;
}

std::optional<ProductChain> chainOf(ir::DotOp second) {
  auto loop = dyn_cast<scf::ForOp>(second->getParentOp());
  ir::DotOp first = productBehind(second.getA());
  if (!loop || !first || first->getBlock() != second->getBlock() || !first->isBeforeInBlock(second) ||
      !second->hasOneUse() || first.getMaxImpreciseAcc() != 0 || second.getMaxImpreciseAcc() != 0 ||
      ir::unrollFactor(loop) > 1 || sharesBlock(second))
    return std::nullopt;
  OpOperand &use = *second->use_begin();
  if (use.getOwner() != loop.getBody()->getTerminator())
    return std::nullopt;
  ProductChain chain{loop, first, second, loop.getRegionIterArg(use.getOperandNumber()), {}};
  // From the carried sums to the product, and nowhere else.
  SmallVector<Value> open{chain.sums};
  while (!open.empty())
    for (Operation *user : open.pop_back_val().getUsers()) {
      if (user == second)
        continue;
      if (user->getBlock() != loop.getBody() || !ir::isElementwise(user) || !isMemoryEffectFree(user))
        return std::nullopt;
      if (chain.behind.insert(user))
        llvm::append_range(open, user->getResults());
    }
  if (needs(second.getA(), chain.behind, chain.sums) || needs(second.getB(), chain.behind, chain.sums))
    return std::nullopt;
  return chain;
}

}   // namespace tile
