// SPDX-License-Identifier: MIT
#include "compiler/analysis/kernel_form.h"

#include "dialects/tile/dialect.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tile {
namespace {

bool isElement(Type type) {
  return isa<ir::PtrType, Float16Type, BFloat16Type, Float32Type, Float64Type, Float8E4M3FNType,
             Float8E5M2Type>(type) ||
         llvm::any_of(std::initializer_list<unsigned>{1, 8, 16, 32, 64},
                      [&](unsigned width) { return type.isSignlessInteger(width); });
}

// What is wrong with a type, or nothing.
std::string complaintAbout(Type type) {
  if (isa<UnrankedTensorType, BaseMemRefType>(type))
    return "is not a tile: its extents are not known";
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile)
    return "";
  if (!tile.hasStaticShape() || tile.getRank() == 0)
    return "is not a tile: a tile has at least one extent, and all extents are static";
  if (std::string complaint = ir::complaintAboutExtents(tile.getShape()); !complaint.empty())
    return "is not a tile: " + complaint;
  if (!isElement(tile.getElementType()))
    return "is not a tile: its elements are neither pointers nor numbers of the language";
  if (tile.getEncoding() && !isa<gpu::LayoutAttr>(tile.getEncoding()))
    return "is not a tile: its encoding is not a layout";
  return "";
}

LogicalResult checkType(Type type, Location where) {
  std::string complaint = complaintAbout(type);
  return complaint.empty() ? LogicalResult::success() : emitError(where) << type << " " << complaint;
}

LogicalResult checkOp(Operation *op) {
  for (Type type : op->getResultTypes())
    if (failed(checkType(type, op->getLoc())))
      return failure();
  if (auto constant = dyn_cast<arith::ConstantOp>(op);
      constant && isa<RankedTensorType>(constant.getType()) && !isa<DenseElementsAttr>(constant.getValue()))
    return op->emitError("the elements of this constant are not known here; write them as `dense<...>`");
  for (Region &region : op->getRegions()) {
    if (!region.empty() && !region.hasOneBlock())
      return op->emitError("this has blocks that branch to each other: kernels branch with scf.if and loops");
    for (BlockArgument argument : region.getArguments())
      if (failed(checkType(argument.getType(), argument.getLoc())))
        return failure();
  }
  return success();
}

}   // namespace

LogicalResult checkTiles(func::FuncOp kernel) {
  return failure(kernel.walk<WalkOrder::PreOrder>([](Operation *op) -> WalkResult { return checkOp(op); })
                     .wasInterrupted());
}

LogicalResult checkLaidOut(func::FuncOp kernel, StringRef before) {
  auto isTile = [](Type type) { return isa<TensorType>(type); };
  if (llvm::any_of(kernel.getArgumentTypes(), isTile) || llvm::any_of(kernel.getResultTypes(), isTile))
    return kernel.emitError("this function takes or returns tiles: a kernel takes pointers and scalars, and "
                            "loads and stores its tiles");
  if (failed(checkTiles(kernel)))
    return failure();
  auto lacks = [&](Type type, Location where) -> WalkResult {
    if (!isa<RankedTensorType>(type) || gpu::getLayoutAttr(type))
      return WalkResult::advance();
    return emitError(where) << "this tile has no layout: tile-assign-layouts comes before " << before;
  };
  WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
    for (Type type : op->getResultTypes())
      if (lacks(type, op->getLoc()).wasInterrupted())
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        if (lacks(argument.getType(), argument.getLoc()).wasInterrupted())
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

}   // namespace tile
