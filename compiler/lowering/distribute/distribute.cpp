// SPDX-License-Identifier: MIT
// `tile-gpu-distribute`: the pass around the families of this folder.
#include "compiler/analysis/kernel_form.h"
#include "compiler/analysis/kernel_target.h"
#include "compiler/analysis/matrix_products.h"
#include "compiler/lowering/distribute/clusters.h"
#include "compiler/lowering/distribute/distribution.h"
#include "compiler/lowering/passes.h"
#include "dialects/tile_gpu/product_rules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tile::gpu {

#define GEN_PASS_DEF_TILEGPUDISTRIBUTE
#include "compiler/lowering/passes.h.inc"

// What the handlers of this folder obey, for those who ask what became of the kernel.
static void writeChoices(func::FuncOp function) {
  static constexpr StringRef units[] = {"", "wgmma", "mma.sync", "threads"};   // the slowest last
  const Target target = targetOf(function);
  unsigned slowest = 0;
  function.walk([&](ir::DotOp dot) {
    const MatrixUnit *unit = matrixUnitOf(dot, target);
    slowest = std::max(slowest, !unit ? 3U : unit->instruction == Wgmma ? 1U : 2U);
  });
  Builder b(function.getContext());
  if (slowest > 0)
    function->setAttr(UnitName, b.getStringAttr(units[slowest]));
  function.walk([&](RolesOp roles) {
    function->setAttr(RolesName, b.getI32IntegerAttr(static_cast<std::int32_t>(roles.getPrograms().size())));
  });
}

static LogicalResult distribute(func::FuncOp function) {
  if (failed(checkLaidOut(function, "tile-gpu-distribute")))
    return failure();
  WalkResult apart = function.walk([](RolesOp roles) -> WalkResult { return checkChannels(roles); });
  if (apart.wasInterrupted() ||
      failed(verifyProductsInFlight(function.getBody())))   // also where no roles are
    return failure();
  writeChoices(function);
  DistributedKernel kernel(function);
  FailureOr<ChannelSchedule> schedule = ChannelSchedule::of(function, kernel.memory.channels());
  if (failed(schedule))
    return failure();
  kernel.schedule = *schedule;
  Region body;
  auto *entry = new Block();
  body.push_back(entry);
  for (BlockArgument argument : function.getArguments())
    kernel.values.set(argument, {entry->addArgument(argument.getType(), argument.getLoc())});
  kernel.builder.setInsertionPointToEnd(entry);
  Distribution all(kernel, Role(), entry, function.getBody());
  beginExchanges(all, function);
  if (failed(all.distribute(function.getBody().front())) || failed(kernel.memory.allocate()))
    return failure();
  function.getBody().takeBody(body);
  function->setAttr("tile_gpu.shared_bytes", kernel.builder.getI64IntegerAttr(kernel.memory.bytes()));
  if (!kernel.faults.empty())
    function->setAttr("tile_gpu.faults", kernel.faults.list());
  return success();
}

namespace {

struct Distribute : impl::TileGpuDistributeBase<Distribute> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    if (failed(distribute(getOperation())))
      signalPassFailure();
  }
};

}   // namespace
}   // namespace tile::gpu
