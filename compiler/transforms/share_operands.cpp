// SPDX-License-Identifier: MIT
// `tile-gpu-share-operands`: what products read from global memory goes there by way of shared memory.
//
//    %x = tile.load %p, %m : tensor<128x64xf16, #blocked>
//    %a = tile_gpu.convert_layout %x -> tensor<128x64xf16, #operand>
//    tile.dot %a, ...
//
// becomes a copy into a slot of a channel and a read in the operand's layout. The operands of a product share
// a channel, and where both are one loaded tile, as in dot(x, x) or dot(x, trans(x)), it is copied once. Ops
// between a load and its product that give each element from one element (casts, transpositions) run on the
// operand after it has been read: the conversion moves up to the load.
//
// An operand that a loop finds the same in every iteration has left it (hoist_conversions.cpp). It stays in
// registers where it takes few, and else in shared memory: copied and waited for before the loop, read in
// each iteration, released behind it.
//
// A matrix unit that reads shared memory gets views, and what is no load is put there, computed from what is
// copied ahead all the same:
//
//    %a = tile_gpu.convert_layout %x -> tensor<128x64xf16, #shared>       a view of what was copied
//    %b = tile_gpu.convert_layout %y -> tensor<64x128xf16, #shared>       acquire, put %y, commit, wait, view
//    tile.dot %a, %b, ...
//    tile_gpu.release ...
#include "compiler/analysis/axis_analysis.h"
#include "compiler/analysis/kernel_form.h"
#include "compiler/analysis/kernel_target.h"
#include "compiler/analysis/layout_choice.h"
#include "compiler/analysis/matrix_products.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/products_in_flight.h"
#include "compiler/transforms/vector_mask.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tile::ir {
#define GEN_PASS_DEF_TILEGPUSHAREOPERANDS
#include "compiler/transforms/passes.h.inc"
}   // namespace tile::ir

namespace tile {
namespace {

using layout::TileLayout;

TileLayout layoutOf(Value v) { return gpu::getLayoutAttr(v.getType()).getLayout(); }

int64_t bytesOf(ir::LoadOp load) { return getElementTypeOrSelf(load.getType()).getIntOrFloatBitWidth() / 8; }

class OperandSharing {
 public:
  OperandSharing(func::FuncOp kernel)
      : kernel_(kernel), facts_(kernel), copies_(targetOf(kernel).threadCopies()) {}

  void run() {
    SmallVector<ir::DotOp> dots;
    kernel_.walk([&](ir::DotOp dot) { dots.push_back(dot); });
    for (ir::DotOp dot : dots) {
      SmallVector<Read, 2> reads, lying;
      for (OpOperand *operand : {&dot.getAMutable(), &dot.getBMutable()})
        if (auto conversion = operand->get().getDefiningOp<gpu::ConvertLayoutOp>()) {
          const bool lies = isShared(conversion);
          if (std::optional<Read> read = lies ? loadBehind(conversion, dot) : readOf(conversion, dot))
            addOnce(lies ? lying : reads, *read);
        }
      dropReadElsewhere(reads);
      dropReadElsewhere(lying);
      if (!reads.empty())
        share(dot, reads);
      if (!lying.empty())
        shareForUnit(lying);
    }
    for (gpu::ConvertLayoutOp conversion : conversions())
      if (isShared(conversion)) {
        std::optional<Read> read = loadBehind(conversion, conversion);
        if (read && read->load->hasOneUse())
          shareForUnit(*read);
        else
          putForUnit(conversion);
      }
    // Behind the others, so that what is read in every iteration is read behind their waits, next to its use.
    for (gpu::ConvertLayoutOp conversion : conversions())
      if (std::optional<Read> read = readInLoops(conversion))
        shareBeforeLoops(*read);
  }

  // The view that operand A is, through transpositions. Null if it is something else.
  static gpu::ViewOp viewOfA(ir::DotOp dot) {
    Value a = dot.getA();
    while (auto permute = a.getDefiningOp<ir::PermuteOp>())
      a = permute.getValue();
    return a.getDefiningOp<gpu::ViewOp>();
  }
  // Whether the product can go on while its second operand takes turns in slots, as the plan says.
  static bool canGoOn(ir::DotOp dot) {
    auto loop = dyn_cast<scf::ForOp>(dot->getParentOp());
    gpu::ViewOp view = viewOfA(dot);
    auto wait = view ? view.getLease().getDefiningOp<gpu::WaitOp>() : gpu::WaitOp();
    return loop && wait && wait->getBlock() == dot->getBlock() &&
           wait.getChannel().getType().getSlots() > 1 && mayStayInFlight(dot, loop) &&
           llvm::hasSingleElement(dot->getBlock()->getOps<ir::DotOp>());
  }

 private:
  struct Read {
    gpu::ConvertLayoutOp conversion;   // of the loaded tile to what is read
    ir::LoadOp load;
    unsigned fast;         // the axis along which memory is contiguous
    std::int64_t vector;   // elements that one copy moves
  };

  // Both operands of dot(x, x) may be one conversion.
  static void addOnce(SmallVectorImpl<Read> &reads, const Read &read) {
    if (llvm::none_of(reads, [&](const Read &other) { return other.conversion == read.conversion; }))
      reads.push_back(read);
  }
  // A loaded tile that something else reads as well has to be in registers.
  static void dropReadElsewhere(SmallVectorImpl<Read> &reads) {
    llvm::SmallPtrSet<Operation *, 2> conversions;
    for (Read &read : reads)
      conversions.insert(read.conversion);
    llvm::erase_if(reads, [&](Read &read) {
      return !llvm::all_of(read.load->getUsers(),
                           [&](Operation *user) { return conversions.contains(user); });
    });
  }

  SmallVector<gpu::ConvertLayoutOp> conversions() {
    SmallVector<gpu::ConvertLayoutOp> all;
    kernel_.walk([&](gpu::ConvertLayoutOp conversion) { all.push_back(conversion); });
    return all;
  }

  // Whether nobody looks at it before this op, or elsewhere.
  static bool isFirstUse(gpu::ConvertLayoutOp conversion, Operation *op) {
    return llvm::all_of(conversion->getUsers(), [&](Operation *user) {
      return user->getBlock() == op->getBlock() && !user->isBeforeInBlock(op);
    });
  }

  // Follows an operand, of this product and perhaps of later ones of its block, up to its load. The ops on
  // the way go down to the product, behind the read.
  std::optional<Read> readOf(gpu::ConvertLayoutOp conversion, ir::DotOp dot) {
    Operation *below = dot;
    while (conversion && (conversion->hasOneUse() || isFirstUse(conversion, dot)) &&
           conversion->getBlock() == dot->getBlock()) {
      Operation *above = conversion.getValue().getDefiningOp();
      if (auto load = dyn_cast_or_null<ir::LoadOp>(above)) {
        conversion->moveBefore(below);
        std::optional<CopyUnits> units = copyUnitsOf(load);
        if (!units || load->getBlock() != dot->getBlock() || writesBetween(load, dot))
          return std::nullopt;
        return Read{conversion, load, units->axis, units->length};
      }
      if (!above)
        return std::nullopt;
      conversion = moveAbove(conversion, above);
      if (conversion && above->getBlock() == dot->getBlock()) {
        above->moveBefore(below);
        below = above;
      }
    }
    return std::nullopt;
  }

  static bool isShared(gpu::ConvertLayoutOp conversion) { return isInShared(conversion.getResult()); }

  // The load of a tile that a unit reads in shared memory, where what is copied lies there as it is to. The
  // conversion and what transposes the tile move to `use`; of what is transposed it becomes another one.
  std::optional<Read> loadBehind(gpu::ConvertLayoutOp &conversion, Operation *use) {
    Value from = conversion.getValue();
    while (auto permute = from.getDefiningOp<ir::PermuteOp>())
      from = permute.getValue();
    if (conversion->getBlock() != use->getBlock() || !from.getDefiningOp<ir::LoadOp>() ||
        (conversion != use && !isFirstUse(conversion, use)))
      return std::nullopt;
    if (conversion != use) {
      conversion->moveBefore(use);
      use = conversion;
    }
    for (ir::PermuteOp permute; (permute = conversion.getValue().getDefiningOp<ir::PermuteOp>());) {
      const std::vector<unsigned> order(permute.getOrder().begin(), permute.getOrder().end());
      if (permute->getBlock() != use->getBlock() || !permute->hasOneUse() ||
          !permutesInPlace(ir::getShape(permute.getValue().getType()).vec(), order))
        break;
      permute->moveBefore(use);
      conversion = moveAbove(conversion, permute);
    }
    auto load = conversion.getValue().getDefiningOp<ir::LoadOp>();
    if (!load || load->getBlock() != conversion->getBlock() || writesBetween(load, conversion))
      return std::nullopt;
    auto type = cast<RankedTensorType>(load.getType());
    const unsigned bits = type.getElementTypeBitWidth();
    std::optional<CopyUnits> units = copyUnitsOf(load);
    for (unsigned fast : {0U, 1U})
      if (units && (units->axis == fast || units->length == 1) &&
          layoutOf(conversion.getResult()) == layout::sharedRows(type.getShape().vec(), bits, fast))
        return Read{conversion, load, fast, units->length};
    return std::nullopt;
  }

  // Registers of a thread, of 255, that an operand may take all through a loop together with the sums that
  // the loop's products make: what they read and where from takes the others.
  static constexpr int64_t MostWordsInLoop = 127;
  static int64_t wordsOf(Value tile) {
    return layoutOf(tile).places() * cast<RankedTensorType>(tile.getType()).getElementTypeBitWidth() / 32;
  }
  static int64_t wordsOfProductsAround(Operation *product) {
    int64_t words = 0;
    for (Operation &op : *product->getBlock())
      if (auto dot = dyn_cast<ir::DotOp>(op))
        words += wordsOf(dot.getResult());
    return words;
  }

  // An operand of products in loops around which the conversion stands.
  std::optional<Read> readInLoops(gpu::ConvertLayoutOp conversion) {
    auto type = cast<RankedTensorType>(conversion.getType());
    if (!type.getElementType().isIntOrFloat())
      return std::nullopt;
    int64_t most = 0;
    for (Operation *user : conversion->getUsers()) {
      if (!isa<ir::DotOp>(user) || user->getBlock() == conversion->getBlock())
        return std::nullopt;
      most = std::max(most, wordsOfProductsAround(user));
    }
    if (most + wordsOf(conversion.getResult()) <= MostWordsInLoop)
      return std::nullopt;
    auto load = conversion.getValue().getDefiningOp<ir::LoadOp>();
    if (!load || !load->hasOneUse() || load->getBlock() != conversion->getBlock() ||
        writesBetween(load, conversion))
      return std::nullopt;
    std::optional<CopyUnits> units = copyUnitsOf(load);
    if (!units)
      return std::nullopt;
    return Read{conversion, load, units->axis, units->length};
  }

  // The copy stands at `use`: what is stored before must not be what is loaded.
  static bool writesBetween(Operation *load, Operation *use) {
    for (Operation *op = load->getNextNode(); op != use; op = op->getNextNode())
      if (!isMemoryEffectFree(op) && !hasSingleEffect<MemoryEffects::Read>(op) && !ir::isPromise(op) &&
          !onlyShared(op))
        return true;
    return false;
  }
  static bool onlyShared(Operation *op) { return isa<gpu::TileGpuDialect>(op->getDialect()); }

  // The conversion on the other side of an op with one tile operand, or nothing where it cannot move there.
  static gpu::ConvertLayoutOp moveAbove(gpu::ConvertLayoutOp conversion, Operation *above) {
    if (above->getNumOperands() != 1 || above->getNumResults() != 1 || !above->hasOneUse() ||
        !isMemoryEffectFree(above))
      return nullptr;
    TileLayout wanted = layoutOf(conversion.getResult());
    Value operand = above->getOperand(0);
    if (auto permute = dyn_cast<ir::PermuteOp>(above))
      wanted = permuteOperand(wanted, {permute.getOrder().begin(), permute.getOrder().end()});
    else if (!above->hasTrait<OpTrait::Elementwise>())
      return nullptr;
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || type.getRank() != 2)
      return nullptr;
    OpBuilder b(above);
    auto laidOut = gpu::withLayout(type, gpu::LayoutAttr::get(b.getContext(), wanted));
    auto moved = gpu::ConvertLayoutOp::create(b, above->getLoc(), laidOut, operand);
    above->setOperand(0, moved);
    above->getResult(0).setType(cast<RankedTensorType>(conversion.getType()));
    conversion.replaceAllUsesWith(above->getResult(0));
    conversion.erase();
    return moved;
  }

  // What one copy moves: so many elements along an axis.
  struct CopyUnits {
    unsigned axis;
    std::int64_t length;
  };
  // The units that the target's copies move, or single elements of 2 bytes, which are loaded and stored.
  // Nothing if neither is possible for the load.
  std::optional<CopyUnits> copyUnitsOf(ir::LoadOp load) {
    auto type = dyn_cast<RankedTensorType>(load.getType());
    if (!type || type.getRank() != 2 || load.getIsVolatile() || !type.getElementType().isIntOrFloat() ||
        type.getElementType().getIntOrFloatBitWidth() < 8)
      return std::nullopt;
    if (load.getOther() && !matchPattern(load.getOther(), m_AnyZeroFloat()) &&
        !matchPattern(load.getOther(), m_Zero()))
      return std::nullopt;
    int64_t bytes = bytesOf(load);
    AxisFacts pointers = facts_.of(load.getPtr());
    TileLayout layout = layoutOf(load.getPtr());
    for (unsigned axis : {1u, 0u}) {
      std::int64_t length = vectorLength(layout, axis, pointers, nullptr, bytes);
      if (load.getMask())
        length = maskedLength(load.getMask(), axis, length, facts_);
      if (copies_ && length * bytes >= copies_->leastBytes)
        return CopyUnits{axis, length};
    }
    if (bytes < 2 || neighbours(layout, pointers, bytes) == 1)
      return std::nullopt;
    return CopyUnits{pointers.axes[0].contiguity > pointers.axes[1].contiguity ? 0u : 1u, 1};
  }

  // A lease of what copies, made at the builder's place, have brought into a slot, and its tiles: of each
  // load one.
  struct Shared {
    Value lease;
    SmallVector<Type> tiles;
    SmallVector<ir::LoadOp> loads;

    Value view(ImplicitLocOpBuilder &b, const Read &read) const {
      const auto at = static_cast<uint32_t>(llvm::find(loads, read.load) - loads.begin());
      return gpu::ViewOp::create(b, tiles[at], lease, at);
    }
    void eraseLoads() const {
      for (ir::LoadOp load : loads)
        load.erase();
    }
  };
  // The channel lives as long as the kernel: loops run through its slots.
  gpu::ChannelOp makeChannel(ImplicitLocOpBuilder &b, ArrayRef<Type> tiles, int64_t slots) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&kernel_.getBody().front());
    return gpu::ChannelOp::create(
        b, gpu::ChannelType::get(b.getContext(), slots, SmallVector<Type>(tiles), /*barriers=*/false));
  }

  // Fills a slot of such tiles at the builder's place, and waits there until it is full, or in front of
  // `wait`.
  Value fillAndWait(ImplicitLocOpBuilder &b, ArrayRef<Type> tiles, function_ref<void(Value slot)> fill,
                    Operation *wait = nullptr) {
    // Of one slot, the first is the next.
    gpu::ChannelOp channel = makeChannel(b, tiles, 1);
    Value cursor;
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointAfter(channel);
      cursor = gpu::CursorOp::create(b, channel.getChannel().getType().getCursor(), 0U);
    }
    Value slot = gpu::AcquireOp::create(b, gpu::SlotType::get(b.getContext()), channel, cursor);
    fill(slot);
    gpu::CommitOp::create(b, slot);
    if (wait)
      b.setInsertionPoint(wait);
    return gpu::WaitOp::create(b, gpu::LeaseType::get(b.getContext()), channel, cursor);
  }

  Shared copyAndWait(ImplicitLocOpBuilder &b, MutableArrayRef<Read> reads) {
    Shared shared;
    SmallVector<Read, 2> copied;   // of reads of one load the first
    for (Read &read : reads) {
      if (llvm::is_contained(shared.loads, read.load))
        continue;
      copied.push_back(read);
      shared.loads.push_back(read.load);
      auto type = cast<RankedTensorType>(read.load.getType());
      TileLayout rows = layout::sharedRows(type.getShape().vec(), type.getElementTypeBitWidth(), read.fast);
      shared.tiles.push_back(gpu::withLayout(type, gpu::LayoutAttr::get(b.getContext(), rows)));
    }
    shared.lease = fillAndWait(b, shared.tiles, [&](Value slot) { copyAll(b, copied, slot); });
    return shared;
  }

  void copyAll(ImplicitLocOpBuilder &b, MutableArrayRef<Read> reads, Value slot) {
    for (unsigned i = 0; i < reads.size(); ++i) {
      ir::LoadOp load = reads[i].load;
      b.setLoc(load.getLoc());
      VectorMask mask;
      if (load.getMask())
        mask = takeApart(b, load.getMask(), reads[i].fast, reads[i].vector, facts_);
      // What is too small to be copied is loaded and stored.
      IntegerAttr async;
      if (copies_ && reads[i].vector * bytesOf(load) >= copies_->leastBytes)
        async = b.getI32IntegerAttr(static_cast<int32_t>(reads[i].vector));
      gpu::CopyOp::create(b, load.getPtr(), slot, mask.whole, mask.inside, Value(),
                          b.getI32IntegerAttr(static_cast<int32_t>(i)), async, load.getCacheAttr(),
                          load.getEvictAttr());
    }
  }

  void share(ir::DotOp dot, MutableArrayRef<Read> reads) {
    ImplicitLocOpBuilder b(dot.getLoc(), firstOf(reads));
    Shared shared = copyAndWait(b, reads);
    SmallVector<gpu::ReadOp> tilesRead;
    for (Read &read : reads) {
      b.setLoc(read.load.getLoc());
      tilesRead.push_back(gpu::ReadOp::create(b, read.conversion.getType(), shared.view(b, read)));
    }
    b.setLoc(dot.getLoc());
    gpu::ReleaseOp::create(b, shared.lease);
    for (auto [read, tile] : llvm::zip(reads, tilesRead)) {
      read.conversion.replaceAllUsesWith(tile.getResult());
      read.conversion.erase();
      permuteView(tile);
    }
    shared.eraseLoads();
  }

  // Tiles that a unit reads where they are: the lease is released behind the last product of them.
  void shareForUnit(MutableArrayRef<Read> reads) {
    ImplicitLocOpBuilder b(reads.front().load.getLoc(), firstOf(reads));
    Shared shared = copyAndWait(b, reads);
    Operation *last = shared.lease.getDefiningOp();
    for (Read &read : reads) {
      b.setLoc(read.load.getLoc());
      b.setInsertionPoint(read.conversion);
      Value view = shared.view(b, read);
      read.conversion.replaceAllUsesWith(view);
      read.conversion.erase();
      last = lastUser(view, last);
    }
    shared.eraseLoads();
    b.setInsertionPointAfter(last);
    gpu::ReleaseOp::create(b, shared.lease);
  }
  void putForUnit(gpu::ConvertLayoutOp conversion) {
    if (auto dot = dyn_cast<ir::DotOp>(*conversion->user_begin()); dot && dot->hasAttr(gpu::PutSlotsName))
      return putForProductInFlight(conversion, dot);
    for (ir::LoadOp load : loadsBehind(conversion))
      copyAhead(load, conversion);
    ImplicitLocOpBuilder b(conversion.getLoc(), conversion);
    Value tile = conversion.getValue();
    // Threads that wait for copies behind this, and in front of the product, need not meet twice.
    Operation *first = nullptr;
    for (Operation *user : conversion->getUsers())
      if (Operation *here = conversion->getBlock()->findAncestorOpInBlock(*user);
          !first || here->isBeforeInBlock(first))
        first = here;
    Value lease = fillAndWait(
        b, conversion.getType(), [&](Value slot) { gpu::PutOp::create(b, tile, slot, 0); }, first);
    Value view = gpu::ViewOp::create(b, conversion.getType(), lease, 0);
    conversion.replaceAllUsesWith(view);
    conversion.erase();
    b.setInsertionPointAfter(lastUser(view, view.getDefiningOp()));
    gpu::ReleaseOp::create(b, lease);
  }
  // In a role, the product of a loop goes on while the second operand of the next one is computed and put,
  // into another slot.
  void putForProductInFlight(gpu::ConvertLayoutOp conversion, ir::DotOp dot) {
    auto loop = cast<scf::ForOp>(dot->getParentOp());
    ImplicitLocOpBuilder b(conversion.getLoc(), conversion);
    gpu::ChannelOp channel =
        makeChannel(b, conversion.getType(), dot->getAttrOfType<IntegerAttr>(gpu::PutSlotsName).getInt());
    const gpu::CursorType cursor = channel.getChannel().getType().getCursor();
    b.setInsertionPoint(loop);
    Value first = gpu::CursorOp::create(b, cursor, 0U);
    IRRewriter rewriter(b.getContext());
    Value next;
    loop = cast<scf::ForOp>(
        *loop.replaceWithAdditionalYields(rewriter, first, /*replaceInitOperandUsesInLoop=*/false,
                                          [&](OpBuilder &atEnd, Location where, ArrayRef<BlockArgument> now) {
                                            next = gpu::AdvanceOp::create(atEnd, where, cursor, now.front());
                                            return SmallVector<Value>{next};
                                          }));
    Value now = loop.getRegionIterArgs().back();

    b.setInsertionPoint(conversion);
    auto slot = gpu::AcquireOp::create(b, gpu::SlotType::get(b.getContext()), channel, now);
    gpu::PutOp::create(b, conversion.getValue(), slot, 0);
    gpu::CommitOp::create(b, slot);
    b.setInsertionPoint(dot);
    auto put = gpu::WaitOp::create(b, gpu::LeaseType::get(b.getContext()), channel, now);
    conversion.replaceAllUsesWith(gpu::ViewOp::create(b, conversion.getType(), put, 0).getResult());
    conversion.erase();
    // The slot of the first operand was to be released behind the product.
    Value copied = viewOfA(dot).getLease();
    for (Operation *user : llvm::make_early_inc_range(copied.getUsers()))
      if (isa<gpu::ReleaseOp>(user))
        user->erase();
    loop = keepInFlight(b, loop, dot, {copied, put});
    b.setInsertionPointAfter(loop->getParentOp());
    gpu::DrainOp::create(b, channel);
  }

  // The loads of the block that a tile is computed from, element by element.
  static SmallVector<ir::LoadOp> loadsBehind(gpu::ConvertLayoutOp conversion) {
    llvm::SmallSetVector<Operation *, 8> open;
    SmallVector<ir::LoadOp> loads;
    open.insert(conversion.getValue().getDefiningOp());
    for (size_t i = 0; i < open.size(); ++i) {   // grows
      Operation *op = open[i];
      if (!op || op->getBlock() != conversion->getBlock())
        continue;
      if (auto load = dyn_cast<ir::LoadOp>(op))
        loads.push_back(load);
      else if (ir::isElementwise(op) || isa<ir::PermuteOp, gpu::ConvertLayoutOp>(op))
        for (Value operand : op->getOperands())
          open.insert(operand.getDefiningOp());
    }
    return loads;
  }
  // In a loop, what is computed is loaded by way of a slot, too: each thread reads what it has copied, some
  // iterations before.
  void copyAhead(ir::LoadOp load, Operation *use) {
    if (!isa<scf::ForOp>(load->getParentOp()) || !load->hasOneUse() || writesBetween(load, use))
      return;
    std::optional<CopyUnits> units = copyUnitsOf(load);
    if (!units || !copies_ || units->length * bytesOf(load) < copies_->leastBytes)
      return;
    ImplicitLocOpBuilder b(load.getLoc(), load);
    Read read{{}, load, units->axis, units->length};
    Shared shared = copyAndWait(b, read);
    load.getResult().replaceAllUsesWith(
        gpu::ReadOp::create(b, load.getType(), shared.view(b, read)).getResult());
    gpu::ReleaseOp::create(b, shared.lease);
    shared.eraseLoads();
  }
  // The last op of the block of `last`, from there on, in which a view is used.
  static Operation *lastUser(Value view, Operation *last) {
    for (Operation *user : view.getUsers()) {
      Operation *here = last->getBlock()->findAncestorOpInBlock(*user);
      if (last->isBeforeInBlock(here))
        last = here;
      if (isa<ir::PermuteOp>(user))
        last = lastUser(user->getResult(0), last);
    }
    return last;
  }

  void shareBeforeLoops(Read &read) {
    ImplicitLocOpBuilder b(read.load.getLoc(), read.conversion);
    Shared shared = copyAndWait(b, read);
    Value view = shared.view(b, read);
    Operation *last = shared.lease.getDefiningOp();
    for (OpOperand &use : llvm::make_early_inc_range(read.conversion->getUses())) {
      Operation *loop = last->getBlock()->findAncestorOpInBlock(*use.getOwner());
      if (last->isBeforeInBlock(loop))
        last = loop;
      b.setInsertionPoint(use.getOwner());
      use.set(gpu::ReadOp::create(b, read.conversion.getType(), view));
    }
    b.setInsertionPointAfter(last);
    gpu::ReleaseOp::create(b, shared.lease);
    read.conversion.erase();
    shared.eraseLoads();
  }

  // What is only read to be permuted is permuted where it lies: nothing is moved for that, and a unit that
  // takes its operands from shared memory takes this one.
  static void permuteView(gpu::ReadOp read) {
    auto permute = read->hasOneUse() ? dyn_cast<ir::PermuteOp>(*read->user_begin()) : nullptr;
    if (!permute)
      return;
    const std::vector<unsigned> order(permute.getOrder().begin(), permute.getOrder().end());
    if (!permutesInPlace(ir::getShape(read.getView().getType()).vec(), order))
      return;
    TileLayout lies = permuteResult(layoutOf(read.getView()), order);
    ImplicitLocOpBuilder b(permute.getLoc(), read);
    auto type = gpu::withLayout(cast<RankedTensorType>(permute.getType()),
                                gpu::LayoutAttr::get(b.getContext(), lies));
    Value view = ir::PermuteOp::create(b, type, read.getView(), permute.getOrder());
    permute.replaceAllUsesWith(gpu::ReadOp::create(b, permute.getType(), view).getResult());
    permute.erase();
    read.erase();
  }

  // The conversions now stand together before the product.
  static Operation *firstOf(ArrayRef<Read> reads) {
    Operation *first = nullptr;
    for (Read read : reads)
      if (!first || read.conversion->isBeforeInBlock(first))
        first = read.conversion;
    return first;
  }

  func::FuncOp kernel_;
  AxisAnalysis facts_;
  std::optional<ThreadCopies> copies_;
};

struct ShareOperands : ir::impl::TileGpuShareOperandsBase<ShareOperands> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    if (failed(checkLaidOut(getOperation(), "tile-gpu-share-operands")))
      return signalPassFailure();
    WalkResult plan = getOperation().walk([](ir::DotOp dot) -> WalkResult {
      if (!dot->hasAttr(gpu::PutSlotsName) || OperandSharing::canGoOn(dot))
        return WalkResult::advance();
      return dot->emitError(
          "the plan of this kernel cannot be followed: `tile_gpu.put_slots` needs a product "
          "alone in its loop, of a first operand that is waited for there, and sums that the "
          "loop only hands on");
    });
    if (plan.wasInterrupted())
      return signalPassFailure();
    OperandSharing(getOperation()).run();
  }
};

}   // namespace
}   // namespace tile
