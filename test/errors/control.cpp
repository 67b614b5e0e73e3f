// SPDX-License-Identifier: MIT
// Loops and branches that are left, variables that change shape, values that outlive their place.
#include "test/errors/bad_program.h"

#include <gtest/gtest.h>

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

REFUSED(continue_in_a_branch) {
  for (auto i : range(n)) {
    TILE_IF (i == 3) {   // error: neither arm of this TILE_IF stores or assigns anything; `continue`
      continue;
    }
    store(q + i, i);
  }
  // help: put the code to skip into the other arm
}
REFUSED(branch_that_only_reads) {
  TILE_IF (load(q) > 0) {   // error: neither arm of this TILE_IF stores or assigns anything
    auto x = load(q + 1);
    x += 1;
  } else {
    for (auto i : range(n)) {
      Int y = i;
    }
  }
}

REFUSED(condition_that_stays) {
  Int i = 0;
  while_([&] { return i < n; },   // error: nothing in this while_ changes its condition
         [&] { store(q + i, i); });
  // help: assign a variable that the condition reads in the body
}
REFUSED(condition_on_a_copy) {
  Int i = 0;
  while_([&] { return i < n; },   // error: nothing in this while_ changes its condition
         [&] {
           Int j = i;
           j += 1;
         });
}
REFUSED(wait_for_a_plain_load) {
  while_([&] { return load(q) == 0; }, [] {});   // error: nothing in this while_ changes its condition
  // help: wait for others with load(p, Access{.is_volatile = true})
}
static void waits(Ptr<i32> q, const bad::Sizes &) {
  while_([&] { return load(q, Access{.is_volatile = true}) == 0; }, [] {});
  while_([&] { return load(q, Access{.cache = Cache::cv}) == 0; }, [] {});
  while_([&] { return atomic_add(q, 0) == 0; }, [] {});
  while_([&] { return load(q) < 3; }, [&] { atomic_add(q, 1); });
}
TEST(Waiting, ForWhatIsObserved) { EXPECT_NO_THROW(bad::trace_once<&waits>()); }

// The helper's loop is to blame, not who uses what the helper returns.
static Int first_multiple(Int n) {
  for (auto i : range(1, n)) {   // error in return_out_of_a_helpers_loop: `break` or `return` leaves a loop
    return i * 3;
  }
  return 0;
}
REFUSED(return_out_of_a_helpers_loop) {
  Int found = first_multiple(n);
  store(q, found);
}

// ---- exceptions that the kernel catches

struct Stop {};
REFUSED(exception_out_of_a_loop) {
  try {
    for (auto i : range(n)) {   // error: an exception left this loop and was caught in the kernel
      store(q + i, i);
      throw Stop();
    }
  } catch (Stop) {
  }
}
REFUSED(exception_out_of_a_branch) {
  try {
    TILE_IF (n > 0) {   // error: an exception left this branch and was caught in the kernel
      store(q, n);
      throw Stop();
    }
  } catch (Stop) {
  }
}
REFUSED(exception_out_of_an_open_loop) {
  Int i = 0;
  try {
    while_([&] { return i < n; },   // error: an exception left this loop and was caught in the kernel
           [&] {
             i += 1;
             throw Stop();
           });
  } catch (Stop) {
  }
}
REFUSED(exception_out_of_a_combine_function) {
  try {
    auto stop = [](auto a, auto) -> Int {
      throw Stop();
      return a;
    };
    auto x = reduce(arange(0, 64), 0, stop);   // error: an exception left this combine function
  } catch (Stop) {
  }
}
REFUSED(error_that_the_kernel_catches) {
  try {
    for (auto i : range(n)) {   // error: an exception left this loop and was caught in the kernel
      store(q + arange(0, 64), i + arange(0, 32));
    }
  } catch (const Error &) {
  }
}

// ---- recursion, nesting, iterators by hand

static Int fibonacci(Int n, int known) {   // NOLINT(misc-no-recursion)
  if (known > 0)
    return n;
  Int before = n - 1;   // error in recursion: too deep for the stack
  // ^ help in recursion: never ends while it is traced
  return where(n < 2, n, fibonacci(before, known) + fibonacci(before, known));
}
REFUSED(recursion) {
  Int number = fibonacci(n, 0);
  store(q, number);
}
static void count_down(Ptr<i32> q, Int n) {   // NOLINT(misc-no-recursion)
  TILE_IF (n > 0) {                           // error in recursion_under_a_branch: nested more than 100 deep
    store(q + n, n);
    count_down(q, n - 1);
  }
}
REFUSED(recursion_under_a_branch) {
  Int from = n;
  count_down(q, from);
}
static void nested(Ptr<i32> q, Int n, int depth) {   // NOLINT(misc-no-recursion)
  auto deeper = [&] { nested(q, n, depth + 1); };
  if_(n > depth, deeper);   // error in twenty_thousand_branches: nested more than 100 deep
}
REFUSED(twenty_thousand_branches) {
  const int depth = 0;
  nested(q, n, depth);
}
REFUSED(iterator_advanced_without_being_read) {
  auto loop = range(n);   // error: a range works only in for (auto i : range(...))
  auto i = loop.begin();
  ++i;
}
REFUSED(iterator_read_twice) {
  auto loop = range(n);   // error: a range works only in for (auto i : range(...))
  auto i = loop.begin();
  store(q, *i + *i);
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
    store(q, n);
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
REFUSED(range_with_a_variable_of_zero) {
  Int step = 4;
  if_(n > 0, [&] { store(q, step); });
  step = 0;
  for (auto i : range(0, n, step)) {   // error: the step of this range is 0; ... must be positive
    store(q + i, i);
  }
}
REFUSED(range_with_a_negative_variable) {
  Int64 step = -2;
  for (auto i :
       range(i64{0}, wide, step)) {   // error: the step of this range is -2; ... count down with a literal
    store(q + i, 1);
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
REFUSED(range_to_a_bound_that_does_not_fit) {
  for (auto i : range(n, i64{1} << 40)) {   // error: 1099511627776 ... i32
    store(q + i, i);
  }
}
