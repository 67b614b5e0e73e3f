// SPDX-License-Identifier: MIT
// Two products in a chain, in roles: the second one multiplies what is computed from the first, and is made a
// step behind it. With no step, one, two and more; in several programs of a CTA.
#include "forms.h"

#include <limits>

namespace tile::simulator {
namespace {

const Form eightWarps{.rows = 128, .columns = 64, .inner = 64, .launch = {.num_warps = 8, .num_stages = 2}};
const Form oneSlot{.rows = 128, .columns = 64, .inner = 64, .launch = {.num_warps = 8, .num_stages = 1}};
const std::vector<Sizes> steps = {{.m = 300, .n = 260, .k = 168, .number = 4},
                                  {.m = 130, .n = 130, .number = 2},
                                  {.m = 128, .n = 64, .number = 1},
                                  {.m = 70, .n = 70, .number = 0}};

// One block of A stays. Those of B come from two rows of blocks, as keys and values do.
#define TILE_TEST_CHAIN                                                                                      \
  TILE_TEST_BLOCKS(Padding::zero);                                                                           \
  auto x = A.load({row, 0});                                                                                 \
  auto first = [&](const Int &i) { return dot(x, B.load({0, i * form.columns})); };                          \
  auto second = [&](const Int &i) { return trans(B.load({form.inner, i * form.columns})); };                 \
  auto few = [](const Tensor<f32> &sums) { return cast<f16>(minimum(maximum(sums, -9.f), 9.f)); }

TILE_TEST_KERNEL(chain) {
  TILE_TEST_CHAIN;
  for (auto i : range(0, number))
    acc = dot(few(first(i)), second(i), acc);
  C.store({row, column}, acc);
}
TEST(ChainsInRoles, OfSumsAlone) {
  check<chain>(Roles::yes, eightWarps, steps);
  check<chain>(Roles::yes, oneSlot, steps);
}
TEST(ChainsInRoles, OneGroupOfWarpsHasNone) {
  const Form one{.inner = 64, .launch = {.num_warps = 4, .num_stages = 2}};
  check<chain>(Roles::no, one, {{.number = 4}, {.number = 2}});
  check<chain>(Roles::yes, one, {{.number = 1}});   // without a loop, there is no step behind
}

TILE_TEST_KERNEL(chain_with_rows) {   // what rows are reduced to is carried, and what sums are scaled by
  TILE_TEST_CHAIN;
  auto top = zeros<f32>({form.rows}), total = zeros<f32>({form.rows});
  for (auto i : range(0, number)) {
    auto sums = first(i);
    Tensor<f32> higher = maximum(top, max(sums, 1));
    Tensor<f32> shrink = 1.f - cast<f32>(higher > top) * 0.5f;
    total = total * shrink + sum(minimum(sums, 5.f), 1);
    acc = dot(few(sums - higher[all, none]), second(i), acc * shrink[all, none]);
    top = higher;
  }
  C.store({row, column}, acc + (top + total)[all, none]);
}
TEST(ChainsInRoles, WithRowsThatAreReduced) {
  check<chain_with_rows>(Roles::yes, eightWarps, steps);
  check<chain_with_rows>(Roles::yes, oneSlot, steps);
}

TILE_TEST_KERNEL(chain_with_masks) {   // some steps take a branch between the products
  TILE_TEST_CHAIN;
  auto i_row = arange(0, form.rows), j = arange(0, form.columns);
  for (auto i : range(0, number)) {
    auto sums = first(i);
    TILE_IF ((i + 1) * form.columns > row) {
      sums = where((i * form.columns + j)[none, all] <= (row + i_row)[all, none], sums, -2.f);
    }
    acc = dot(few(sums), second(i), acc);
  }
  C.store({row, column}, acc);
}
TEST(ChainsInRoles, WithMasksInSomeSteps) { check<chain_with_masks>(Roles::yes, eightWarps, steps); }

TILE_TEST_KERNEL(chain_of_some_steps) {   // the longest programs first: CTAs take rounds in both orders
  TILE_TEST_CHAIN;
  Int last = minimum(number, num_programs(1) - program_id(1));
  for (auto i : range(0, last))
    acc = dot(few(first(i)), second(i), acc);
  C.store({row, column}, acc);
}
TEST(ChainsInRoles, OfProgramsOfUnequalLengths) {
  check<chain_of_some_steps>(Roles::yes, eightWarps,
                             {{.m = 900, .n = 260, .number = 5}, {.m = 300, .n = 400, .number = 2}});
}

TILE_TEST_KERNEL(read_beside) {   // the loop looks at the sums of the second product: nothing is made behind
  TILE_TEST_CHAIN;
  for (auto i : range(0, number)) {
    acc = dot(few(first(i)), second(i), acc);
    acc = where(acc > 30.f, 0.f, acc);
  }
  C.store({row, column}, acc);
}
TEST(ChainsInRoles, WhoseSumsTheLoopReads) { check<read_beside>(Roles::yes, eightWarps, steps); }

TILE_TEST_KERNEL(two_seconds) {   // both multiply what is computed from the first: one of them is behind it
  TILE_TEST_CHAIN;
  auto more = zeros<f32>({form.rows, form.columns});
  for (auto i : range(0, number)) {
    auto p = few(first(i));
    acc = dot(p, second(i), acc);
    more = dot(p, trans(B.load({2 * form.inner, i * form.columns})), more * 0.5f);
  }
  C.store({row, column}, acc + more);
}
TEST(ChainsInRoles, WithTwoProductsOfOne) { check<two_seconds>(Roles::yes, eightWarps, steps); }

TILE_TEST_KERNEL(
    chain_at_the_end) {   // of what 32 bits hold: there is one step, and no number of a second one
  TILE_TEST_CHAIN;
  Int last = std::numeric_limits<std::int32_t>::max() - (number - 3), step = 1 << 30;
  for (auto i : range(last - 5, last, step))
    acc = dot(few(first(i / step)), second(i / step), acc);
  C.store({row, column}, acc);
}
TEST(ChainsInRoles, ToTheEndOfAType) { check<chain_at_the_end>(Roles::yes, eightWarps, {{.number = 3}}); }

}   // namespace
}   // namespace tile::simulator
