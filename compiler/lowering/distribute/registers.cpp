// SPDX-License-Identifier: MIT
#include "compiler/lowering/distribute/registers.h"

using namespace mlir;

namespace tile::gpu {

bool isTile(Value v) { return isa<RankedTensorType>(v.getType()); }

layout::TileLayout layoutOf(Value tile) {
  LayoutAttr attr = getLayoutAttr(tile.getType());
  assert(attr && "tile-assign-layouts gives every tile a layout");
  return attr.getLayout();
}

ArrayRef<Value> TileRegisters::of(Value v) {
  if (isTile(v))
    return tiles_.find(v)->second;
  Registers &one = tiles_[v];
  one = {scalars_.lookup(v)};
  return one;
}

void TileRegisters::set(Value v, Registers registers) {
  if (isTile(v))
    tiles_[v] = std::move(registers);
  else
    scalars_.map(v, registers.front());
}

Registers TileRegisters::flat(ValueRange values) {
  Registers result;
  for (Value v : values)
    llvm::append_range(result, of(v));
  return result;
}

// A cursor or a lease is the number of its slot.
Type TileRegisters::scalarType(Type type) {
  return isa<CursorType, LeaseType>(type) ? IntegerType::get(type.getContext(), 32) : type;
}

SmallVector<Type> TileRegisters::flatTypes(TypeRange types) {
  SmallVector<Type> result;
  for (Type type : types) {
    LayoutAttr attr = getLayoutAttr(type);
    result.append(attr ? static_cast<size_t>(attr.getLayout().places()) : 1,
                  scalarType(ir::getElementType(type)));
  }
  return result;
}

void TileRegisters::setFlat(ValueRange olds, ValueRange news) {
  size_t at = 0;
  for (Value old : olds) {
    size_t n = isTile(old) ? static_cast<size_t>(layoutOf(old).places()) : 1;
    set(old, Registers(news.slice(at, n)));
    at += n;
  }
}

}   // namespace tile::gpu
