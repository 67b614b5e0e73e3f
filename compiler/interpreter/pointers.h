// SPDX-License-Identifier: MIT
// Pointers while a program computes with them. User space has 48 bits of address, so the upper
// 16 say which buffer a pointer came from: an access is checked against that buffer, and an
// index that is off by so much that it lands in another buffer is still found.
//
//   63       48 47                                             0
//   [ buffer  ][ address                                       ]
//
// Buffer 0 is unknown: the address alone decides, at the access. Buffer 65,535 is nowhere:
// arithmetic left the address space. In memory and as integers pointers are plain addresses.
#pragma once

#include <cstdint>

namespace tile::interpreter {

using Pointer = std::uint64_t;

constexpr int AddressBits = 48;
constexpr std::uint64_t AddressMask = (std::uint64_t{1} << AddressBits) - 1;
constexpr std::uint16_t Nowhere = 0xFFFF;

constexpr std::uint16_t bufferOf(Pointer pointer) {
  return static_cast<std::uint16_t>(pointer >> AddressBits);
}
constexpr std::uintptr_t addressOf(Pointer pointer) { return pointer & AddressMask; }
constexpr Pointer pointerTo(std::uintptr_t address, std::uint16_t buffer) {
  return (address & AddressMask) | static_cast<std::uint64_t>(buffer) << AddressBits;
}
// An address of which nothing is known but its bits.
constexpr Pointer untagged(std::uint64_t address) {
  return (address & AddressMask) | (address >> AddressBits ? ~AddressMask : 0);
}

// The address as memory and integers hold it.
constexpr std::uint64_t plainAddress(Pointer pointer) { return addressOf(pointer); }

// `offset` elements of Bytes bytes further on. The buffer stays; what leaves the address space
// stays outside for good. Without branches, for vector code.
template <std::uint64_t Bytes> constexpr Pointer advance(Pointer pointer, std::int64_t offset) {
  constexpr std::int64_t far = std::int64_t{1} << AddressBits;
  const std::uint64_t sum = (pointer & AddressMask) + static_cast<std::uint64_t>(offset) * Bytes;
  const bool strays = (sum >> AddressBits) != 0 || offset >= far || offset < -far;
  return (sum & AddressMask) | (pointer & ~AddressMask) | (strays ? ~AddressMask : 0);
}

}   // namespace tile::interpreter
