// SPDX-License-Identifier: MIT
// Against damage, not against people: a changed byte always changes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tile {

// FNV-1a.
constexpr std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t sum = 0xCBF29CE484222325u) {
  for (const std::byte byte : bytes)
    sum = (sum ^ static_cast<std::uint64_t>(byte)) * 0x100000001B3u;
  return sum;
}

// 32 digits, from two sums with different beginnings: a name for what is too long to be one.
std::string digest(std::string_view text);

}   // namespace tile
