// SPDX-License-Identifier: MIT
#include "compiler/lowering/distribute/shared_tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tile::gpu {

Type storedType(Type element) {
  MLIRContext *context = element.getContext();
  if (isa<ir::PtrType>(element))
    return IntegerType::get(context, 64);
  if (element.getIntOrFloatBitWidth() <= 8)   // conditions, and floats that LLVM has no type for
    return IntegerType::get(context, 8);
  return element;
}

Value toStored(ImplicitLocOpBuilder &b, Value v) {
  Type stored = storedType(v.getType());
  if (v.getType().isInteger(1))
    return arith::ExtUIOp::create(b, stored, v);
  if (isa<ir::PtrType>(v.getType()))
    return ir::PtrToIntOp::create(b, stored, v);
  return v.getType() == stored ? v : Value(arith::BitcastOp::create(b, stored, v));
}

Value fromStored(ImplicitLocOpBuilder &b, Value v, Type element) {
  if (element.isInteger(1))
    return arith::TruncIOp::create(b, element, v);
  if (isa<ir::PtrType>(element))
    return ir::IntToPtrOp::create(b, element, v);
  return v.getType() == element ? v : Value(arith::BitcastOp::create(b, element, v));
}

Value offsetBy(ImplicitLocOpBuilder &b, Value address, Value bytes) {
  return LLVM::GEPOp::create(b, address.getType(), b.getI8Type(), address, ValueRange{bytes});
}

void storeRun(ImplicitLocOpBuilder &b, ValueRange values, Value at) {
  Type stored = storedType(values.front().getType());
  if (values.size() == 1) {
    LLVM::StoreOp::create(b, toStored(b, values.front()), at);
    return;
  }
  auto run = static_cast<std::int64_t>(values.size());
  Value vector = LLVM::UndefOp::create(b, VectorType::get(run, stored));
  for (auto [i, v] : llvm::enumerate(values)) {
    Value number = arith::ConstantIntOp::create(b, static_cast<std::int64_t>(i), 32);
    vector = LLVM::InsertElementOp::create(b, vector, toStored(b, v), number);
  }
  LLVM::StoreOp::create(b, vector, at, static_cast<unsigned>(run * stored.getIntOrFloatBitWidth() / 8));
}

Registers loadRun(ImplicitLocOpBuilder &b, Type element, std::int64_t run, Value at) {
  Type stored = storedType(element);
  if (run == 1)
    return {fromStored(b, LLVM::LoadOp::create(b, stored, at), element)};
  Value vector = LLVM::LoadOp::create(b, VectorType::get(run, stored), at,
                                      static_cast<unsigned>(run * stored.getIntOrFloatBitWidth() / 8));
  Registers result;
  for (std::int64_t i = 0; i < run; ++i)
    result.push_back(fromStored(
        b, LLVM::ExtractElementOp::create(b, vector, arith::ConstantIntOp::create(b, i, 32)), element));
  return result;
}

std::int64_t SharedTile::bytesOf(Type element) { return storedType(element).getIntOrFloatBitWidth() / 8; }

SharedTile::SharedTile(Distribution &distribution, Value scratch, Type element, std::int64_t byteOffset)
    : d_(distribution), element_(element), stored_(storedType(element)), base_(scratch) {
  if (byteOffset)
    base_ = LLVM::GEPOp::create(d_.build(), base_.getType(), d_.build().getI8Type(), base_,
                                ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(byteOffset)});
}

Value SharedTile::address(const Index &index) const {
  ImplicitLocOpBuilder &b = d_.build();
  Value at = base_;
  if (index.ofThread)
    at = LLVM::GEPOp::create(b, at.getType(), stored_, at, ValueRange{index.ofThread});
  if (index.constant)
    at = LLVM::GEPOp::create(b, at.getType(), stored_, at,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index.constant)});
  return at;
}

void SharedTile::store(Value v, const Index &index) const {
  ImplicitLocOpBuilder &b = d_.build();
  Value at = address(index);
  LLVM::StoreOp::create(b, toStored(b, v), at);
}

Value SharedTile::load(const Index &index) const {
  ImplicitLocOpBuilder &b = d_.build();
  return fromStored(b, LLVM::LoadOp::create(b, stored_, address(index)), element_);
}

Value rowMajorIndex(Distribution &d, ValueRange coordinates, const std::vector<std::int64_t> &shape) {
  Value index;
  std::int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    Value c = coordinates[axis];
    if (stride != 1)
      c = arith::MulIOp::create(d.build(), c, d.constant(stride));
    if (shape[axis] != 1)
      index = index ? Value(arith::AddIOp::create(d.build(), index, c)) : c;
    stride *= shape[axis];
  }
  return index ? index : d.constant(0);
}

std::int64_t elementCount(const std::vector<std::int64_t> &shape) {
  std::int64_t n = 1;
  for (std::int64_t extent : shape)
    n *= extent;
  return n;
}

SharedTile share(Distribution &d, ValueRange registers, Type element, const layout::TileLayout &layout) {
  d.awaitScratch();
  SharedTile tile(d, d.scratch(elementCount(layout.shape()) * SharedTile::bytesOf(element)), element);
  ElementIndex index(d, layout);
  for (std::int64_t reg = 0; reg < layout.places(); ++reg)
    tile.store(registers[static_cast<size_t>(reg)], index.at(reg));
  d.barrier();
  return tile;
}

}   // namespace tile::gpu
