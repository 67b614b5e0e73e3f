// SPDX-License-Identifier: MIT
#include "compiler/analysis/apart_buffers.h"

#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tile {
namespace {

using Arguments = llvm::SmallSetVector<unsigned, 2>;   // of the kernel

bool isReference(Value v) { return isa<ir::PtrType, ir::DescType>(ir::getElementType(v.getType())); }

// What a pointer, a tile of pointers or a descriptor may be; nothing where that is not known.
std::optional<Arguments> argumentsBehind(Value reference) {
  Arguments found;
  llvm::SmallSetVector<Value, 8> values;
  values.insert(reference);
  for (unsigned i = 0; i < values.size(); ++i) {
    Value v = values[i];
    if (auto argument = dyn_cast<BlockArgument>(v)) {
      Operation *around = argument.getOwner()->getParentOp();
      if (isa<func::FuncOp>(around)) {
        found.insert(argument.getArgNumber());
        continue;
      }
      auto loop = dyn_cast<scf::ForOp>(around);
      if (!loop || argument == loop.getInductionVar())
        return std::nullopt;
      values.insert(loop.getTiedLoopInit(argument)->get());
      values.insert(loop.getTiedLoopYieldedValue(argument)->get());
      continue;
    }
    Operation *op = v.getDefiningOp();
    const unsigned number = cast<OpResult>(v).getResultNumber();
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      values.insert(loop.getRegionIterArg(number));
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      values.insert(branch.thenYield().getOperand(number));
      values.insert(branch.elseYield().getOperand(number));
    } else {
      // Arithmetic on pointers keeps them in their buffers. What memory or an integer gives may be anything.
      SmallVector<Value> references(llvm::make_filter_range(op->getOperands(), isReference));
      if (references.empty() || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
        return std::nullopt;
      values.insert_range(references);
    }
  }
  return found;
}

// What all programs of a launch promise: nothing decides whether they come there.
bool isAlwaysMade(ir::AssumeApartOp promise) {
  for (Operation *around = promise->getParentOp(); !isa<func::FuncOp>(around); around = around->getParentOp())
    if (!isa<gpu::RolesOp>(around) && !around->hasAttr(gpu::ProgramsName))
      return false;
  return true;
}

}   // namespace

ApartBuffers::ApartBuffers(func::FuncOp kernel) {
  kernel.walk([&](ir::AssumeApartOp promise) {
    const std::optional<Arguments> one = argumentsBehind(promise.getPtr()),
                                   other = argumentsBehind(promise.getOther());
    if (!one || !other || one->size() != 1 || other->size() != 1 || !isAlwaysMade(promise))
      return;
    apart_.insert({one->front(), other->front()});
    apart_.insert({other->front(), one->front()});
  });
}

bool ApartBuffers::keepApart(Operation *x, Operation *y) const {
  if (apart_.empty())
    return false;
  auto argumentsOf = [](Operation *access) -> std::optional<Arguments> {
    Arguments all;
    for (Value operand : access->getOperands()) {
      if (!isReference(operand))
        continue;
      std::optional<Arguments> some = argumentsBehind(operand);
      if (!some)
        return std::nullopt;
      all.insert_range(*some);
    }
    return all.empty() ? std::nullopt : std::optional(all);
  };
  const std::optional<Arguments> ofX = argumentsOf(x), ofY = argumentsOf(y);
  return ofX && ofY && llvm::all_of(*ofX, [&](unsigned one) {
           return llvm::all_of(*ofY, [&](unsigned other) { return apart_.contains({one, other}); });
         });
}

}   // namespace tile
