// SPDX-License-Identifier: MIT
#include "compiler/lowering/distribute/threads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tile::gpu {

using layout::Dim;
using layout::TileLayout;

static Value i32(ImplicitLocOpBuilder &b, std::int64_t value) {
  return arith::ConstantIntOp::create(b, value, 32);
}

Threads::Threads(ImplicitLocOpBuilder &builder, Role role, Block *entry, Location entryLoc)
    : builder_(builder), role_(role), entry_(entry), entryLoc_(entryLoc) {}

Value Threads::constant(std::int64_t value) { return i32(builder_, value); }

Value Threads::atEntry(function_ref<Value(ImplicitLocOpBuilder &)> make) {
  ImplicitLocOpBuilder b(entryLoc_, entryLoc_.getContext());
  if (lastAtEntry_)
    b.setInsertionPointAfter(lastAtEntry_);
  else
    b.setInsertionPointToStart(entry_);
  Value v = make(b);
  lastAtEntry_ = v.getDefiningOp();
  return v;
}

Value Threads::lane() {
  if (!lane_)
    lane_ = atEntry([](ImplicitLocOpBuilder &b) -> Value {
      Value thread = NVVM::ThreadIdXOp::create(b, b.getI32Type());
      return arith::AndIOp::create(b, thread, i32(b, 31));
    });
  return lane_;
}

Value Threads::warp() {
  if (!warp_)
    warp_ = atEntry([&](ImplicitLocOpBuilder &b) -> Value {
      Value thread = NVVM::ThreadIdXOp::create(b, b.getI32Type());
      Value ofCta = arith::ShRUIOp::create(b, thread, i32(b, 5));
      return role_.firstWarp ? Value(arith::SubIOp::create(b, ofCta, i32(b, role_.firstWarp))) : ofCta;
    });
  return warp_;
}

Value Threads::uniformWarp() {
  if (!uniformWarp_) {
    Value ofLane = warp();
    uniformWarp_ = atEntry([&](ImplicitLocOpBuilder &b) -> Value {
      return NVVM::ShflOp::create(b, b.getI32Type(), i32(b, -1), ofLane, i32(b, 0), i32(b, 31),
                                  NVVM::ShflKind::idx, UnitAttr());
    });
  }
  return uniformWarp_;
}

Value Threads::isFirst() {
  if (role_.isAlone)
    return arith::ConstantIntOp::create(builder_, 1, 1);
  Value inWarp = lane(), thread = arith::OrIOp::create(builder_, inWarp, warp());
  return arith::CmpIOp::create(builder_, arith::CmpIPredicate::eq, thread, constant(0));
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

Threads::Part Threads::part(const TileLayout &layout, unsigned axis) {
  Dim out = layout::axis(axis);
  const layout::LinearLayout &linear = layout.linear();
  std::vector<std::uint64_t> lanes, warps;
  Part part;
  for (unsigned i = 0; i < linear.inBits(Dim::Lane); ++i)
    part.reach |= lanes.emplace_back(linear.basis(Dim::Lane, i, out));
  for (unsigned i = 0; i < linear.inBits(Dim::Warp); ++i)
    part.reach |= warps.emplace_back(linear.basis(Dim::Warp, i, out));
  if (part.reach)
    part.value = ofThread(lanes, warps);
  return part;
}

Value Threads::coordinate(const TileLayout &layout, unsigned axis, std::int64_t reg) {
  auto [thread, reach] = part(layout, axis);
  std::int64_t own = layout.coordinates({reg, 0, 0, 0})[axis];
  if (reach == 0)
    return constant(own);
  std::int64_t inner = own & ((std::int64_t(1) << layout.linear().outBits(layout::axis(axis))) - 1);
  Value c = withConstant(thread, reach, inner);
  return own == inner ? c : Value(arith::AddIOp::create(builder_, c, constant(own - inner)));
}

Value Threads::ofThread(const std::vector<std::uint64_t> &lanes, const std::vector<std::uint64_t> &warps) {
  std::vector<std::uint64_t> key = lanes;
  key.push_back(~std::uint64_t(0));   // between lanes and warps
  key.insert(key.end(), warps.begin(), warps.end());
  auto [it, fresh] = known_.try_emplace(key);
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
Value Threads::withConstant(Value thread, std::uint64_t reach, std::int64_t own) {
  std::int64_t mixed = own & static_cast<std::int64_t>(reach), apart = own - mixed;
  if (mixed != 0)
    thread = arith::XOrIOp::create(builder_, thread, constant(mixed));
  return apart == 0 ? thread : Value(arith::AddIOp::create(builder_, thread, constant(apart)));
}

Value Threads::ownsReplica(const TileLayout &layout) {
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

}   // namespace tile::gpu
