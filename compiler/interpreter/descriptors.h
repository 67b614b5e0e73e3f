// SPDX-License-Identifier: MIT
// Tensors in global memory that are read and written block by block.
#pragma once

#include "compiler/interpreter/atomics.h"

namespace tile::interpreter {

constexpr std::size_t MaxDescriptorRank = 5;

// The lane of a descriptor.
struct DescriptorValue {
  Pointer base;
  std::int64_t extents[MaxDescriptorRank], strides[MaxDescriptorRank];
  bool padsWithNan;
};
constexpr std::size_t descriptorBytes() { return sizeof(DescriptorValue); }

// a: the base. Throws at once where the rules of descriptors are broken: a base aligned to 16
// bytes, no negative extent, a last stride of 1, other strides whole multiples of 16 bytes.
struct MakeDescriptor : Detail {
  Lane lane;
  std::vector<Place> extents, strides;
  bool padsWithNan;
  std::optional<Wrapped> wrapped;   // of the base
};
Handler makeDescriptorHandler();

// a: the descriptor; b: the stored or combined tile.
struct BlockAccess : Detail {
  Extents block;
  Extents tile;   // as the program sees it: leading extents of 1 may be missing
  Lane lane;
  std::vector<Place> coordinates;
  std::vector<std::optional<Wrapped>> wrapped;   // of the coordinates
  const char *what;
  UpdateElement update = nullptr;   // of a reduction
};
Handler descriptorLoadHandler(Lane lane);
Handler descriptorStoreHandler(Lane lane);
Handler descriptorReduceHandler(Lane lane);

}   // namespace tile::interpreter
