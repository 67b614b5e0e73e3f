// SPDX-License-Identifier: MIT
// Kernels in roles that read copied blocks into registers: to compute operands from them, or beside products.
#include "forms.h"

namespace tile::simulator {
namespace {

const Form eightWarps{.rows = 128, .columns = 64, .inner = 64, .launch = {.num_warps = 8, .num_stages = 2}};
const Form pingPong{.launch = {.num_warps = 4, .num_stages = 3, .ping_pong = true}};
const std::vector<Sizes> severalTiles = {{}, {.m = 300, .n = 301, .k = 168}, {.m = 64, .n = 64, .k = 0}};

TILE_TEST_KERNEL(scaled_left) {
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, steps))
    acc = dot(A.load({row, i * form.inner}) * 2.f, B.load({i * form.inner, column}), acc);
  C.store({row, column}, acc);
}
TEST(RolesThatReadBlocks, ComputedLeftOperand) {
  check<scaled_left>(Roles::yes);
  check<scaled_left>(Roles::yes, eightWarps, severalTiles);
  check<scaled_left>(Roles::yes, pingPong, severalTiles);
  check<scaled_left>(Roles::yes, {.rows = 64, .columns = 128, .launch = {.num_warps = 8, .num_stages = 3}});
}

TILE_TEST_KERNEL(scaled_right) {
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, steps))
    acc = dot(A.load({row, i * form.inner}), maximum(B.load({i * form.inner, column}), 0.f), acc);
  C.store({row, column}, acc);
}
TEST(RolesThatReadBlocks, ComputedRightOperand) {
  check<scaled_right>(Roles::yes, {}, {{}, {.m = 64, .n = 64, .k = 32}, {.k = 0}});
  check<scaled_right>(Roles::yes, eightWarps, severalTiles);
  check<scaled_right>(Roles::yes, pingPong, severalTiles);
  check<scaled_right>(Roles::no, {.launch = {.num_warps = 4, .num_stages = 1}});
  // Shared memory holds one slot of the blocks: no product goes on into the next iteration.
  check<scaled_right>(Roles::yes,
                      {.rows = 256, .columns = 64, .inner = 192, .launch = {.num_warps = 8, .num_stages = 2}},
                      {{.m = 300, .n = 70, .k = 600}});
}

TILE_TEST_KERNEL(scaled_both) {
  TILE_TEST_BLOCKS(Padding::zero);
  auto factors = cast<f16>(row % 3 + arange(0, form.rows) % 2 + 1);
  for (auto i : range(0, steps))
    acc = dot(A.load({row, i * form.inner}) * factors[all, none], -B.load({i * form.inner, column}), acc);
  C.store({row, column}, acc);
}
TEST(RolesThatReadBlocks, BothOperandsComputed) {
  check<scaled_both>(Roles::no);
  check<scaled_both>(Roles::no, eightWarps, severalTiles);
}

TILE_TEST_KERNEL(added_transposed) {   // two blocks make one operand, one of them transposed
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, steps)) {
    auto y = B.load({i * form.inner, column});
    acc = dot(A.load({row, i * form.inner}) + trans(y), y, acc);
  }
  C.store({row, column}, acc);
}
TEST(RolesThatReadBlocks, OperandOfTwoBlocks) { check<added_transposed>(Roles::yes); }

TILE_TEST_KERNEL(transposed_and_computed) {
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, steps)) {
    auto x = A.load({row, i * form.inner});
    acc = dot(x, trans(x) * 2.f, acc);
  }
  C.store({row, column}, acc);
}
TEST(RolesThatReadBlocks, OneBlockAsItIsAndComputed) { check<transposed_and_computed>(Roles::yes); }

TILE_TEST_KERNEL(row_sums) {
  TILE_TEST_BLOCKS(Padding::zero);
  auto sums = zeros<f32>({form.rows});
  for (auto i : range(0, steps)) {
    auto x = A.load({row, i * form.inner});
    acc = dot(x, B.load({i * form.inner, column}), acc);
    sums += sum(cast<f32>(x), 1);
  }
  C.store({row, column}, acc + sums[all, none]);
}
TEST(RolesThatReadBlocks, RowSumsBeside) {
  check<row_sums>(Roles::yes);
  check<row_sums>(Roles::yes, eightWarps, severalTiles);
  check<row_sums>(Roles::yes, pingPong, severalTiles);
}

TILE_TEST_KERNEL(column_sums) {   // of the operand that a pair of CTAs shares
  TILE_TEST_BLOCKS(Padding::zero);
  auto sums = zeros<f32>({form.columns});
  for (auto i : range(0, steps)) {
    auto y = B.load({i * form.inner, column});
    acc = dot(A.load({row, i * form.inner}), y, acc);
    sums += sum(cast<f32>(y), 0);
  }
  C.store({row, column}, acc + sums[none, all]);
}
TEST(RolesThatReadBlocks, ColumnSumsBeside) {
  check<column_sums>(Roles::yes);
  check<column_sums>(Roles::yes, {.rows = 128, .launch = {.num_warps = 4, .num_stages = 3, .num_ctas = 2}});
}

TILE_TEST_KERNEL(residual) {
  TILE_TEST_BLOCKS(Padding::zero);
  auto R = descriptor(d, {m, n}, {c_row, 1}, {form.rows, form.columns});
  for (auto i : range(0, steps))
    acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
  C.store({row, column}, acc + R.load({row, column}));
}
TEST(RolesThatReadBlocks, ABlockInTheEpilogue) {
  check<residual>(Roles::yes);
  check<residual>(Roles::yes, eightWarps, severalTiles);
  check<residual>(Roles::yes, pingPong, severalTiles);
}

TILE_TEST_KERNEL(residual_loaded_first) {
  TILE_TEST_BLOCKS(Padding::zero);
  auto R = descriptor(d, {m, n}, {c_row, 1}, {form.rows, form.columns});
  auto r = R.load({row, column});
  for (auto i : range(0, steps))
    acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
  TILE_IF (number > 2) {
    acc += r;
  }
  C.store({row, column}, acc);
}
TEST(RolesThatReadBlocks, ABlockThatIsLoadedEarly) {
  check<residual_loaded_first>(Roles::yes, {}, {{}, {.number = 1}});
  check<residual_loaded_first>(Roles::yes, pingPong, severalTiles);
}

TILE_TEST_KERNEL(residual_of_some) {
  TILE_TEST_BLOCKS(Padding::zero);
  auto R = descriptor(d, {m, n}, {c_row, 1}, {form.rows, form.columns});
  for (auto i : range(0, steps))
    acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
  TILE_IF (program_id(0) % 2 == 0) {
    acc += R.load({row, column});
  }
  C.store({row, column}, acc);
}
TEST(RolesThatReadBlocks, ABlockOfSomePrograms) {
  check<residual_of_some>(Roles::yes, {}, severalTiles);
  check<residual_of_some>(Roles::yes, pingPong, severalTiles);
}

TILE_TEST_KERNEL(block_in_the_loop) {   // that no product reads
  TILE_TEST_BLOCKS(Padding::zero);
  auto R = descriptor(d, {m, n}, {c_row, 1}, {form.rows, form.columns});
  for (auto i : range(0, steps)) {
    acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
    acc += R.load({row, column + i * 4});
  }
  C.store({row, column}, acc);
}
TEST(RolesThatReadBlocks, ABlockBesideTheProducts) {
  check<block_in_the_loop>(Roles::yes, {}, severalTiles);
  check<block_in_the_loop>(Roles::yes, pingPong, severalTiles);
}

TILE_TEST_KERNEL(first_sums) {   // the loop begins with a block
  TILE_TEST_BLOCKS(Padding::zero);
  acc = descriptor(d, {m, n}, {c_row, 1}, {form.rows, form.columns}).load({row, column});
  for (auto i : range(0, steps))
    acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
  C.store({row, column}, acc);
}
TEST(RolesThatReadBlocks, FirstSums) {
  check<first_sums>(Roles::yes, {}, severalTiles);
  check<first_sums>(Roles::yes, eightWarps, severalTiles);
}

TILE_TEST_KERNEL(scaled_outside) {
  TILE_TEST_BLOCKS(Padding::zero);
  auto x = A.load({row, 8}) * 2.f;
  for (auto i : range(0, steps))
    acc = dot(x, B.load({i * form.inner, column}), acc);
  C.store({row, column}, acc);
}
TEST(RolesThatReadBlocks, ComputedOutsideOfTheLoop) {
  check<scaled_outside>(Roles::yes, {}, severalTiles);
  check<scaled_outside>(Roles::yes, eightWarps, severalTiles);
}

}   // namespace
}   // namespace tile::simulator
