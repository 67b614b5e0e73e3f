// SPDX-License-Identifier: MIT
// Products, reductions, scans and other operations on whole tiles.
#include "test/errors/bad_program.h"

using namespace tile;

// ---- dot

REFUSED(dot_of_two_inner_extents) {
  auto a = zeros<f16>({cfg.m, cfg.k}), b = zeros<f16>({cfg.n, cfg.k});
  auto c = dot(a, b);   // error: dot: ... [128, 32], B is [64, 32] ... (32 and 64)
}
REFUSED(dot_of_rows) {
  auto x = zeros<f16>({cfg.m});
  auto c = dot(x, x);   // error: dot: ... [128]
}
REFUSED(dot_of_two_ranks) {
  auto c = dot(zeros<f16>({2, cfg.m, cfg.k}), zeros<f16>({cfg.k, cfg.n}));   // error: dot: ... [2, 128, 32]
}
REFUSED(dot_of_rank_four) {
  auto a = zeros<f16>({2, 2, 32, 32});
  auto c = dot(a, a);   // error: dot: ... [2, 2, 32, 32] ... reshape
}
REFUSED(dot_of_two_batches) {
  auto c =
      dot(zeros<f16>({2, 32, 32}), zeros<f16>({4, 32, 32}));   // error: dot: ... [2, 32, 32] ... [4, 32, 32]
}
REFUSED(dot_into_another_shape) {
  auto a = zeros<f16>({cfg.m, cfg.k}), b = zeros<f16>({cfg.k, cfg.n});
  auto c = dot(a, b, zeros<f32>({cfg.n, cfg.m}));   // error: dot: ... [64, 128] ... [128, 64]
}
REFUSED(dot_with_a_small_k_of_16_bits) {
  auto c = dot(zeros<f16>({cfg.m, 8}), zeros<f16>({8, cfg.n}));   // error: f16 operands K must be at least 16
}
REFUSED(dot_with_a_small_k_of_8_bits) {
  auto c = dot(zeros<i8>({cfg.m, 16}), zeros<i8>({16, cfg.n}));   // error: i8 operands K must be at least 32
}
REFUSED(dot_with_a_small_k_of_32_bits) {
  auto c = dot(zeros<f32>({cfg.m, 4}), zeros<f32>({4, cfg.n}));   // error: f32 operands K must be at least 8
}
REFUSED(dot_with_a_small_k_of_64_bits) {
  auto c = dot(zeros<f64>({cfg.m, 2}), zeros<f64>({2, cfg.n}));   // error: f64 operands K must be at least 4
}
REFUSED(dot_with_a_limit_over_k) {
  auto a = zeros<e5m2>({cfg.m, 32}), b = zeros<e5m2>({32, cfg.n});
  auto c =
      dot(a, b, zeros<f32>({cfg.m, cfg.n}), {.max_imprecise_acc = 64});   // error: max_imprecise_acc ... 64
}
REFUSED(dot_with_a_negative_limit) {
  auto a = zeros<e5m2>({cfg.m, 32}), b = zeros<e5m2>({32, cfg.n});
  auto c =
      dot(a, b, zeros<f32>({cfg.m, cfg.n}), {.max_imprecise_acc = -1});   // error: max_imprecise_acc ... -1
}

// ---- reductions

REFUSED(sum_over_a_missing_axis) {
  auto x = sum(zeros<f32>({cfg.m, cfg.n}), 2);   // error: sum: axis 2 ... [128, 64]
}
REFUSED(sum_over_a_missing_negative_axis) {
  auto x = sum(zeros<f32>({cfg.m, cfg.n}), -3);   // error: sum: axis -3 ... [128, 64]
}
REFUSED(max_of_a_scalar) {
  auto x = max(n, 0);   // error: max: ... scalar
}
REFUSED(argmax_over_a_missing_axis) {
  auto x = argmax(zeros<f32>({cfg.m}), 1);   // error: argmax: axis 1 ... [128]
}
REFUSED(max_with_index_over_a_missing_axis) {
  auto x = max_with_index(zeros<f32>({cfg.m}), 1);   // error: axis 1 ... [128]
}
REFUSED(any_over_a_missing_axis) {
  auto x = any(arange(0, cfg.m) < n, 1);   // error: any: axis 1 ... [128]
}
REFUSED(softmax_over_a_missing_axis) {
  auto x = softmax(zeros<f32>({cfg.m}), 1);   // error: softmax: axis 1 ... [128]
}
REFUSED(reduce_of_two_shapes) {
  std::tuple tiles{zeros<f32>({cfg.m}), zeros<i32>({cfg.n})};
  auto x = reduce(tiles, 0, [](auto a, auto) { return a; });   // error: reduce: ... [128] ... [64]
}
REFUSED(reduce_with_a_captured_value) {
  auto x = zeros<i32>({cfg.m});
  auto y = reduce(x, 0, [&](auto a, auto b) { return a + b + n; });   // error: combine ... outside
}
REFUSED(reduce_that_assigns_to_a_variable) {
  Int count = 0;   // note: made here
  auto y = reduce(zeros<i32>({cfg.m}), 0, [&](auto a, auto b) {
    count += 1;   // error: combine
    return a + b;
  });
}
REFUSED(reduce_that_stores) {
  auto y = reduce(zeros<f32>({cfg.m}), 0, [&](auto a, auto b) {
    store(p, a);   // error: combine
    return a + b;
  });
}
REFUSED(reduce_that_makes_a_tile) {
  auto x = zeros<i32>({cfg.m});
  auto y = reduce(x, 0, [](auto a, auto b) {
    return a + b + arange(0, 4);   // error: combine ... scalars, this makes a tile
  });
}

// ---- scans, sorting, gathering

REFUSED(cumsum_over_a_missing_axis) {
  auto x = cumsum(zeros<f32>({cfg.m}), 1);   // error: cumsum: axis 1 ... [128]
}
REFUSED(scan_with_a_captured_value) {
  auto x = zeros<f32>({cfg.m});
  auto scale = cast<f32>(n);   // note: made here
  auto y =
      associative_scan(x, 0, [&](auto a, auto b) { return a * scale + b; });   // error: combine ... outside
}
REFUSED(scan_of_two_shapes) {
  std::tuple tiles{zeros<f32>({cfg.m}), zeros<f32>({cfg.n})};
  auto x = associative_scan(tiles, 0, [](auto a, auto) { return a; });   // error: [128] ... [64]
}
REFUSED(gather_with_an_index_of_another_rank) {
  auto x =
      gather(zeros<f32>({cfg.m, cfg.n}), arange(0, cfg.m), 0);   // error: gather: ... [128, 64] ... [128]
}
REFUSED(gather_with_another_extent) {
  auto x =
      gather(zeros<f32>({64, 32}), zeros<i32>({64, 64}), 0);   // error: gather: ... [64, 32] ... [64, 64]
}
REFUSED(gather_along_a_missing_axis) {
  auto x = gather(zeros<f32>({64}), zeros<i32>({64}), 1);   // error: gather: axis 1 ... [64]
}
REFUSED(histogram_without_bins) {
  auto x = histogram(arange(0, cfg.m), 0);   // error: histogram: ... 0
}
REFUSED(histogram_with_a_longer_mask) {
  auto x = histogram(arange(0, cfg.n), 8, arange(0, cfg.m) < n);   // error: [128] ... [64]
}
REFUSED(sort_of_96) {
  auto x = sort(zeros<f32>({cfg.m, 96}));   // error: sort: ... 96
}
REFUSED(topk_of_three) {
  auto x = topk(zeros<f32>({cfg.m}), 3);   // error: topk: ... 3
}
REFUSED(topk_of_more_than_there_are) {
  auto x = topk(zeros<f32>({cfg.m}), 256);   // error: topk: ... 256 ... 128
}
REFUSED(sort_of_a_scalar) {
  auto x = sort(n);   // error: sort: ... scalar
}
