// SPDX-License-Identifier: MIT
#include "compiler/transforms/roles/device_maps.h"

#include "compiler/analysis/role_partition.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tile {

gpu::TensorMapOp DeviceMaps::mapOf(ir::MakeDescriptorOp tensor, RankedTensorType boxed, bool isWritten,
                                   unsigned sharers) {
  SmallVector<Attribute> extents, strides;
  uint64_t base = 0;
  if (isKnownAtLaunch(tensor)) {
    extents = llvm::map_to_vector(tensor.getShape(), knownAtLaunch);
    strides = llvm::map_to_vector(tensor.getStrides().drop_back(), knownAtLaunch);
    base = static_cast<uint64_t>(cast<gpu::ArgumentAttr>(knownAtLaunch(tensor.getBase())).getNumber());
  } else {   // without elements: it stands for whatever address
    extents.assign(tensor.getShape().size(), b_.getI64IntegerAttr(0));
    strides.assign(tensor.getShape().size() - 1, b_.getI64IntegerAttr(0));
    while (!isa<ir::PtrType>(kernel_.getArgumentTypes()[base]))
      ++base;
  }
  std::optional<layout::TensorBoxes> boxes = gpu::boxesOf(boxed, sharers);
  SmallVector<int64_t> box(tensor.getShape().size() - 2, 1);
  llvm::append_range(box, boxes->box);
  return made(gpu::TensorMapOp::create(b_, LLVM::LLVMPointerType::get(b_.getContext()), base,
                                       b_.getArrayAttr(extents), b_.getArrayAttr(strides), box,
                                       boxed.getElementType(), boxes->swizzle,
                                       tensor.getPadding() == ir::Padding::nan, isWritten));
}

uint32_t DeviceMaps::placeOfMap(Value like) {
  if (!workspace_) {
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointAfterValue(like);
    workspace_ = made(gpu::WorkspaceOp::create(b_, LLVM::LLVMPointerType::get(b_.getContext(), 1), 0U));
  }
  constexpr uint32_t bytes = 128;
  const uint32_t at = workspace_.getBytes();
  workspace_.setBytes(at + bytes);
  return at;
}

Value DeviceMaps::ownMapOf(ir::MakeDescriptorOp tensor, Value like, uint32_t at, const IRMapping &map,
                           Value now) {
  auto parts = [&](ValueRange values) {
    return llvm::map_to_vector(values, [&](Value v) { return map.lookupOrDefault(v); });
  };
  return gpu::DeviceMapOp::create(b_, like.getType(), map.lookupOrDefault(tensor.getBase()),
                                  parts(tensor.getShape()), parts(tensor.getStrides().drop_back()), like,
                                  workspace_, at, now);
}

}   // namespace tile
