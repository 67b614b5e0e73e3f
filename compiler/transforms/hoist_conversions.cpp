// SPDX-License-Identifier: MIT
// `tile-gpu-hoist-conversions`: what no iteration of a loop changes is moved to where a product wants it
// once, before the loop. With it goes what the moved tile is computed from, as far as that does not change
// either.
//
// It takes no registers that are not taken already: the tile lives through the loop in one layout or the
// other.
#include "compiler/transforms/passes.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace tile::ir {
#define GEN_PASS_DEF_TILEGPUHOISTCONVERSIONS
#include "compiler/transforms/passes.h.inc"
}   // namespace tile::ir

namespace tile {
namespace {

using Operations = llvm::SmallPtrSet<Operation *, 16>;

// The conversions in a loop, and all within the loop that they are computed from.
void addWithOperands(Operation *op, LoopLikeOpInterface loop, Operations &to) {
  if (!op || !loop->isProperAncestor(op) || !isMemoryEffectFree(op) || op->getNumRegions() != 0 ||
      !to.insert(op).second)
    return;
  for (Value operand : op->getOperands())
    addWithOperands(operand.getDefiningOp(), loop, to);
}

struct HoistConversions : ir::impl::TileGpuHoistConversionsBase<HoistConversions> {
  void runOnOperation() override {
    getOperation().walk([](LoopLikeOpInterface loop) {   // inner loops first
      Operations wanted;
      loop.walk([&](gpu::ConvertLayoutOp conversion) { addWithOperands(conversion, loop, wanted); });
      moveLoopInvariantCode(
          loop.getLoopRegions(), [&](Value v, Region *) { return loop.isDefinedOutsideOfLoop(v); },
          [&](Operation *op, Region *) { return wanted.contains(op); },
          [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
    });
  }
};

}   // namespace
}   // namespace tile
