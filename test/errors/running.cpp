// SPDX-License-Identifier: MIT
// Mistakes that only a run can show: the interpreter stops at the user's line.
#include "test/errors/bad_program.h"

#include <tile/interpreter.h>

using namespace tile;

// ---- accesses

REFUSED_RUNNING(load_past_the_end) {
  auto x = load(p + arange(0, 128));   // error: element 64 of `p` ... 64
  store(p + arange(0, 128), x);
  // context: program (0, 0, 0)
}
REFUSED_RUNNING(load_before_the_beginning) {
  auto x = load(p + (arange(0, 64) - 1));   // error: `p`
  store(p + arange(0, 64), x);
}
REFUSED_RUNNING(store_past_the_end) {
  auto i = program_id(0) * 64 + arange(0, 64);
  store(q + i, i);   // error: element 64 of `q`
  // context: program (1, 0, 0)
}
REFUSED_RUNNING(store_with_a_wrong_mask) {
  auto i = arange(0, 128);
  store(q + i, i, i < n);   // error: element 64 of `q`
}
REFUSED_RUNNING(store_far_away) {
  store(q + wide * (i64{1} << 45), 1);   // error: store
}
REFUSED_RUNNING(store_into_the_neighbour) {
  auto from_p_to_h = bitcast<i64>(h) - bitcast<i64>(p);
  store(p + from_p_to_h / 4, 1.0f);   // error: `p`
}
REFUSED_RUNNING(atomic_past_the_end) {
  atomic_add(q + n, 1);   // error: element 100 of `q`
}
REFUSED_RUNNING(cas_past_the_end) {
  auto old = atomic_cas(q + n, 0, 1);   // error: element 100 of `q`
  store(q, old);
}
REFUSED_RUNNING(load_from_an_odd_address) {
  auto odd = bitcast<f32 *>(bitcast<i64>(p) + 2);
  store(p, load(odd));   // error: align
}
REFUSED_RUNNING(load_through_null) {
  auto nowhere = bitcast<f32 *>(wide - 1);
  store(p, load(nowhere));   // error: load
}
REFUSED_RUNNING(offset_that_overflowed) {
  Int far = n * 50000 * 1000;   // note: outside 32 bits
  store(p + far, 1.0f);         // error: overflow
}
REFUSED_RUNNING(offset_that_overflowed_64_bits) {
  auto far = wide * (i64{1} << 62) * 4;   // note: outside 64 bits
  store(p + far, 1.0f);                   // error: overflowed 64 bits
}
REFUSED_RUNNING(lanes_that_exchange_without_a_barrier) {
  auto i = arange(0, 64);
  store(q + i, i);                                   // note: it was stored here
  store(h, cast<f16>(sum(load(q + (63 - i)), 0)));   // error: which another lane of the program has stored
  // help: write barrier() between the two
}
REFUSED_RUNNING(gather_outside_the_axis) {
  auto x = gather(cast<f32>(arange(0, 64)), arange(0, 64) + n, 0);   // error: gather ... 100
  store(p + arange(0, 64), x);
}

// ---- descriptors

REFUSED_RUNNING(descriptor_with_an_odd_stride) {
  auto d = descriptor(p, {8, 8}, {n - 99, 1}, {8, 8});   // error: stride ... 16
  store(p, sum(d.load({0, 0}), all_axes));
}
REFUSED_RUNNING(descriptor_at_an_odd_address) {
  auto d = descriptor(p + 1, {7, 8}, {8, 1}, {8, 8});   // error: 16 bytes
  store(p, sum(d.load({0, 0}), all_axes));
}
REFUSED_RUNNING(descriptor_with_a_negative_extent) {
  auto d = descriptor(p, {8 - n, 8}, {8, 1}, {8, 8});   // error: extent ... -92
  store(p, sum(d.load({0, 0}), all_axes));
}
REFUSED_RUNNING(descriptor_over_a_small_buffer) {
  auto d = descriptor(p, {n, 8}, {8, 1}, {16, 8});
  auto x = d.load({0, 0});   // error: element 64 of `p`, which has 64
  store(p, sum(x, all_axes));
}
REFUSED_RUNNING(descriptor_with_a_last_stride_of_two) {
  auto d = descriptor(p, {4, 8}, {16, n / 50}, {4, 8});   // error: last stride ... 2
  store(p, sum(d.load({0, 0}), all_axes));
}

// ---- asserts and facts

REFUSED_RUNNING(failed_assert) {
  device_assert(n < 50, "n is small");   // error: n is small
  store(q, n);
}
REFUSED_RUNNING(failed_assert_in_one_lane) {
  auto i = arange(0, 64);
  device_assert(i != 13, "no thirteen", i < n);   // error: no thirteen
  store(q + i, i);
  // context: 13
}
REFUSED_RUNNING(assumption_that_does_not_hold) {
  assume(n > 1000);   // error: promised fact ... condition is false
  store(q, n);
}
REFUSED_RUNNING(not_divisible) {
  Int m = assume_divisible(n, 16);   // error: 100 ... 16
  store(q, m);
}
REFUSED_RUNNING(pointer_not_divisible) {
  auto r = assume_divisible(p + 1, 16);   // error: 16
  store(r, 1.0f);
}
REFUSED_RUNNING(not_contiguous) {
  auto i = assume_contiguous(arange(0, 64) * 2, 4);   // error: contiguous
  store(q + i % 64, i);
}
REFUSED_RUNNING(not_constant) {
  auto i = assume_constant(arange(0, 64), 2);   // error: constant
  store(q + i, i);
}
REFUSED_RUNNING(not_in_range) {
  Int m = assume_range(n, 0, 64);   // error: 100 ... 64
  store(q, m);
}
REFUSED_RUNNING(not_apart) {
  assume_apart(p, q, p + n);   // error: a promised fact does not hold: both pointers point into `p`
  store(q, n);
}

// ---- what another lane wrote

REFUSED_RUNNING(reversal_without_a_barrier) {
  auto i = arange(0, 64);
  store(q + i, i);               // note: stored here
  auto x = load(q + (63 - i));   // error: another lane ... without a barrier
  // help: barrier()
  store(q + i, x);
}

// ---- loops

REFUSED_RUNNING(step_zero_on_the_device) {
  for (auto i : range(0, n, n - 100)) {   // error: step ... 0
    store(q + i, i);
  }
}
REFUSED_RUNNING(step_negative_on_the_device) {
  for (auto i : range(0, n, 50 - n)) {   // error: step ... -50
    store(q + i, i);
  }
}

// ---- memory that nobody wrote

static void copy_one(Ptr<f32> from, Ptr<f32> to, const bad::Sizes &) {
  store(to, load(from));   // error in read_of_fresh_memory: `fresh`
  // ^ error in read_of_released_memory: load
}
static const Kernel<&copy_one> copy{.name = "copy", .grid = [](auto &, auto...) { return Grid{}; }};

REFUSED_HOST(read_of_fresh_memory) {
  auto device = open_interpreter({.check_uninitialized = true});
  Buffer<f32> fresh(*device, 4, "fresh"), to(*device, 4, "to");
  copy(*device, fresh, to);
}
REFUSED_HOST(read_of_released_memory) {
  auto device = open_device("interpreter");
  Buffer<f32> to(*device, 4, "to");
  f32 *gone = Buffer<f32>(*device, std::vector<f32>(4), "gone").data();
  copy(*device, gone, to);
}
