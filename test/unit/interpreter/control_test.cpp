// SPDX-License-Identifier: MIT
// Loops near the ends of integer types, what they carry, branches, and kernels that are refused.
#include "test/unit/interpreter/kernel_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace tile::test {
namespace {

// y[0] = number of trips, y[1] = last value of the induction variable.
std::string counting(const std::string &type, const std::string &loop) {
  return "func.func @count(%y: !tile.ptr<" + type + ">, %lo: " + type + ", %hi: " + type +
         ", %step: " + type +
         R"() attributes {tile.kernel} {
  %zero = arith.constant 0 : )" +
         type + R"(
  %one = arith.constant 1 : )" +
         type + "\n  %n, %last = " + loop +
         " %k = %lo to %hi step %step iter_args(%c = %zero, %l = %zero) -> (" + type + ", " + type +
         ") : " + type +
         R"( {
    %next = arith.addi %c, %one : )" +
         type + "\n    scf.yield %next, %k : " + type + ", " + type + "\n  }\n" +
         "  %at = tile.addptr %y, %off : !tile.ptr<" + type + ">, i32\n" +
         "  tile.store %y, %n : !tile.ptr<" + type + ">\n  tile.store %at, %last : !tile.ptr<" + type +
         ">\n  return\n}\n";
}
std::string withOffset(std::string text) {
  text.insert(text.find("  %zero"), "  %off = arith.constant 1 : i32\n");
  return text;
}

template <class T> std::vector<T> trips(const std::string &type, const std::string &loop, T lo, T hi,
                                        T step) {
  Interpreted kernel(withOffset(counting(type, loop)));
  const Buffer<T> y = kernel.buffer(std::vector<T>(2), "y");
  kernel.run({1}, y, lo, hi, step);
  return y.to_host();
}

TEST(Loops, EndWhereTheTypeEnds) {
  const i32 most = std::numeric_limits<i32>::max(), least = std::numeric_limits<i32>::min();
  EXPECT_EQ(trips<i32>("i32", "scf.for", most - 5, most, 4), (std::vector<i32>{2, most - 1}));
  EXPECT_EQ(trips<i32>("i32", "scf.for", most - 1, most, most), (std::vector<i32>{1, most - 1}));
  EXPECT_EQ(trips<i32>("i32", "scf.for", least, most, most), (std::vector<i32>{3, most - 1}));
  EXPECT_EQ(trips<i32>("i32", "scf.for", 5, 5, 1), (std::vector<i32>{0, 0}));
  EXPECT_EQ(trips<i32>("i32", "scf.for", 5, -5, 1), (std::vector<i32>{0, 0}));
  EXPECT_EQ(trips<u32>("i32", "scf.for unsigned", 0xfffffff0u, 0xffffffffu, 8),
            (std::vector<u32>{2, 0xfffffff8u}));
  EXPECT_EQ(trips<u32>("i32", "scf.for unsigned", 0, 0xffffffffu, 0x80000000u),
            (std::vector<u32>{2, 0x80000000u}));
  const i64 wide = std::numeric_limits<i64>::max();
  EXPECT_EQ(trips<i64>("i64", "scf.for", -wide, wide, wide), (std::vector<i64>{2, 0}));
}

// What is asked of a nest of loops takes time that grows with the nest, not with 2^depth.
TEST(Loops, MayBeNestedDeeply) {
  constexpr int depth = 40;
  std::string text = "func.func @deep(%y: !tile.ptr<i32>) attributes {tile.kernel} {\n"
                     "  %zero = arith.constant 0 : i32\n  %one = arith.constant 1 : i32\n";
  for (int i = 0; i < depth; ++i)
    text += "scf.for %k" + std::to_string(i) + " = %zero to %one step %one : i32 {\n";
  text += "tile.store %y, %one : !tile.ptr<i32>\n";
  for (int i = 0; i < depth; ++i)
    text += "}\n";
  Interpreted kernel(text + "return\n}\n");
  const Buffer<i32> y = kernel.buffer(std::vector<i32>(1), "y");
  kernel.run({1}, y);
  EXPECT_EQ(y.to_host(), std::vector<i32>{1});
}

TEST(Loops, NeedAPositiveStep) {
  Interpreted kernel(withOffset(counting("i32", "scf.for")));
  const Buffer<i32> y = kernel.buffer(std::vector<i32>(2), "y");
  EXPECT_EQ(
      kernel.error({1}, y, 0, 10, -3),
      "error: the step of this range is -3; a step that is known only when the kernel runs must be positive: "
      "give it as maximum(step, 1), or count down with a literal\n"
      "  --> kernel.mlir:5:15\n  = program (0, 0, 0)\n  = kernel count");
}

TEST(Loops, CarryAllValuesAtOnce) {
  // Fibonacci by yielding crosswise: %b, %a + %b; and a rotation of three.
  Interpreted kernel(R"(
func.func @rotate(%y: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %f:2 = scf.for %k = %zero to %n step %one iter_args(%a = %zero, %b = %one) -> (i32, i32) : i32 {
    %s = arith.addi %a, %b : i32
    scf.yield %b, %s : i32, i32
  }
  %r:3 = scf.for %k = %zero to %n step %one iter_args(%a = %one, %b = %two, %c = %three) -> (i32, i32, i32) : i32 {
    scf.yield %b, %c, %a : i32, i32, i32
  }
  %y1 = tile.addptr %y, %one : !tile.ptr<i32>, i32
  %y2 = tile.addptr %y, %two : !tile.ptr<i32>, i32
  %y3 = tile.addptr %y, %three : !tile.ptr<i32>, i32
  tile.store %y, %f#0 : !tile.ptr<i32>
  tile.store %y1, %r#0 : !tile.ptr<i32>
  tile.store %y2, %r#1 : !tile.ptr<i32>
  tile.store %y3, %r#2 : !tile.ptr<i32>
  return
}
)");
  const Buffer<i32> y = kernel.buffer(std::vector<i32>(4), "y");
  kernel.run({1}, y, 10);
  EXPECT_EQ(y.to_host(), (std::vector<i32>{55, 2, 3, 1}));
  kernel.run({1}, y, 0);
  EXPECT_EQ(y.to_host(), (std::vector<i32>{0, 1, 2, 3}));
}

TEST(Loops, WhileAndIf) {
  // Collatz: steps until 1.
  Interpreted kernel(R"(
func.func @collatz(%y: !tile.ptr<i32>) attributes {tile.kernel} {
  %p = tile.program_id x
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %start = arith.addi %p, %one : i32
  %x, %steps = scf.while (%v = %start, %n = %zero) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi ne, %v, %one : i32
    scf.condition(%more) %v, %n : i32, i32
  } do {
  ^bb0(%v: i32, %n: i32):
    %low = arith.andi %v, %one : i32
    %odd = arith.cmpi ne, %low, %zero : i32
    %next = scf.if %odd -> (i32) {
      %t = arith.muli %v, %three : i32
      %u = arith.addi %t, %one : i32
      scf.yield %u : i32
    } else {
      %h = arith.divsi %v, %two : i32
      scf.yield %h : i32
    }
    %m = arith.addi %n, %one : i32
    scf.yield %next, %m : i32, i32
  }
  %at = tile.addptr %y, %p : !tile.ptr<i32>, i32
  tile.store %at, %steps : !tile.ptr<i32>
  return
}
)");
  const Buffer<i32> y = kernel.buffer(std::vector<i32>(27), "y");
  kernel.run({27}, y);
  const std::vector<i32> steps = y.to_host();
  EXPECT_EQ(steps[0], 0);
  EXPECT_EQ(steps[5], 8);
  EXPECT_EQ(steps[26], 111);
}

TEST(Loops, LeaveOuterTilesAlone) {
  // %t is used in the body again and again, and after it; the body's own tiles come and go.
  Interpreted kernel(R"(
func.func @outer(%y: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %t = tile.arange 0 to 16 : tensor<16xi32>
  %z = arith.constant dense<0> : tensor<16xi32>
  %s = scf.for %k = %zero to %n step %one iter_args(%a = %z) -> (tensor<16xi32>) : i32 {
    %ks = tile.splat %k : i32 -> tensor<16xi32>
    %m = arith.muli %t, %ks : tensor<16xi32>
    %m2 = arith.addi %m, %t : tensor<16xi32>
    %b = scf.for %j = %zero to %n step %one iter_args(%c = %a) -> (tensor<16xi32>) : i32 {
      %d = arith.addi %c, %m2 : tensor<16xi32>
      scf.yield %d : tensor<16xi32>
    }
    scf.yield %b : tensor<16xi32>
  }
  %r = arith.addi %s, %t : tensor<16xi32>
  %ys = tile.splat %y : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>>
  %yp = tile.addptr %ys, %t : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
  tile.store %yp, %r : tensor<16x!tile.ptr<i32>>
  return
}
)");
  const Buffer<i32> y = kernel.buffer(std::vector<i32>(16), "y");
  kernel.run({3}, y, 3);
  for (int lane = 0; lane < 16; ++lane)
    EXPECT_EQ(y.to_host()[std::size_t(lane)], lane * (3 * (1 + 2 + 3) + 1));
}

TEST(Grids, Limits) {
  Interpreted kernel(R"(
func.func @ids(%y: !tile.ptr<i32>) attributes {tile.kernel} {
  %x = tile.program_id x
  %yy = tile.program_id y
  %z = tile.program_id z
  %nx = tile.num_programs x
  %ny = tile.num_programs y
  %a = arith.muli %z, %ny : i32
  %b = arith.addi %a, %yy : i32
  %c = arith.muli %b, %nx : i32
  %d = arith.addi %c, %x : i32
  %at = tile.addptr %y, %d : !tile.ptr<i32>, i32
  tile.store %at, %d : !tile.ptr<i32>
  return
}
)");
  const Buffer<i32> y = kernel.buffer(std::vector<i32>(60, -1), "y");
  kernel.run({0, 5, 5}, y);
  EXPECT_EQ(y.to_host(), std::vector<i32>(60, -1));
  kernel.run({3, 4, 5}, y);
  for (int n = 0; n < 60; ++n)
    EXPECT_EQ(y.to_host()[std::size_t(n)], n);
  EXPECT_EQ(kernel.error({-1}, y),
            "error: the grid has -1 programs along x; a grid has none or more\n  = kernel ids");
  EXPECT_EQ(kernel.error({1, 65536}, y),
            "error: the grid has 65,536 programs along y; the limit is 65,535\n  = kernel ids");
}

TEST(Refusals, NameTheOperationAndItsLine) {
  EXPECT_EQ(
      refusal(R"(
func.func @odd(%x: i32) attributes {tile.kernel} {
  %y = arith.trunci %x : i32 to i4
  return
}
)"),
      "error: the interpreter does not know the element type i4\n  --> kernel.mlir:3:8\n  = kernel odd");
  EXPECT_EQ(refusal(R"(
func.func @odd(%x: tensor<2xi32>) {
  return
}
)"),
            "error: the kernel takes an argument of type tensor<2xi32>, which a launch cannot pass");
  EXPECT_EQ(refusal(R"(
func.func @odd(%x: i32) {
  return
}
)"),
            "error: the IR of kernel odd has no function of one block with `tile.kernel`");
  EXPECT_EQ(refusal(R"(
func.func @odd(%x: f32) attributes {tile.kernel} {
  %s, %c = math.sincos %x : f32
  return
}
)"),
            "error: the interpreter does not know the operation `math.sincos`\n  --> kernel.mlir:3:12\n  = "
            "kernel odd");
}

}   // namespace
}   // namespace tile::test
