// SPDX-License-Identifier: MIT
// Accesses to global memory.
#include "compiler/interpreter/decoder.h"
#include "compiler/interpreter/memory.h"

using namespace mlir;

namespace tile::interpreter {

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
  return false;
}

}   // namespace tile::interpreter
