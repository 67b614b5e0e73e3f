// SPDX-License-Identifier: MIT
#include "compiler/lowering/distribute/ordered_axis.h"

#include "compiler/layout/constructors.h"
#include "compiler/lowering/distribute/clusters.h"
#include "compiler/lowering/distribute/shared_tile.h"
#include "compiler/lowering/distribute/words.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <set>

using namespace mlir;

namespace tile::gpu {

using layout::Dim;
using layout::placeBit;
using layout::PlaceBit;
using layout::TileLayout;

bool meetsInOrder(const TileLayout &layout, unsigned axis) {
  const layout::LinearLayout &linear = layout.linear();
  bool warps = false;
  unsigned bits = linear.outBits(layout::axis(axis));
  for (unsigned bit = 0; bit < bits; ++bit) {
    std::optional<PlaceBit> place = placeBit(layout, axis, bit);
    if (!place || (warps && place->dim != Dim::Warp))
      return false;
    warps |= place->dim == Dim::Warp;
  }
  // No other place may give the axis: its threads would hold rows in another order.
  unsigned giving = 0;
  for (Dim dim : {Dim::Register, Dim::Lane, Dim::Warp})
    for (unsigned i = 0; i < linear.inBits(dim); ++i)
      giving += linear.basis(dim, i, layout::axis(axis)) != 0;
  return giving == bits && (!warps || layout.repeats()[axis] == 1);
}

TileLayout rowsInWarps(const TileLayout &like, unsigned axis) {
  layout::Shape shape = like.shape();
  unsigned warps = like.warps();
  layout::Blocking b{std::vector<unsigned>(shape.size(), 1),
                     std::vector<unsigned>(shape.size(), 1),
                     std::vector<unsigned>(shape.size(), 1),
                     {}};
  for (unsigned i = 0; i < shape.size(); ++i)
    if (i != axis)
      b.order.push_back(i);
  b.order.insert(b.order.begin(), axis);
  b.lanes[axis] = 32;
  if (shape.size() > 1) {
    b.warps[b.order[1]] = warps;
    return layout::blocked(shape, b);
  }
  // One row for all: every warp holds it.
  TileLayout one = layout::blocked(shape, {{1}, {32}, {1}, {0}});
  layout::LinearLayout linear =
      one.linear() * layout::LinearLayout::zeros(Dim::Warp, layout::axis(0), llvm::Log2_32(warps));
  return {linear.ordered({Dim::Register, Dim::Lane, Dim::Warp, Dim::Block}, {layout::axis(0)}),
          one.repeats()};
}

std::map<Coordinates, Row> rowsOf(const TileLayout &layout, unsigned axis, ArrayRef<Registers> tiles) {
  std::map<Coordinates, Row> rows;
  for (std::int64_t reg = 0; reg < layout.places(); ++reg) {
    Coordinates c = layout.coordinates({reg, 0, 0, 0});
    std::int64_t along = c[axis];
    c.erase(c.begin() + axis);
    Registers one;
    for (const Registers &tile : tiles)
      one.push_back(tile[static_cast<size_t>(reg)]);
    rows[c].emplace(along, std::move(one));
  }
  return rows;
}

Registers combine(Distribution &d, Region &region, ValueRange a, ValueRange b) {
  IRMapping map;
  map.map(region.getArguments().take_front(a.size()), a);
  map.map(region.getArguments().drop_front(a.size()), b);
  Block &block = region.front();
  for (Operation &op : block.without_terminator())
    d.build().clone(op, map);
  Registers result;
  for (Value v : block.getTerminator()->getOperands())
    result.push_back(map.lookup(v));
  return result;
}

// Shuffles move 32 bits at a time.
Value shuffle(ImplicitLocOpBuilder &b, Value v, unsigned lanes) {
  auto constant = [&](std::int64_t value) -> Value { return arith::ConstantIntOp::create(b, value, 32); };
  auto swap = [&](Value word) -> Value {
    return NVVM::ShflOp::create(b, b.getI32Type(), constant(-1), word, constant(lanes), constant(31),
                                NVVM::ShflKind::bfly, UnitAttr());
  };
  Type type = v.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(bits);
  Value raw = type == integer ? v : Value(arith::BitcastOp::create(b, integer, v));
  if (bits < 32)
    raw = arith::TruncIOp::create(b, integer, swap(arith::ExtUIOp::create(b, b.getI32Type(), raw)));
  else if (bits == 32)
    raw = swap(raw);
  else {
    Value low = swap(arith::TruncIOp::create(b, b.getI32Type(), raw));
    Value shift = arith::ConstantIntOp::create(b, 32, 64);
    Value high = swap(arith::TruncIOp::create(b, b.getI32Type(), arith::ShRUIOp::create(b, raw, shift)));
    Value lower = arith::ExtUIOp::create(b, integer, low);
    Value upper = arith::ShLIOp::create(b, arith::ExtUIOp::create(b, integer, high), shift);
    raw = arith::OrIOp::create(b, lower, upper);
  }
  return type == integer ? raw : Value(arith::BitcastOp::create(b, type, raw));
}

Value laneBit(Distribution &d, unsigned bit) {
  Value masked = arith::AndIOp::create(d.build(), d.threads().lane(), d.constant(std::int64_t(1) << bit));
  return arith::CmpIOp::create(d.build(), arith::CmpIPredicate::ne, masked, d.constant(0));
}

SmallVector<unsigned> warpBits(const TileLayout &layout, unsigned axis) {
  SmallVector<unsigned> result;
  for (unsigned bit = 0; bit < layout.linear().outBits(layout::axis(axis)); ++bit)
    if (PlaceBit place = *placeBit(layout, axis, bit); place.dim == Dim::Warp)
      result.push_back(place.bit);
  return result;
}

Value warpAlong(Distribution &d, const TileLayout &layout, unsigned axis) {
  ImplicitLocOpBuilder &b = d.build();
  Value own = d.constant(0);
  for (auto [to, from] : llvm::enumerate(warpBits(layout, axis))) {
    Value bit = arith::AndIOp::create(b, arith::ShRUIOp::create(b, d.threads().warp(), d.constant(from)),
                                      d.constant(1));
    own = arith::OrIOp::create(b, own,
                               arith::ShLIOp::create(b, bit, d.constant(static_cast<std::int64_t>(to))));
  }
  return own;
}

namespace {

// Shared memory for the parts of each row: one array per tile, [row][part].
class PartsOfRows {
 public:
  PartsOfRows(Distribution &distribution, const TileLayout &layout, unsigned axis, std::int64_t count,
              const RowValues &parts)
      : d_(distribution), rest_(layout::slice(layout, axis)), count_(count), parts_(parts) {
    ElementIndex rows(d_, rest_);
    for (std::int64_t reg = 0; reg < rest_.places(); ++reg)
      rows_.push_back(arith::MulIOp::create(d_.build(), rows.valueAt(reg), d_.constant(count)));
    for (Value v : parts.begin()->second) {
      const std::int64_t element = SharedTile::bytesOf(v.getType());
      bytes_ = static_cast<std::int64_t>(llvm::alignTo(bytes_, element));
      offsets_.push_back(bytes_);
      bytes_ += elementCount(rest_.shape()) * count * element;
    }
  }

  std::int64_t bytes() const { return bytes_; }
  Value ownsReplica() { return d_.threads().ownsReplica(rest_); }

  // This thread's, as the part with this number.
  void store(Value base, Value part) {
    std::vector<SharedTile> to = arrays(base);
    for (std::int64_t reg = 0; reg < rest_.places(); ++reg)
      for (auto [array, v] : llvm::zip(to, parts_.at(row(reg))))
        array.store(v, index(reg, part));
  }

  // The same, to another CTA. A row that several registers have is sent once.
  void send(const ExchangePlace &to, Value part) {
    std::vector<SharedTile> there = arrays(to.words);
    std::set<Coordinates> sent;
    for (std::int64_t reg = 0; reg < rest_.places(); ++reg)
      if (sent.insert(row(reg)).second)
        for (auto [array, word] : llvm::zip(there, parts_.at(row(reg))))
          PtxStoreAsyncOp::create(d_.build(), array.address(index(reg, part)), word, to.mbarrier);
  }

  // Of each row the parts, in order.
  std::map<Coordinates, SmallVector<Registers>> load(Value base) {
    std::vector<SharedTile> from = arrays(base);
    std::map<Coordinates, SmallVector<Registers>> result;
    for (std::int64_t reg = 0; reg < rest_.places(); ++reg)
      for (std::int64_t part = 0; part < count_; ++part) {
        Registers &one = result[row(reg)].emplace_back();
        for (const SharedTile &array : from)
          one.push_back(array.load(index(reg, d_.constant(part))));
      }
    return result;
  }

 private:
  Coordinates row(std::int64_t reg) const { return rest_.coordinates({reg, 0, 0, 0}); }
  std::vector<SharedTile> arrays(Value base) {
    std::vector<SharedTile> result;
    for (auto [v, offset] : llvm::zip(parts_.begin()->second, offsets_))
      result.emplace_back(d_, base, v.getType(), offset);
    return result;
  }
  Index index(std::int64_t reg, Value part) {
    return {arith::AddIOp::create(d_.build(), rows_[static_cast<size_t>(reg)], part)};
  }

  Distribution &d_;
  TileLayout rest_;
  SmallVector<Value> rows_;   // by register: where a row's parts begin
  std::int64_t count_, bytes_ = 0;
  const RowValues &parts_;
  SmallVector<std::int64_t> offsets_;
};

}   // namespace

std::map<Coordinates, SmallVector<Registers>> exchangeAcrossWarps(Distribution &d, const TileLayout &layout,
                                                                  unsigned axis, const RowValues &parts) {
  PartsOfRows shared(d, layout, axis, std::int64_t(1) << warpBits(layout, axis).size(), parts);
  d.awaitScratch();
  Value base = d.scratch(shared.bytes());
  shared.store(base, warpAlong(d, layout, axis));
  d.barrier();
  return shared.load(base);
}

std::map<Coordinates, SmallVector<Registers>> exchangeAcrossCtas(Distribution &d, const TileLayout &layout,
                                                                 unsigned axis, const RowValues &parts,
                                                                 unsigned ctas) {
  ImplicitLocOpBuilder &b = d.build();
  RowValues words;
  for (auto &[row, values] : parts)
    for (Value v : values)
      llvm::append_range(words[row], toWords(b, v));
  PartsOfRows shared(d, layout, axis, ctas, words);
  Value rank = NVVM::BlockInClusterIdXOp::create(b, b.getI32Type());
  if (warpBits(layout, axis).empty())   // else the threads have met in the exchange across warps
    d.barrier();
  std::map<Coordinates, SmallVector<Registers>> received;
  exchangeInCluster(
      d, ctas, shared.bytes(), shared.ownsReplica(), [&](const ExchangePlace &to) { shared.send(to, rank); },
      [&](Value own) { received = shared.load(own); });

  const Registers &types = parts.begin()->second;
  for (auto &[row, all] : received)
    for (Registers &part : all) {
      ValueRange left = part;
      Registers values;
      for (Value like : types) {
        const auto count =
            static_cast<unsigned>(llvm::divideCeil(8 * SharedTile::bytesOf(like.getType()), 32));
        values.push_back(fromWords(b, left.take_front(count), like.getType()).front());
        left = left.drop_front(count);
      }
      part = values;
    }
  return received;
}

}   // namespace tile::gpu
