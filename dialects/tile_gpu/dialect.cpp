// SPDX-License-Identifier: MIT
#include "dialects/tile_gpu/dialect.h"

#include "dialects/tile/dialect.h"
#include "dialects/tile_gpu/tensor_map_ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tile::gpu;

#include "dialects/tile_gpu/dialect.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/tile_gpu/ops.cpp.inc"

void TileGpuDialect::initialize() {
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
    return emitOpError("operand and result carry a layout, here are ")
           << getValue().getType() << " and " << getType();
  return success();
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor adaptor) {
  if (getValue().getType() == getType())
    return getValue();
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getValue()))
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
    return emitOpError("has other values for a predicate that is not there");
  if (getOthers().getTypes() != getResultTypes())
    return emitOpError("has one other value for each result, of its type");
  return success();
}

// A volatile access happens as often as it is written.
void LoadGlobalOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult StoreGlobalOp::verify() {
  return verifyAccess(*this, getPtr().getType(), getValues().getTypes());
}

// 32 bytes of k; what the matrix unit multiplies into which accumulators.
LogicalResult PtxWgmmaOp::verify() {
  auto isFloat8 = [](Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); };
  auto isByte = [](Type type) { return type.isSignedInteger(8) || type.isUnsignedInteger(8); };
  Type a = getTypeA(), b = getTypeB();
  bool isWide = a == b && (a.isF16() || a.isBF16());
  if (!isWide && !(a == b && isa<FloatTF32Type>(a)) && !(isFloat8(a) && isFloat8(b)) &&
      !(isByte(a) && isByte(b)))
    return emitOpError(
               "multiplies two of f16, bf16 or tf32, or two 8-bit floats, or two 8-bit integers, not ")
           << a << " and " << b;
  if ((getTransposeA() || getTransposeB()) && !isWide)
    return emitOpError("transposes 16-bit elements only");
  bool inRegisters =
      getA().size() == 4 && llvm::all_of(getA().getTypes(), [](Type t) { return t.isInteger(32); });
  if (!inRegisters && !(getA().size() == 1 && getA()[0].getType().isInteger(64)))
    return emitOpError("takes A as one descriptor of 64 bits or as four registers of 32");
  if (isByte(a) && (getNegateA() || getNegateB()))
    return emitOpError("does not negate integers");
  if (inRegisters && getTransposeA())
    return emitOpError("does not transpose registers");
  int64_t n = getN();
  if (n % 8 != 0 || n < 8 || n > 256 || (isByte(a) && n > 24 && n % 16 != 0))
    return emitOpError("has no form with ") << n << " columns";
  auto fields = cast<LLVM::LLVMStructType>(getResult().getType()).getBody();
  bool isUniform = !fields.empty() && llvm::all_equal(fields);
  bool isHalf = isUniform && fields[0].isInteger(32) && static_cast<int64_t>(fields.size()) == n / 4 &&
                (a.isF16() || isFloat8(a));
  bool isFull = isUniform && static_cast<int64_t>(fields.size()) == n / 2 &&
                (isByte(a) ? fields[0].isInteger(32) : fields[0].isF32());
  if (!isHalf && !isFull)
    return emitOpError("takes n / 2 accumulators of ")
           << (isByte(a) ? "i32" : "f32") << " in each thread, or n / 4 of two f16 for f16 and 8-bit floats";
  return success();
}

LogicalResult PtxLoadOp::verify() {
  if (getPredicate() ? getOthers().getTypes() != getResultTypes() : !getOthers().empty())
    return emitOpError("has one other value for each result where it has a predicate, and none else");
  return success();
}
