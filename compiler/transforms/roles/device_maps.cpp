// SPDX-License-Identifier: MIT
#include "compiler/transforms/roles/device_maps.h"

#include "compiler/analysis/anchored_tensors.h"
#include "compiler/analysis/launch_numbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tile {

static int64_t bytesOfElement(ir::MakeDescriptorOp tensor) {
  return tensor.getType().getElement().getIntOrFloatBitWidth() / 8;
}

static int64_t rowsOfBlock(ir::MakeDescriptorOp tensor) { return tensor.getType().getBlock().front(); }

bool DeviceMaps::isOwn(ir::MakeDescriptorOp tensor) {
  return !isKnownAtLaunch(tensor) && !isAnchored(tensor);
}

gpu::TensorMapOp DeviceMaps::mapOf(ir::MakeDescriptorOp tensor, RankedTensorType boxed, bool isWritten,
                                   unsigned sharers) {
  SmallVector<Attribute> extents, strides;
  uint64_t base = 0;
  if (isKnownAtLaunch(tensor)) {
    extents = llvm::map_to_vector(tensor.getShape(), knownAtLaunch);
    strides = llvm::map_to_vector(tensor.getStrides().drop_back(), knownAtLaunch);
    base = static_cast<uint64_t>(cast<gpu::ArgumentAttr>(knownAtLaunch(tensor.getBase())).getNumber());
  } else if (isAnchored(tensor)) {
    auto number = [&](int64_t value) -> Attribute { return b_.getI64IntegerAttr(value); };
    Attribute rows = knownAtLaunch(tensor.getShape().front());
    auto step = [&](unsigned bits) { return number((int64_t(1) << bits) / bytesOfElement(tensor)); };
    extents = {number(FarExtent), number(NearExtent), rows ? rows : number(rowsOfBlock(tensor)),
               knownAtLaunch(tensor.getShape().back())};
    strides = {step(FarBits), step(NearBits), knownAtLaunch(tensor.getStrides().front())};
    base = *anchorOf(tensor);
  } else {   // without elements: it stands for whatever address
    extents.assign(tensor.getShape().size(), b_.getI64IntegerAttr(0));
    strides.assign(tensor.getShape().size() - 1, b_.getI64IntegerAttr(0));
    while (!isa<ir::PtrType>(kernel_.getArgumentTypes()[base]))
      ++base;
  }
  std::optional<layout::TensorBoxes> boxes = gpu::boxesOf(boxed, sharers);
  SmallVector<int64_t> box(extents.size() - 2, 1);
  llvm::append_range(box, boxes->box);
  return made(gpu::TensorMapOp::create(
      b_, LLVM::LLVMPointerType::get(b_.getContext()), base, b_.getArrayAttr(extents),
      b_.getArrayAttr(strides), box, boxed.getElementType(), boxes->swizzle,
      tensor.getPadding() == ir::Padding::nan, isWritten, isAnchored(tensor)));
}

SmallVector<Value> DeviceMaps::coordinatesOf(ir::MakeDescriptorOp tensor, ValueRange block,
                                             const IRMapping &map) {
  auto own = [&](Value v) { return map.lookupOrDefault(v); };
  SmallVector<Value> at = llvm::map_to_vector(block, own);
  if (!isAnchored(tensor))
    return at;
  const Type wide = b_.getI64Type(), narrow = b_.getI32Type();
  auto number = [&](int64_t value) -> Value { return arith::ConstantIntOp::create(b_, value, 64); };
  Value address = ir::PtrToIntOp::create(b_, wide, own(tensor.getBase()));
  if (!knownAtLaunch(tensor.getShape().front())) {
    const int64_t rows = rowsOfBlock(tensor);
    Value row = arith::ExtSIOp::create(b_, wide, at.front());
    Value left = arith::SubIOp::create(b_, own(tensor.getShape().front()), row);
    Value some = arith::MaxSIOp::create(b_, left, number(0));
    Value existing = arith::MinSIOp::create(b_, some, number(rows));
    Value first = arith::SubIOp::create(b_, number(rows), existing);
    at.front() = arith::TruncIOp::create(b_, narrow, first);
    Value rowBytes =
        arith::MulIOp::create(b_, own(tensor.getStrides().front()), number(bytesOfElement(tensor)));
    Value beyond = arith::MulIOp::create(b_, arith::SubIOp::create(b_, row, first), rowBytes);
    address = arith::AddIOp::create(b_, address, beyond);
  }
  Value argument = ir::PtrToIntOp::create(b_, wide, kernel_.getArgument(*anchorOf(tensor)));
  Value anchor = arith::AndIOp::create(b_, argument, number(-(1 << NearBits)));
  Value distance = arith::SubIOp::create(b_, address, anchor);
  Value units = arith::ShRUIOp::create(b_, distance, number(NearBits));
  Value near = arith::TruncIOp::create(b_, narrow, arith::AndIOp::create(b_, units, number(NearExtent - 1)));
  Value steps = arith::ShRSIOp::create(b_, distance, number(FarBits));
  Value far = arith::TruncIOp::create(b_, narrow, arith::AddIOp::create(b_, steps, number(FarOrigin)));
  at.insert(at.begin(), {far, near});
  return at;
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
