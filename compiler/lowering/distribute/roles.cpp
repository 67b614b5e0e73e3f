// SPDX-License-Identifier: MIT
// Roles: one branch for each, in which only its warps are.
//
//    sync; if (warp < 4) { first role } else if (warp < 8) { second role } else { third role }
//
// A role's threads, barrier and scratch are its own, so nothing in a branch waits for another branch. A role
// whose assert fails ends with all of its threads and leaves the others alone: they come to their own end,
// and no barrier of theirs counts a thread that has gone. A role that waits for
// slots which the other one releases asks whether it has ended (barrier_channels.h).
#include "compiler/lowering/distribute/distribution.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tile::gpu {

// The lowering of channels makes the threads that fill a slot and those that read it meet at one barrier.
LogicalResult checkChannels(RolesOp roles) {
  auto programOf = [&](Operation *op) -> Region * {
    for (Region &program : roles.getPrograms())
      if (program.isAncestor(op->getParentRegion()))
        return &program;
    return nullptr;
  };
  WalkResult result = roles->walk([&](Operation *op) -> WalkResult {
    for (Value operand : op->getOperands())
      if (isa<ChannelType>(operand.getType()))
        for (Operation *user : operand.getUsers())
          if (programOf(user) != programOf(op) && !cast<ChannelType>(operand.getType()).getBarriers()) {
            InFlightDiagnostic error =
                op->emitError("this channel has no barriers, so only one role may use it; roles hand tiles "
                              "over through channels with barriers");
            error.attachNote(user->getLoc()) << "used here, too";
            return error;
          }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

// A CTA of so many groups of four warps begins with as many registers a thread as there are for all.
static void changeRegisters(ImplicitLocOpBuilder &b, std::int32_t registers, std::int32_t groups) {
  const std::int32_t atFirst = registersAtFirst(groups);
  NVVM::SetMaxRegisterOp::create(b, static_cast<std::uint32_t>(registers),
                                 registers < atFirst ? NVVM::SetMaxRegisterAction::decrease
                                                     : NVVM::SetMaxRegisterAction::increase);
}

// Of the whole cluster, where what each thread has written is seen by all.
static void meetOfCtas(ImplicitLocOpBuilder &b) {
  NVVM::ClusterArriveOp::create(b, b.getUnitAttr());
  NVVM::ClusterWaitOp::create(b, b.getUnitAttr());
}

static LogicalResult roles(RolesOp op, Distribution &d) {
  ImplicitLocOpBuilder &b = d.build();
  op->getParentOp()->setAttr(
      "tile_gpu.warps", b.getI32IntegerAttr(op.getFirstWarp(static_cast<unsigned>(op.getWarps().size()))));
  // What the CTA has put into shared memory until now may be overwritten by any role.
  if (clusterOf(op) == 1) {
    d.barrier();
  } else {   // with those of the other CTAs: they signal this one's barriers
    meetOfCtas(b);
  }
  Value warp = d.threads().uniformWarp();
  OpBuilder::InsertionGuard guard(b);
  scf::IfOp outermost;
  const std::int32_t groups = op.getFirstWarp(static_cast<unsigned>(op.getWarps().size())) / 4;
  for (auto [i, program] : llvm::enumerate(op.getPrograms())) {
    Role role{op.getFirstWarp(static_cast<unsigned>(i)), op.getWarps()[i], op.getAlone()[i]};
    bool isLast = i + 1 == op.getPrograms().size();
    scf::IfOp branch;
    if (!isLast) {
      Value end = d.constant(role.firstWarp + role.warps);
      Value isMine = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, warp, end);
      branch = scf::IfOp::create(b, isMine, /*withElseRegion=*/true);
      outermost = outermost ? outermost : branch;
    }
    if (!isLast)
      b.setInsertionPointToStart(branch.thenBlock());
    if (std::int32_t registers = op.getRegisters()[i])
      changeRegisters(b, registers, groups);
    if (failed(d.distributeRole(role, b.getInsertionBlock(), program)))
      return failure();
    b.setLoc(op.getLoc());
    if (!isLast)
      b.setInsertionPointToStart(branch.elseBlock());
  }
  if (clusterOf(op) > 1) {   // nobody's memory goes away while others signal it
    b.setInsertionPointAfter(outermost);
    meetOfCtas(b);
  }
  return success();
}

void addRoles(Handlers &handlers) { handlers.add(roles); }

}   // namespace tile::gpu
