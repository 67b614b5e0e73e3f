// SPDX-License-Identifier: MIT
#include "dialects/tile_gpu/dialect.h"

#include "dialects/tile/dialect.h"
#include "dialects/tile_gpu/tensor_map_ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FoldInterfaces.h"

using namespace mlir;
using namespace tile::gpu;

#include "dialects/tile_gpu/dialect.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/tile_gpu/ops.cpp.inc"

namespace {
// Constants stay in their role: a tile is spread over its warps.
struct RoleConstants : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;
  bool shouldMaterializeInto(Region *region) const final { return isa<RolesOp>(region->getParentOp()); }
};
}   // namespace

void TileGpuDialect::initialize() {
  addInterfaces<RoleConstants>();
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "dialects/tile_gpu/ops.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/tile_gpu/tensor_map_ops.cpp.inc"
      >();
}

Operation *TileGpuDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

LayoutAttr tile::gpu::getLayoutAttr(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_or_null<LayoutAttr>(tensor.getEncoding()) : LayoutAttr();
}

RankedTensorType tile::gpu::withLayout(RankedTensorType type, LayoutAttr layout) {
  return RankedTensorType::get(type.getShape(), type.getElementType(), layout);
}

LogicalResult ConvertLayoutOp::verify() {
  if (!getLayoutAttr(getValue().getType()) || !getLayoutAttr(getType()))
    return emitOpError("operand and result must have a layout, not ")
           << getValue().getType() << " and " << getType();
  return success();
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor adaptor) {
  if (getValue().getType() == getType())
    return getValue();
  // What lies in shared memory is no number.
  auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getValue());
  if (splat && !getLayoutAttr(getType()).getLayout().isShared())
    return splat.resizeSplat(getType());
  return {};
}

// A tile converted twice is converted once.
static LogicalResult mergeConversions(ConvertLayoutOp op, PatternRewriter &rewriter) {
  auto inner = op.getValue().getDefiningOp<ConvertLayoutOp>();
  if (!inner)
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.getValueMutable().assign(inner.getValue()); });
  return success();
}

void ConvertLayoutOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(mergeConversions);
}

//===------------------------------------------------------------------------===//
// What one thread does
//===------------------------------------------------------------------------===//

// One instruction moves 1, 2, 4, 8 or 16 bytes, of elements that the pointer points to.
static LogicalResult verifyAccess(Operation *op, Type pointers, TypeRange elements) {
  Type pointee = tile::ir::getPointeeType(pointers);
  for (Type element : elements)
    if (element != pointee)
      return op->emitOpError("accesses elements of type ") << element << " through a " << pointers;
  unsigned bits = pointee.isIntOrFloat() ? std::max(8u, pointee.getIntOrFloatBitWidth()) : 64;
  uint64_t bytes = elements.size() * (bits / 8);
  if (!llvm::isPowerOf2_64(bytes) || bytes > 16)
    return op->emitOpError("accesses ") << bytes << " bytes; an instruction moves 1, 2, 4, 8 or 16";
  return success();
}

LogicalResult LoadGlobalOp::verify() {
  if (failed(verifyAccess(*this, getPtr().getType(), getResultTypes())))
    return failure();
  if (getOthers().empty())
    return success();
  if (!getPredicate())
    return emitOpError("has other values, but no predicate");
  if (getOthers().getTypes() != getResultTypes())
    return emitOpError("must have one other value for each result, of its type");
  return success();
}

// A volatile access happens as often as it is written, and so does one that asks memory each time.
void LoadGlobalOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  if (getIsVolatile() || getCache() == ir::Cache::cv)
    effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult StoreGlobalOp::verify() {
  return verifyAccess(*this, getPtr().getType(), getValues().getTypes());
}

LogicalResult AddGlobalOp::verify() {
  Type element = ir::getPointeeType(getPtr().getType());
  if (!element.isF16() && !element.isBF16() && !element.isF32())
    return emitOpError() << "adds f16, bf16 or f32, not " << element;
  if (!element.isF32() && getValues().size() < 2)
    return emitOpError() << "adds two " << element << " or more";
  return verifyAccess(*this, getPtr().getType(), getValues().getTypes());
}

LogicalResult PtxLoadOp::verify() {
  if (getPredicate() ? getOthers().getTypes() != getResultTypes() : !getOthers().empty())
    return emitOpError("must have one other value for each result if it has a predicate, and none otherwise");
  return success();
}
