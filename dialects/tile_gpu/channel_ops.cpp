// SPDX-License-Identifier: MIT
// Channels: their type, and what fits into them. What steps they may take is in channel_rules.cpp.
#include "compiler/target/copy_engines.h"
#include "dialects/tile/launch_attributes.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <functional>
#include <tuple>

using namespace mlir;
using namespace tile;
using namespace tile::gpu;

// The tiles of a slot: none where it is a turn.
static ParseResult parseTiles(AsmParser &parser, SmallVector<Type> &tiles) {
  Type tile;
  for (OptionalParseResult next = parser.parseOptionalType(tile); next.has_value();
       next = parser.parseType(tile)) {
    if (failed(*next))
      return failure();
    tiles.push_back(tile);
    if (failed(parser.parseOptionalComma()))
      break;
  }
  return success();
}
static void printTiles(AsmPrinter &printer, ArrayRef<Type> tiles) { llvm::interleaveComma(tiles, printer); }

#define GET_TYPEDEF_CLASSES
#include "dialects/tile_gpu/types.cpp.inc"

void TileGpuDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/tile_gpu/types.cpp.inc"
      >();
}

LogicalResult ChannelType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t slots,
                                  ArrayRef<Type> tiles, bool) {
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

// Whether each CTA's parts lie as those of the CTA before do, at one distance for all.
static bool areShared(const layout::TensorBoxes &boxes, size_t sharers) {
  if (boxes.parts.size() % sharers != 0)
    return false;
  const size_t own = boxes.parts.size() / sharers;
  auto distance = [&](size_t i) {
    const auto &[at, offset] = boxes.parts[i];
    const auto &[to, toOffset] = boxes.parts[i + own];
    return std::tuple(to[0] - at[0], to[1] - at[1], toOffset - offset);
  };
  for (size_t i = 1; i + own < boxes.parts.size(); ++i)
    if (distance(i) != distance(0))
      return false;
  return true;
}

std::optional<layout::TensorBoxes> tile::gpu::boxesOf(RankedTensorType tile, unsigned sharers) {
  for (int64_t extent : {int64_t{TensorCopies.mostExtent},
                         std::min<int64_t>(TensorCopies.mostExtent, tile.getDimSize(0) / sharers)}) {
    std::optional<layout::TensorBoxes> boxes = layout::TensorBoxes::of(
        getLayoutAttr(tile).getLayout(), tile.getElementTypeBitWidth(), static_cast<unsigned>(extent));
    if (!boxes || areShared(*boxes, sharers))
      return boxes;
    // Three boxes high and two wide: row by row they cannot be halved, column by column they can.
    llvm::stable_sort(boxes->parts, [](const auto &x, const auto &y) { return x.at[1] < y.at[1]; });
    if (areShared(*boxes, sharers))
      return boxes;
  }
  return std::nullopt;
}

int64_t ChannelType::getSlotBytes() const { return getTileOffset(static_cast<unsigned>(getTiles().size())); }

CursorType ChannelType::getCursor() const { return CursorType::get(getContext(), getSlots(), getBarriers()); }

unsigned tile::gpu::clusterOf(Operation *op) {
  auto kernel = op->getParentOfType<FunctionOpInterface>();
  auto ctas = kernel ? kernel->getAttrOfType<IntegerAttr>(ir::NumCtasName) : IntegerAttr();
  return ctas ? static_cast<unsigned>(ctas.getInt()) : 1;
}

static FailureOr<RankedTensorType> tileOf(Operation *op, Value handle, uint32_t index) {
  ChannelOp channel = channelOf(handle);
  if (!channel)
    return op->emitOpError("needs a slot or a lease of a channel");
  ChannelType type = channel.getChannel().getType();
  if (index < type.getTiles().size())
    return type.getTile(index);
  return op->emitOpError() << "there is no tile " << index << " in a slot of " << type;
}

LogicalResult CursorOp::verify() {
  int64_t slots = getCursor().getType().getSlots();
  if (getSlot() >= static_cast<uint64_t>(slots))
    return emitOpError() << "stands at slot " << getSlot() << " of " << slots;
  return success();
}

LogicalResult PutOp::verify() {
  FailureOr<RankedTensorType> tile = tileOf(*this, getSlot(), getTile());
  if (failed(tile))
    return failure();
  auto value = cast<RankedTensorType>(getValue().getType());
  if (value.getShape() != tile->getShape() || value.getElementType() != tile->getElementType())
    return emitOpError() << "a tile of type " << value << " does not fill one of type " << *tile;
  return success();
}

LogicalResult CopyOp::verify() {
  FailureOr<RankedTensorType> tile = tileOf(*this, getSlot(), getTile());
  if (failed(tile))
    return failure();
  auto pointers = cast<RankedTensorType>(getPtr().getType());
  if (!isa<ir::PtrType>(pointers.getElementType()))
    return emitOpError() << "copies from pointers, not from " << pointers;
  Type pointee = ir::getElementType(ir::getPointeeType(pointers));
  if (pointers.getShape() != tile->getShape() || pointee != tile->getElementType())
    return emitOpError() << "pointers of type " << pointers << " do not fill a tile of type " << *tile;
  if (getMask() && cast<RankedTensorType>(getMask().getType()).getEncoding() != pointers.getEncoding())
    return emitOpError("the mask must have the layout of the pointers");
  if (getInside() && (getInside().getType().getShape() != pointers.getShape() ||
                      getInside().getType().getEncoding() != pointers.getEncoding()))
    return emitOpError("`inside` must have the shape and the layout of the pointers");
  if (getInside() && !getAsync())
    return emitOpError("has `inside`, which needs `async`");
  uint64_t bytes = uint64_t(getAsync().value_or(1)) * (pointee.getIntOrFloatBitWidth() / 8);
  if (getAsync() && (bytes < 4 || bytes > 16 || !llvm::isPowerOf2_64(bytes)))
    return emitOpError() << "copies " << bytes << " bytes at a time; cp.async moves 4, 8 or 16";
  return success();
}

LogicalResult TensorMapOp::verify() {
  size_t rank = getBox().size();
  if (rank < 1 || rank > TensorCopies.mostRank || getExtents().size() != rank ||
      getStrides().size() + 1 != rank)
    return emitOpError() << "must have 1 to " << TensorCopies.mostRank
                         << " axes, each with an extent and a box extent, and all but the last with a stride";
  auto kernel = (*this)->getParentOfType<FunctionOpInterface>();
  auto isArgument = [&](int64_t number, bool isPointer) {
    if (!kernel || number < 0 || number >= static_cast<int64_t>(kernel.getNumArguments()))
      return false;
    Type type = kernel.getArgumentTypes()[static_cast<size_t>(number)];
    return isPointer ? isa<ir::PtrType>(type) : type.isInteger(32) || type.isInteger(64);
  };
  if (!isArgument(static_cast<int64_t>(getBase()), /*isPointer=*/true))
    return emitOpError() << "argument " << getBase() << " of the kernel is not a pointer";
  const std::function<bool(Attribute)> isNumber = [&](Attribute entry) {
    if (auto computed = dyn_cast<ComputedAttr>(entry))
      return isNumber(computed.getLeft()) && isNumber(computed.getRight());
    auto argument = dyn_cast<ArgumentAttr>(entry);
    return argument ? isArgument(argument.getNumber(), /*isPointer=*/false) : isa<IntegerAttr>(entry);
  };
  for (ArrayAttr list : {getExtents(), getStrides()})
    for (Attribute entry : list)
      if (!isNumber(entry))
        return emitOpError() << entry << " is neither a number nor made of arguments of 32 or 64 bits";
  for (int64_t extent : getBox())
    if (extent < 1 || extent > TensorCopies.mostExtent)
      return emitOpError() << "has a box of " << extent << " elements along an axis; it must have 1 to "
                           << TensorCopies.mostExtent;
  if (getSwizzle() != 0 && !llvm::is_contained(TensorCopies.swizzles, getSwizzle()))
    return emitOpError() << "cannot swizzle rows of " << getSwizzle() << " bytes";
  return success();
}

TensorMapOp tile::gpu::tensorMapOf(Value map) {
  if (auto made = map.getDefiningOp<DeviceMapOp>())
    map = made.getLike();
  return map.getDefiningOp<TensorMapOp>();
}

LogicalResult DeviceMapOp::verify() {
  auto like = getLike().getDefiningOp<TensorMapOp>();
  if (!like)
    return emitOpError("`like` must be a tensor map");
  if (!llvm::all_of(like.getExtents(), [](Attribute extent) {
        auto number = dyn_cast<IntegerAttr>(extent);
        return number && number.getInt() == 0;
      }))
    return emitOpError("`like` must be a map of a tensor without elements");
  if (!isa<ir::PtrType>(getBase().getType()) || ir::getPointeeType(getBase().getType()) != like.getElement())
    return emitOpError() << "must begin at an address of " << like.getElement();
  if (getExtents().size() != like.getBox().size() || getStrides().size() + 1 != like.getBox().size())
    return emitOpError() << "has " << getExtents().size() << " extents and " << getStrides().size()
                         << " strides for a tensor of " << like.getBox().size() << " axes";
  auto workspace = getWorkspace().getDefiningOp<WorkspaceOp>();
  if (!workspace || getAt() % 128 != 0 || getAt() + 128 > workspace.getBytes())
    return emitOpError("must lie at a multiple of 128 bytes within the workspace");
  return success();
}

LogicalResult AwaitCopiesOp::verify() {
  return getChannel().getType().getBarriers() ? success()
                                              : LogicalResult(emitOpError("needs a channel with barriers"));
}

LogicalResult AwaitSlotOrEndOp::verify() {
  auto roles = (*this)->getParentOfType<RolesOp>();
  if (!roles || !roles.getEnd())
    return emitOpError("needs roles that tell of their end");
  if (!getChannel().getDefiningOp<ChannelOp>() || !getChannel().getType().getBarriers() ||
      getCursor().getType() != getChannel().getType().getCursor())
    return emitOpError("needs a channel with barriers, as tile_gpu.channel gives it, and a cursor of it");
  for (auto [channel, cursor] : llvm::zip(getCopied(), getCursors())) {
    auto type = cast<ChannelType>(channel.getType());
    if (!channel.getDefiningOp<ChannelOp>() || !type.getBarriers() || cursor.getType() != type.getCursor())
      return emitOpError(
          "needs channels with barriers, as tile_gpu.channel gives them, each with a cursor of it");
  }
  return success();
}

// Whether the boxes of a map are those that make up a tile in shared memory.
static LogicalResult verifyBoxes(Operation *op, Value described, size_t coordinates, RankedTensorType tile,
                                 unsigned sharers = 1) {
  TensorMapOp map = tensorMapOf(described);
  if (!map)
    return op->emitOpError("needs a tensor map");
  if (coordinates != map.getBox().size())
    return op->emitOpError() << "has " << coordinates << " coordinates for a tensor of "
                             << map.getBox().size() << " axes";
  std::optional<layout::TensorBoxes> boxes = boxesOf(tile, sharers);
  ArrayRef<int64_t> box = map.getBox();
  if (!boxes || map.getElement() != tile.getElementType() || map.getSwizzle() != boxes->swizzle ||
      box.take_back(2) != ArrayRef(boxes->box) ||
      llvm::any_of(box.drop_back(2), [](int64_t extent) { return extent != 1; }))
    return op->emitOpError() << "the map's boxes do not make up a tile of type " << tile;
  return success();
}

LogicalResult CopyBoxOp::verify() {
  FailureOr<RankedTensorType> tile = tileOf(*this, getSlot(), getTile());
  if (failed(tile))
    return failure();
  if (!channelOf(getSlot()).getChannel().getType().getBarriers())
    return emitOpError("needs a slot of a channel with barriers");
  return verifyBoxes(*this, getMap(), getCoords().size(), *tile, getShared() ? clusterOf(*this) : 1);
}

LogicalResult StoreBoxOp::verify() {
  ChannelType channel = getChannel().getType();
  if (channel.getBarriers() || channel.getTiles().size() != 1)
    return emitOpError("needs a channel of one tile, without barriers");
  RankedTensorType part = channel.getTile(0);
  auto value = cast<RankedTensorType>(getValue().getType());
  if (value.getRank() != 2 || value.getElementType() != part.getElementType() ||
      value.getDimSize(0) != part.getDimSize(0) || value.getDimSize(1) % part.getDimSize(1) != 0)
    return emitOpError() << "a tile of type " << value << " is not made of parts of type " << part;
  if (getAdds() && !isa<Float16Type, BFloat16Type, Float32Type>(value.getElementType()))
    return emitOpError() << "adds f16, bf16 or f32, not " << value.getElementType();
  if ((value.getDimSize(1) / part.getDimSize(1)) % channel.getSlots() != 0)
    return emitOpError() << "the number of parts of a tile of type " << value << " is not a multiple of "
                         << channel.getSlots() << " slots";
  TensorMapOp map = tensorMapOf(getMap());
  if (map && !map.getWritten())
    return emitOpError("stores by a map that is not `written`");
  return verifyBoxes(*this, getMap(), getCoords().size(), part);
}

LogicalResult ViewOp::verify() {
  FailureOr<RankedTensorType> tile = tileOf(*this, getLease(), getTile());
  if (failed(tile))
    return failure();
  if (getType() != *tile)
    return emitOpError() << "the result " << getType() << " is not the tile " << *tile;
  return success();
}

LogicalResult ReadOp::verify() {
  LayoutAttr from = getLayoutAttr(getView().getType()), to = getLayoutAttr(getType());
  if (!from || !from.getLayout().isShared())
    return emitOpError() << "reads a view of shared memory, not " << getView().getType();
  if (to && to.getLayout().isShared())   // without one: before layouts are assigned
    return emitOpError() << "gives a tile in registers, not " << getType();
  return success();
}
