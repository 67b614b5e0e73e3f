// SPDX-License-Identifier: MIT
// Pointers while a program computes with them. User space has 48 bits of address, so the upper
// 16 say which buffer a pointer came from: an access is checked against that buffer, and an
// index that is off by so much that it lands in another buffer is still found.
//
//   63       48 47                                             0
//   [ buffer  ][ address                                       ]
//
// Buffer 0 is unknown: the address alone decides, at the access. Buffer 65,535 is nowhere:
// arithmetic left the address space. Buffer 65,534 is nowhere either: an offset overflowed before it was
// added, at the place whose number is in the address. In memory and as integers pointers are plain addresses.
#pragma once

#include <cstdint>

namespace tile::host {

using Pointer = std::uint64_t;

constexpr int address_bits = 48;
constexpr std::uint64_t address_mask = (std::uint64_t{1} << address_bits) - 1;
constexpr std::uint16_t nowhere = 0xFFFF;
constexpr std::uint16_t overflowed = 0xFFFE;

// Further offsets may be added to one that overflowed: they change the lower bits, in whose middle they
// begin.
constexpr int overflow_bits = 28;
constexpr Pointer overflowed_at(std::uint64_t place) {
  return (std::uint64_t{overflowed} << address_bits) | place << overflow_bits |
         std::uint64_t{1} << (overflow_bits - 1);
}
constexpr std::uint64_t place_of_overflow(Pointer pointer) {
  return (pointer & address_mask) >> overflow_bits;
}

constexpr std::uint16_t buffer_of(Pointer pointer) {
  return static_cast<std::uint16_t>(pointer >> address_bits);
}
constexpr std::uintptr_t address_of(Pointer pointer) { return pointer & address_mask; }
constexpr Pointer pointer_to(std::uintptr_t address, std::uint16_t buffer) {
  return (address & address_mask) | static_cast<std::uint64_t>(buffer) << address_bits;
}
// An address of which nothing is known but its bits.
constexpr Pointer untagged(std::uint64_t address) {
  return (address & address_mask) | (address >> address_bits ? ~address_mask : 0);
}

// The address as memory and integers hold it.
constexpr std::uint64_t plain_address(Pointer pointer) { return address_of(pointer); }

// `offset` elements of Bytes bytes further on. The buffer stays; what leaves the address space
// stays outside for good. Without branches, for vector code.
template <std::uint64_t Bytes> constexpr Pointer advance(Pointer pointer, std::int64_t offset) {
  constexpr std::int64_t far = std::int64_t{1} << address_bits;
  const std::uint64_t sum = (pointer & address_mask) + static_cast<std::uint64_t>(offset) * Bytes;
  const bool strays = (sum >> address_bits) != 0 || offset >= far || offset < -far;
  return (sum & address_mask) | (pointer & ~address_mask) | (strays ? ~address_mask : 0);
}

}   // namespace tile::host
