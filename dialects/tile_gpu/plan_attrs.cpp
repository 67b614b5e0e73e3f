// SPDX-License-Identifier: MIT
// The attributes of a plan: what they may say, and where they may stand.
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace tile::gpu {

LogicalResult PlanAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, ArrayRef<int32_t> warps,
                               ArrayRef<int32_t> registers, bool inTurn) {
  const size_t roles = inTurn ? 3 : 2;
  if (warps.size() != roles || registers.size() != roles)
    return emitError() << "a plan with in_turn = " << (inTurn ? "true" : "false") << " must have " << roles
                       << " roles, not " << warps.size() << " numbers of warps and " << registers.size()
                       << " of registers";
  for (int32_t count : warps)
    if (count < 1)
      return emitError() << "a role of a plan must have warps, not " << count;
  for (int32_t count : registers)
    if (count < 0)
      return emitError() << "a role of a plan must have 0 or more registers, not " << count;
  return success();
}

LogicalResult ComputedAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, Arithmetic operation,
                                   Attribute left, Attribute right, bool) {
  for (Attribute operand : {left, right})
    if (!isa_and_nonnull<IntegerAttr, ArgumentAttr, ComputedAttr>(operand))
      return emitError() << "computes with " << operand
                         << ", which is no number, argument or computed number";
  if (operation == Arithmetic::divide || operation == Arithmetic::ceil_divide)
    if (auto divisor = dyn_cast<IntegerAttr>(right); !divisor || divisor.getInt() < 1)
      return emitError() << "divides by " << right << ", which is no positive number";
  return success();
}

LogicalResult FillAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, int64_t channel,
                               int64_t slots) {
  constexpr int64_t most = 32;   // as stages of a loop
  if (channel < 0)
    return emitError() << "a channel must have a number of 0 or more, not " << channel;
  if (slots < 1 || slots > most)
    return emitError() << "a channel must have 1 to " << most << " slots, not " << slots;
  return success();
}

LogicalResult TileGpuDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  const StringRef name = attribute.getName();
  if (name == PlanName && !(isa<FunctionOpInterface>(op) && isa<PlanAttr>(attribute.getValue())))
    return op->emitError("`tile_gpu.plan` must be a #tile_gpu.plan, at a kernel");
  if (name == FillName && !(isa<ir::DescriptorLoadOp>(op) && isa<FillAttr>(attribute.getValue())))
    return op->emitError("`tile_gpu.fill` must be a #tile_gpu.fill, at a tile.descriptor_load");
  if ((name == ProgramsName || name == InTurnName) &&
      !(isa<scf::ForOp>(op) && isa<UnitAttr>(attribute.getValue())))
    return op->emitError("`") << name << "` must be a unit attribute, at an scf.for";
  if (name == PutSlotsName) {
    auto slots = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!isa<ir::DotOp>(op) || !slots || !slots.getType().isSignlessInteger(64) || slots.getInt() < 1)
      return op->emitError("`tile_gpu.put_slots` must be a positive number of type i64, at a tile.dot");
  }
  if (name == BehindName && !(isa<ir::DotOp>(op) && isa<UnitAttr>(attribute.getValue())))
    return op->emitError("`tile_gpu.behind` must be a unit attribute, at a tile.dot");
  if (name == AnchoredName && !(isa<ir::MakeDescriptorOp>(op) && isa<UnitAttr>(attribute.getValue())))
    return op->emitError("`tile_gpu.anchored` must be a unit attribute, at a tile.make_descriptor");
  return success();
}

}   // namespace tile::gpu
