// SPDX-License-Identifier: MIT
#include "runtime/printf_text.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace tile {
namespace {

TEST(PrintfText, ReadsValuesAlignedToTheirSizes) {
  const struct {
    std::int32_t a;
    double b;
    std::int32_t c;
    std::int64_t d;
  } values{-7, 1.5, 255, -1};
  EXPECT_EQ(printf_text("a %d b %.9g c 0x%04x d %llu\n", &values),
            "a -7 b 1.5 c 0x00ff d 18446744073709551615\n");
}

TEST(PrintfText, WritesPercentSigns) { EXPECT_EQ(printf_text("100%%", nullptr), "100%"); }

}   // namespace
}   // namespace tile
