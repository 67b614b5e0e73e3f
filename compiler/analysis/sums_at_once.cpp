// SPDX-License-Identifier: MIT
#include "compiler/analysis/sums_at_once.h"

#include "compiler/analysis/matrix_products.h"
#include "dialects/tile_gpu/dialect.h"

using namespace mlir;

namespace tile {
namespace {

// Ops of a block by when they are done: even places in the order of the block, and behind each an odd one for
// the products that wait for it, and for what brings tiles to another form or place.
class Places {
 public:
  Places(Block &block, bool isInOrder) : block_(block) {
    for (auto [i, op] : llvm::enumerate(block))
      places_[&op] = !isInOrder && begins(op) ? behindOperands(op) : 2 * static_cast<unsigned>(i) + 2;
  }
  unsigned of(Operation *op) const { return places_.lookup(op); }

 private:
  // Whether an op is done as soon as its operands are there. Blocks that are loaded were copied ahead.
  static bool begins(Operation &op) { return isa<ir::DotOp, ir::DescriptorLoadOp>(op) || movesTile(&op); }
  unsigned behindOperands(Operation &op) const {
    unsigned place = 1;
    if (!isa<ir::DescriptorLoadOp>(op))
      for (Value operand : op.getOperands())
        if (Operation *before = operand.getDefiningOp(); before && before->getBlock() == &block_)
          place = std::max(place, of(before) | 1);
    return place;
  }

  Block &block_;
  llvm::SmallDenseMap<Operation *, unsigned> places_;
};

struct Tile {
  unsigned from, to;
  std::int64_t registers;
};

}   // namespace

bool movesTile(Operation *op) {
  return isa<gpu::ViewOp, ir::PermuteOp, ir::FpCastOp, gpu::ConvertLayoutOp>(op);
}

int64_t sumsAtOnce(Block &block, unsigned warps, bool isInOrder) {
  const Places places(block, isInOrder);
  const int64_t threads = 32 * int64_t(warps);
  SmallVector<Tile> tiles;
  auto note = [&](Value v, unsigned from) {
    auto type = dyn_cast<RankedTensorType>(v.getType());
    if (!type || type.getRank() != 2 || !type.getElementType().isIntOrFloat() || isInShared(v) ||
        !productBehind(v))
      return;
    Tile tile{from, from, type.getNumElements() * type.getElementTypeBitWidth() / 32 / threads};
    for (OpOperand &use : v.getUses())
      if (Operation *here = block.findAncestorOpInBlock(*use.getOwner())) {
        auto next = dyn_cast<ir::DotOp>(here);   // that adds to it in place
        tile.to = std::max(tile.to, places.of(here) - (next && use == next.getAccMutable() ? 1 : 0));
      }
    tiles.push_back(tile);
  };
  for (BlockArgument argument : block.getArguments())
    note(argument, 0);
  for (Operation &op : block)
    for (Value result : op.getResults())
      note(result, places.of(&op));
  int64_t most = 0;
  for (auto dot : block.getOps<ir::DotOp>()) {
    int64_t now = 0;
    for (const Tile &tile : tiles)
      if (tile.from <= places.of(dot) && places.of(dot) <= tile.to)
        now += tile.registers;
    most = std::max(most, now);
  }
  return most;
}

}   // namespace tile
