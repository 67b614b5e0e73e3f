// SPDX-License-Identifier: MIT
// `tile-gpu-start-early`: where a kernel waits for the one before it in its stream, beside whose end it may
// have been started.
//
// A wait is placed once on each way through the kernel, as late as it can be: before the first op that may
// touch global memory. Branches have waits of their own, so that each role gets ready by itself.
//
//    init mbarriers; sync
//    if (warp < 4) { setmaxnreg; wait; copy ... } else { setmaxnreg; wait; multiply ... }
//
// A loop is waited for as a whole. What is not known to leave global memory alone is taken to touch it.
#include "compiler/analysis/kernel_target.h"
#include "compiler/lowering/passes.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tile::gpu {

#define GEN_PASS_DEF_TILEGPUSTARTEARLY
#include "compiler/lowering/passes.h.inc"

namespace {

// Whether an op, and all within it, does without global memory. Tensor maps are parameters of the launch.
bool needsNoMemory(Operation &op) {
  if (isMemoryEffectFree(&op) ||
      isa<NVVM::Barrier0Op, NVVM::BarrierOp, NVVM::SyncWarpOp, NVVM::ShflOp, NVVM::ClusterArriveOp,
          NVVM::ClusterWaitOp, NVVM::MBarrierInitOp, NVVM::FenceMbarrierInitOp, NVVM::SetMaxRegisterOp>(op))
    return true;
  auto branch = dyn_cast<scf::IfOp>(op);
  return branch && llvm::all_of(branch->getRegions(), [](Region &region) {
           return region.empty() || llvm::all_of(region.front().without_terminator(), needsNoMemory);
         });
}

void wait(OpBuilder &b, Location where) {
  NVVM::GriddepcontrolOp::create(b, where, NVVM::GridDepActionKind::wait);
}

void placeWaits(Block &block) {
  Operation *first = &*llvm::find_if(
      block, [](Operation &op) { return op.hasTrait<OpTrait::IsTerminator>() || !needsNoMemory(op); });
  auto branch = dyn_cast<scf::IfOp>(first);
  if (!branch) {
    OpBuilder b(first);
    return wait(b, first->getLoc());
  }
  if (branch.getElseRegion().empty()) {
    OpBuilder b = OpBuilder::atBlockEnd(&branch.getElseRegion().emplaceBlock());
    scf::YieldOp::create(b, branch.getLoc());
  }
  placeWaits(*branch.thenBlock());
  placeWaits(*branch.elseBlock());
}

struct StartEarly : impl::TileGpuStartEarlyBase<StartEarly> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (kernel.isExternal() || !targetOf(kernel).has(Feature::EarlyStart))
      return;
    Block &body = kernel.getBody().front();
    placeWaits(body);
    OpBuilder b = OpBuilder::atBlockBegin(&body);
    NVVM::GriddepcontrolOp::create(b, kernel.getLoc(), NVVM::GridDepActionKind::launch_dependents);
    kernel->setAttr(StartsEarlyName, b.getUnitAttr());
  }
};

}   // namespace
}   // namespace tile::gpu
