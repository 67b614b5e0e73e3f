// SPDX-License-Identifier: MIT
// Asserts after the roles have begun: the warps that multiply end, and the role that copies learns of it.
#include "forms.h"

#include <gmock/gmock.h>

namespace tile::simulator {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// What the launch reports, in each way.
template <Parameters *Fn>
void fails(const Sizes &sizes, const std::string &message, const Form &form = {},
           const std::string &target = "sm_90a") {
  for (const Way &way : ways) {
    const auto device = simulated(target, way);
    try {
      (void)results<Fn>(*device, sizes, form);
      ADD_FAILURE() << "nothing has failed";
    } catch (const Error &error) {
      EXPECT_THAT(std::string(error.what()),
                  AllOf(HasSubstr("assertion failed: " + message), HasSubstr("late_asserts_test.cpp:")));
    }
  }
}

// `number`: the first iteration whose check fails.
TILE_TEST_KERNEL(in_the_loop) {
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, steps)) {
    device_assert(i < number, "too many steps");
    acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
  }
  C.store({row, column}, acc);
}
TEST(LateAsserts, InTheLoopTheyHold) {
  check<in_the_loop>(Roles::yes, {}, {{.number = 99}, {.k = 700, .number = 99}});
}
// In the first iteration, while slots are still empty, and in later ones, when the ring has come round.
TEST(LateAsserts, InTheLoopTheyFail) {
  for (const int first : {0, 1, 2, 5, 20})
    fails<in_the_loop>({.k = 700, .number = first}, "too many steps");
  fails<in_the_loop>({.k = 64, .number = 1}, "too many steps", {.launch = {.num_warps = 8, .num_stages = 4}});
}
// In the last iterations of the last program: the role that copies has no slot to wait for any more.
TEST(LateAsserts, WhenAllIsCopied) {
  for (const int first : {0, 1, 2, 3, 4})
    fails<in_the_loop>({.m = 16, .n = 16, .k = 160, .number = first}, "too many steps",
                       {.launch = {.num_warps = 4, .num_stages = 4}});
}
// The warps that multiply by mma.sync tell it, too.
TEST(LateAsserts, OfProductsByMmaSync) {
  check<in_the_loop>(Roles::of_registers, {}, {{.number = 99}}, "sm_120");
  for (const int first : {0, 2, 5})
    fails<in_the_loop>({.number = first}, "too many steps", {}, "sm_120");
}

// Of one program alone: the others come to their end.
TILE_TEST_KERNEL(of_one_program) {
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, steps)) {
    device_assert((i != 4) | (program_id(0) != number), "the wrong program");
    acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
  }
  C.store({row, column}, acc);
}
TEST(LateAsserts, OfOneProgram) {
  check<of_one_program>(Roles::yes, {}, {{.k = 300, .number = 99}});
  fails<of_one_program>({.k = 300, .number = 1}, "the wrong program");
}

// Of a tile, which some of the warps see: all of them end. A last row of zeros ends the columns of b.
TILE_TEST_KERNEL(of_the_sums) {
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, steps))
    acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
  auto rows = row + arange(0, form.rows);
  device_assert((rows != number)[all, none] | (acc == 0.25f), "a sum of the wrong row");
  C.store({row, column}, acc);
}
TEST(LateAsserts, OfTheSums) {
  check<of_the_sums>(Roles::yes, {}, {{.number = 1000}});
  check<of_the_sums>(Roles::yes, {.rows = 128, .launch = {.num_warps = 8, .num_stages = 3}},
                     {{.number = 1000}});
  fails<of_the_sums>({.number = 70}, "a sum of the wrong row");
  fails<of_the_sums>({.number = 70}, "a sum of the wrong row",
                     {.rows = 128, .launch = {.num_warps = 8, .num_stages = 3}});
}

TILE_TEST_KERNEL(of_a_block) {
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, steps)) {
    auto x = A.load({row, i * form.inner});
    auto along = i * form.inner + arange(0, form.inner);
    device_assert((along != number)[none, all] | (cast<f32>(x) == 0.25f), "a wrong column");
    acc = dot(x, B.load({i * form.inner, column}), acc);
  }
  C.store({row, column}, acc);
}
TEST(LateAsserts, OfABlock) {
  check<of_a_block>(Roles::yes, {}, {{.number = 1000}});
  fails<of_a_block>({.k = 300, .number = 200}, "a wrong column");
}

// Two rings, of which the inner one is in flight or over when the check fails.
TILE_TEST_KERNEL(two_rings) {
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, steps)) {
    device_assert(i < number, "the first loop");
    acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
  }
  for (auto i : range(0, steps)) {
    device_assert(i + 100 < number, "the second loop");
    acc = dot(A.load({row, 0}), B.load({i * form.inner, column}), acc);
  }
  C.store({row, column}, acc);
}
TEST(LateAsserts, OfTwoRings) {
  check<two_rings>(Roles::yes, {}, {{.number = 1000}});
  fails<two_rings>({.k = 300, .number = 3}, "the first loop");
  fails<two_rings>({.k = 300, .number = 104}, "the second loop");
}

// The copies would load the list's element before the check of its index.
TILE_TEST_KERNEL(of_an_index) {
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, steps)) {
    device_assert(i < number, "the list has ended");
    Int at = cast<i32>(load(d + i)) * form.inner;
    acc = dot(A.load({row, at}), B.load({at, column}), acc);
  }
  C.store({row, column}, acc);
}
TEST(LateAsserts, ThatGuardWhatTheCopiesLoad) {
  check<of_an_index>(Roles::no, {}, {{.number = 1000}});
  fails<of_an_index>({.k = 300, .number = 3}, "the list has ended");
}

}   // namespace
}   // namespace tile::simulator
