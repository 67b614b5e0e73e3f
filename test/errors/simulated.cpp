// SPDX-License-Identifier: MIT
// Mistakes that only a run can show, in compiled code: the simulator stops at the user's line as the
// interpreter does.
#include "test/errors/bad_program.h"

using namespace tile;

REFUSED_SIMULATED(simulated_store_past_the_end) {
  auto i = program_id(0) * 64 + arange(0, 64);
  store(q + i, i);   // error: element 64 of `q`
  // context: program (1, 0, 0)
}

// ---- offsets

REFUSED_SIMULATED(simulated_offset_that_overflowed) {
  Int far = n * 50000 * 1000;   // note: the offset is computed here
  store(p + far, 1.0f);         // error: store writes through an offset that overflowed 32 bits
  // help: compute it in 64 bits: cast<i64>(...) on an operand
}
// 2^32 elements further on is the first one again.
REFUSED_SIMULATED(simulated_offset_that_comes_round) {
  auto row = (n - 36) * (1 << 26);        // note: the offset is computed here
  store(p + row, load(p + row) + 1.0f);   // error: load reads through an offset that overflowed 32 bits
}
REFUSED_SIMULATED(simulated_offset_that_overflowed_in_a_tile) {
  auto i = arange(0, 64);
  auto rows = i * (n + 67108764);   // note: the offset is computed here
  store(p + rows, 1.0f, i > 31);    // error: overflowed 32 bits
}
REFUSED_SIMULATED(simulated_offset_that_overflowed_in_a_loop) {
  Int far = 0;
  for (auto k : range(0, 64))
    far += n * 671088 + 64 + k - k;   // note: the offset is computed here
  store(p + (far & 63), 1.0f);
  store(p + far, 1.0f);   // error: overflowed 32 bits
}
REFUSED_SIMULATED(simulated_offset_that_overflowed_64_bits) {
  auto far = cast<i64>(n) * (i64{1} << 60) * 4;   // note: the offset is computed here
  store(p + far, 1.0f);                           // error: overflowed 64 bits
}
REFUSED_SIMULATED(simulated_bytes_that_overflowed) {
  store(q + cast<i64>(n) * (i64{1} << 56), 1);   // error: store writes an element more than 2^48 bytes away
}
REFUSED_SIMULATED(simulated_offset_into_another_buffer) {
  store(q + wide * (i64{1} << 46), 1);   // error: store writes an element more than 2^48 bytes away
}

// ---- facts

REFUSED_SIMULATED(simulated_not_divisible) {
  Int m = assume_divisible(n, 16);   // error: a promised fact does not hold: 100 is not a multiple of 16
  store(q, m);
}
REFUSED_SIMULATED(simulated_lanes_not_divisible) {
  auto i = assume_divisible(arange(0, 64) * n, 8);   // error: is not a multiple of 8
  store(q + i % 64, i);
}
REFUSED_SIMULATED(simulated_pointer_not_divisible) {
  auto r = assume_divisible(p + 1, 16);   // error: a promised fact does not hold: address 0x ... 16
  store(r, 1.0f);
}
REFUSED_SIMULATED(simulated_not_in_range) {
  Int m = assume_range(n, 0, 64);   // error: a promised fact does not hold: 100 is outside 0 .. 64
  store(q, m);
}
REFUSED_SIMULATED(simulated_lanes_not_in_range) {
  auto i = assume_range(arange(0, 64) + n, 0, 120);   // error: is outside 0 .. 120
  store(q + i % 64, i);
}
REFUSED_SIMULATED(simulated_not_apart) {
  assume_apart(p, q, p + n);   // error: a promised fact does not hold: both pointers point into `p`
  store(q, n);
}

// ---- loops

REFUSED_SIMULATED(simulated_step_of_zero) {
  for (auto i :
       range(0, 8, n - 100))   // error: the step of this range is 0; ... must be positive: ... literal
    store(q + i, i);
}
REFUSED_SIMULATED(simulated_negative_step) {
  for (auto i : range(0, 8, n - 103))   // error: the step of this range is -3; ... must be positive
    store(q + i, i);
}
REFUSED_SIMULATED(simulated_step_of_an_empty_range) {
  for (auto i : range(n, 0, n - 100))   // error: the step of this range is 0
    store(q + i, i);
}
REFUSED_SIMULATED(simulated_step_of_zero_in_64_bits) {
  for (auto i : range(i64{0}, wide, cast<i64>(n - 100)))   // error: the step of this range is 0
    store(q + i, 1);
}
REFUSED_SIMULATED(simulated_step_of_zero_without_a_sign) {
  for (auto i : range(0u, 8u, cast<u32>(n - 100)))   // error: the step of this range is 0
    store(q + i, 1);
}
REFUSED_SIMULATED(simulated_step_of_zero_unrolled) {
  for (auto i : range(0, 8, n - 100).unroll(4))   // error: the step of this range is 0
    store(q + i, i);
}
