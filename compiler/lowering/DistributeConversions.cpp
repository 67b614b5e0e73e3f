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
  Rows rows = paddedRows(from.shape(), bytes);
  barrier();   // whoever used the scratch before is done
  Value base = scratch(rows.elements * bytes);
  SharedTile buffer(*this, base, element);
  std::int64_t run = runLength(from, bytes);
  ElementIndex written(*this, from, rows.strides), read(*this, to, rows.strides);
  for (std::int64_t reg = 0; reg < from.places(); reg += run) {
    Value at = buffer.address(written.at(reg));
    if (run == 1) {
      LLVM::StoreOp::create(builder_, toStored(builder_, values[static_cast<size_t>(reg)]), at);
      continue;
    }
    Value vector = LLVM::UndefOp::create(builder_, VectorType::get(run, stored));
    for (std::int64_t i = 0; i < run; ++i)
      vector = LLVM::InsertElementOp::create(
          builder_, vector, toStored(builder_, values[static_cast<size_t>(reg + i)]), constant(i));
    LLVM::StoreOp::create(builder_, vector, at, static_cast<unsigned>(run * bytes));
  }
  barrier();
  Registers result;
  run = runLength(to, bytes);
  for (std::int64_t reg = 0; reg < to.places(); reg += run) {
    Value at = buffer.address(read.at(reg));
    if (run == 1) {
      result.push_back(fromStored(builder_, LLVM::LoadOp::create(builder_, stored, at), element));
      continue;
    }
    Value vector =
        LLVM::LoadOp::create(builder_, VectorType::get(run, stored), at, static_cast<unsigned>(run * bytes));
    for (std::int64_t i = 0; i < run; ++i)
      result.push_back(
          fromStored(builder_, LLVM::ExtractElementOp::create(builder_, vector, constant(i)), element));
  }
  return result;
}

}   // namespace tile::gpu
