// SPDX-License-Identifier: MIT
// Products that nobody commits or awaits. The assembler says nothing of a commit that is missing, and the
// program then reads registers that are still written.
#include "compiler/lowering/ptx/ptx_text.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tile::gpu {

static bool isWait(Operation *op) { return isa<PtxWgmmaWaitOp, NVVM::WgmmaWaitGroupSyncOp>(op); }

static LogicalResult checkCommit(PtxWgmmaOp product) {
  for (Operation *next = product->getNextNode(); next; next = next->getNextNode()) {
    if (isa<NVVM::WgmmaGroupSyncAlignedOp>(next))
      return success();
    if (isWait(next)) {
      InFlightDiagnostic error = product.emitError("is not committed before the next wait, so that wait does "
                                                   "not wait for it; add a commit group between them");
      error.attachNote(next->getLoc()) << "the wait is here";
      return error;
    }
  }
  return product.emitError("is not committed in its block, so no wait waits for it");
}

LogicalResult checkProductQueue(ModuleOp module) {
  WalkResult all = module.walk([](LLVM::LLVMFuncOp kernel) -> WalkResult {
    PtxWgmmaOp last;
    bool isAwaited = false;
    WalkResult products = kernel.walk([&](Operation *op) -> WalkResult {
      if (auto product = dyn_cast<PtxWgmmaOp>(op)) {
        last = product;
        return checkCommit(product);
      }
      if (auto wait = dyn_cast<PtxWgmmaWaitOp>(op))
        isAwaited |= wait.getPending() == 0;
      if (auto wait = dyn_cast<NVVM::WgmmaWaitGroupSyncOp>(op))
        isAwaited |= wait.getGroup() == 0;
      return WalkResult::advance();
    });
    if (products.wasInterrupted())
      return WalkResult::interrupt();
    if (last && !isAwaited)
      return last.emitError("is the last product, but no wait of this kernel waits for all products");
    return WalkResult::advance();
  });
  return failure(all.wasInterrupted());
}

}   // namespace tile::gpu
