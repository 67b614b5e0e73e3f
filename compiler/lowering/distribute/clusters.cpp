// SPDX-License-Identifier: MIT
#include "compiler/lowering/distribute/clusters.h"

#include "dialects/tile/launch_attributes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tile::gpu {

static void arrive(ImplicitLocOpBuilder &b) { NVVM::ClusterArriveRelaxedOp::create(b, b.getUnitAttr()); }
static void wait(ImplicitLocOpBuilder &b) { NVVM::ClusterWaitOp::create(b, b.getUnitAttr()); }
static void fence(ImplicitLocOpBuilder &b) {
  LLVM::FenceOp::create(b, LLVM::AtomicOrdering::acq_rel, ClusterScope);
}

// What the threads of the CTA have read and written comes before the next arrival of the first one.
static void publish(Distribution &d) {
  d.barrier();
  d.inBranch(d.threads().isFirst(), [&] { fence(d.build()); });
}

bool meetsInCluster(func::FuncOp kernel) {
  bool meets = false, hasRoles = false;
  kernel.walk([&](Operation *op) {
    meets |= isa<ir::BarrierOp>(op) || op->hasAttr(OverCtasName);
    hasRoles |= isa<RolesOp>(op);
  });
  return ir::numCtas(kernel) > 1 && meets && !hasRoles;
}

void beginMeetings(ImplicitLocOpBuilder &b) { arrive(b); }
void endMeetings(ImplicitLocOpBuilder &b) { wait(b); }

void meetInCluster(Distribution &d) {
  ImplicitLocOpBuilder &b = d.build();
  wait(b);
  publish(d);
  arrive(b);
  wait(b);
  arrive(b);
}

void exchangeInCluster(Distribution &d, Value writes, function_ref<void()> write, function_ref<void()> read) {
  ImplicitLocOpBuilder &b = d.build();
  auto writeAndPublish = [&] {
    write();
    fence(b);
  };
  wait(b);
  if (writes)
    d.inBranch(writes, writeAndPublish);
  else
    writeAndPublish();
  arrive(b);
  wait(b);
  read();
  publish(d);
  arrive(b);
}

}   // namespace tile::gpu
