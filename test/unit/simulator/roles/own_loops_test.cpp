// SPDX-License-Identifier: MIT
// Kernels that go over their tiles themselves and promise that those are apart, and kernels that describe
// their tensors by what they have loaded or computed.
#include "forms.h"

namespace tile::simulator {
namespace {

// The programs of the first row go over all tiles.
template <bool Promises> TILE_TEST_KERNEL(over_tiles) {
  auto A = descriptor(a, {m, k}, {a_row, 1}, {form.rows, form.inner});
  auto B = descriptor(b, {k, n}, {b_row, 1}, {form.inner, form.columns});
  auto C = descriptor(c, {m, n}, {c_row, 1}, {form.rows, form.columns});
  Int across = cdiv(n, form.columns), all = cdiv(m, form.rows) * across;
  auto tiles = range(program_id(0), all, num_programs(0));
  TILE_IF (program_id(1) == 0) {
    for (auto tile : Promises ? tiles.specialize_warps() : tiles) {
      Int row = tile / across * form.rows, column = tile % across * form.columns;
      auto acc = zeros<f32>({form.rows, form.columns});
      for (auto i : range(0, cdiv(k, form.inner)))
        acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
      C.store({row, column}, acc);
    }
  }
}
const std::vector<Sizes> severalTiles = {
    {.m = 200, .n = 200, .k = 104}, {.m = 129, .n = 72, .k = 0}, {.m = 65, .n = 260, .k = 33}};
TEST(RolesOfOwnLoops, TilesThatAreApart) {
  check<over_tiles<true>>(Roles::yes, {}, severalTiles);
  check<over_tiles<true>>(Roles::yes, {.rows = 128, .columns = 64, .launch = {.num_warps = 8}}, severalTiles);
}
// Nothing says that no tile is stored to where a later one is loaded from.
TEST(RolesOfOwnLoops, TilesThatMayMeet) { check<over_tiles<false>>(Roles::no, {}, severalTiles); }

// A tensor that begins where the program has computed, of an extent that it has computed.
TILE_TEST_KERNEL(computed_tensors) {
  Int row = program_id(1) * form.rows, column = program_id(0) * form.columns;
  auto acc = zeros<f32>({form.rows, form.columns});
  Int width = assume_range(minimum(k, 40 * number), 0, 1 << 20);
  Int64 a_step = assume_range(assume_divisible(cast<i64>(a_row), 8), 0, 1 << 20);
  auto from = assume_divisible(a + cast<i64>(row) * a_step, 16);
  auto A = descriptor(from, {assume_range(m - row, 0, 1 << 20), width}, {a_step, 1}, {form.rows, form.inner});
  auto B = descriptor(b, {k, n}, {b_row, 1}, {form.inner, form.columns});
  for (auto i : range(0, cdiv(k, form.inner)))
    acc = dot(A.load({0, i * form.inner}), B.load({i * form.inner, column}), acc);
  descriptor(c, {m, n}, {c_row, 1}, {form.rows, form.columns}).store({row, column}, acc);
}
TEST(RolesOfOwnLoops, TensorsThatTheProgramDescribes) {
  check<computed_tensors>(Roles::yes, {},
                          {{}, {.m = 64, .n = 64, .k = 32, .number = 0}, {.m = 1, .n = 1, .k = 1}});
  check<computed_tensors>(Roles::yes,
                          {.rows = 128, .columns = 96, .launch = {.num_warps = 8, .num_stages = 2}});
}

// Each iteration describes its operand anew, and stores to a tensor of its own.
TILE_TEST_KERNEL(tensors_of_iterations) {
  Int column = program_id(0) * form.columns, row = program_id(1) * form.rows;
  Int64 a_step = assume_range(assume_divisible(cast<i64>(a_row), 8), 0, 1 << 20);
  Int64 c_step = assume_range(assume_divisible(cast<i64>(c_row), 4), 0, 1 << 20);
  Int rows = assume_range(m, 0, 1 << 20), columns = assume_range(n, 0, 1 << 20),
      inner = assume_range(k, 0, 1 << 20);
  auto B = descriptor(b, {k, n}, {b_row, 1}, {form.inner, form.columns});
  for (auto j : range(0, 2).specialize_warps()) {
    auto A = descriptor(assume_divisible(a + cast<i64>(j) * a_step, 16),
                        {assume_range(rows - j, 0, 1 << 20), inner}, {a_step, 1}, {form.rows, form.inner});
    auto C = descriptor(assume_divisible(where(j == 0, c, d), 16), {rows, columns}, {c_step, 1},
                        {form.rows, form.columns});
    auto acc = zeros<f32>({form.rows, form.columns});
    for (auto i : range(0, cdiv(k, form.inner)))
      acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
    C.store({row, column}, acc);
  }
}
TEST(RolesOfOwnLoops, TensorsOfIterations) {
  check<tensors_of_iterations>(Roles::yes, {},
                               {{}, {.m = 65, .n = 64, .k = 0}, {.m = 300, .n = 132, .k = 33}});
}

// What nobody has promised would have to be checked, and would end one role alone.
TILE_TEST_KERNEL(unknown_rows) {
  Int row = program_id(1) * form.rows, column = program_id(0) * form.columns;
  auto acc = zeros<f32>({form.rows, form.columns});
  auto A = descriptor(a, {m ^ number ^ 3, k}, {a_row, 1}, {form.rows, form.inner});
  auto B = descriptor(b, {k, n}, {b_row, 1}, {form.inner, form.columns});
  for (auto i : range(0, cdiv(k, form.inner)))
    acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
  descriptor(c, {m, n}, {c_row, 1}, {form.rows, form.columns}).store({row, column}, acc);
}
TEST(RolesOfOwnLoops, TensorsThatWouldHaveToBeChecked) { check<unknown_rows>(Roles::no); }

// The same of a result, whose operands a launcher describes.
TILE_TEST_KERNEL(unknown_result) {
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, steps))
    acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
  descriptor(c, {m - program_id(0), n}, {c_row, 1}, {form.rows, form.columns}).store({row, column}, acc);
}
TEST(RolesOfOwnLoops, ResultsThatWouldHaveToBeChecked) {
  check<unknown_result>(Roles::no, {}, {{.m = 64, .n = 64, .k = 32}});
}

}   // namespace
}   // namespace tile::simulator
