// SPDX-License-Identifier: MIT
// Channels: their type, and what fits into them.
#include "dialects/tile_gpu/dialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tile;
using namespace tile::gpu;

#define GET_TYPEDEF_CLASSES
#include "dialects/tile_gpu/types.cpp.inc"

void TileGpuDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/tile_gpu/types.cpp.inc"
      >();
}

LogicalResult ChannelType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t slots,
                                  ArrayRef<Type> tiles) {
  if (slots < 1 || slots > 32)
    return emitError() << "a channel has 1 to 32 slots, not " << slots;
  for (Type type : tiles) {
    LayoutAttr layout = getLayoutAttr(type);
    if (!layout || !layout.getLayout().isShared())
      return emitError() << "a slot holds tiles whose layout is of shared memory, not " << type;
  }
  return success();
}

RankedTensorType ChannelType::getTile(unsigned index) const {
  return cast<RankedTensorType>(getTiles()[index]);
}

static int64_t bytesOf(RankedTensorType tile) {
  return tile.getNumElements() * tile.getElementType().getIntOrFloatBitWidth() / 8;
}

int64_t ChannelType::getTileOffset(unsigned index) const {
  int64_t offset = 0;
  for (unsigned i = 0; i < index; ++i)
    offset += static_cast<int64_t>(llvm::alignTo(static_cast<uint64_t>(bytesOf(getTile(i))), 1024));
  return offset;
}

int64_t ChannelType::getSlotBytes() const { return getTileOffset(static_cast<unsigned>(getTiles().size())); }

static FailureOr<RankedTensorType> tileOf(Operation *op, ChannelType channel, uint32_t index) {
  if (index < channel.getTiles().size())
    return channel.getTile(index);
  return op->emitOpError() << "there is no tile " << index << " in a slot of " << channel;
}

// One side of a channel in a block: what it opened and has not closed yet.
namespace {
struct Side {
  StringRef opens, between, closes;
  Operation *open = nullptr;

  LogicalResult step(Operation *op) {
    StringRef name = op->getName().stripDialect();
    if (name == opens) {
      if (open)
        return op->emitOpError() << "comes before the " << closes << " of the " << opens << " above it";
      open = op;
    } else if (name == closes) {
      if (!open)
        return op->emitOpError() << "has no " << opens << " of its channel above it in its block";
      open = nullptr;
    } else if (name == between && !open) {
      return op->emitOpError() << "stands between a " << opens << " and a " << closes << " of its channel";
    }
    return success();
  }
  LogicalResult end() const {
    return open ? LogicalResult(open->emitOpError() << "has no " << closes << " of its channel in its block")
                : success();
  }
};
}   // namespace

LogicalResult ChannelOp::verify() {
  llvm::MapVector<Block *, SmallVector<Operation *>> steps;
  for (Operation *user : getChannel().getUsers())
    steps[user->getBlock()].push_back(user);
  for (auto &[block, ops] : steps) {
    llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    Side producer{"acquire", "copy", "commit"}, consumer{"wait", "read", "release"};
    for (Operation *op : ops)
      if (failed(producer.step(op)) || failed(consumer.step(op)))
        return failure();
    if (failed(producer.end()) || failed(consumer.end()))
      return failure();
  }
  return success();
}

LogicalResult CopyOp::verify() {
  FailureOr<RankedTensorType> tile = tileOf(*this, getChannel().getType(), getTile());
  if (failed(tile))
    return failure();
  auto pointers = cast<RankedTensorType>(getPtr().getType());
  Type pointee = ir::getElementType(ir::getPointeeType(pointers));
  if (pointers.getShape() != tile->getShape() || pointee != tile->getElementType())
    return emitOpError() << "pointers of type " << pointers << " do not fill a tile of type " << *tile;
  if (getMask() && cast<RankedTensorType>(getMask().getType()).getEncoding() != pointers.getEncoding())
    return emitOpError("the mask lies as the pointers do");
  if (getInside() && (getInside().getType().getShape() != pointers.getShape() ||
                      getInside().getType().getEncoding() != pointers.getEncoding()))
    return emitOpError(
        "there is a count of elements inside for each pointer, and it lies as the pointers do");
  return success();
}

LogicalResult ReadOp::verify() {
  FailureOr<RankedTensorType> tile = tileOf(*this, getChannel().getType(), getTile());
  if (failed(tile))
    return failure();
  auto result = cast<RankedTensorType>(getType());
  if (result.getShape() != tile->getShape() || result.getElementType() != tile->getElementType())
    return emitOpError() << "the result " << result << " is not the tile " << *tile;
  return success();
}
