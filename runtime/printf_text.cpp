// SPDX-License-Identifier: MIT
#include "runtime/printf_text.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace tile {

std::string printf_text(const char *format, const void *values) {
  std::string text;
  std::size_t at = 0;
  const auto take = [&]<class T>(T value) {
    at = (at + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    std::memcpy(&value, static_cast<const std::byte *>(values) + at, sizeof(T));
    at += sizeof(T);
    return value;
  };
  for (const char *p = format; *p; ++p) {
    if (*p != '%') {
      text += *p;
      continue;
    }
    const std::size_t length = std::strcspn(p + 1, "dugx%") + 2;
    const std::string conversion(p, length);
    p += length - 1;
    char buffer[64];
    int written = 0;
    // The conversion is the compiler's own; the compiler of this file cannot know it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (conversion.back() == '%') {
      text += '%';
      continue;
    }
    if (conversion.back() == 'g')
      written = std::snprintf(buffer, sizeof buffer, conversion.c_str(), take(double()));
    else if (conversion.find("ll") != std::string::npos)
      written = std::snprintf(buffer, sizeof buffer, conversion.c_str(), take(static_cast<long long>(0)));
    else
      written = std::snprintf(buffer, sizeof buffer, conversion.c_str(), take(std::int32_t()));
#pragma GCC diagnostic pop
    text.append(buffer, static_cast<std::size_t>(written));
  }
  return text;
}

}   // namespace tile
