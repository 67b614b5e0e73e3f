// SPDX-License-Identifier: MIT
#include "compiler/lowering/distribute/registers.h"

#include "compiler/lowering/distribute/words.h"

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

// Whether two elements of a tile of this type go round in one word.
static bool isPaired(Type type) {
  LayoutAttr attr = getLayoutAttr(type);
  return attr && attr.getLayout().places() % 2 == 0 && isa<FloatType>(ir::getElementType(type)) &&
         ir::getElementType(type).getIntOrFloatBitWidth() == 16;
}

Registers TileRegisters::flat(ImplicitLocOpBuilder &b, ValueRange values) {
  Registers result;
  for (Value v : values) {
    ArrayRef<Value> registers = of(v);
    if (isPaired(v.getType()))
      for (size_t i = 0; i < registers.size(); i += 2)
        llvm::append_range(result, toWords(b, registers.slice(i, 2)));
    else
      llvm::append_range(result, registers);
  }
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
    if (isPaired(type))
      result.append(static_cast<size_t>(attr.getLayout().places()) / 2,
                    IntegerType::get(type.getContext(), 32));
    else
      result.append(attr ? static_cast<size_t>(attr.getLayout().places()) : 1,
                    scalarType(ir::getElementType(type)));
  }
  return result;
}

void TileRegisters::setFlat(ImplicitLocOpBuilder &b, ValueRange olds, ValueRange news) {
  size_t at = 0;
  for (Value old : olds) {
    size_t n = isTile(old) ? static_cast<size_t>(layoutOf(old).places()) : 1;
    if (isPaired(old.getType())) {
      n /= 2;
      Registers registers;
      for (Value word : news.slice(at, n))
        llvm::append_range(registers, fromWords(b, word, ir::getElementType(old.getType())));
      set(old, std::move(registers));
    } else {
      set(old, Registers(news.slice(at, n)));
    }
    at += n;
  }
}

}   // namespace tile::gpu
