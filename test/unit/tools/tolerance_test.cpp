// SPDX-License-Identifier: MIT
// What a result of an unknown kernel may differ from what the interpreter computes.
#include "tools/reference/compare.h"

#include <gtest/gtest.h>

namespace tile::reference {
namespace {

Verdict compared(double got, ElementType type, SmallFloats multiplied) {
  Matrix expected(1, 2), seen(1, 2);
  expected.values = {2.0, 8.0};   // the largest decides
  seen.values = {got, 8.0};
  return compare("c", seen, expected, type, interpreter_tolerance(type, expected, multiplied));
}

TEST(InterpreterTolerance, IsWiderForSumsOfSmallFloats) {
  EXPECT_TRUE(compared(2.00005, element_type<f32>, SmallFloats::no).passed());
  EXPECT_FALSE(compared(2.002, element_type<f32>, SmallFloats::no).passed());
  EXPECT_TRUE(compared(2.002, element_type<f32>, SmallFloats::yes).passed());
  EXPECT_FALSE(compared(2.05, element_type<f32>, SmallFloats::yes).passed());
}

TEST(InterpreterTolerance, LeavesNarrowResultsAndIntegersAsTheyAre) {
  EXPECT_TRUE(compared(2.02, element_type<bf16>, SmallFloats::no).passed());
  EXPECT_TRUE(compared(2.02, element_type<bf16>, SmallFloats::yes).passed());
  EXPECT_FALSE(compared(3, element_type<i32>, SmallFloats::yes).passed());
}

}   // namespace
}   // namespace tile::reference
