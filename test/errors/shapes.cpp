// SPDX-License-Identifier: MIT
// Shapes that do not fit, extents that no tile can have, axes that are not there.
#include "test/errors/bad_program.h"

using namespace tile;

// ---- broadcasting

REFUSED(add_of_two_lengths) {
  auto rows = arange(0, cfg.m);
  auto columns = arange(0, cfg.n);   // note: shape [64] was made here
  auto i = rows * n + columns;       // error: add: shapes [128] and [64] do not broadcast (128 and 64)
  // help: x[all, none]
}
REFUSED(add_of_two_ranks) {
  auto rows = arange(0, cfg.m);      // note: shape [128] was made here
  auto i = rows[all, none] + rows;   // error: add: shapes [128, 1] and [128] differ in rank
  // help: [all, none]
}
REFUSED(comparison_of_two_lengths) {
  auto inside = arange(0, cfg.m) < arange(0, cfg.n);   // error: shapes [128] and [64] do not broadcast
}
REFUSED(compound_assignment_of_two_lengths) {
  auto x = arange(0, cfg.m);   // note: shape [128] was made here
  x += arange(0, cfg.n);       // error: add: shapes [128] and [64] do not broadcast
}
REFUSED(bitwise_and_of_two_ranks) {
  auto r = arange(0, cfg.m);
  auto inside = (r[all, none] < n) & (r < n);   // error: shapes [128, 1] and [128]
}
REFUSED(where_with_a_larger_condition) {
  auto r = arange(0, cfg.m);
  auto x = where(r < n, zeros<f32>({cfg.n}), 0.0f);   // error: where: shapes ... [128] ... [64]
}
REFUSED(where_of_two_arms) {
  auto x = where(n > 0, zeros<f32>({cfg.m}), zeros<f32>({cfg.n}));   // error: where: shapes [128] and [64]
}
REFUSED(minimum_of_two_lengths) {
  auto x = minimum(zeros<f32>({cfg.m}), zeros<f32>({cfg.n}));   // error: shapes [128] and [64]
}
REFUSED(clamp_with_a_longer_bound) {
  auto x = clamp(zeros<f32>({cfg.m}), zeros<f32>({cfg.n}), 1.0f);   // error: clamp: shapes [128] and [64]
}
REFUSED(fma_of_two_lengths) {
  auto x = zeros<f32>({cfg.m});   // note: shape [128] was made here
  auto y = zeros<f32>({cfg.n});   // note: shape [64] was made here
  auto z = fma(x, x, y);          // error: fma: shapes [128] and [64]
}
REFUSED(pointers_and_offsets_of_two_lengths) {
  auto pointers = p + arange(0, cfg.m);       // note: shape [128] was made here
  auto moved = pointers + arange(0, cfg.n);   // error: pointer + offset: shapes [128] and [64]
}
REFUSED(pointers_compared_with_longer_ones) {
  auto equal = (p + arange(0, cfg.m)) == (p + arange(0, cfg.n));   // error: shapes [128] and [64]
}
REFUSED(broadcast_to_another_extent) {
  auto x = broadcast_to(zeros<f32>({cfg.m, 1}), {cfg.n, cfg.k});   // error: [128, 1] ... [64, 32]
}
REFUSED(broadcast_to_another_rank) {
  auto x = broadcast_to(zeros<f32>({cfg.m}), {cfg.n, cfg.m});   // error: [128] ... [64, 128]
}

// ---- extents

REFUSED(extent_74) {
  auto x = zeros<f32>({74});   // error: 74 is not ... 72 ... 76
}
REFUSED(extent_37) {
  auto x = zeros<f32>({cfg.m, 37});   // error: 37 is not ... 36 ... 38
}
REFUSED(extent_zero) {
  auto x = zeros<f32>({cfg.m, 0});   // error: shape [128, 0] is empty
}
REFUSED(extent_negative) {
  auto x = full<f32>({-4}, 1.0f);   // error: shape [-4] is empty
}
REFUSED(arange_of_74) {
  auto x = arange(0, 74);   // error: 74
}
REFUSED(arange_of_37) {
  auto x = arange(-36, 1);   // error: 37
}
REFUSED(arange_of_nothing) {
  auto x = arange(8, 8);   // error: arange
}
REFUSED(arange_backwards) {
  auto x = arange(64, 0);   // error: arange
}
REFUSED(arange_over_the_whole_type) {
  auto x = arange(std::numeric_limits<int>::min(), std::numeric_limits<int>::max());   // error: arange
}
REFUSED(too_many_elements) {
  auto x = zeros<f16>({2048, 1024});   // error: [2048, 1024] ... more than 2^20 elements
}
REFUSED(too_many_elements_by_far) {
  auto x = zeros<i8>({1 << 16, 1 << 16, 1 << 16, 1 << 16});   // error: more than 2^20 elements
}
REFUSED(too_many_elements_by_broadcast) {
  auto r = arange(0, 2048);
  auto x = r[all, none] + r[none, all];   // error: [2048, 2048] ... more than 2^20 elements
}
REFUSED(too_many_elements_by_broadcast_to) {
  auto x = broadcast_to(zeros<f32>({1, 4096}), {512, 4096});   // error: [512, 4096]
}
REFUSED(too_many_elements_by_join) {
  auto x = join(zeros<f32>({1 << 20}), zeros<f32>({1 << 20}));   // error: [1048576, 2]
}
REFUSED(full_of_a_tile) {
  auto x = full<f32>({cfg.m}, zeros<f32>({cfg.m}));   // error: the value of full must be a scalar ... [128]
}

// ---- movement

REFUSED(subscript_with_too_few_axes) {
  auto x = zeros<f32>({cfg.m, cfg.n});
  auto y = x[all, none];   // error: 1 `all` ... [128, 64]
}
REFUSED(subscript_with_too_many_axes) {
  auto x = arange(0, cfg.m);
  auto y = x[all, none, all];   // error: 2 `all` ... [128]
}
REFUSED(subscript_of_a_scalar) {
  auto y = n[all, none];   // error: 1 `all` ... (a scalar)
}
REFUSED(expand_dims_past_the_end) {
  auto x = expand_dims(arange(0, cfg.m), 2);   // error: expand_dims: axis 2 is outside
}
REFUSED(expand_dims_before_the_front) {
  auto x = expand_dims(arange(0, cfg.m), -3);   // error: expand_dims: axis -3 is outside
}
REFUSED(reshape_to_another_number_of_elements) {
  auto x = reshape(zeros<f32>({cfg.m, cfg.n}), {cfg.m, cfg.k});   // error: 8192 ... 4096
}
REFUSED(reshape_with_a_negative_extent) {
  auto x = reshape(zeros<f32>({cfg.m}), {-1});   // error: -1
}
REFUSED(reshape_any_order_to_another_number_of_elements) {
  auto x = reshape_any_order(zeros<f32>({cfg.m}), {cfg.n});   // error: 128 ... 64
}
REFUSED(squeeze_of_a_long_axis) {
  auto x = squeeze(zeros<f32>({cfg.m, cfg.n}), 1);   // error: axis 1 ... 64
}
REFUSED(squeeze_of_a_missing_axis) {
  auto x = squeeze(zeros<f32>({cfg.m, 1}), 2);   // error: axis 2 ... [128, 1]
}
REFUSED(transpose_of_a_row) {
  auto x = trans(arange(0, cfg.m));   // error: trans: ... [128]
}
REFUSED(permute_with_too_few_axes) {
  auto x = permute(zeros<f32>({2, 4, 8}), {1, 0});   // error: permute: 2 axes are named ... [2, 4, 8]
}
REFUSED(permute_with_an_axis_twice) {
  auto x = permute(zeros<f32>({2, 4, 8}), {0, 1, 1});   // error: permute: axis 1 is named twice
}
REFUSED(permute_with_a_missing_axis) {
  auto x = permute(zeros<f32>({2, 4, 8}), {0, 1, 3});   // error: permute: axis 3 is outside shape [2, 4, 8]
}
REFUSED(join_of_two_lengths) {
  auto x = join(zeros<f32>({cfg.m}), zeros<f32>({cfg.n}));   // error: join: ... [128] ... [64]
}
REFUSED(interleave_of_two_lengths) {
  auto x = interleave(zeros<f32>({cfg.m}), zeros<f32>({cfg.n}));   // error: [128] ... [64]
}
REFUSED(split_of_four) {
  auto x = split(zeros<f32>({cfg.m, 4}));   // error: split: ... [128, 4]
}
REFUSED(split_of_a_scalar) {
  auto x = split(n);   // error: split: ... (a scalar)
}
REFUSED(flip_of_a_missing_axis) {
  auto x = flip(zeros<f32>({cfg.m, cfg.n}), 2);   // error: flip: axis 2 ... [128, 64]
}
