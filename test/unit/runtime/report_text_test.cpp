// SPDX-License-Identifier: MIT
#include "runtime/report_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace tile {
namespace {

TEST(ReportText, GroupsDigitsByThree) {
  EXPECT_EQ(grouped(std::int64_t{0}), "0");
  EXPECT_EQ(grouped(std::int64_t{999}), "999");
  EXPECT_EQ(grouped(std::int64_t{4098}), "4,098");
  EXPECT_EQ(grouped(std::int64_t{-123}), "-123");
  EXPECT_EQ(grouped(std::int64_t{-1234567}), "-1,234,567");
  EXPECT_EQ(grouped(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
}

TEST(ReportText, IndexesAreRowMajor) {
  const std::vector<std::int64_t> extents{2, 3, 4};
  EXPECT_EQ(index_text(extents, 0), "[0, 0, 0]");
  EXPECT_EQ(index_text(extents, 23), "[1, 2, 3]");
  EXPECT_EQ(index_text(extents, 7), "[0, 1, 3]");
  EXPECT_EQ(index_text({}, 0), "[]");
}

}   // namespace
}   // namespace tile
