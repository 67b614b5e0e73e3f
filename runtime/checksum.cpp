// SPDX-License-Identifier: MIT
#include "runtime/checksum.h"

#include <cstdio>

namespace tile {

std::string digest(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  char digits[33];
  std::snprintf(digits, sizeof digits, "%016llx%016llx", static_cast<unsigned long long>(checksum(bytes)),
                static_cast<unsigned long long>(checksum(bytes, 0x9E3779B97F4A7C15u)));
  return digits;
}

}   // namespace tile
