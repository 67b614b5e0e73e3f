// SPDX-License-Identifier: MIT
// Variations of a matrix product by what becomes of its sums.
#include "test/variations/variations.h"

using namespace tile;
using namespace tile::variations;

namespace {
Tensor<f32> gelu(const Tensor<f32> &x) { return 0.5f * x * (1.0f + erf(x * 0.70710678f)); }
Tensor<f32> silu(const Tensor<f32> &x) { return x * sigmoid(x); }
}   // namespace

VARIATION(scaled_result) {
  BLOCKS;
  MULTIPLY;
  C.store({row, column}, cast<f16>(sum * 0.5f));
}

VARIATION(alpha_beta) {   // c = 0.5 a x b + 2 c
  BLOCKS;
  MULTIPLY;
  C.store({row, column}, cast<f16>(sum * 0.5f + cast<f32>(C.load({row, column})) * 2.0f));
}

VARIATION(bias) {
  BLOCKS;
  MULTIPLY;
  auto biases = cast<f32>(load(d + column + arange(0, BN)));
  C.store({row, column}, cast<f16>(sum + biases[none, all]));
}

VARIATION(bias_first) {
  BLOCKS;
  auto biases = cast<f32>(load(d + column + arange(0, BN)));
  sum += biases[none, all];
  MULTIPLY;
  STORE;
}

VARIATION(scales_of_rows_and_columns) {
  BLOCKS;
  MULTIPLY;
  auto rows = row + arange(0, BM);
  auto of_rows = cast<f32>(load(d + rows, rows < m)),
       of_columns = cast<f32>(load(d + column + arange(0, BN)));
  C.store({row, column}, cast<f16>(sum * of_rows[all, none] * of_columns[none, all]));
}

VARIATION(residual) {
  BLOCKS;
  auto D = descriptor(d, {m, n}, {n, 1}, {BM, BN});
  MULTIPLY;
  C.store({row, column}, cast<f16>(sum + cast<f32>(D.load({row, column}))));
}

VARIATION(first_sums) {
  BLOCKS;
  auto D = descriptor(d, {m, n}, {n, 1}, {BM, BN});
  sum += cast<f32>(D.load({row, column}));
  MULTIPLY;
  STORE;
}

VARIATION(silu_of_the_result) {
  BLOCKS;
  MULTIPLY;
  C.store({row, column}, cast<f16>(silu(sum)));
}

VARIATION(clamped) {
  BLOCKS;
  MULTIPLY;
  C.store({row, column}, cast<f16>(clamp(sum, -1.0f, 1.0f)));
}

VARIATION(bias_gelu_residual) {
  BLOCKS;
  auto D = descriptor(d, {m, n}, {n, 1}, {BM, BN});
  MULTIPLY;
  auto biases = cast<f32>(load(d + column + arange(0, BN)));
  C.store({row, column}, cast<f16>(gelu(sum + biases[none, all]) + cast<f32>(D.load({row, column}))));
}

VARIATION(bias_gelu_residual_by_pointers) {
  BLOCKS;
  MULTIPLY;
  auto rows = row + arange(0, BM), columns = column + arange(0, BN);
  auto biases = cast<f32>(load(d + columns));
  auto residual =
      load(d + rows[all, none] * n + columns[none, all], (rows < m)[all, none] & (columns < n)[none, all]);
  C.store({row, column}, cast<f16>(gelu(sum + biases[none, all]) + cast<f32>(residual)));
}

VARIATION(dropout) {
  BLOCKS;
  MULTIPLY;
  auto rows = row + arange(0, BM), columns = column + arange(0, BN);
  auto keeps = rand(7, rows[all, none] * n + columns[none, all]) < 0.75f;
  C.store({row, column}, cast<f16>(where(keeps, sum * (1 / 0.75f), 0.0f)));
}

VARIATION(causal_result) {
  BLOCKS;
  MULTIPLY;
  auto rows = row + arange(0, BM), columns = column + arange(0, BN);
  C.store({row, column}, cast<f16>(where(rows[all, none] >= columns[none, all], sum, -10000.0f)));
}

VARIATION(stored_on_condition) {
  BLOCKS;
  MULTIPLY;
  TILE_IF (row >= column) {
    STORE;
  }
}

VARIATION(changed_on_condition) {
  BLOCKS;
  MULTIPLY;
  TILE_IF (row >= column) {
    sum = sum * 2.0f;
  }
  STORE;
}

VARIATION(stored_by_pointers) {
  OPERANDS;
  MULTIPLY;
  auto rows = row + arange(0, BM), columns = column + arange(0, BN);
  store(c + rows[all, none] * n + columns[none, all], cast<f16>(sum),
        (rows < m)[all, none] & (columns < n)[none, all]);
}

VARIATION(transposed_result) {   // c is n x m
  PLACE;
  auto A = descriptor(a, {m, k}, {k, 1}, {BM, BK});
  auto B = descriptor(b, {k, n}, {n, 1}, {BK, BN});
  auto C = descriptor(c, {n, m}, {m, 1}, {BN, BM});
  auto sum = zeros<f32>({BM, BN});
  MULTIPLY;
  C.store({column, row}, cast<f16>(trans(sum)));
}

VARIATION(both_orders) {   // c is m x n, and behind it n x m
  BLOCKS;
  auto T = descriptor(c + m * n, {n, m}, {m, 1}, {BN, BM});
  MULTIPLY;
  STORE;
  T.store({column, row}, cast<f16>(trans(sum)));
}

VARIATION_OF(f32_result, f16, f16, f32) {
  BLOCKS;
  MULTIPLY;
  C.store({row, column}, sum);
}

VARIATION_OF(added_in_memory, f16, f16, f32) {
  BLOCKS;
  MULTIPLY;
  C.add({row, column}, sum);
}

VARIATION_OF(added_by_atomics, f16, f16, f32) {
  OPERANDS;
  MULTIPLY;
  auto rows = row + arange(0, BM), columns = column + arange(0, BN);
  atomic_add(c + rows[all, none] * n + columns[none, all], sum,
             (rows < m)[all, none] & (columns < n)[none, all], Order::relaxed);
}

VARIATION_OF(row_maxima, f16, f16, f32) {   // instead of the sums: for each column of blocks
  OPERANDS;
  MULTIPLY;
  auto rows = row + arange(0, BM);
  store(c + tile_n * m + rows, tile::max(sum, 1), rows < m);
}

VARIATION(row_sums_beside) {   // behind the result: of each column of blocks
  BLOCKS;
  MULTIPLY;
  STORE;
  auto rows = row + arange(0, BM);
  store(c + m * n + tile_n * m + rows, cast<f16>(tile::sum(sum, 1)), rows < m);
}

VARIATION(column_sums_beside) {   // as the gradient of a bias
  BLOCKS;
  MULTIPLY;
  STORE;
  auto columns = column + arange(0, BN);
  store(c + m * n + tile_m * n + columns, cast<f16>(tile::sum(sum, 0)), columns < n);
}

VARIATION_OF(largest_of_rows, f16, f16, i32) {
  OPERANDS;
  MULTIPLY;
  auto rows = row + arange(0, BM);
  store(c + tile_n * m + rows, argmax(sum, 1), rows < m);
}

VARIATION(softmax_of_rows) {   // of n <= block_n
  BLOCKS;
  MULTIPLY;
  C.store({row, column}, cast<f16>(softmax(sum, 1)));
}

VARIATION(normalised_rows) {
  BLOCKS;
  MULTIPLY;
  auto scale = rsqrt(tile::sum(sum * sum, 1) / static_cast<float>(BN) + 1e-5f);
  C.store({row, column}, cast<f16>(sum * scale[all, none]));
}

VARIATION_OF(fp8_result, f16, f16, e4m3) {
  BLOCKS;
  MULTIPLY;
  C.store({row, column}, cast<e4m3>(sum * 16.0f));
}

VARIATION_OF(quantised_result, f16, f16, i8) {   // by the largest of each row of the block
  BLOCKS;
  MULTIPLY;
  auto largest = maximum(tile::max(abs(sum), 1), 1e-6f);
  C.store({row, column}, cast<i8>(rint(sum * (127.0f / largest)[all, none])));
}

VARIATION(rotary) {   // pairs of columns 2 i and 2 i + 1, by angles in d
  BLOCKS;
  MULTIPLY;
  auto [even, odd] = split(reshape(sum, {BM, BN / 2, 2}));
  auto rows = row + arange(0, BM), pairs = column / 2 + arange(0, BN / 2);
  auto angle = cast<f32>(rows)[all, none] * cast<f32>(load(d + pairs))[none, all];
  auto rotated = interleave(even * cos(angle) - odd * sin(angle), even * sin(angle) + odd * cos(angle));
  C.store({row, column}, cast<f16>(rotated));
}

VARIATION(interleaved_swiglu) {   // c is m x n / 2
  PLACE;
  auto A = descriptor(a, {m, k}, {k, 1}, {BM, BK});
  auto B = descriptor(b, {k, n}, {n, 1}, {BK, BN});
  auto C = descriptor(c, {m, n / 2}, {n / 2, 1}, {BM, BN / 2});
  auto sum = zeros<f32>({BM, BN});
  MULTIPLY;
  auto [gate, up] = split(reshape(sum, {BM, BN / 2, 2}));
  C.store({row, column / 2}, cast<f16>(silu(gate) * up));
}

VARIATION(swiglu) {   // the columns of b from n on are the other half
  PLACE;
  auto A = descriptor(a, {m, k}, {k, 1}, {BM, BK});
  auto B = descriptor(b, {k, n * 2}, {n * 2, 1}, {BK, BN});
  auto C = descriptor(c, {m, n}, {n, 1}, {BM, BN});
  auto gate = zeros<f32>({BM, BN}), up = zeros<f32>({BM, BN});
  for (auto i : range(steps)) {
    auto x = A.load({row, i * BK});
    gate = dot(x, B.load({i * BK, column}), gate);
    up = dot(x, B.load({i * BK, column + n}), up);
  }
  C.store({row, column}, cast<f16>(silu(gate) * up));
}

VARIATION(swiglu_in_two_loops) {
  PLACE;
  auto A = descriptor(a, {m, k}, {k, 1}, {BM, BK});
  auto B = descriptor(b, {k, n * 2}, {n * 2, 1}, {BK, BN});
  auto C = descriptor(c, {m, n}, {n, 1}, {BM, BN});
  auto gate = zeros<f32>({BM, BN}), up = zeros<f32>({BM, BN});
  for (auto i : range(steps))
    gate = dot(A.load({row, i * BK}), B.load({i * BK, column}), gate);
  for (auto i : range(steps))
    up = dot(A.load({row, i * BK}), B.load({i * BK, column + n}), up);
  C.store({row, column}, cast<f16>(silu(gate) * up));
}

TILE_KERNEL_LIBRARY(
    kernel<&scaled_result>("scaled_result"), kernel<&alpha_beta>("alpha_beta"), kernel<&bias>("bias"),
    kernel<&bias_first>("bias_first"), kernel<&scales_of_rows_and_columns>("scales_of_rows_and_columns"),
    kernel<&residual>("residual"), kernel<&first_sums>("first_sums"),
    kernel<&silu_of_the_result>("silu_of_the_result"), kernel<&clamped>("clamped"),
    kernel<&bias_gelu_residual>("bias_gelu_residual"),
    kernel<&bias_gelu_residual_by_pointers>("bias_gelu_residual_by_pointers"), kernel<&dropout>("dropout"),
    kernel<&causal_result>("causal_result"), kernel<&stored_on_condition>("stored_on_condition"),
    kernel<&changed_on_condition>("changed_on_condition"), kernel<&stored_by_pointers>("stored_by_pointers"),
    kernel<&transposed_result>("transposed_result"), kernel<&both_orders>("both_orders"),
    kernel<&f32_result>("f32_result"), kernel<&added_in_memory>("added_in_memory"),
    kernel<&added_by_atomics>("added_by_atomics"), kernel<&row_maxima>("row_maxima"),
    kernel<&row_sums_beside>("row_sums_beside"), kernel<&column_sums_beside>("column_sums_beside"),
    kernel<&largest_of_rows>("largest_of_rows"), kernel<&softmax_of_rows>("softmax_of_rows"),
    kernel<&normalised_rows>("normalised_rows"), kernel<&fp8_result>("fp8_result"),
    kernel<&quantised_result>("quantised_result"), kernel<&rotary>("rotary"),
    kernel<&interleaved_swiglu>("interleaved_swiglu"), kernel<&swiglu>("swiglu"),
    kernel<&swiglu_in_two_loops>("swiglu_in_two_loops"))
