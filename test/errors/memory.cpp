// SPDX-License-Identifier: MIT
// Loads, stores, atomics and descriptors that cannot be meant.
#include "test/errors/bad_program.h"

using namespace tile;

// ---- loads and stores

REFUSED(load_with_a_longer_mask) {
  auto x = load(p + arange(0, cfg.n), arange(0, cfg.m) < n);   // error: the mask of load ... [128] ... [64]
}
REFUSED(load_with_a_mask_for_one_pointer) {
  auto x = load(p, arange(0, cfg.m) < n);   // error: the mask of load ... [128]
  // help: pointer
}
REFUSED(load_with_a_mask_of_another_rank) {
  auto r = arange(0, cfg.m);
  auto x = load(p + r, r[all, none] < n);   // error: the mask of load ... [128, 1] ... [128]
}
REFUSED(load_with_a_longer_other) {
  auto r = arange(0, cfg.n);
  auto x = load(p + r, r < n, zeros<f32>({cfg.m}));   // error: load ... [128] ... [64]
}
REFUSED(store_of_a_longer_value) {
  store(p + arange(0, cfg.n), zeros<f32>({cfg.m}));   // error: the value of store ... [128] ... [64]
}
REFUSED(store_of_a_matrix_through_a_row) {
  auto r = arange(0, cfg.m);
  store(p + r, zeros<f32>({cfg.m, cfg.m}), r < n);   // error: the value of store ... [128, 128] ... [128]
}
REFUSED(store_of_a_tile_through_one_pointer) {
  store(p, zeros<f32>({cfg.m}));   // error: the value of store ... [128]
}
REFUSED(store_with_a_longer_mask) {
  store(p + arange(0, cfg.n), 0.0f, arange(0, cfg.m) < n);   // error: the mask of store ... [128] ... [64]
}
REFUSED(pointer_step_that_changes_the_shape) {
  Ptr<f32> walk = p;          // note: made here
  walk += arange(0, cfg.m);   // error: changes the shape ... [128]
}

// ---- atomics

REFUSED(atomic_of_a_longer_value) {
  auto x = zeros<f32>({cfg.m});
  atomic_add(p + arange(0, cfg.n), x);   // error: the value of the atomic ... [128] ... [64]
}
REFUSED(atomic_with_a_longer_mask) {
  auto m = arange(0, cfg.m) < n;
  atomic_max(q + arange(0, cfg.n), 1, m);   // error: the mask of the atomic ... [128] ... [64]
}
REFUSED(cas_of_longer_values) {
  auto old = atomic_cas(q, zeros<i32>({cfg.m}), 1);   // error: atomic_cas ... [128]
}

// ---- descriptors

REFUSED(descriptor_with_a_last_stride_of_two) {
  auto d = descriptor(h, {n, 64}, {n, 2}, {cfg.m, cfg.n});   // error: last stride ... 2
}
REFUSED(descriptor_with_narrow_rows) {
  auto d = descriptor(h, {n, n}, {n, 1}, {cfg.m, 4});   // error: at least 16 bytes, this one 8
}
REFUSED(descriptor_of_rank_six) {
  auto d =
      descriptor(h, {n, n, n, n, n, n}, {n, n, n, n, n, 1}, {1, 1, 1, 1, 1, 64});   // error: 1 to 5 ... 6
}
REFUSED(descriptor_of_rank_zero) {
  auto d = descriptor(h, {}, {}, {});   // error: 1 to 5 ... 0
}
REFUSED(descriptor_with_a_short_block) {
  auto d = descriptor(h, {n, n}, {n, 1}, {cfg.m});   // error: descriptor: ... 2 ... 1
}
REFUSED(descriptor_with_missing_strides) {
  auto d = descriptor(h, {n, n}, {1}, {cfg.m, cfg.n});   // error: descriptor: ... 2 ... 1
}
REFUSED(descriptor_with_an_illegal_block) {
  auto d = descriptor(h, {n, n}, {n, 1}, {37, cfg.n});   // error: 37
}
REFUSED(descriptor_with_a_large_block) {
  auto d = descriptor(h, {n, n}, {n, 1}, {2048, 1024});   // error: more than 2^20 elements
}
REFUSED(descriptor_with_an_odd_stride) {
  auto d = descriptor(h, {n, n}, {33, 1}, {cfg.m, cfg.n});   // error: stride ... 66 bytes ... 16
}
REFUSED(descriptor_with_a_negative_extent) {
  auto d = descriptor(h, {n, -1}, {64, 1}, {cfg.m, cfg.n});   // error: extent ... -1
}
REFUSED(descriptor_padding_integers_with_nan) {
  auto d = descriptor(q, {n, n}, {64, 1}, {cfg.m, cfg.n}, Padding::nan);   // error: i32 has no NaN
}
REFUSED(descriptor_load_with_one_coordinate) {
  auto d = descriptor(h, {n, n}, {64, 1}, {cfg.m, cfg.n});
  auto x = d.load({n});   // error: 1 coordinate ... 2
}
REFUSED(descriptor_load_with_three_coordinates) {
  auto d = descriptor(h, {n, n}, {64, 1}, {cfg.m, cfg.n});
  auto x = d.load({n, n, 0});   // error: 3 coordinates ... 2
}
REFUSED(descriptor_load_at_a_tile) {
  auto d = descriptor(h, {n, n}, {64, 1}, {cfg.m, cfg.n});
  auto x = d.load({arange(0, cfg.m), 0});   // error: coordinate ... scalar ... [128]
}
REFUSED(descriptor_store_of_another_shape) {
  auto d = descriptor(h, {n, n}, {64, 1}, {cfg.m, cfg.n});
  d.store({n, n}, zeros<f16>({cfg.n, cfg.m}));   // error: [64, 128] ... [128, 64]
}
REFUSED(descriptor_add_of_another_shape) {
  auto d = descriptor(p, {n, n}, {64, 1}, {cfg.m, cfg.n});
  d.add({n, n}, zeros<f32>({cfg.m, cfg.m}));   // error: [128, 128] ... [128, 64]
}
REFUSED(descriptor_with_a_tile_as_extent) {
  auto d = descriptor(h, {n, arange(0, cfg.m)}, {64, 1}, {cfg.m, cfg.n});   // error: scalar ... [128]
}
REFUSED(descriptor_at_a_tile_of_pointers) {
  auto d = descriptor(h + arange(0, cfg.m), {n, n}, {64, 1}, {cfg.m, cfg.n});   // error: [128]
}
