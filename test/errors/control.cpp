// SPDX-License-Identifier: MIT
// Loops and branches that are left, variables that change shape, values that outlive their place.
#include "test/errors/bad_program.h"

using namespace tile;

// ---- leaving

REFUSED(break_out_of_a_loop) {
  for (auto i : range(n)) {   // error: leaves ... loop
    store(q + i, i);
    break;
  }
}
REFUSED(return_out_of_a_loop) {
  for (auto i : range(0, n)) {   // error: leaves ... loop
    store(q + i, i);
    return;
  }
}
REFUSED(break_under_a_host_condition) {
  for (auto i : range(n)) {   // error: leaves ... loop
    if (cfg.m == 128)
      break;
    store(q + i, i);
  }
}
REFUSED(break_out_of_an_inner_loop) {
  for (auto i : range(n)) {
    for (auto j : range(i)) {   // error: leaves ... loop
      store(q + j, i);
      break;
    }
  }
}
REFUSED(return_out_of_a_branch) {
  TILE_IF (n > 0) {   // error: leaves ... branch
    return;
  }
  store(q, n);
}
REFUSED(return_out_of_the_other_branch) {
  TILE_IF (n > 0) {   // error: leaves ... branch
    store(q, n);
  } else {
    return;
  }
}
REFUSED(break_out_of_a_branch_in_a_loop) {
  for (auto i : range(n)) {
    TILE_IF (i > 3) {   // error: leaves ... branch
      break;
    }
  }
}

// ---- values that outlive their place

REFUSED(loop_value_used_after_the_loop) {
  std::vector<Int> last;
  for (auto i : range(n)) {
    last.push_back(i * 2);   // note: made here
  }
  store(q, last[0]);   // error: outside
}
REFUSED(branch_value_used_after_the_branch) {
  std::vector<Int> kept;
  TILE_IF (n > 0) {
    kept.push_back(n * 2);   // note: made here
  }
  store(q, kept[0]);   // error: outside
}
REFUSED(while_value_used_after_the_loop) {
  std::vector<Int> kept;
  Int i = 0;
  while_([&] { return i < n; },
         [&] {
           kept.push_back(i + 1);   // note: made here
           i += 1;
         });
  store(q, kept[0]);   // error: outside
}
REFUSED(value_of_one_arm_used_in_the_other) {
  std::vector<Int> kept;
  TILE_IF (n > 0) {
    kept.push_back(n * 2);   // note: made here
  } else {
    store(q, kept[0]);   // error: outside
  }
}
REFUSED(combine_value_used_outside) {
  std::vector<Int> kept;
  auto s = reduce(arange(0, 64), 0, [&](auto a, auto b) {
    kept.push_back(a + b);   // note: made here
    return a + b;
  });
  store(q, kept[0]);   // error: outside
}

// ---- variables

REFUSED(assignment_of_another_shape) {
  auto acc = zeros<f32>({cfg.m, cfg.n});   // note: made here
  acc = zeros<f32>({cfg.m, cfg.k});        // error: changes the shape ... [128, 64] ... [128, 32]
}
REFUSED(assignment_of_another_shape_in_a_loop) {
  auto acc = zeros<f32>({cfg.m, cfg.n});   // note: made here
  for (auto i : range(n))
    acc = zeros<f32>({cfg.n});   // error: changes the shape ... [128, 64] ... [64]
}
REFUSED(assignment_of_a_tile_to_a_scalar) {
  Int x = 0;              // note: made here
  x = arange(0, cfg.m);   // error: changes the shape
}
REFUSED(assignment_of_a_scalar_to_a_tile) {
  auto x = arange(0, cfg.m);   // error: changes the shape ... from [128] to [] (a scalar)
  x = n;                       // a parameter has no line of its own
}
REFUSED(sum_that_shrinks_its_variable) {
  auto x = zeros<f32>({cfg.m, cfg.n});   // note: made here
  x = sum(x, 1);                         // error: changes the shape ... [128, 64] ... [128]
}
REFUSED(compound_assignment_that_grows) {
  auto x = zeros<f32>({cfg.m, 1});   // note: made here
  x += zeros<f32>({1, cfg.n});       // error: changes the shape ... [128, 1] ... [128, 64]
}

// ---- conditions and bounds

REFUSED(if_on_a_tile) {
  if_(arange(0, cfg.m) < n, [] {});   // error: scalar ... [128] ... use tile::where
}
REFUSED(tile_if_on_a_tile) {
  TILE_IF (arange(0, cfg.m) < n) {   // error: scalar ... [128]
    store(q, n);
  }
}
REFUSED(while_on_a_tile) {
  while_([&] { return arange(0, cfg.m) < n; }, [] {});   // error: scalar ... [128]
}
REFUSED(range_to_a_tile) {
  for (auto i : range(arange(0, cfg.m))) {   // error: scalar ... [128]
    store(q + i, i);
  }
}
REFUSED(range_from_a_tile) {
  for (auto i : range(arange(0, cfg.m), n)) {   // error: scalar ... [128]
    store(q + i, i);
  }
}
REFUSED(range_by_a_tile) {
  for (auto i : range(0, n, arange(0, cfg.m))) {   // error: scalar ... [128]
    store(q + i, i);
  }
}
REFUSED(range_with_step_zero) {
  for (auto i : range(0, n, 0)) {   // error: step ... 0
    store(q + i, i);
  }
}
REFUSED(range_with_no_stages) {
  for (auto i : range(n).stages(-1)) {   // error: stages ... -1
    store(q + i, i);
  }
}
REFUSED(range_unrolled_no_times) {
  for (auto i : range(n).unroll(0)) {   // error: unroll ... 0
    store(q + i, i);
  }
}
REFUSED(range_unrolled_too_often) {
  for (auto i : range(n).unroll(1025)) {   // error: unroll ... 1025
    store(q + i, i);
  }
}
REFUSED(range_flattened) {
  for (auto i :
       range(n).stages(2).flatten()) {   // error: flatten() is not built yet for any device; leave it out
    store(q + i, i);
  }
}
REFUSED(range_specialized) {
  for (auto i : range(n).specialize_warps()) {   // error: specialize_warps() is not built yet for any device
    store(q + i, i);
  }
}
REFUSED(range_to_a_bound_that_does_not_fit) {
  for (auto i : range(n, i64{1} << 40)) {   // error: 1099511627776 ... i32
    store(q + i, i);
  }
}
