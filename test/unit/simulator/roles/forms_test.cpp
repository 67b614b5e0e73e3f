// SPDX-License-Identifier: MIT
// Kernels of other forms than the shipped product, partitioned into roles where possible: their results are
// the interpreter's.
#include "forms.h"

#include <tile/interpreter.h>

#include <set>

namespace tile::simulator {
namespace {

TILE_TEST_KERNEL(plain) {
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, steps))
    acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
  C.store({row, column}, acc);
}
TEST(RolesOfForms, PlainLoop) {
  check<plain>(Roles::yes, {}, {{}, {.m = 1, .n = 1, .k = 1}, {.k = 0}, {.m = 300, .n = 301, .k = 33}});
  check<plain>(Roles::yes,
               {.rows = 128, .columns = 96, .inner = 128, .launch = {.num_warps = 8, .num_stages = 2}});
}

// On GPUs without wgmma, and where it has no groups of four warps. Older GPUs have no engine that copies.
TEST(RolesOfForms, PlainLoopByMmaSync) {
  for (const char *target : {"sm_90", "sm_100a", "sm_120"})
    check<plain>(Roles::of_registers, {}, {{}, {.k = 0}}, target);
  check<plain>(Roles::of_registers,
               {.rows = 128, .columns = 32, .inner = 16, .launch = {.num_warps = 8, .num_stages = 4}}, {{}},
               "sm_120");
  check<plain>(Roles::of_registers, {.rows = 32, .columns = 64, .launch = {.num_warps = 1, .num_stages = 2}},
               {{}}, "sm_120");
  check<plain>(Roles::of_registers, {.rows = 64, .columns = 64, .launch = {.num_warps = 16, .num_stages = 1}},
               {{}}, "sm_90");
  check<plain>(Roles::of_registers, {.launch = {.num_warps = 2, .num_stages = 3}}, {{}}, "sm_90a");
  check<plain>(Roles::no, {}, {{}}, "sm_89");
}

// Every other program skips the ring.
TILE_TEST_KERNEL(branch_around) {
  TILE_TEST_BLOCKS(Padding::zero);
  TILE_IF (program_id(0) % 2 == 0) {
    for (auto i : range(0, steps))
      acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
    acc += 1;
  } else {
    acc -= cast<f32>(number);
  }
  C.store({row, column}, acc);
}
TEST(RolesOfForms, BranchAroundTheLoop) {
  check<branch_around>(Roles::yes, {}, {{}, {.m = 200, .n = 400, .k = 104}});
}

TILE_TEST_KERNEL(branch_within) {
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, steps)) {
    TILE_IF (i % 3 != 1) {
      acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
    }
  }
  C.store({row, column}, acc);
}
TEST(RolesOfForms, BranchWithinTheLoop) { check<branch_within>(Roles::yes); }

// The ring goes on where the outer loop comes back; coordinates are carried.
TILE_TEST_KERNEL(nested_loops) {
  TILE_TEST_BLOCKS(Padding::zero);
  Int from = full<i32>({}, 0);
  for (auto j : range(0, number)) {
    for (auto i : range(0, minimum(steps, j + 2))) {
      acc = dot(A.load({row, from + i * form.inner}), B.load({i * form.inner, column}), acc);
    }
    from += 8;
    acc = acc * 2.f;
  }
  C.store({row, column}, acc);
}
TEST(RolesOfForms, NestedLoops) {
  check<nested_loops>(Roles::yes, {}, {{}, {.number = 0}, {.number = 5}});
  check<nested_loops>(Roles::yes, {.launch = {.num_warps = 4, .num_stages = 1}});
}

TILE_TEST_KERNEL(shared_operand) {
  TILE_TEST_BLOCKS(Padding::zero);
  auto other = zeros<f32>({form.rows, form.columns});
  for (auto i : range(0, steps)) {
    auto x = A.load({row, i * form.inner});
    acc = dot(x, B.load({i * form.inner, column}), acc);
    other = dot(x, B.load({i * form.inner, column + 8}), other);
  }
  C.store({row, column}, acc + other * 3.f);
}
TEST(RolesOfForms, TwoProductsShareAnOperand) { check<shared_operand>(Roles::yes); }

// 256 sums of a thread would not fit; the second product of an iteration adds to those of the first.
TILE_TEST_KERNEL(unrolled_by_hand) {
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, cdiv(steps, 2)))
    for (int half = 0; half < 2; ++half) {
      Int at = (i * 2 + half) * form.inner;
      acc = dot(A.load({row, at}), B.load({at, column}), acc);
    }
  C.store({row, column}, acc);
}
TEST(RolesOfForms, ProductsThatGoOnWithTheSameSums) {
  check<unrolled_by_hand>(Roles::yes, {.columns = 256, .launch = {.num_warps = 4, .num_stages = 2}});
  check<unrolled_by_hand>(Roles::yes, {.launch = {.num_warps = 8, .num_stages = 3}});
}

// The first operand is in one slot while the loop reads it, and then in the next program's.
TILE_TEST_KERNEL(loaded_outside) {
  TILE_TEST_BLOCKS(Padding::zero);
  auto x = A.load({row, 8});
  for (auto i : range(0, steps))
    acc = dot(x, B.load({i * form.inner, column}), acc);
  C.store({row, column}, acc);
}
TEST(RolesOfForms, OperandsThatAreLoadedOutside) {
  check<loaded_outside>(Roles::yes, {}, {{}, {.m = 200, .n = 400, .k = 104}, {.k = 0}});
  check<loaded_outside>(Roles::yes, {.rows = 128, .launch = {.num_warps = 8, .num_stages = 2}});
}

TILE_TEST_KERNEL(loaded_outside_the_branch) {
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, steps)) {
    auto x = A.load({row, i * form.inner});
    auto y = B.load({i * form.inner, column});
    TILE_IF (i % 3 != 1) {
      acc = dot(x, y, acc);
    }
  }
  C.store({row, column}, acc);
}
TEST(RolesOfForms, OperandsThatAreLoadedOutsideOfTheBranch) { check<loaded_outside_the_branch>(Roles::yes); }

TILE_TEST_KERNEL(two_pairs) {
  TILE_TEST_BLOCKS(Padding::zero);
  auto other = zeros<f32>({form.rows, form.columns});
  for (auto i : range(0, steps)) {
    acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
    other = dot(A.load({row, i * form.inner + 8}), B.load({i * form.inner, column + 8}), other);
  }
  C.store({row, column}, acc + other * 3.f);
}
TEST(RolesOfForms, ProductsThatShareNoOperand) { check<two_pairs>(Roles::yes); }

// Two rings of four slots would take 320 KiB.
TILE_TEST_KERNEL(two_large_rings) {
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, steps))
    acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
  for (auto i : range(0, number))
    acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
  C.store({row, column}, acc);
}
TEST(RolesOfForms, RingsThatShareTheMemoryThereIs) {
  check<two_large_rings>(
      Roles::yes, {.rows = 128, .columns = 192, .inner = 64, .launch = {.num_warps = 8, .num_stages = 4}},
      {{}});
}

TILE_TEST_KERNEL(by_itself) {
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, steps)) {
    auto x = A.load({row, i * form.inner});
    acc = dot(x, trans(x), acc);
  }
  C.store({row, column}, acc);
}
TEST(RolesOfForms, AnOperandByItselfTransposed) { check<by_itself>(Roles::yes); }

TILE_TEST_KERNEL(two_loops) {
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, steps))
    acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
  acc = acc * 2.f;
  for (auto i : range(1, steps).stages(2))
    acc = dot(A.load({row, i * form.inner - 8}), B.load({i * form.inner, column}), acc);
  C.store({row, column}, acc);
}
TEST(RolesOfForms, TwoLoops) { check<two_loops>(Roles::yes); }

TILE_TEST_KERNEL(no_loop) {
  TILE_TEST_BLOCKS(Padding::zero);
  acc = dot(A.load({row, 0}), B.load({0, column}), acc);
  C.store({row, column}, acc);
}
TEST(RolesOfForms, NoLoop) { check<no_loop>(Roles::yes); }

TILE_TEST_KERNEL(unrolled) {
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, steps).unroll(2))
    acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
  C.store({row, column}, acc);
}
TEST(RolesOfForms, UnrolledLoop) { check<unrolled>(Roles::yes); }

// A bias for each column, an activation, a tile that is added, and a result through pointers beside the one
// by boxes.
TILE_TEST_KERNEL(epilogue) {
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, steps))
    acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
  auto j = column + arange(0, form.columns), i = row + arange(0, form.rows);
  auto bias = cast<f32>(load(b + j, j < n));
  auto residual = descriptor(d, {m, n}, {c_row, 1}, {form.rows, form.columns}).load({row, column});
  acc = maximum(acc + bias(none, all), 0.f) + residual;
  store(d + i * c_row, sum(acc, 1), (i < m) & (program_id(0) == 0));
  C.store({row, column}, acc);
}
TEST(RolesOfForms, Epilogue) {
  // One column of programs: the others would meet what this one stores.
  check<epilogue>(Roles::yes, {.columns = 64}, {{.m = 200, .n = 64, .k = 104}, {.m = 70, .n = 61, .k = 40}});
}

// Matrices of a batch, which here overlap: a box is of one of them.
TILE_TEST_KERNEL(of_a_batch) {
  TILE_TEST_BLOCKS(Padding::zero);
  auto batch = descriptor(a, {2, 8, k}, {a_row, a_row, 1}, {1, form.rows, form.inner});
  for (auto j : range(0, 3))
    for (auto i : range(0, steps))
      acc = dot(batch.load_reduced({j, 0, i * form.inner}), B.load({i * form.inner, column}), acc);
  C.store({row, column}, acc);
}
TEST(RolesOfForms, MatricesOfABatch) { check<of_a_batch>(Roles::yes); }

// Blocks that begin before the tensors.
TILE_TEST_KERNEL(before_the_tensor) {
  TILE_TEST_BLOCKS(Padding::zero);
  row -= number;
  column -= number * 8;
  for (auto i : range(0, steps))
    acc = dot(A.load({row, i * form.inner - 16}), B.load({i * form.inner - number, column}), acc);
  C.store({row, column}, acc);
}
TEST(RolesOfForms, BlocksBeforeTheTensor) {
  check<before_the_tensor>(Roles::yes, {}, {{}, {.m = 64, .n = 64, .k = 65}});
}

// The engine's boxes begin at multiples of 16 bytes of a row. Whether a store's do may turn out when the
// kernel runs.
TILE_TEST_KERNEL(stored_anywhere) {
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, steps))
    acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
  C.store({row, column + number}, acc);
}
TEST(RolesOfForms, StoresAtAnyColumn) {
  check<stored_anywhere>(Roles::yes, {},
                         {{.number = 1},
                          {.number = 2},
                          {.number = 3},
                          {.number = 4},
                          {.n = 128, .number = 8},
                          {.n = 128, .number = 6},
                          {.n = 128, .number = -4}});
}
TILE_TEST_KERNEL(loaded_anywhere) {
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, steps))
    acc = dot(A.load({row, i * form.inner + number}), B.load({i * form.inner, column}), acc);
  C.store({row, column}, acc);
}
TEST(RolesOfForms, LoadsAtAnyColumn) { check<loaded_anywhere>(Roles::no); }

TILE_TEST_KERNEL(filled_with_nan) {
  TILE_TEST_BLOCKS(Padding::nan);
  for (auto i : range(0, steps))
    acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
  C.store({row, column}, acc);
}
TEST(RolesOfForms, PaddingByNaN) {
  check<filled_with_nan>(Roles::yes, {}, {{.m = 64, .n = 64, .k = 64}, {.m = 64, .n = 64, .k = 65}});
}

// Accumulators of f16 are the unit's own.
TILE_TEST_KERNEL(narrow_sums) {
  TILE_TEST_BLOCKS(Padding::zero);
  auto sums = zeros<f16>({form.rows, form.columns});
  for (auto i : range(0, steps))
    sums = dot<f16>(A.load({row, i * form.inner}), B.load({i * form.inner, column}), sums);
  C.store({row, column}, cast<f32>(sums));
}
TEST(RolesOfForms, SumsOfF16) {
  const auto interpreter = open_device("interpreter");
  const Sizes s{.k = 104};   // |sums| < 2048: exact
  const auto device = hopper();
  EXPECT_EQ(results<narrow_sums>(*device, s, {}), results<narrow_sums>(*interpreter, s, {}));
}

// What is stored is read back by other threads, or stored again.
TILE_TEST_KERNEL(read_back) {
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, steps))
    acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
  C.store({row, column}, acc);
  barrier();
  auto i = arange(0, 64), at = (row + 63 - i)(all, none) * c_row + (column + i)(none, all);
  auto inside = ((row + 63 - i)(all, none) < m) & ((column + i)(none, all) < n);
  store(d + at, load(c + at, inside) + 1.f, inside);
}
TEST(RolesOfForms, ResultsThatAreReadBack) { check<read_back>(Roles::yes); }

TILE_TEST_KERNEL(stored_twice) {
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, steps))
    acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
  C.store({row, column}, acc + 5.f);
  barrier();
  C.store({row, column}, acc);
}
TEST(RolesOfForms, ResultsThatAreStoredTwice) { check<stored_twice>(Roles::yes); }

TILE_TEST_KERNEL(stored_in_the_loop) {
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, steps)) {
    acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
    C.store({row, column}, acc);
  }
}
TEST(RolesOfForms, ResultsThatAreStoredInTheLoop) { check<stored_in_the_loop>(Roles::no); }

// Operands that the program itself has stored.
TILE_TEST_KERNEL(operands_of_its_own) {
  TILE_TEST_BLOCKS(Padding::zero);
  auto i = arange(0, form.rows), x = arange(0, form.inner);
  store(a + i(all, none) * a_row + x(none, all), cast<f16>(i(all, none) % 5 - x(none, all) % 3));
  barrier();
  for (auto step : range(0, steps))
    acc = dot(A.load({row, step * form.inner}), B.load({step * form.inner, column}), acc);
  C.store({row, column}, acc);
}
TEST(RolesOfForms, OperandsThatTheProgramHasStored) {
  check<operands_of_its_own>(Roles::no, {}, {{.m = 64, .n = 64, .k = 64}});
}

TILE_TEST_KERNEL(asserting) {
  device_assert(k < 1000, "k is small");
  device_assert(program_id(0) < 100, "few programs");
  plain(a, b, c, d, m, n, k, a_row, b_row, c_row, number, form);
}
TEST(RolesOfForms, AssertsBeforeTheLoop) { check<asserting>(Roles::yes); }

TILE_TEST_KERNEL(asserting_of_one) {
  device_assert(program_id(0) != 4, "not the fourth");
  plain(a, b, c, d, m, n, k, a_row, b_row, c_row, number, form);
}
TEST(RolesOfForms, AssertsThatOneProgramFails) {
  const auto device = hopper();
  try {
    results<asserting_of_one>(*device, {.m = 64, .n = 64 * 6}, {});
    ADD_FAILURE() << "nothing fails";
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("program (4, 0, 0)"), std::string::npos) << error.what();
  }
}

TILE_TEST_KERNEL(asserting_arguments) {
  device_assert(k < 1000, "k is small");
  plain(a, b, c, d, m, n, k, a_row, b_row, c_row, number, form);
}
TEST(RolesOfForms, AssertsOfArguments) { check<asserting_arguments>(Roles::yes); }

// A CTA runs several programs, and each line names its own.
TILE_TEST_KERNEL(printing) {
  TILE_TEST_BLOCKS(Padding::zero);
  for (auto i : range(0, steps)) {
    TILE_IF (i == number) {
      print("step", i, column);
    }
    acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
  }
  print("sums", sum(acc, 1));
  C.store({row, column}, acc);
}
TEST(RolesOfForms, Prints) {
  const Sizes s{.m = 200, .n = 300, .k = 168};
  for (const Form &form : {Form(), Form{.launch = {.num_warps = 4, .num_stages = 3, .ping_pong = true}}}) {
    std::multiset<std::string> expected;
    const auto interpreter =
        open_interpreter({.print = [&](std::string_view line) { expected.emplace(line); }});
    const std::vector<float> sums = results<printing>(*interpreter, s, form);
    EXPECT_EQ(expected.size(), 4 * 5 * (2 + 64));
    for (const Way &way : ways) {
      std::multiset<std::string> lines;
      const auto device = hopper(way, [&](std::string_view line) { lines.emplace(line); });
      EXPECT_EQ(results<printing>(*device, s, form), sums);
      EXPECT_EQ(lines, expected);
      EXPECT_TRUE(hasMultipliedInRoles(*device));
    }
  }
}

TILE_TEST_KERNEL(while_around) {
  TILE_TEST_BLOCKS(Padding::zero);
  Int i = full<i32>({}, 0);
  while_([&] { return i < steps; },
         [&] {
           acc = dot(A.load({row, i * form.inner}), B.load({i * form.inner, column}), acc);
           i += 1;
         });
  C.store({row, column}, acc);
}
TEST(RolesOfForms, WhileAround) { check<while_around>(Roles::no); }

// Extents in types that no launcher passes to the engine.
TILE_TEST_KERNEL(narrow_extents) {
  Int small = cast<i32>(cast<i16>(k));
  plain(a, b, c, d, m, n, small, a_row, b_row, c_row, number, form);
}
TEST(RolesOfForms, ComputedExtents) { check<narrow_extents>(Roles::no); }

}   // namespace
}   // namespace tile::simulator
