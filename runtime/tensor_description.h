// SPDX-License-Identifier: MIT
// The layout of a tensor in global memory and the box that tensor copies move. The tensor maps of the
// simulator and of the driver are made from it.
#pragma once

#include <cstdint>
#include <span>

namespace tile {

enum class TensorElement : std::uint8_t { u8, u16, i32, u32, i64, u64, f16, bf16, f32, f64, tf32 };
// The size of an element in memory.
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

// The fastest dimension comes first.
struct TensorDescription {
  TensorElement element = TensorElement::f16;
  std::uint64_t address = 0;                       // address of element 0 in device memory
  std::span<const std::uint64_t> sizes;            // one to five
  std::span<const std::uint64_t> strides;          // in bytes; for all dimensions but the first
  std::span<const std::uint32_t> box;              // the extents that one copy spans, in elements
  std::span<const std::uint32_t> elementStrides;   // n: copy every n-th element of the box; empty: all
  TensorSwizzle swizzle = TensorSwizzle::none;
  TensorFill fill = TensorFill::zeros;   // for elements outside the tensor
  bool is_anchored = false;              // coordinates lead to other buffers than that of the address
};

}   // namespace tile
