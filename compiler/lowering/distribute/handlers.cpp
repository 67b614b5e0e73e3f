// SPDX-License-Identifier: MIT
#include "compiler/lowering/distribute/handlers.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;

namespace tile::gpu {

const Handlers &Handlers::all() {
  static const Handlers handlers = [] {
    Handlers all;
    for (auto add : {addAtomics, addChannels, addConstants, addControlFlow, addConversions, addDeviceMaps,
                     addDiagnostics, addElementwise, addHistograms, addMemory, addMovement, addProducts,
                     addReductions, addRoles, addScans, addShapes, addStoreBoxes})
      add(all);
    return all;
  }();
  return handlers;
}

void Handlers::insert(TypeID op, Handler handler) {
  if (!handlers_.try_emplace(op, std::move(handler)).second)
    llvm::report_fatal_error("tile-gpu-distribute has two handlers for one op");
}

static bool hasTiles(Operation *op) {
  auto isTile = [](Type type) { return isa<RankedTensorType>(type); };
  return llvm::any_of(op->getOperandTypes(), isTile) || llvm::any_of(op->getResultTypes(), isTile);
}

Handlers::Handler Handlers::find(Operation *op) const {
  if (auto it = handlers_.find(op->getName().getTypeID()); it != handlers_.end())
    return it->second;
  if (op->getNumRegions() == 0 && !hasTiles(op))
    return copyScalars;
  if (op->hasTrait<OpTrait::Elementwise>())
    return repeatForRegisters;
  return nullptr;
}

}   // namespace tile::gpu
