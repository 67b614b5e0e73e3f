// SPDX-License-Identifier: MIT
// Literals out of range, facts that say nothing, axes of a grid that is not there, values without a trace.
#include "test/errors/bad_program.h"

using namespace tile;

REFUSED(literal_over_32_bits) {
  auto x = n + (i64{1} << 40);   // error: 1099511627776 does not fit ... i32
}
REFUSED(literal_over_8_bits) {
  auto x = zeros<i8>({cfg.m}) + 200;   // error: 200 does not fit ... i8
}
REFUSED(negative_literal_for_unsigned) {
  auto x = zeros<u8>({cfg.m}) * -1;   // error: -1 does not fit ... u8
}
REFUSED(negative_literal_compared_with_unsigned) {
  auto x = zeros<u32>({cfg.m}) > -1;   // error: -1 does not fit ... u32
}
REFUSED(large_literal_for_a_small_float) {
  auto x = zeros<f16>({cfg.m}) * 100000;   // error: 100000 does not fit ... f16
}
REFUSED(constant_over_8_bits) {
  auto x = constant<i8>(300);   // error: 300 does not fit ... i8
}
REFUSED(full_over_16_bits) {
  auto x = full<u16>({cfg.m}, 65536);   // error: 65536 does not fit ... u16
}
REFUSED(assignment_of_a_large_literal) {
  Int x = 0;
  x = i64{1} << 31;   // error: 2147483648 does not fit ... i32
}
REFUSED(other_out_of_range) {
  auto x =
      load(q + arange(0, 64), arange(0, 64) < n, i64{1} << 33);   // error: 8589934592 does not fit ... i32
}
REFUSED(stored_literal_out_of_range) {
  store(q, i64{-1} << 33);   // error: -8589934592 does not fit ... i32
}
REFUSED(where_with_a_large_literal) {
  auto x = where(n > 0, n, i64{1} << 35);   // error: 34359738368 does not fit ... i32
}
REFUSED(clamp_to_a_large_literal) {
  auto x = clamp(zeros<i8>({cfg.m}), -1000, 100);   // error: -1000 does not fit ... i8
}

REFUSED(program_id_of_a_fourth_axis) {
  Int x = program_id(3);   // error: program_id ... 3
}
REFUSED(program_id_of_a_negative_axis) {
  Int x = program_id(-1);   // error: program_id ... -1
}
REFUSED(num_programs_of_a_fourth_axis) {
  Int x = num_programs(3);   // error: num_programs ... 3
}
REFUSED(divisible_by_zero) {
  auto x = assume_divisible(n, 0);   // error: assume_divisible ... 0
}
REFUSED(contiguous_in_runs_of_nothing) {
  auto x = assume_contiguous(arange(0, cfg.m), 0);   // error: assume_contiguous ... 0
}
REFUSED(constant_in_runs_of_nothing) {
  auto x = assume_constant(arange(0, cfg.m), -2);   // error: assume_constant ... -2
}
REFUSED(empty_range_of_values) {
  auto x = assume_range(n, 10, 5);   // error: assume_range ... 10 ... 5
}
REFUSED(tiles_of_pointers_apart) {
  assume_apart(p, p + arange(0, cfg.m));   // error: assume_apart is about pointers ... [128]
  // help: give it the pointers that the tiles are made from
}
REFUSED(assert_with_a_longer_mask) {
  device_assert(arange(0, cfg.n) < n, "in range", arange(0, cfg.m) < n);   // error: [128] ... [64]
}

REFUSED(assert_without_a_text) {
  device_assert(n > 0, nullptr);   // error: device_assert: the text is a null pointer
}
REFUSED(print_without_a_text) {
  const char *none = nullptr;
  print(none, n);   // error: print: the text is a null pointer
}
REFUSED(axis_of_a_sum_by_far) {
  const int lowest = std::numeric_limits<int>::min();
  auto x = sum(zeros<f32>({cfg.m}), lowest);   // error: sum: axis -2147483648 is outside
}
REFUSED(axis_beyond_32_bits) {
  auto x = sum(zeros<f32>({cfg.m}), i64{1} << 32);   // error: sum: axis 4294967296 is outside
}
REFUSED(axis_of_a_grid_beyond_32_bits) {
  auto x = program_id(i64{1} << 32);   // error: program_id: a grid has the axes 0, 1 and 2, not 4294967296
}
REFUSED(arange_beyond_32_bits) {
  auto x = arange(i64{1} << 32, (i64{1} << 32) + 64);   // error: counts in 32 bits
}
REFUSED(count_beyond_64_bits) {
  auto x = topk(zeros<f32>({cfg.m}), ~u64{0});   // error: 18446744073709551615 does not fit 64 bits
}
REFUSED(band_of_no_rows) {
  auto [i, j] =
      swizzle2d(program_id(0), program_id(1), n, n, 0);   // error: swizzle2d: group must be at least 1, not 0
}
REFUSED(sort_of_two_shapes) {
  auto [k, v] = sort(std::tuple{zeros<f32>({64}), arange(0, 32)});   // error: sort: ... [64] and [32]
}
REFUSED(top_of_three) {
  auto [k, v] =
      topk_with_index(zeros<f32>({64}), 3);   // error: topk_with_index: k is 3; it must be a power of two
}

// ---- outside a trace, and in another one

REFUSED_HOST(variable_outside_a_kernel) {
  Int stray = 3;   // error: outside
}
REFUSED_HOST(operation_outside_a_kernel) {
  auto x = zeros<f32>({64});   // error: outside
}
REFUSED_HOST(loop_outside_a_kernel) {
  for (auto i : range(10)) {   // error: outside
    (void)i;
  }
}

static std::vector<Int> kept;
static void keeps(Ptr<i32>, Int n, const bad::Sizes &) {
  kept.push_back(n + 1);   // note in value_of_another_trace: made here
}
static void uses_kept(Ptr<i32> q, Int, const bad::Sizes &) {
  store(q, kept[0]);   // error in value_of_another_trace: another trace
}
REFUSED_HOST(value_of_another_trace) {
  Kernel<&keeps>{.name = "keeps"}.trace({});
  Kernel<&uses_kept>{.name = "uses_kept"}.trace({});
}

// ---- texts

REFUSED(print_with_a_format) {
  print("n = %d\n", n);   // error: print takes no format, but the text has %d
  // help: write print("x", x)
}
REFUSED(print_with_a_precision) {
  print("p: %-8.3lf", load(p));   // error: the text has %-8.3lf
}
REFUSED(print_hex_with_braces) {
  print("100% of 5%discount", n);   // a text
  print_hex("n = {}", n);           // error: print_hex takes no format, but the text has {}
}
