// SPDX-License-Identifier: MIT
// How a tensor lies in global memory and which box of it bulk tensor copies take: what tensor maps are made
// of, the simulator's and the driver's.
#pragma once

#include <cstdint>
#include <span>

namespace tile {

enum class TensorElement : std::uint8_t { u8, u16, i32, u32, i64, u64, f16, bf16, f32, f64, tf32 };
// Of an element in memory.
constexpr unsigned bytes_of(TensorElement element) {
  switch (element) {
  case TensorElement::u8:
    return 1;
  case TensorElement::u16:
  case TensorElement::f16:
  case TensorElement::bf16:
    return 2;
  case TensorElement::i64:
  case TensorElement::u64:
  case TensorElement::f64:
    return 8;
  default:
    return 4;
  }
}
enum class TensorSwizzle : std::uint8_t { none, bytes32, bytes64, bytes128 };
enum class TensorFill : std::uint8_t { zeros, nan };

// Extents of the fastest dimension first.
struct TensorDescription {
  TensorElement element = TensorElement::f16;
  std::uint64_t address = 0;                       // of element 0 in the device's memory
  std::span<const std::uint64_t> sizes;            // one to five
  std::span<const std::uint64_t> strides;          // bytes; of all dimensions but the first
  std::span<const std::uint32_t> box;              // elements that one copy spans
  std::span<const std::uint32_t> elementStrides;   // every how manyth element of the box; empty: all
  TensorSwizzle swizzle = TensorSwizzle::none;
  TensorFill fill = TensorFill::zeros;   // of what lies outside of the tensor
};

}   // namespace tile
