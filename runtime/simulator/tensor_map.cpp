// SPDX-License-Identifier: MIT
#include "runtime/simulator/tensor_map.h"

#include "runtime/error.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace tile::simulator {

unsigned TensorMap::boxBytes() const {
  unsigned bytes = elementBytes();
  for (unsigned i = 0; i < rank; ++i)
    bytes *= boxExtent(i);
  return bytes;
}

std::string TensorMap::brokenRule() const {
  for (unsigned i = 0; i < rank; ++i) {
    if (box[i] < 1 || box[i] > 256)
      return fmt::format("box extent {} of dimension {} is not in 1 to 256", box[i], i);
    if (every[i] < 1 || every[i] > 8)
      return fmt::format("element stride {} of dimension {} is not in 1 to 8", every[i], i);
  }
  if (rowBytes() % 16 != 0)
    return fmt::format("a row of the box has {} bytes, which is not a multiple of 16", rowBytes());
  if (const unsigned span = 16u << static_cast<unsigned>(swizzle); swizzle != TensorSwizzle::none) {
    if (rowBytes() > span)
      return fmt::format("a row of the box has {} bytes, more than the {} of its swizzle", rowBytes(), span);
    if (rowBytes() < span)
      return fmt::format(
          "a row of the box has {} bytes, less than the {} of its swizzle, which the simulator "
          "does not support",
          rowBytes(), span);
  }
  if (fill != TensorFill::zeros && element < TensorElement::f16)
    return "only floats are filled with NaN";
  if (boxBytes() > 227 << 10)
    return fmt::format("the box has {} bytes, more than shared memory", boxBytes());
  return "";
}

const char *TensorMap::replace(unsigned field, unsigned dimension, std::uint64_t value) {
  using enum TensorElement;
  // As PTX numbers them; those with .ftz copy as those without.
  constexpr TensorElement elements[] = {u8, u16, u32, i32, u64, i64, f16, f32, f32, f64, bf16, tf32, tf32};
  enum { Address, Rank, Box, Size, Stride, Every, Element, Interleave, Swizzle, Fill };
  switch (field) {
  case Address:
    address = value;
    return value % 16 == 0 ? nullptr : ", which is not a multiple of 16";
  case Rank:
    rank = static_cast<std::uint8_t>(value + 1);
    return value < 5 ? nullptr : ", which is not in 0 to 4";
  case Box:
    box[dimension] = static_cast<std::uint16_t>(value);
    return value >= 1 && value <= 256 ? nullptr : ", which is not in 1 to 256";
  case Size:
    last[dimension] = static_cast<std::uint32_t>(value - 1);
    return value >= 1 ? nullptr : ", which is not in 1 to 2^32";
  case Stride:
    strides[dimension] = value;
    return value % 16 == 0 && value < std::uint64_t{1} << 40 ? nullptr
                                                             : ", which is not a multiple of 16 below 2^40";
  case Every:
    every[dimension] = static_cast<std::uint8_t>(dimension == 0 ? 1 : value);   // of 0 it is not looked at
    return value >= 1 && value <= 8 ? nullptr : ", which is not in 1 to 8";
  case Element:
    if (value >= std::size(elements))
      return ", which the simulator does not support";
    element = elements[value];
    return nullptr;
  case Interleave:
    return value == 0 ? nullptr : ", which the simulator does not support";
  case Swizzle:
    swizzle = static_cast<TensorSwizzle>(value);
    return value <= 3 ? nullptr : ", which the simulator does not support";
  default:
    fill = static_cast<TensorFill>(value);
    return value <= 1 ? nullptr : ", which is not 0 or 1";
  }
}

TensorMap encodeTensorMap(const TensorDescription &d) {
  const auto check = [](bool holds, const std::string &rule) {
    if (!holds)
      throw Error("tensor map: " + rule, {});
  };
  TensorMap map;
  map.magic = TensorMap::mark;
  map.element = d.element;
  map.rank = static_cast<std::uint8_t>(d.sizes.size());
  map.swizzle = d.swizzle;
  map.fill = d.fill;
  map.address = d.address;
  map.isAnchored = d.is_anchored;
  const std::size_t rank = d.sizes.size();
  check(rank >= 1 && rank <= 5, fmt::format("a tensor has one to five dimensions, not {}", rank));
  check(d.strides.size() == rank - 1,
        fmt::format("{} dimensions have {} strides, not {}", rank, rank - 1, d.strides.size()));
  check(d.box.size() == rank, fmt::format("the box has {} extents, the tensor {}", d.box.size(), rank));
  check(d.elementStrides.empty() || d.elementStrides.size() == rank,
        fmt::format("there are {} element strides for {} dimensions", d.elementStrides.size(), rank));
  check(d.address % 16 == 0, fmt::format("address {:#x} is not a multiple of 16", d.address));
  for (std::size_t i = 0; i < rank; ++i) {
    check(d.sizes[i] >= 1 && d.sizes[i] <= std::uint64_t{1} << 32,
          fmt::format("size {} of dimension {} is not in 1 to 2^32", d.sizes[i], i));
    map.last[i] = static_cast<std::uint32_t>(d.sizes[i] - 1);
    check(d.box[i] >= 1 && d.box[i] <= 256,
          fmt::format("box extent {} of dimension {} is not in 1 to 256", d.box[i], i));
    map.box[i] = static_cast<std::uint16_t>(d.box[i]);
    // The machine does not look at the stride of the first dimension.
    const std::uint32_t every = d.elementStrides.empty() || i == 0 ? 1 : d.elementStrides[i];
    check(every >= 1 && every <= 8,
          fmt::format("element stride {} of dimension {} is not in 1 to 8", every, i));
    map.every[i] = static_cast<std::uint8_t>(every);
  }
  for (std::size_t i = 0; i + 1 < rank; ++i) {
    check(d.strides[i] % 16 == 0 && d.strides[i] < std::uint64_t{1} << 40,
          fmt::format("stride {} of dimension {} is not a multiple of 16 below 2^40", d.strides[i], i + 1));
    map.strides[i] = d.strides[i];
  }
  const std::string rule = map.brokenRule();
  check(rule.empty(), rule);
  return map;
}

}   // namespace tile::simulator
