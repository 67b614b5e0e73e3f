// SPDX-License-Identifier: MIT
// What tells a bulk tensor copy how a tensor lies in global memory and which box of it is copied: the
// simulator's counterpart of the driver's CUtensorMap, with the same rules.
#pragma once

#include "runtime/tensor_description.h"

#include <cstdint>
#include <string>
#include <type_traits>

namespace tile::simulator {

// 128 bytes, which a kernel takes by their address.
struct alignas(64) TensorMap {
  static constexpr std::uint32_t mark = 0x50414d54;
  std::uint32_t magic = 0;
  TensorElement element = TensorElement::u8;
  std::uint8_t rank = 0;
  TensorSwizzle swizzle = TensorSwizzle::none;
  TensorFill fill = TensorFill::zeros;
  std::uint64_t address = 0;
  std::uint64_t strides[4] = {};
  std::uint32_t last[5] = {};   // the largest coordinate
  std::uint16_t box[5] = {};
  std::uint8_t every[5] = {};
  bool isAnchored = false;   // what it leads to may be of any buffer
  std::uint8_t reserved[36] = {};

  // A field by its number in tile_gpu.ptx_map_replace, with PTX's meaning of the value. Says why not, or
  // null.
  const char *replace(unsigned field, unsigned dimension, std::uint64_t value);
  // What does not fit together, or "".
  std::string brokenRule() const;
  bool isValid() const { return magic == mark && rank >= 1 && rank <= 5; }
  unsigned elementBytes() const { return bytes_of(element); }
  // What one copy brings to shared memory.
  unsigned boxExtent(unsigned dimension) const {
    return (box[dimension] + every[dimension] - 1u) / every[dimension];
  }
  unsigned boxBytes() const;
  unsigned rowBytes() const { return boxExtent(0) * elementBytes(); }
  // Where the swizzle moves a byte of shared memory.
  std::uint32_t swizzled(std::uint32_t offset) const {
    const std::uint32_t mask = (1u << static_cast<unsigned>(swizzle)) - 1;
    return offset ^ ((offset >> 7 & mask) << 4);
  }
  // What a box has to be aligned to in shared memory.
  unsigned alignment() const {
    return swizzle == TensorSwizzle::none ? 128 : 128u << static_cast<unsigned>(swizzle);
  }
};
static_assert(sizeof(TensorMap) == 128);
static_assert(std::is_trivially_copyable_v<TensorMap>);   // kernels copy it byte by byte

// Throws tile::Error, which names the rule that the description breaks.
TensorMap encodeTensorMap(const TensorDescription &description);

}   // namespace tile::simulator
