// SPDX-License-Identifier: MIT
#include "compiler/lowering/distribute/distribution.h"

#include "compiler/analysis/kernel_target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tile::gpu {

using layout::Dim;
using layout::TileLayout;

static bool isTile(Value v) { return isa<RankedTensorType>(v.getType()); }

Distribution::Distribution(func::FuncOp kernel)
    : kernel_(kernel), target_(targetOf(kernel)), facts_(kernel),
      builder_(kernel.getLoc(), kernel.getContext()), channels_(kernel) {}

LogicalResult Distribution::run() {
  WalkResult laidOut = kernel_.walk([](Operation *op) -> WalkResult {
    for (Value v : op->getResults())
      if (isTile(v) && !getLayoutAttr(v.getType()))
        return op->emitError("this tile has no layout: tile-assign-layouts comes before tile-gpu-distribute");
    return WalkResult::advance();
  });
  if (laidOut.wasInterrupted())
    return failure();
  entry_ = new Block();
  body_.push_back(entry_);
  for (BlockArgument argument : kernel_.getArguments())
    scalars_.map(argument, entry_->addArgument(argument.getType(), argument.getLoc()));
  builder_.setInsertionPointToEnd(entry_);
  if (failed(distribute(kernel_.getBody().front())))
    return failure();
  if (failed(checkSharedMemory()))
    return failure();
  kernel_.getBody().takeBody(body_);
  kernel_->setAttr("tile_gpu.shared_bytes", builder_.getI64IntegerAttr(sharedBytes()));
  if (!faults_.empty())
    kernel_->setAttr("tile_gpu.faults", builder_.getArrayAttr(faults_));
  return success();
}

// More than a CTA may have is the user's to change: every buffer is named with its size and its line.
LogicalResult Distribution::checkSharedMemory() {
  std::int64_t needed = sharedBytes();
  if (needed <= target_.sharedBytesPerBlock())
    return success();
  InFlightDiagnostic error = kernel_.emitError()
                             << "this config needs " << needed << " bytes of shared memory for a CTA, "
                             << target_.name() << " has " << target_.sharedBytesPerBlock()
                             << ": smaller tiles or fewer stages need less";
  kernel_.walk([&](ChannelOp channel) {
    ChannelType type = channel.getChannel().getType();
    std::string tiles;
    llvm::raw_string_ostream text(tiles);
    for (unsigned i = 0; i < type.getTiles().size(); ++i) {
      text << (i ? " and " : "");
      for (int64_t extent : type.getTile(i).getShape())
        text << extent << 'x';
      text << type.getTile(i).getElementType();
    }
    error.attachNote(channel.getLoc()) << type.getBytes() << " bytes: " << type.getSlots()
                                       << (type.getSlots() == 1 ? " stage of " : " stages of ") << tiles;
  });
  if (scratchBytes_)
    error.attachNote(kernel_.getLoc()) << scratchBytes_ << " bytes: exchanges between threads";
  return failure();
}

LogicalResult Distribution::distribute(Block &from) {
  for (Operation &op : from) {
    builder_.setLoc(op.getLoc());
    at_ = &op;
    if (failed(distribute(&op)))
      return failure();
    // Nothing may still arrive in memory that exchanges take next.
    if (channels_.drainsAfter(&op))
      NVVM::CpAsyncWaitGroupOp::create(builder_, 0);
  }
  return success();
}

LogicalResult Distribution::distribute(Operation *op) {
  using Family = LogicalResult (Distribution::*)(Operation *, bool &);
  for (Family family :
       {&Distribution::channels, &Distribution::atomics, &Distribution::diagnostics,
        &Distribution::controlFlow, &Distribution::shapes, &Distribution::movement, &Distribution::memory,
        &Distribution::reductions, &Distribution::scans, &Distribution::histograms, &Distribution::products,
        &Distribution::constants, &Distribution::elementwise}) {
    bool handled = false;
    if (failed((this->*family)(op, handled)))
      return failure();
    if (handled)
      return success();
  }
  return op->emitError("`") << op->getName() << "` cannot run on this target yet";
}

TileLayout Distribution::layoutOf(Value tile) {
  LayoutAttr attr = getLayoutAttr(tile.getType());
  assert(attr && "tile-assign-layouts gives every tile a layout");
  return attr.getLayout();
}

ArrayRef<Value> Distribution::registers(Value v) {
  if (isTile(v))
    return tiles_.find(v)->second;
  Registers &one = tiles_[v];
  one = {scalars_.lookup(v)};
  return one;
}

void Distribution::set(Value v, Registers registers) {
  if (isTile(v))
    tiles_[v] = std::move(registers);
  else
    scalars_.map(v, registers.front());
}

Registers Distribution::flat(ValueRange values) {
  Registers result;
  for (Value v : values)
    llvm::append_range(result, registers(v));
  return result;
}

SmallVector<Type> Distribution::flatTypes(TypeRange types) {
  SmallVector<Type> result;
  for (Type type : types) {
    LayoutAttr attr = getLayoutAttr(type);
    result.append(attr ? static_cast<size_t>(attr.getLayout().places()) : 1, ir::getElementType(type));
  }
  return result;
}

void Distribution::setFlat(ValueRange olds, ValueRange news) {
  size_t at = 0;
  for (Value old : olds) {
    size_t n = isTile(old) ? static_cast<size_t>(layoutOf(old).places()) : 1;
    set(old, Registers(news.slice(at, n)));
    at += n;
  }
}

// --------------------------------------------------------------------------- threads and places

// What depends on the thread alone is computed once, where the kernel begins.
Value Distribution::atEntry(function_ref<Value(ImplicitLocOpBuilder &)> make) {
  ImplicitLocOpBuilder b(kernel_.getLoc(), kernel_.getContext());
  if (lastAtEntry_)
    b.setInsertionPointAfter(lastAtEntry_);
  else
    b.setInsertionPointToStart(entry_);
  Value v = make(b);
  lastAtEntry_ = v.getDefiningOp();
  return v;
}

static Value i32(ImplicitLocOpBuilder &b, std::int64_t value) {
  return arith::ConstantIntOp::create(b, value, 32);
}

Value Distribution::constant(std::int64_t value) { return i32(builder_, value); }

Value Distribution::lane() {
  if (!lane_)
    lane_ = atEntry([](ImplicitLocOpBuilder &b) -> Value {
      Value thread = NVVM::ThreadIdXOp::create(b, b.getI32Type());
      return arith::AndIOp::create(b, thread, i32(b, 31));
    });
  return lane_;
}

Value Distribution::warp() {
  if (!warp_)
    warp_ = atEntry([](ImplicitLocOpBuilder &b) -> Value {
      Value thread = NVVM::ThreadIdXOp::create(b, b.getI32Type());
      return arith::ShRUIOp::create(b, thread, i32(b, 5));
    });
  return warp_;
}

// The XOR over the set bits of `index` of their columns. A run of bits whose columns are the run
// shifted costs one mask and one shift:
//
//     columns 2 4 8 of bits 0 1 2:  (index & 7) << 1
static Value apply(ImplicitLocOpBuilder &b, Value index, ArrayRef<std::uint64_t> columns) {
  Value sum;
  for (size_t first = 0; first < columns.size();) {
    if (columns[first] == 0) {
      ++first;
      continue;
    }
    size_t end = first + 1;
    bool power = llvm::isPowerOf2_64(columns[first]);
    while (power && end < columns.size() && columns[end] == columns[end - 1] << 1)
      ++end;
    Value part;
    if (power) {
      std::int64_t mask = ((std::int64_t(1) << (end - first)) - 1) << first;
      part = arith::AndIOp::create(b, index, i32(b, mask));
      std::int64_t up =
          static_cast<std::int64_t>(llvm::Log2_64(columns[first])) - static_cast<std::int64_t>(first);
      if (up > 0)
        part = arith::ShLIOp::create(b, part, i32(b, up));
      else if (up < 0)
        part = arith::ShRUIOp::create(b, part, i32(b, -up));
    } else {
      Value bit = arith::AndIOp::create(
          b, arith::ShRUIOp::create(b, index, i32(b, static_cast<std::int64_t>(first))), i32(b, 1));
      part = arith::MulIOp::create(b, bit, i32(b, static_cast<std::int64_t>(columns[first])));
    }
    sum = sum ? Value(arith::XOrIOp::create(b, sum, part)) : part;
    first = end;
  }
  return sum;
}

Distribution::ThreadPart Distribution::threadPart(const TileLayout &layout, unsigned axis) {
  Dim out = layout::axis(axis);
  const layout::LinearLayout &linear = layout.linear();
  std::vector<std::uint64_t> lanes, warps;
  ThreadPart part;
  for (unsigned i = 0; i < linear.inBits(Dim::Lane); ++i)
    part.reach |= lanes.emplace_back(linear.basis(Dim::Lane, i, out));
  for (unsigned i = 0; i < linear.inBits(Dim::Warp); ++i)
    part.reach |= warps.emplace_back(linear.basis(Dim::Warp, i, out));
  if (part.reach)
    part.value = ofThread(lanes, warps);
  return part;
}

Value Distribution::coordinate(const TileLayout &layout, unsigned axis, std::int64_t reg) {
  auto [thread, reach] = threadPart(layout, axis);
  std::int64_t own = layout.coordinates({reg, 0, 0, 0})[axis];
  if (reach == 0)
    return constant(own);
  std::int64_t inner = own & ((std::int64_t(1) << layout.linear().outBits(layout::axis(axis))) - 1);
  Value c = withConstant(thread, reach, inner);
  return own == inner ? c : Value(arith::AddIOp::create(builder_, c, constant(own - inner)));
}

Value Distribution::ofThread(const std::vector<std::uint64_t> &lanes,
                             const std::vector<std::uint64_t> &warps) {
  std::vector<std::uint64_t> key = lanes;
  key.push_back(~std::uint64_t(0));   // between lanes and warps
  key.insert(key.end(), warps.begin(), warps.end());
  auto [it, fresh] = threadParts_.try_emplace(key);
  if (fresh) {
    Value l = lane(), w = warp();
    it->second = atEntry([&](ImplicitLocOpBuilder &b) -> Value {
      Value a = apply(b, l, lanes), c = apply(b, w, warps);
      if (!a && !c)
        return i32(b, 0);
      return !c ? a : !a ? c : Value(arith::XOrIOp::create(b, a, c));
    });
  }
  return it->second;
}

// Sums of constants fold into addresses, so XOR only where bits of registers and threads mix.
Value Distribution::withConstant(Value thread, std::uint64_t reach, std::int64_t own) {
  std::int64_t mixed = own & static_cast<std::int64_t>(reach), apart = own - mixed;
  if (mixed != 0)
    thread = arith::XOrIOp::create(builder_, thread, constant(mixed));
  return apart == 0 ? thread : Value(arith::AddIOp::create(builder_, thread, constant(apart)));
}

Value Distribution::ownsReplica(const TileLayout &layout) {
  Value owns;
  for (const layout::Index &redundant : layout.linear().redundantBits()) {
    if (redundant.value == 0 || (redundant.dim != Dim::Lane && redundant.dim != Dim::Warp))
      continue;
    Value place = redundant.dim == Dim::Lane ? lane() : warp();
    Value bits = arith::AndIOp::create(builder_, place, constant(static_cast<std::int64_t>(redundant.value)));
    Value first = arith::CmpIOp::create(builder_, arith::CmpIPredicate::eq, bits, constant(0));
    owns = owns ? Value(arith::AndIOp::create(builder_, owns, first)) : first;
  }
  return owns;
}

void Distribution::barrier() { NVVM::Barrier0Op::create(builder_); }

Value Distribution::scratch(std::int64_t bytes) {
  bool rest = channelsRest();
  std::int64_t &most = rest ? scratchBytesAtRest_ : scratchBytes_;
  most = std::max(most, bytes);
  return SharedOp::create(builder_, LLVM::LLVMPointerType::get(builder_.getContext(), 3),
                          rest ? 0 : channels_.bytes());
}

std::int32_t Distribution::addFault(StringRef message, ArrayRef<std::int64_t> shape, Location where) {
  faults_.push_back(
      builder_.getDictionaryAttr({builder_.getNamedAttr("message", builder_.getStringAttr(message)),
                                  builder_.getNamedAttr("shape", builder_.getDenseI64ArrayAttr(shape)),
                                  builder_.getNamedAttr("where", LocationAttr(where))}));
  return static_cast<std::int32_t>(faults_.size()) - 1;
}

Registers Distribution::combine(Region &region, ValueRange a, ValueRange b) {
  IRMapping map;
  map.map(region.getArguments().take_front(a.size()), a);
  map.map(region.getArguments().drop_front(a.size()), b);
  Block &block = region.front();
  for (Operation &op : block.without_terminator())
    builder_.clone(op, map);
  Registers result;
  for (Value v : block.getTerminator()->getOperands())
    result.push_back(map.lookup(v));
  return result;
}

}   // namespace tile::gpu
