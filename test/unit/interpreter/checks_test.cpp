// SPDX-License-Identifier: MIT
// Assertions, promised facts and printing.
#include "test/unit/interpreter/kernel_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

namespace tile::test {
namespace {

const char *const asserting = R"(
func.func @check(%n: i32, %m: i32) attributes {tile.kernel} {
  %i = tile.arange 0 to 8 : tensor<8xi32>
  %ns = tile.splat %n : i32 -> tensor<8xi32>
  %ms = tile.splat %m : i32 -> tensor<8xi32>
  %c = arith.cmpi slt, %i, %ns : tensor<8xi32>
  %mask = arith.cmpi slt, %i, %ms : tensor<8xi32>
  tile.assert %c, "index in range", %mask : tensor<8xi1>
  return
}
)";

TEST(Assert, HoldsWhereTheMaskIsTrue) {
  Interpreted kernel(asserting);
  kernel.run({1}, 8, 8);
  kernel.run({1}, 5, 5);
  EXPECT_EQ(kernel.error({1}, 5, 7),
            "error: assertion failed: index in range\n  --> kernel.mlir:8:3\n"
            "  = program (0, 0, 0), tile element [5]; its mask is true\n  = kernel check");
  Interpreted unchecked(asserting, {.check_asserts = false});
  unchecked.run({1}, 0, 8);
}

std::string promising(const std::string &fact) {
  return R"(
func.func @promise(%x: i32, %y: i32) attributes {tile.kernel} {
  %i = tile.arange 0 to 8 : tensor<8xi32>
  %s = tile.splat %x : i32 -> tensor<8xi32>
  %u = tile.splat %y : i32 -> tensor<8xi32>
  %q = tile.divsi %i, %u : tensor<8xi32>
  %v = arith.addi %s, %q : tensor<8xi32>
  %a = tile.assume %v {)" +
         fact + R"(} : tensor<8xi32>
  return
}
)";
}
std::string broken(const std::string &fact, int x, int y) {
  Interpreted kernel(promising(fact));
  const std::string error = kernel.error({1}, x, y);
  return error.substr(0, error.find('\n'));
}

TEST(Assume, IsChecked) {
  EXPECT_EQ(broken("divisible = 4 : i64", 8, 100), "no error");
  EXPECT_EQ(broken("divisible = 4 : i64", 9, 100),
            "error: a promised fact does not hold: 9 is not a multiple of 4");
  EXPECT_EQ(broken("contiguous = 8 : i64", 3, 1), "no error");
  EXPECT_EQ(broken("contiguous = 4 : i64", 3, 2),
            "error: a promised fact does not hold: 3 follows 3, but runs of 4 are contiguous");
  EXPECT_EQ(broken("constant = 2 : i64", 3, 2), "no error");
  EXPECT_EQ(broken("constant = 4 : i64", 3, 2),
            "error: a promised fact does not hold: 4 follows 3, but runs of 4 are constant");
  EXPECT_EQ(broken("range = array<i64: 0, 1000>", 993, 1), "no error");
  EXPECT_EQ(broken("range = array<i64: 0, 1000>", 994, 1),
            "error: a promised fact does not hold: 1,001 is outside 0 .. 1,000");
}

TEST(Print, WritesWholeLinesInEachProgramsOrder) {
  std::vector<std::string> lines;
  Interpreted kernel(R"(
func.func @show(%x: f32) attributes {tile.kernel} {
  %p = tile.program_id x
  %i = tile.arange 0 to 4 : tensor<4xi32>
  %t = tile.reshape %i : tensor<4xi32> -> tensor<2x2xi32>
  %c = arith.constant 255 : i8
  %h = tile.fp_cast %x : f32 -> f16
  tile.print "id" (%p) : i32
  tile.print "values" (%t, %x) : tensor<2x2xi32>, f32
  tile.print "byte" (%c, %c) {unsigned_operands = array<i1: false, true>} : i8, i8
  tile.print "bits" hex (%h) : f16
  return
}
)",
                     {.threads = 2, .print = [&](std::string_view line) { lines.emplace_back(line); }});
  kernel.run({1}, 0.5f);
  EXPECT_THAT(lines, testing::ElementsAre("id (pid 0, 0, 0) 0", "values (pid 0, 0, 0) [0, 0] 0",
                                          "values (pid 0, 0, 0) [0, 1] 1", "values (pid 0, 0, 0) [1, 0] 2",
                                          "values (pid 0, 0, 0) [1, 1] 3", "values (pid 0, 0, 0) 0.5",
                                          "byte (pid 0, 0, 0) -1", "byte (pid 0, 0, 0) 255",
                                          "bits (pid 0, 0, 0) 0x3800"));
  lines.clear();
  kernel.run({50}, 0.5f);
  EXPECT_EQ(lines.size(), 50u * 9);
  std::vector<std::string> third;
  for (const std::string &line : lines)
    if (line.find("(pid 3, 0, 0)") != std::string::npos)
      third.push_back(line);
  ASSERT_EQ(third.size(), 9u);
  EXPECT_EQ(third[0], "id (pid 3, 0, 0) 3");
  EXPECT_EQ(third[8], "bits (pid 3, 0, 0) 0x3800");
}

}   // namespace
}   // namespace tile::test
