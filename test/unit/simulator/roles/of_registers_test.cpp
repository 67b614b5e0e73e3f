// SPDX-License-Identifier: MIT
// What products that mma.sync makes in a role read of blocks that another role has copied, in other forms
// than the plain loop.
#include "forms.h"

namespace tile::simulator {
namespace {

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
TEST(RolesOfRegisters, ATransposedBlock) {
  check<transposed>(Roles::of_registers, {}, {{.m = 130, .n = 136}}, "sm_120");
}

TILE_TEST_KERNEL(computed) {
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, steps)) {
    auto x = A.load({row, i * form.inner}), y = B.load({i * form.inner, column});
    acc = dot(x + x, maximum(y, f16(0)), acc) + sum(cast<f32>(x), 1)(all, none);
  }
  C.store({row, column}, acc);
}
TEST(RolesOfRegisters, ComputedOperandsAndRowSums) {
  check<computed>(Roles::of_registers, {}, {{}}, "sm_120");
  check<computed>(Roles::of_registers, {.rows = 128, .launch = {.num_warps = 8, .num_stages = 2}}, {{}},
                  "sm_90");
}

TILE_TEST_KERNEL(two_rings) {
  TILE_TEST_BLOCKS(Padding::zero);
  auto first = A.load({row, 0});
  for (auto i : range(0, steps))
    TILE_IF (i + 1 != number)
      acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
  for (auto i : range(0, steps))
    acc = dot(first, B.load({i * form.inner, column}), acc);
  C.store({row, column}, acc);
}
TEST(RolesOfRegisters, RingsAndBranches) {
  check<two_rings>(Roles::of_registers, {}, {{.number = 1}, {.number = 4}, {.number = 100}}, "sm_120");
}

}   // namespace
}   // namespace tile::simulator
