// SPDX-License-Identifier: MIT
// Rules of loads, stores, descriptors and atomics: which hints, shapes and elements they take.
#include "dialects/tile/dialect.h"

using namespace mlir;
using namespace tile::ir;

// A volatile load is also a write, so that nothing merges or removes it; `cv` asks memory each time, too.
void LoadOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  if (getIsVolatile() || getCache() == Cache::cv)
    effects.emplace_back(MemoryEffects::Write::get());
}

static LogicalResult verifyCacheHint(Operation *op, Cache hint, ArrayRef<Cache> accepted) {
  if (hint == Cache::none || llvm::is_contained(accepted, hint))
    return success();
  InFlightDiagnostic error = op->emitOpError()
                             << "takes no cache hint `" << stringifyCache(hint) << "`, but ";
  llvm::interleave(accepted, error, [&](Cache each) { error << '`' << stringifyCache(each) << '`'; }, ", ");
  return error;
}

LogicalResult LoadOp::verify() {
  if (getOther() && !getMask())
    return emitOpError("has `other`, the value where the mask is false, but no mask");
  return verifyCacheHint(*this, getCache(), {Cache::ca, Cache::cg, Cache::cv});
}

LogicalResult StoreOp::verify() {
  return verifyCacheHint(*this, getCache(), {Cache::wb, Cache::cg, Cache::cs, Cache::wt});
}

//===------------------------------------------------------------------------===//
// Descriptors
//===------------------------------------------------------------------------===//

LogicalResult MakeDescriptorOp::verify() {
  DescType type = getType();
  size_t rank = type.getBlock().size();
  if (getShape().size() != rank || getStrides().size() != rank)
    return emitOpError() << "has " << getShape().size() << " extents and " << getStrides().size()
                         << " strides for a block of " << rank << " dimensions: one each per dimension";
  Type pointee = getBase().getType().getPointee();
  if (pointee != type.getElement())
    return emitOpError() << "describes elements " << type.getElement() << " at a pointer to " << pointee;
  if (getPadding() == Padding::nan && !isa<FloatType>(type.getElement()))
    return emitOpError() << "pads with NaN, but " << type.getElement() << " has no NaN";
  return success();
}

// A tile on its way from or to a block: one coordinate per dimension, the block's shape. For loads
// `dropsLeading` lets extents of 1 in front go.
static LogicalResult verifyBlock(Operation *op, DescType desc, size_t coordinates, RankedTensorType tile,
                                 bool dropsLeading = false) {
  ArrayRef<int64_t> block = desc.getBlock();
  if (coordinates != block.size())
    return op->emitOpError() << "has " << coordinates << " coordinates for a descriptor of " << block.size()
                             << " dimensions";
  if (tile.getElementType() != desc.getElement())
    return op->emitOpError() << "moves elements and does not convert them: the descriptor's are "
                             << desc.getElement() << ", the tile's " << tile.getElementType();
  ArrayRef<int64_t> shape = tile.getShape();
  bool isLeadingOnes =
      dropsLeading && shape.size() < block.size() &&
      llvm::all_of(block.drop_back(shape.size()), [](int64_t extent) { return extent == 1; });
  if (block == shape || (isLeadingOnes && block.take_back(shape.size()) == shape))
    return success();
  return op->emitOpError() << "the tile " << tile << " does not have the shape of the descriptor's block "
                           << desc.getBlockType()
                           << (dropsLeading ? "; only leading extents of 1 may be dropped" : "");
}

LogicalResult DescriptorLoadOp::verify() {
  if (failed(verifyBlock(*this, getDesc().getType(), getCoords().size(), getType(), /*dropsLeading=*/true)))
    return failure();
  return verifyCacheHint(*this, getCache(), {Cache::ca, Cache::cg, Cache::cv});
}

LogicalResult DescriptorStoreOp::verify() {
  return verifyBlock(*this, getDesc().getType(), getCoords().size(), getValue().getType(),
                     /*dropsLeading=*/true);
}

//===------------------------------------------------------------------------===//
// Atomic updates
//===------------------------------------------------------------------------===//

// Which elements an update combines. Floats of 16 bits only add: no device compares them atomically.
static bool combines(Update update, Type element) {
  bool isInt = element.isInteger(32) || element.isInteger(64);
  switch (update) {
  case Update::fadd:
  case Update::fmax:
  case Update::fmin:
    return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element);
  case Update::exchange:
    return isInt || isa<Float32Type, Float64Type>(element);
  default:
    return isInt;
  }
}

static StringRef combinedElements(Update update) {
  switch (update) {
  case Update::fadd:
  case Update::fmax:
  case Update::fmin:
    return "f16, bf16, f32 or f64";
  case Update::exchange:
    return "i32, i64, f32 or f64";
  default:
    return "i32 or i64";
  }
}

static LogicalResult verifyUpdate(Operation *op, Update update, Type element) {
  if (combines(update, element))
    return success();
  return op->emitOpError() << "`" << stringifyUpdate(update) << "` combines " << combinedElements(update)
                           << ", not " << element;
}

LogicalResult DescriptorReduceOp::verify() {
  DescType desc = getDesc().getType();
  if (failed(verifyBlock(*this, desc, getCoords().size(), getValue().getType())))
    return failure();
  if (getUpdate() == Update::exchange)
    return emitOpError("has no result, so `xchg` would be a store: use tile.descriptor_store");
  return verifyUpdate(*this, getUpdate(), desc.getElement());
}

LogicalResult AtomicRmwOp::verify() {
  return verifyUpdate(*this, getUpdate(), getElementType(getValue().getType()));
}

LogicalResult AtomicCasOp::verify() {
  Type element = getElementType(getExpected().getType());
  if (unsigned width = element.getIntOrFloatBitWidth(); width == 16 || width == 32 || width == 64)
    return success();
  return emitOpError() << "compares elements of 16, 32 or 64 bits, not " << element;
}
