// SPDX-License-Identifier: MIT
// Variations of a matrix product by the loops, branches, checks and stores around it.
#include "test/variations/variations.h"

using namespace tile;
using namespace tile::variations;

VARIATION(plain) {
  BLOCKS;
  MULTIPLY;
  STORE;
}

VARIATION(added_product) {
  BLOCKS;
  for (auto i : range(steps))
    sum += dot(A.load({row, i * BK}), B.load({i * BK, column}));
  STORE;
}

VARIATION(along_elements) {   // the loop counts elements, not blocks
  BLOCKS;
  for (auto at : range(0, k, BK))
    sum = dot(A.load({row, at}), B.load({at, column}), sum);
  STORE;
}

VARIATION(backwards) {
  BLOCKS;
  for (auto i : range(steps - 1, -1, -1))
    sum = dot(A.load({row, i * BK}), B.load({i * BK, column}), sum);
  STORE;
}

VARIATION(carried_places) {
  BLOCKS;
  Int at = 0;
  for ([[maybe_unused]] auto i : range(steps)) {
    sum = dot(A.load({row, at}), B.load({at, column}), sum);
    at += BK;
  }
  STORE;
}

VARIATION(nested_loops) {
  BLOCKS;
  for (auto i : range(cdiv(steps, 4)))
    for (auto j : range(minimum(steps - i * 4, 4))) {
      Int at = (i * 4 + j) * BK;
      sum = dot(A.load({row, at}), B.load({at, column}), sum);
    }
  STORE;
}

VARIATION(groups_of_k) {   // sums of each group get a scale
  BLOCKS;
  for (auto i : range(cdiv(steps, 4))) {
    auto partial = zeros<f32>({BM, BN});
    for (auto j : range(minimum(steps - i * 4, 4))) {
      Int at = (i * 4 + j) * BK;
      partial = dot(A.load({row, at}), B.load({at, column}), partial);
    }
    sum += partial * cast<f32>(load(d + i));
  }
  STORE;
}

VARIATION(scaled_each_step) {   // as products with scales by blocks
  BLOCKS;
  for (auto i : range(steps))
    sum += dot(A.load({row, i * BK}), B.load({i * BK, column})) * cast<f32>(load(d + i));
  STORE;
}

VARIATION(half_of_k) {   // the range of k depends on the program
  BLOCKS;
  for (auto i : range(minimum(steps, cdiv(row + BM, BK))))
    sum = dot(A.load({row, i * BK}), B.load({i * BK, column}), sum);
  STORE;
}

VARIATION(loop_in_a_branch) {
  BLOCKS;
  TILE_IF (row <= column) {
    MULTIPLY;
  }
  STORE;
}

VARIATION(all_in_a_branch) {
  BLOCKS;
  TILE_IF (row <= column) {
    MULTIPLY;
    STORE;
  }
}

VARIATION(branch_in_the_loop) {
  BLOCKS;
  for (auto i : range(steps)) {
    TILE_IF (i < m) {   // which holds, but the compiler does not know it
      sum = dot(A.load({row, i * BK}), B.load({i * BK, column}), sum);
    }
  }
  STORE;
}

VARIATION(two_ways) {   // of each step
  BLOCKS;
  for (auto i : range(steps)) {
    TILE_IF (i % 2 == 0) {
      sum = dot(A.load({row, i * BK}), B.load({i * BK, column}), sum);
    } else {
      sum = dot(A.load({row, i * BK}), B.load({0, column}), sum);
    }
  }
  STORE;
}

VARIATION(unrolled_by_hand) {
  BLOCKS;
  for (auto i : range(cdiv(steps, 4)))
    for (int part = 0; part < 4; ++part) {
      Int at = (i * 4 + part) * BK;
      sum = dot(A.load({row, at}), B.load({at, column}), sum);
    }
  STORE;
}

VARIATION(unrolled) {
  BLOCKS;
  for (auto i : range(steps).unroll(2))
    sum = dot(A.load({row, i * BK}), B.load({i * BK, column}), sum);
  STORE;
}

VARIATION(two_loops) {
  BLOCKS;
  Int half = steps / 2;
  for (auto i : range(half))
    sum = dot(A.load({row, i * BK}), B.load({i * BK, column}), sum);
  for (auto i : range(half, steps))
    sum = dot(A.load({row, i * BK}), B.load({i * BK, column}), sum);
  STORE;
}

VARIATION(peeled_last) {   // the last step by itself
  BLOCKS;
  for (auto i : range(steps - 1))
    sum = dot(A.load({row, i * BK}), B.load({i * BK, column}), sum);
  Int at = (steps - 1) * BK;
  sum = dot(A.load({row, at}), B.load({at, column}), sum);
  STORE;
}

VARIATION(without_a_loop) {
  BLOCKS;
  sum = dot(A.load({row, 0}), B.load({0, column}));
  STORE;
}

VARIATION(while_around) {
  BLOCKS;
  Int i = 0;
  while_([&] { return i < steps; },
         [&] {
           sum = dot(A.load({row, i * BK}), B.load({i * BK, column}), sum);
           i += 1;
         });
  STORE;
}

// Blocks along k by their numbers.
inline void blocks_of_a_list(Ptr<const f16> a, Ptr<const f16> b, Ptr<f16> c, Ptr<const i32> d, Int m, Int n,
                             Int k, const Config &cfg) {
  BLOCKS;
  for (auto i : range(steps)) {
    Int at = load(d + i) * BK;
    sum = dot(A.load({row, at}), B.load({at, column}), sum);
  }
  STORE;
}

// The range of k of each row of blocks.
inline void range_of_a_list(Ptr<const f16> a, Ptr<const f16> b, Ptr<f16> c, Ptr<const i32> d, Int m, Int n,
                            Int k, const Config &cfg) {
  BLOCKS;
  for (auto i : range(load(d + tile_m), load(d + tile_m + 1)))
    sum = dot(A.load({row, i * BK}), B.load({i * BK, column}), sum);
  STORE;
}

VARIATION(assert_first) {
  device_assert(k % 8 == 0, "k must be a multiple of 8");
  BLOCKS;
  MULTIPLY;
  STORE;
}

VARIATION(assert_in_the_loop) {
  BLOCKS;
  for (auto i : range(steps)) {
    device_assert(i < 1 << 20, "k is too large");
    sum = dot(A.load({row, i * BK}), B.load({i * BK, column}), sum);
  }
  STORE;
}

VARIATION(assert_of_a_block) {
  BLOCKS;
  for (auto i : range(steps)) {
    auto x = A.load({row, i * BK});
    device_assert(!isnan(cast<f32>(x)), "a has a NaN");
    sum = dot(x, B.load({i * BK, column}), sum);
  }
  STORE;
}

VARIATION(assert_at_the_end) {
  BLOCKS;
  MULTIPLY;
  device_assert(isfinite(sum), "a sum is not finite");
  STORE;
}

VARIATION(printing) {
  BLOCKS;
  MULTIPLY;
  print("row", row);
  STORE;
}

VARIATION(printing_in_the_loop) {
  BLOCKS;
  for (auto i : range(steps)) {
    TILE_IF (i < 0) {
      print("step", i);
    }
    sum = dot(A.load({row, i * BK}), B.load({i * BK, column}), sum);
  }
  STORE;
}

VARIATION(stored_before) {
  BLOCKS;
  C.store({row, column}, zeros<f16>({BM, BN}));
  MULTIPLY;
  STORE;
}

// Into memory that is not read: with and without the promise that it is another buffer.
template <bool Promised> VARIATION_OF(stored_apart_before, f16, f16, f32) {
  PLACE;
  if (Promised)
    assume_apart(c, a, b);
  auto A = descriptor(a, {m, k}, {k, 1}, {BM, BK});
  auto B = descriptor(b, {k, n}, {n, 1}, {BK, BN});
  store(c + m * n + program_id(0), cast<f32>(row));
  auto sum = zeros<f32>({BM, BN});
  MULTIPLY;
  descriptor(c, {m, n}, {n, 1}, {BM, BN}).store({row, column}, sum);
}

template <bool Promised> VARIATION_OF(stored_in_the_loop, f16, f16, f32) {   // the sums so far of one row
  OPERANDS;
  if (Promised)
    assume_apart(c, a, b);
  for (auto i : range(steps)) {
    auto x = A.load({row, i * BK});
    sum = dot(x, B.load({i * BK, column}), sum);
    auto rows = row + arange(0, BM);
    store(c + m * n + rows, tile::sum(cast<f32>(x), 1), (rows < m) & (column == 0));
  }
  descriptor(c, {m, n}, {n, 1}, {BM, BN}).store({row, column}, sum);
}

template <bool Promised> VARIATION_OF(counted, f16, f16, i32) {   // by an atomic in front
  PLACE;
  if (Promised)
    assume_apart(c, a, b);
  auto A = descriptor(a, {m, k}, {k, 1}, {BM, BK});
  auto B = descriptor(b, {k, n}, {n, 1}, {BK, BN});
  atomic_add(c + m * n, 1);
  auto sum = zeros<f32>({BM, BN});
  MULTIPLY;
  descriptor(c, {m, n}, {n, 1}, {BM, BN}).store({row, column}, cast<i32>(sum));
}

// A loop over tiles: with the promise that they do not read each other's results, or that the results are in
// another buffer, or without one.
enum class Promise { none, independent, apart };
template <Promise Made> VARIATION(persistent) {
  const int BM = cfg.block_m, BN = cfg.block_n, BK = cfg.block_k;
  auto A = descriptor(a, {m, k}, {k, 1}, {BM, BK});
  auto B = descriptor(b, {k, n}, {n, 1}, {BK, BN});
  auto C = descriptor(c, {m, n}, {n, 1}, {BM, BN});
  Int across = cdiv(n, BN), tiles = cdiv(m, BM) * across, steps = cdiv(k, BK);
  if (Made == Promise::apart)
    assume_apart(c, a, b);
  auto loop = range(program_id(0), tiles, num_programs(0));
  for (auto tile : Made == Promise::independent ? loop.specialize_warps() : loop) {
    Int row = tile / across * BM, column = tile % across * BN;
    auto sum = zeros<f32>({BM, BN});
    MULTIPLY;
    STORE;
  }
}

template <bool Promised> VARIATION(split_k) {   // two loops add to each block
  if (Promised)
    assume_apart(c, a, b);
  const int BM = cfg.block_m, BN = cfg.block_n, BK = cfg.block_k;
  auto A = descriptor(a, {m, k}, {k, 1}, {BM, BK});
  auto B = descriptor(b, {k, n}, {n, 1}, {BK, BN});
  auto C = descriptor(c, {m, n}, {n, 1}, {BM, BN});
  Int across = cdiv(n, BN), row = program_id(0) / across * BM, column = program_id(0) % across * BN;
  Int steps = cdiv(k, BK), part = cdiv(steps, 2);
  for (int half = 0; half < 2; ++half) {
    auto sum = zeros<f32>({BM, BN});
    for (auto i : range(part * half, minimum(steps, part * (half + 1))))
      sum = dot(A.load({row, i * BK}), B.load({i * BK, column}), sum);
    C.add({row, column}, cast<f16>(sum));
  }
}

TILE_KERNEL_LIBRARY(
    kernel<&plain>("plain"), kernel<&added_product>("added_product"),
    kernel<&along_elements>("along_elements"), kernel<&backwards>("backwards"),
    kernel<&carried_places>("carried_places"), kernel<&nested_loops>("nested_loops"),
    kernel<&groups_of_k>("groups_of_k"), kernel<&scaled_each_step>("scaled_each_step"),
    kernel<&half_of_k>("half_of_k"), kernel<&loop_in_a_branch>("loop_in_a_branch"),
    kernel<&all_in_a_branch>("all_in_a_branch"), kernel<&branch_in_the_loop>("branch_in_the_loop"),
    kernel<&two_ways>("two_ways"), kernel<&unrolled_by_hand>("unrolled_by_hand"),
    kernel<&unrolled>("unrolled"), kernel<&two_loops>("two_loops"), kernel<&peeled_last>("peeled_last"),
    kernel<&without_a_loop>("without_a_loop"), kernel<&while_around>("while_around"),
    kernel<&blocks_of_a_list>("blocks_of_a_list"), kernel<&range_of_a_list>("range_of_a_list"),
    kernel<&assert_first>("assert_first"), kernel<&assert_in_the_loop>("assert_in_the_loop"),
    kernel<&assert_of_a_block>("assert_of_a_block"), kernel<&assert_at_the_end>("assert_at_the_end"),
    kernel<&printing>("printing"), kernel<&printing_in_the_loop>("printing_in_the_loop"),
    kernel<&stored_before>("stored_before"), kernel<&stored_apart_before<false>>("stored_apart_before"),
    kernel<&stored_apart_before<true>>("stored_apart_before_promised"),
    kernel<&stored_in_the_loop<false>>("stored_in_the_loop"),
    kernel<&stored_in_the_loop<true>>("stored_in_the_loop_promised"), kernel<&counted<false>>("counted"),
    kernel<&counted<true>>("counted_promised"), kernel<&persistent<Promise::independent>>("persistent"),
    kernel<&persistent<Promise::apart>>("persistent_apart"),
    kernel<&persistent<Promise::none>>("persistent_without_promise"), kernel<&split_k<false>>("split_k"),
    kernel<&split_k<true>>("split_k_promised"))
