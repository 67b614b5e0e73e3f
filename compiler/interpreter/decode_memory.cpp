// SPDX-License-Identifier: MIT
// Accesses to global memory.
#include "compiler/interpreter/atomics.h"
#include "compiler/interpreter/decoder.h"
#include "compiler/interpreter/ring_ops.h"

using namespace mlir;

namespace tile::interpreter {

Update Decoder::updateOf(ir::Update update) const {
  const auto same = static_cast<Update>(update);
  return isRing_ ? ringUpdate(same) : same;
}

bool Decoder::decodeMemory(Operation *op) {
  const auto accessThrough = [&](Value pointers, Value mask, const char *what) {
    Access access;
    access.extents = extentsOf(pointers.getType());
    access.lane = laneOf(ir::getElementType(ir::getPointeeType(pointers.getType())), op);
    for (std::int64_t extent : access.extents)
      if (extent > 1)
        access.row = static_cast<std::size_t>(extent);
    if (access.row < 8)   // too short to be worth a check each
      access.row = lanesOf(access.extents);
    if (mask)
      access.mask = slot(mask).place;
    access.wrapped = slot(pointers).wrapped;
    access.what = what;
    return access;
  };

  if (auto load = dyn_cast<ir::LoadOp>(op)) {
    Access access = accessThrough(load.getPtr(), load.getMask(), "load reads");
    if (load.getOther())
      access.other = slot(load.getOther()).place;
    const Handler handler = need(loadHandler(access.lane), op);
    define(load, op);
    Instruction &instruction = emit(handler, op);
    instruction.a = slot(load.getPtr()).place;
    instruction.detail = &program_->add(std::move(access));
    return true;
  }
  if (auto store = dyn_cast<ir::StoreOp>(op)) {
    Access access = accessThrough(store.getPtr(), store.getMask(), "store writes");
    const Handler handler = need(storeHandler(access.lane), op);
    Instruction &instruction = emit(handler, op);
    instruction.a = slot(store.getPtr()).place;
    instruction.b = slot(store.getValue()).place;
    instruction.lanes = slot(store.getPtr()).lanes;
    instruction.detail = &program_->add(std::move(access));
    return true;
  }
  if (auto atomic = dyn_cast<ir::AtomicRmwOp>(op)) {
    Access access = accessThrough(atomic.getPtr(), atomic.getMask(), "atomic updates");
    const Handler handler = need(atomicHandler(updateOf(atomic.getUpdate()), access.lane), op);
    define(atomic, op);
    Instruction &instruction = emit(handler, op);
    instruction.a = slot(atomic.getPtr()).place;
    instruction.b = slot(atomic.getValue()).place;
    instruction.detail = &program_->add(std::move(access));
    return true;
  }
  if (auto swap = dyn_cast<ir::AtomicCasOp>(op)) {
    Access access = accessThrough(swap.getPtr(), {}, "atomic_cas updates");
    const Handler handler = need(compareAndSwapHandler(access.lane), op);
    define(swap, op);
    Instruction &instruction = emit(handler, op);
    instruction.a = slot(swap.getPtr()).place;
    instruction.b = slot(swap.getExpected()).place;
    instruction.c = slot(swap.getDesired()).place;
    instruction.detail = &program_->add(std::move(access));
    return true;
  }
  return decodeDescriptor(op);
}

bool Decoder::decodeDescriptor(Operation *op) {
  if (auto make = dyn_cast<ir::MakeDescriptorOp>(op)) {
    MakeDescriptor detail;
    detail.lane = laneOf(cast<ir::DescType>(make.getType()).getElement(), op);
    for (Value extent : make.getShape())
      detail.extents.push_back(slot(extent).place);
    for (Value stride : make.getStrides())
      detail.strides.push_back(slot(stride).place);
    detail.padsWithNan = make.getPadding() == ir::Padding::nan;
    detail.wrapped = slot(make.getBase()).wrapped;
    define(make, op);
    Instruction &instruction = emit(makeDescriptorHandler(), op);
    instruction.a = slot(make.getBase()).place;
    instruction.detail = &program_->add(std::move(detail));
    return true;
  }
  const auto blockOf = [&](Value descriptor, ValueRange coordinates, Value tile, const char *what) {
    const auto type = cast<ir::DescType>(descriptor.getType());
    BlockAccess access;
    access.block.assign(type.getBlock().begin(), type.getBlock().end());
    access.tile = extentsOf(tile.getType());
    access.lane = laneOf(type.getElement(), op);
    access.what = what;
    for (Value coordinate : coordinates) {
      access.coordinates.push_back(slot(coordinate).place);
      access.wrapped.push_back(slot(coordinate).wrapped);
    }
    return access;
  };
  const auto emitAccess = [&](Handler handler, Value descriptor, Value tile, BlockAccess access) {
    Instruction &instruction = emit(need(handler, op), op);
    instruction.a = slot(descriptor).place;
    if (tile)
      instruction.b = slot(tile).place;
    instruction.detail = &program_->add(std::move(access));
  };
  if (auto load = dyn_cast<ir::DescriptorLoadOp>(op)) {
    BlockAccess access = blockOf(load.getDesc(), load.getCoords(), load.getResult(), "descriptor load reads");
    define(load, op);
    emitAccess(descriptorLoadHandler(access.lane), load.getDesc(), {}, std::move(access));
    return true;
  }
  if (auto store = dyn_cast<ir::DescriptorStoreOp>(op)) {
    BlockAccess access =
        blockOf(store.getDesc(), store.getCoords(), store.getValue(), "descriptor store writes");
    emitAccess(descriptorStoreHandler(access.lane), store.getDesc(), store.getValue(), std::move(access));
    return true;
  }
  if (auto reduce = dyn_cast<ir::DescriptorReduceOp>(op)) {
    BlockAccess access =
        blockOf(reduce.getDesc(), reduce.getCoords(), reduce.getValue(), "descriptor reduction updates");
    access.update = updateElement(updateOf(reduce.getUpdate()), access.lane);
    emitAccess(access.update ? descriptorReduceHandler(access.lane) : nullptr, reduce.getDesc(),
               reduce.getValue(), std::move(access));
    return true;
  }
  return false;
}

}   // namespace tile::interpreter
