// SPDX-License-Identifier: MIT
// Variations of a matrix product by where its operands come from.
#include "test/variations/variations.h"

using namespace tile;
using namespace tile::variations;

VARIATION(scaled_operand) {
  BLOCKS;
  for (auto i : range(steps))
    sum = dot(A.load({row, i * BK}) * 2.0f, B.load({i * BK, column}), sum);
  STORE;
}

VARIATION(relu_operand) {
  BLOCKS;
  for (auto i : range(steps))
    sum = dot(maximum(A.load({row, i * BK}), 0.0f), B.load({i * BK, column}), sum);
  STORE;
}

VARIATION(scaled_rows) {   // each row of a has a scale
  BLOCKS;
  auto rows = row + arange(0, BM);
  auto scales = load(d + rows, rows < m);
  for (auto i : range(steps))
    sum = dot(A.load({row, i * BK}) * scales[all, none], B.load({i * BK, column}), sum);
  STORE;
}

VARIATION(scaled_along_k) {   // each column of a has a scale
  BLOCKS;
  for (auto i : range(steps)) {
    auto along = i * BK + arange(0, BK);
    auto scales = load(d + along, along < k);
    sum = dot(A.load({row, i * BK}) * scales[none, all], B.load({i * BK, column}), sum);
  }
  STORE;
}

VARIATION(silu_operand) {
  BLOCKS;
  for (auto i : range(steps)) {
    auto x = cast<f32>(A.load({row, i * BK}));
    sum = dot(cast<f16>(x * sigmoid(x)), B.load({i * BK, column}), sum);
  }
  STORE;
}

VARIATION(exponentials) {
  BLOCKS;
  for (auto i : range(steps))
    sum = dot(cast<f16>(exp(cast<f32>(A.load({row, i * BK})))), B.load({i * BK, column}), sum);
  STORE;
}

VARIATION(lower_triangle) {   // a is one
  BLOCKS;
  for (auto i : range(steps)) {
    auto rows = row + arange(0, BM), along = i * BK + arange(0, BK);
    auto x = A.load({row, i * BK});
    sum = dot(where(rows[all, none] >= along[none, all], x, zeros_like(x)), B.load({i * BK, column}), sum);
  }
  STORE;
}

VARIATION(dropped_out) {
  BLOCKS;
  for (auto i : range(steps)) {
    auto rows = row + arange(0, BM), along = i * BK + arange(0, BK);
    auto x = A.load({row, i * BK});
    auto keeps = rand(7, rows[all, none] * k + along[none, all]) < 0.75f;
    sum = dot(where(keeps, x, zeros_like(x)), B.load({i * BK, column}), sum);
  }
  STORE;
}

VARIATION(sum_of_operands) {   // (a + d) x b, for d of a's shape
  BLOCKS;
  auto D = descriptor(d, {m, k}, {k, 1}, {BM, BK});
  for (auto i : range(steps))
    sum = dot(A.load({row, i * BK}) + D.load({row, i * BK}), B.load({i * BK, column}), sum);
  STORE;
}

VARIATION(gated_operand) {   // (silu(a) * d) x b
  BLOCKS;
  auto D = descriptor(d, {m, k}, {k, 1}, {BM, BK});
  for (auto i : range(steps)) {
    auto x = cast<f32>(A.load({row, i * BK}));
    sum = dot(cast<f16>(x * sigmoid(x) * cast<f32>(D.load({row, i * BK}))), B.load({i * BK, column}), sum);
  }
  STORE;
}

VARIATION(both_scaled) {
  BLOCKS;
  for (auto i : range(steps))
    sum = dot(A.load({row, i * BK}) * 2.0f, B.load({i * BK, column}) * 0.5f, sum);
  STORE;
}

VARIATION_OF(operand_of_f32, f32, f16, f16) {
  BLOCKS;
  for (auto i : range(steps))
    sum = dot(cast<f16>(A.load({row, i * BK})), B.load({i * BK, column}), sum);
  STORE;
}

VARIATION_OF(operand_of_i8, i8, f16, f16) {
  BLOCKS;
  for (auto i : range(steps))
    sum = dot(cast<f16>(A.load({row, i * BK})), B.load({i * BK, column}), sum);
  STORE;
}

// Each column of the weights has a scale.
template <class T> VARIATION_OF(weights, f16, T, f16) {
  BLOCKS;
  auto scales = load(d + column + arange(0, BN));
  for (auto i : range(steps))
    sum = dot(A.load({row, i * BK}), cast<f16>(B.load({i * BK, column})) * scales[none, all], sum);
  STORE;
}

// Two weights of 4 bits in a byte, those of rows 2 i and 2 i + 1.
VARIATION_OF(weights_of_4_bits, f16, u8, f16) {
  PLACE;
  auto A = descriptor(a, {m, k}, {k, 1}, {BM, BK});
  auto B = descriptor(b, {k / 2, n}, {n, 1}, {BK / 2, BN});
  auto C = descriptor(c, {m, n}, {n, 1}, {BM, BN});
  auto sum = zeros<f32>({BM, BN});
  for (auto i : range(steps)) {
    auto both = B.load({i * (BK / 2), column});
    auto low = cast<f16>(both & 15) - 8.0f, high = cast<f16>(both >> 4) - 8.0f;
    auto y = reshape(permute(join(low, high), {0, 2, 1}), {BK, BN});
    sum = dot(A.load({row, i * BK}), y, sum);
  }
  STORE;
}

// The same along k, as weights are stored often: n x k / 2.
VARIATION_OF(weights_of_4_bits_along_k, f16, u8, f16) {
  PLACE;
  auto A = descriptor(a, {m, k}, {k, 1}, {BM, BK});
  auto B = descriptor(b, {n, k / 2}, {k / 2, 1}, {BN, BK / 2});
  auto C = descriptor(c, {m, n}, {n, 1}, {BM, BN});
  auto sum = zeros<f32>({BM, BN});
  for (auto i : range(steps)) {
    auto both = B.load({column, i * (BK / 2)});
    auto y = interleave(cast<f16>(both & 15) - 8.0f, cast<f16>(both >> 4) - 8.0f);
    sum = dot(A.load({row, i * BK}), trans(y), sum);
  }
  STORE;
}

VARIATION(a_by_columns) {
  PLACE;
  auto A = descriptor(a, {k, m}, {m, 1}, {BK, BM});
  auto B = descriptor(b, {k, n}, {n, 1}, {BK, BN});
  auto C = descriptor(c, {m, n}, {n, 1}, {BM, BN});
  auto sum = zeros<f32>({BM, BN});
  for (auto i : range(steps))
    sum = dot(trans(A.load({i * BK, row})), B.load({i * BK, column}), sum);
  STORE;
}

VARIATION(b_by_columns) {
  PLACE;
  auto A = descriptor(a, {m, k}, {k, 1}, {BM, BK});
  auto B = descriptor(b, {n, k}, {k, 1}, {BN, BK});
  auto C = descriptor(c, {m, n}, {n, 1}, {BM, BN});
  auto sum = zeros<f32>({BM, BN});
  for (auto i : range(steps))
    sum = dot(A.load({row, i * BK}), trans(B.load({column, i * BK})), sum);
  STORE;
}

VARIATION(loaded_outside) {
  BLOCKS;
  auto x = A.load({row, 0});
  for (auto i : range(steps))
    sum = dot(x, B.load({i * BK, column}), sum);
  STORE;
}

VARIATION(b_loaded_outside) {
  BLOCKS;
  auto y = B.load({0, column});
  for (auto i : range(steps))
    sum = dot(A.load({row, i * BK}), y, sum);
  STORE;
}

VARIATION(loaded_outside_the_branch) {
  BLOCKS;
  for (auto i : range(steps)) {
    auto x = A.load({row, i * BK}), y = B.load({i * BK, column});
    TILE_IF (i < m) {   // which holds, but the compiler does not know it
      sum = dot(x, y, sum);
    }
  }
  STORE;
}

VARIATION(block_of_two) {
  BLOCKS;
  auto row_sums = zeros<f32>({BM});
  for (auto i : range(steps)) {
    auto x = A.load({row, i * BK});
    sum = dot(x, B.load({i * BK, column}), sum);
    row_sums += tile::sum(cast<f32>(x), 1);
  }
  C.store({row, column}, cast<f16>(sum + row_sums[all, none]));
}

VARIATION(column_sums_of_b) {
  BLOCKS;
  auto column_sums = zeros<f32>({BN});
  for (auto i : range(steps)) {
    auto y = B.load({i * BK, column});
    sum = dot(A.load({row, i * BK}), y, sum);
    column_sums += tile::sum(cast<f32>(y), 0);
  }
  C.store({row, column}, cast<f16>(sum - column_sums[none, all]));
}

VARIATION(with_its_transpose) {   // a x a^T, for n = m
  PLACE;
  auto A = descriptor(a, {m, k}, {k, 1}, {BM, BK});
  auto C = descriptor(c, {m, n}, {n, 1}, {BM, BN});
  auto sum = zeros<f32>({BM, BN});
  for (auto i : range(steps))
    sum = dot(A.load({row, i * BK}), trans(A.load({column, i * BK})), sum);
  STORE;
}

VARIATION(squares) {   // of a block with itself, for m = n
  PLACE;
  auto A = descriptor(a, {m, k}, {k, 1}, {BM, BK});
  auto C = descriptor(c, {m, n}, {n, 1}, {BM, BN});
  auto sum = zeros<f32>({BM, BM});
  for (auto i : range(steps)) {
    auto x = A.load({row, i * BK});
    sum = dot(x, trans(x), sum);
  }
  STORE;
}

// Rows of a by their numbers.
inline void gathered_rows(Ptr<const f16> a, Ptr<const f16> b, Ptr<f16> c, Ptr<const i32> d, Int m, Int n,
                          Int k, const Config &cfg) {
  PLACE;
  auto B = descriptor(b, {k, n}, {n, 1}, {BK, BN});
  auto C = descriptor(c, {m, n}, {n, 1}, {BM, BN});
  auto rows = row + arange(0, BM);
  auto from = load(d + rows, rows < m);
  auto sum = zeros<f32>({BM, BN});
  for (auto i : range(steps)) {
    auto along = i * BK + arange(0, BK);
    auto x = load(a + from[all, none] * k + along[none, all], (rows < m)[all, none] & (along < k)[none, all]);
    sum = dot(x, B.load({i * BK, column}), sum);
  }
  STORE;
}

VARIATION(by_pointers) {
  PLACE;
  auto rows = row + arange(0, BM), columns = column + arange(0, BN), along = arange(0, BK);
  auto pa = a + rows[all, none] * k + along[none, all], pb = b + along[all, none] * n + columns[none, all];
  auto sum = zeros<f32>({BM, BN});
  for (auto i : range(steps)) {
    auto left = k - i * BK;
    sum = dot(load(pa, (rows < m)[all, none] & (along < left)[none, all]),
              load(pb, (along < left)[all, none] & (columns < n)[none, all]), sum);
    pa += BK;
    pb += BK * n;
  }
  store(c + rows[all, none] * n + columns[none, all], cast<f16>(sum),
        (rows < m)[all, none] & (columns < n)[none, all]);
}

VARIATION(a_by_pointers) {
  BLOCKS;
  auto rows = row + arange(0, BM);
  for (auto i : range(steps)) {
    auto along = i * BK + arange(0, BK);
    auto x = load(a + rows[all, none] * k + along[none, all], (rows < m)[all, none] & (along < k)[none, all]);
    sum = dot(x, B.load({i * BK, column}), sum);
  }
  STORE;
}

TILE_KERNEL_LIBRARY(kernel<&scaled_operand>("scaled_operand"), kernel<&relu_operand>("relu_operand"),
                    kernel<&scaled_rows>("scaled_rows"), kernel<&scaled_along_k>("scaled_along_k"),
                    kernel<&silu_operand>("silu_operand"), kernel<&exponentials>("exponentials"),
                    kernel<&lower_triangle>("lower_triangle"), kernel<&dropped_out>("dropped_out"),
                    kernel<&sum_of_operands>("sum_of_operands"), kernel<&gated_operand>("gated_operand"),
                    kernel<&both_scaled>("both_scaled"), kernel<&operand_of_f32>("operand_of_f32"),
                    kernel<&operand_of_i8>("operand_of_i8"), kernel<&weights<i8>>("weights_of_i8"),
                    kernel<&weights<e4m3>>("weights_of_fp8"), kernel<&weights_of_4_bits>("weights_of_4_bits"),
                    kernel<&weights_of_4_bits_along_k>("weights_of_4_bits_along_k"),
                    kernel<&a_by_columns>("a_by_columns"), kernel<&b_by_columns>("b_by_columns"),
                    kernel<&loaded_outside>("loaded_outside"), kernel<&b_loaded_outside>("b_loaded_outside"),
                    kernel<&loaded_outside_the_branch>("loaded_outside_the_branch"),
                    kernel<&block_of_two>("block_of_two"), kernel<&column_sums_of_b>("column_sums_of_b"),
                    kernel<&with_its_transpose>("with_its_transpose"), kernel<&squares>("squares"),
                    kernel<&gathered_rows>("gathered_rows"), kernel<&by_pointers>("by_pointers"),
                    kernel<&a_by_pointers>("a_by_pointers"))
