// SPDX-License-Identifier: MIT
// Variables are values as in plain C++, and the order of operations does not depend on how the
// C++ compiler evaluates operands.
#include <tile/dsl.h>

#include <array>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

using namespace tile;
using testing::HasSubstr;

namespace {

struct None {};

// The body of a kernel's function, without the lines around it.
template <auto Fn> std::string body() {
  TextOptions options;
  options.locations = false;
  std::string s = Kernel<Fn>{.name = "k"}.trace({}).text(options);
  s = s.substr(s.find("{\n", s.find("attributes")) + 2);
  return s.substr(0, s.find("    return"));
}

void swap_in_loop(Ptr<i32> out, Int n, const None &) {
  Int a = 1, b = 2;
  for (auto i : range(n)) {
    std::swap(a, b);
    a += i;
  }
  store(out, a - b);
}
TEST(Variables, SwapInALoop) {
  EXPECT_EQ(body<&swap_in_loop>(), R"(    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %c1_i32_0 = arith.constant 1 : i32
    %c2_i32 = arith.constant 2 : i32
    %0:2 = scf.for %arg2 = %c0_i32 to %arg1 step %c1_i32 iter_args(%arg3 = %c1_i32_0, %arg4 = %c2_i32) -> (i32, i32)  : i32 {
      %2 = arith.addi %arg4, %arg2 : i32
      scf.yield %2, %arg3 : i32, i32
    }
    %1 = arith.subi %0#0, %0#1 : i32
    tile.store %arg0, %1 : !tile.ptr<i32>
)");
}

void structs_and_arrays(Ptr<i32> out, Int n, const None &) {
  struct Pair {
    Int a, b;
  };
  Pair even{0, 1}, odd{2, 3};
  std::array<Int, 2> sums{0, 0};
  for (auto i : range(n)) {
    Pair saved = even;
    even = odd;
    odd = saved;
    for (std::size_t k = 0; k < 2; ++k)
      sums[k] += i * (static_cast<int>(k) + 1);
  }
  store(out, even.a + odd.b + sums[0] * sums[1]);
}
TEST(Variables, StructsAndArraysOfTensors) {
  EXPECT_THAT(body<&structs_and_arrays>(), HasSubstr("-> (i32, i32, i32, i32, i32, i32)"));
}

void loads_and_stores(Ptr<i32> p, Ptr<i32> q, const None &) {
  auto x = load(p), y = load(q);
  store(p, 1);
  auto z = load(p);
  store(q, y - x + z);
  auto unused = load(p + 5);
  auto also_unused = x * 3;
}
// The loads stay before the store that they precede, in the order in which they are used;
// what nobody uses is gone.
TEST(Order, LoadsDoNotCrossStores) {
  EXPECT_EQ(body<&loads_and_stores>(), R"(    %c1_i32 = arith.constant 1 : i32
    %0 = tile.load %arg1 : !tile.ptr<i32>
    %1 = tile.load %arg0 : !tile.ptr<i32>
    tile.store %arg0, %c1_i32 : !tile.ptr<i32>
    %2 = arith.subi %0, %1 : i32
    %3 = tile.load %arg0 : !tile.ptr<i32>
    %4 = arith.addi %2, %3 : i32
    tile.store %arg1, %4 : !tile.ptr<i32>
)");
}

void loads_in_one_expression(Ptr<i32> p, Ptr<i32> q, const None &) {
  store(p, load(q) * 2 + load(q + 1) * load(p + 2));
}
TEST(Order, OperandsGoFromLeftToRight) {
  EXPECT_EQ(body<&loads_in_one_expression>(), R"(    %0 = tile.load %arg1 : !tile.ptr<i32>
    %c2_i32 = arith.constant 2 : i32
    %1 = arith.muli %0, %c2_i32 : i32
    %c1_i32 = arith.constant 1 : i32
    %2 = tile.addptr %arg1, %c1_i32 : !tile.ptr<i32>, i32
    %3 = tile.load %2 : !tile.ptr<i32>
    %c2_i32_0 = arith.constant 2 : i32
    %4 = tile.addptr %arg0, %c2_i32_0 : !tile.ptr<i32>, i32
    %5 = tile.load %4 : !tile.ptr<i32>
    %6 = arith.muli %3, %5 : i32
    %7 = arith.addi %1, %6 : i32
    tile.store %arg0, %7 : !tile.ptr<i32>
)");
}

void load_before_a_writing_loop(Ptr<i32> p, Int n, const None &) {
  auto before = load(p);
  for (auto i : range(n))
    store(p + i, i);
  store(p, before);
}
TEST(Order, ALoopThatWritesIsAWrite) {
  std::string s = body<&load_before_a_writing_loop>();
  EXPECT_LT(s.find("tile.load"), s.find("scf.for"));
}

void branch_results(Ptr<i32> p, Int n, const None &) {
  Int x = 0;
  TILE_IF (n > 3) {
    x = 5;
  } else {
    TILE_IF (n < 0) {
      x -= 1;
    }
  }
  Int y = n;
  while_([&] { return y < 100; }, [&] { y += x; });
  store(p, y);
}
TEST(Variables, BranchesAndWhile) {
  EXPECT_EQ(body<&branch_results>(), R"(    %c3_i32 = arith.constant 3 : i32
    %0 = arith.cmpi sgt, %arg1, %c3_i32 : i32
    %c0_i32 = arith.constant 0 : i32
    %1 = scf.if %0 -> (i32) {
      %c5_i32 = arith.constant 5 : i32
      scf.yield %c5_i32 : i32
    } else {
      %c0_i32_0 = arith.constant 0 : i32
      %3 = arith.cmpi slt, %arg1, %c0_i32_0 : i32
      %4 = scf.if %3 -> (i32) {
        %c1_i32 = arith.constant 1 : i32
        %5 = arith.subi %c0_i32, %c1_i32 : i32
        scf.yield %5 : i32
      } else {
        scf.yield %c0_i32 : i32
      }
      scf.yield %4 : i32
    }
    %2 = scf.while (%arg2 = %arg1) : (i32) -> i32 {
      %c100_i32 = arith.constant 100 : i32
      %3 = arith.cmpi slt, %arg2, %c100_i32 : i32
      scf.condition(%3) %arg2 : i32
    } do {
    ^bb0(%arg2: i32):
      %3 = arith.addi %arg2, %1 : i32
      scf.yield %3 : i32
    }
    tile.store %arg0, %2 : !tile.ptr<i32>
)");
}

void stride_of_one(Ptr<f32> p, Int stride, Dynamic<Int> n, const None &) {
  auto i = arange(0, 16);
  store(p + i * stride, load(p + i * n));
}
TEST(Specialisation, OneIsAConstantAndDynamicIsNot) {
  KernelIR ir = Kernel<&stride_of_one>{.name = "k"}.trace(
      {}, {ArgClass::divisible_by_16, ArgClass::one, ArgClass::one});
  std::string s = ir.text();
  EXPECT_THAT(s, HasSubstr("(%arg0: !tile.ptr<f32> {tile.divisibility = 16 : i32"));
  EXPECT_THAT(s, HasSubstr("%arg1: i32 {tile.name = \"arg2\""));
  EXPECT_EQ(ir.parameters()[1].argument_class, ArgClass::one);
  EXPECT_EQ(ir.parameters()[2].argument_class, ArgClass::generic);
}

// An i32 that meets an i64 is extended before anything is computed.
void widens(Ptr<i64> out, Int n, Int64 stride, const None &) {
  Int64 sum = n;
  sum += n * stride;
  store(out + n * stride, where(n < stride, sum, n));
}
TEST(Variables, NarrowWithWide) {
  const std::string text = body<&widens>();
  EXPECT_THAT(text, HasSubstr("arith.extsi %arg1 : i32 to i64"));
  EXPECT_THAT(text, testing::Not(HasSubstr("muli %arg1")));
  EXPECT_THAT(text, HasSubstr("tile.addptr %arg0, %"));
  EXPECT_THAT(text, HasSubstr(": !tile.ptr<i64>, i64"));
}

// On the host: the exact ceiling, whatever the signs; nothing divides by 0 or overflows.
TEST(Variables, HostCdiv) {
  constexpr int least = std::numeric_limits<int>::min(), most = std::numeric_limits<int>::max();
  static_assert(cdiv(-1, 64) == 0 && cdiv(-64, 64) == -1 && cdiv(-65, 64) == -1 && cdiv(5, -2) == -2);
  static_assert(cdiv(4, 0) == 4 && cdiv(least, 0) == least && cdiv(least, -1) == least &&
                cdiv(most, -1) == -most);
  static_assert(cdiv(~0u, 2u) == 0x80000000u && cdiv(std::int64_t{1} << 40, 3) == 366503875926);
  for (int a = -40; a <= 40; ++a)
    for (int b = -9; b <= 9; ++b)
      if (b != 0) {
        EXPECT_EQ(cdiv(a, b), static_cast<int>(std::ceil(static_cast<double>(a) / b))) << a << " " << b;
      }
}

}   // namespace
