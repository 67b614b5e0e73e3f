// SPDX-License-Identifier: MIT
#include "compiler/lowering/distribute/distribution.h"

#include "compiler/analysis/kernel_target.h"
#include "compiler/analysis/layout_choice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace tile::gpu {

DistributedKernel::DistributedKernel(func::FuncOp kernel)
    : kernel(kernel), target(targetOf(kernel)), facts(kernel), builder(kernel.getLoc(), kernel.getContext()),
      memory(kernel), faults(kernel.getContext()) {}

Distribution::Distribution(DistributedKernel &kernel, Role role, Block *entry, Region &program)
    : kernel_(kernel), threads_(kernel.builder, role, entry, kernel.kernel.getLoc()), program_(program) {}

LogicalResult Distribution::distribute(Block &from) {
  for (Operation &op : from) {
    build().setLoc(op.getLoc());
    llvm::SaveAndRestore now(at_, &op);
    if (failed(distribute(&op)))
      return failure();
  }
  return success();
}

LogicalResult Distribution::distribute(Operation *op) {
  if (Handlers::Handler handler = Handlers::all().find(op))
    return handler(op, *this);
  return op->emitError("`") << op->getName() << "` cannot run on this target yet";
}

LogicalResult Distribution::distributeRegion(Region &from, Region &to) {
  Block *block = to.empty() ? build().createBlock(&to) : &to.front();
  if (block->getNumArguments() == 0)
    for (BlockArgument argument : from.getArguments())
      for (Type type : TileRegisters::flatTypes(argument.getType()))
        block->addArgument(type, argument.getLoc());
  build().setInsertionPointToEnd(block);
  values().setFlat(build(), ValueRange(from.getArguments()), ValueRange(block->getArguments()));
  return distribute(from.front());
}

LogicalResult Distribution::distributeRole(Role role, Block *to, Region &program) {
  OpBuilder::InsertionGuard guard(build());
  if (!role.isAlone)
    return Distribution(kernel_, role, to, program).distribute(program.front());
  // Of the first warp the lane that the machine elects: then the assembler knows that there is one.
  Value warp = threads_.uniformWarp();
  auto inWarp = scf::IfOp::create(
      build(), arith::CmpIOp::create(build(), arith::CmpIPredicate::eq, warp, constant(role.firstWarp)),
      /*withElseRegion=*/false);
  build().setInsertionPointToStart(inWarp.thenBlock());
  Value elected = NVVM::ElectSyncOp::create(build(), build().getI1Type(), Value());
  auto alone = scf::IfOp::create(build(), elected, /*withElseRegion=*/false);
  build().setInsertionPointToStart(alone.thenBlock());
  return Distribution(kernel_, role, alone.thenBlock(), program).distribute(program.front());
}

Value Distribution::constant(std::int64_t value) { return arith::ConstantIntOp::create(build(), value, 32); }

void Distribution::inBranch(Value condition, function_ref<void()> body) {
  auto branch = scf::IfOp::create(build(), condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(build());
  build().setInsertionPointToStart(branch.thenBlock());
  body();
}

void Distribution::sync(bool shared) {
  const Role &role = threads_.role();
  if (role.isWholeCta())
    SyncOp::create(build(), IntegerAttr(), IntegerAttr(), shared);
  else
    SyncOp::create(build(), build().getI32IntegerAttr(static_cast<std::int32_t>(role.firstWarp)),
                   build().getI32IntegerAttr(static_cast<std::int32_t>(role.warps)), shared);
}

std::int64_t Distribution::vectorOf(Value pointers, Value mask) const {
  const AxisFacts of = facts().of(pointers), ofMask = mask ? facts().of(mask) : AxisFacts();
  return vectorLength(layoutOf(pointers), of, mask ? &ofMask : nullptr, ir::pointeeBytes(pointers.getType()));
}

Value Distribution::scratch(std::int64_t bytes) {
  return memory().scratch(build(), threads_.role(), at_, bytes);
}

std::int64_t Distribution::bytesForExchange() const {
  return kernel_.memory.bytesForExchange(threads_.role(), at_);
}

}   // namespace tile::gpu
