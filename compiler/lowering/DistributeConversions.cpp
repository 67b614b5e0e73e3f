// SPDX-License-Identifier: MIT
// From one layout to another: nothing, other registers, or a trip through shared memory.
#include "compiler/lowering/SharedTile.h"

#include "compiler/layout/conversion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tile::gpu {

using layout::Dim;
using layout::Exchange;
using layout::TileLayout;

// Bytes that an exchange may take at once, while channels are at work and while they rest: a power of two and
// its padding.
constexpr std::int64_t RoomAtWork = 36 << 10, RoomAtRest = 72 << 10;

// In shared memory the tile is row-major with 16 bytes between rows, so that threads which go down a column
// meet other banks.
namespace {
struct Rows {
  std::vector<std::int64_t> strides;   // in elements, per axis
  std::int64_t elements = 1;
};
}   // namespace

static Rows paddedRows(const std::vector<std::int64_t> &shape, std::int64_t elementBytes) {
  Rows rows;
  rows.strides.assign(shape.size(), 1);
  std::int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    rows.strides[i] = stride;
    stride *= shape[i];
    if (i + 1 == shape.size() && shape.size() > 1)
      stride += std::max<std::int64_t>(1, 16 / elementBytes);
  }
  rows.elements = stride;
  return rows;
}

// Registers that lie side by side along the last axis, for accesses of up to 16 bytes.
static std::int64_t runLength(const TileLayout &layout, std::int64_t elementBytes) {
  std::int64_t length = 1;
  unsigned last = layout.rank() - 1;
  for (unsigned bit = 0; bit < layout.linear().inBits(Dim::Register) && length * 2 * elementBytes <= 16;
       ++bit) {
    for (unsigned axis = 0; axis < layout.rank(); ++axis)
      if (layout.linear().basis(Dim::Register, bit, layout::axis(axis)) !=
          (axis == last ? static_cast<std::uint64_t>(length) : 0))
        return length;
    length *= 2;
  }
  return length;
}

// Whether threads give nothing to a bit of a coordinate: registers alone say what it is.
static bool isOfRegisters(const TileLayout &layout, unsigned axis, unsigned bit) {
  for (Dim dim : {Dim::Lane, Dim::Warp, Dim::Block})
    for (unsigned i = 0; i < layout.linear().inBits(dim); ++i)
      if (layout.linear().basis(dim, i, layout::axis(axis)) >> bit & 1)
        return false;
  return true;
}

// An exchange that would take too much memory goes in rounds, each of a part of an axis. Which part an
// element is of has to be known of its register, in both layouts:
//
//    128 x 256, rows 64 .. 127 in registers of their own:    rows 0 .. 63, then rows 64 .. 127
namespace {
struct Rounds {
  unsigned axis = 0;
  std::int64_t extent = 0;   // of the axis, in one round
  std::int64_t count = 1;
};
}   // namespace

static Rounds roundsOf(const TileLayout &from, const TileLayout &to, std::int64_t elementBytes,
                       std::int64_t mostBytes) {
  std::vector<std::int64_t> shape = from.shape();
  Rounds best{0, shape.empty() ? 1 : shape[0], 1};
  std::int64_t least = paddedRows(shape, elementBytes).elements * elementBytes;
  for (unsigned axis = 0; axis < from.rank() && least > mostBytes; ++axis) {
    std::vector<std::int64_t> part = shape;
    auto consider = [&](std::int64_t extent) {
      part[axis] = extent;
      std::int64_t bytes = paddedRows(part, elementBytes).elements * elementBytes;
      if (least > mostBytes && bytes < least) {
        least = bytes;
        best = {axis, extent, shape[axis] / extent};
      }
    };
    unsigned bits = from.linear().outBits(layout::axis(axis));
    consider(std::int64_t(1) << bits);   // repetitions are of registers
    // What is one access stays in one round.
    unsigned fewest =
        axis + 1 == from.rank() ? llvm::Log2_64_Ceil(static_cast<std::uint64_t>(16 / elementBytes)) : 0;
    while (bits > fewest && isOfRegisters(from, axis, bits - 1) && isOfRegisters(to, axis, bits - 1))
      consider(std::int64_t(1) << --bits);
  }
  return best;
}

Registers Distribution::convert(ArrayRef<Value> values, Type element, const TileLayout &from,
                                const TileLayout &to) {
  layout::Conversion plan = layout::planConversion(from, to);
  if (plan.exchange == Exchange::None)
    return Registers(values);
  if (plan.exchange == Exchange::Registers) {
    Registers result;
    for (std::int64_t source : plan.source)
      result.push_back(values[static_cast<size_t>(source)]);
    return result;
  }

  Type stored = storedType(element);
  std::int64_t bytes = stored.getIntOrFloatBitWidth() / 8;
  // While channels are at work their memory is not free, and what is asked for in addition should be little.
  Rounds rounds =
      roundsOf(from, to, bytes, channelsRest() ? std::max(channels_.bytes(), RoomAtRest) : RoomAtWork);
  std::vector<std::int64_t> part = from.shape();
  if (!part.empty())
    part[rounds.axis] = rounds.extent;
  Rows rows = paddedRows(part, bytes);
  auto roundOf = [&](const TileLayout &layout, std::int64_t reg) {
    return rounds.count == 1 ? 0 : layout.coordinates({reg, 0, 0, 0})[rounds.axis] / rounds.extent;
  };
  Registers result(static_cast<size_t>(to.places()));
  std::int64_t writtenAtOnce = runLength(from, bytes), readAtOnce = runLength(to, bytes);
  for (std::int64_t round = 0; round < rounds.count; ++round) {
    barrier();   // whoever used the scratch before is done
    SharedTile buffer(*this, scratch(rows.elements * bytes), element);
    ElementIndex written(*this, from, rows.strides), read(*this, to, rows.strides);
    auto placeOf = [&](ElementIndex &index, std::int64_t reg) {
      Index place = index.at(reg);
      place.constant -= round * rounds.extent * rows.strides[rounds.axis];
      return buffer.address(place);
    };
    for (std::int64_t reg = 0; reg < from.places(); reg += writtenAtOnce)
      if (roundOf(from, reg) == round)
        storeRun(builder_, values.slice(static_cast<size_t>(reg), static_cast<size_t>(writtenAtOnce)),
                 placeOf(written, reg));
    barrier();
    for (std::int64_t reg = 0; reg < to.places(); reg += readAtOnce)
      if (roundOf(to, reg) == round)
        llvm::copy(loadRun(builder_, element, readAtOnce, placeOf(read, reg)), result.begin() + reg);
  }
  return result;
}

}   // namespace tile::gpu
