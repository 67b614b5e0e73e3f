// SPDX-License-Identifier: MIT
// Products that mma.sync makes in a role, of blocks that another role has copied: on GPUs without wgmma, and
// where wgmma takes no such tiles.
#include "forms.h"

#include <gmock/gmock.h>

namespace tile::simulator {
namespace {

using testing::HasSubstr;

bool hasCopiedForWarps(const Device &device) {
  for (const std::string &line : simulator_counts(device))
    if (line.starts_with("warpgroups: "))
      return line.starts_with("warpgroups: 0 wgmma") && line.find("; 0 bulk copies") == std::string::npos;
  return false;
}

std::unique_ptr<Device> open(const std::string &target, const Way &way = {}) {
  return open_simulator({.target = target,
                         .completion = way.completion,
                         .matrix_completion = way.completion,
                         .seed = way.seed,
                         .schedule_seed = way.schedule});
}

template <Parameters *Fn>
void agrees(const std::string &target, const Form &form, const Sizes &sizes = {}, bool areCopied = true) {
  const auto interpreter = open_device("interpreter");
  const std::vector<float> expected = results<Fn>(*interpreter, sizes, form);
  for (const Way &way : ways) {
    const auto device = open(target, way);
    EXPECT_EQ(results<Fn>(*device, sizes, form), expected) << target;
    EXPECT_EQ(hasCopiedForWarps(*device), areCopied) << target;
  }
}

TILE_TEST_KERNEL(product) {
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, steps))
    acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
  C.store({row, column}, acc);
}
TEST(RolesOfRegisters, AProduct) {
  for (const char *target : {"sm_90", "sm_100a", "sm_120"})
    agrees<product>(target, {});
  agrees<product>("sm_120",
                  {.rows = 128, .columns = 32, .inner = 16, .launch = {.num_warps = 8, .num_stages = 4}});
  agrees<product>("sm_120", {.rows = 32, .columns = 64, .launch = {.num_warps = 1, .num_stages = 2}});
  agrees<product>("sm_90", {.rows = 64, .columns = 64, .launch = {.num_warps = 16, .num_stages = 1}});
  agrees<product>("sm_90", {}, {.k = 0}, /*areCopied=*/false);
}
TEST(RolesOfRegisters, WhatWgmmaDoesNotTake) {
  agrees<product>("sm_90a", {.launch = {.num_warps = 2, .num_stages = 3}});
}
TEST(RolesOfRegisters, OlderGpusHaveNoSuchEngine) { agrees<product>("sm_89", {}, {}, /*areCopied=*/false); }

TILE_TEST_KERNEL(transposed) {
  auto A = descriptor(b, {k, m}, {b_row, 1}, {form.inner, form.rows});
  auto B = descriptor(b, {k, n}, {b_row, 1}, {form.inner, form.columns});
  auto C = descriptor(c, {m, n}, {c_row, 1}, {form.rows, form.columns});
  Int row = program_id(1) * form.rows, column = program_id(0) * form.columns;
  auto acc = zeros<f32>({form.rows, form.columns});
  for (auto i : range(0, cdiv(k, form.inner)))
    acc = dot(trans(A.load({i * form.inner, row})), B.load({i * form.inner, column}), acc);
  C.store({row, column}, acc);
}
TEST(RolesOfRegisters, ATransposedBlock) { agrees<transposed>("sm_120", {}, {.m = 130, .n = 136}); }

TILE_TEST_KERNEL(computed) {
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, steps)) {
    auto x = A.load({row, i * form.inner}), y = B.load({i * form.inner, column});
    acc = dot(x + x, maximum(y, f16(0)), acc) + sum(cast<f32>(x), 1)(all, none);
  }
  C.store({row, column}, acc);
}
TEST(RolesOfRegisters, ComputedOperandsAndRowSums) {
  agrees<computed>("sm_120", {});
  agrees<computed>("sm_90", {.rows = 128, .launch = {.num_warps = 8, .num_stages = 2}});
}

TILE_TEST_KERNEL(two_rings) {
  TILE_TEST_BLOCKS(Padding::zero);
  auto first = A.load({row, 0});
  for (auto i : range(0, steps))
    TILE_IF (i != number)
      acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
  for (auto i : range(0, steps))
    acc = dot(first, B.load({i * form.inner, column}), acc);
  C.store({row, column}, acc);
}
TEST(RolesOfRegisters, RingsAndBranches) {
  for (const int number : {0, 3, 99})
    agrees<two_rings>("sm_120", {}, {.number = number});
}

TILE_TEST_KERNEL(checked) {
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, steps)) {
    device_assert(i < number, "too many steps");
    acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
  }
  C.store({row, column}, acc);
}
TEST(RolesOfRegisters, AssertsThatFail) {
  agrees<checked>("sm_120", {}, {.number = 99});
  for (const int first : {0, 2, 5})
    for (const Way &way : ways)
      try {
        (void)results<checked>(*open("sm_120", way), {.number = first}, {});
        ADD_FAILURE() << "nothing has failed";
      } catch (const Error &error) {
        EXPECT_THAT(std::string(error.what()), HasSubstr("assertion failed: too many steps"));
      }
}

}   // namespace
}   // namespace tile::simulator
