// SPDX-License-Identifier: MIT
// Variations by several products, element types and kinds of tensors.
#include "test/variations/variations.h"

#include <cmath>

using namespace tile;
using namespace tile::variations;

// relu(first block of A x B) times D, for m = n: what attention does, but for its rows.
VARIATION(product_of_a_product) {
  BLOCKS;
  auto D = descriptor(d, {m, n}, {n, 1}, {BN, BN});
  auto x = A.load({row, 0});
  for (auto i : range(cdiv(n, BN))) {
    auto scores = dot(x, B.load({0, i * BN}));
    sum = dot(cast<f16>(maximum(scores, 0.0f)), D.load({i * BN, column}), sum);
  }
  STORE;
}

// Attention of one head: a has the queries, b the keys (n x k), d the values (n x k); c is m x k, k <=
// block_k.
VARIATION(attention_of_one_head) {
  const int BM = cfg.block_m, BN = cfg.block_n, BK = cfg.block_k;
  auto Q = descriptor(a, {m, k}, {k, 1}, {BM, BK}), K = descriptor(b, {n, k}, {k, 1}, {BN, BK});
  auto V = descriptor(d, {n, k}, {k, 1}, {BN, BK});
  auto C = descriptor(c, {m, k}, {k, 1}, {BM, BK});
  Int row = program_id(0) * BM;
  auto q = Q.load({row, 0});
  auto sum = zeros<f32>({BM, BK});
  auto highest = full<f32>({BM}, -INFINITY), total = zeros<f32>({BM});
  for (auto i : range(cdiv(n, BN))) {
    auto columns = i * BN + arange(0, BN);
    auto scores = where((columns < n)[none, all], dot(q, trans(K.load({i * BN, 0}))), -INFINITY);
    auto top = maximum(highest, tile::max(scores, 1));
    auto p = exp2(scores - top[all, none]);
    auto shrink = exp2(highest - top);
    total = total * shrink + tile::sum(p, 1);
    sum = dot(cast<f16>(p), V.load({i * BN, 0}), sum * shrink[all, none]);
    highest = top;
  }
  C.store({row, 0}, cast<f16>(sum / total[all, none]));
}

VARIATION(two_results) {   // a x b and a x d, for d of b's shape; c has both
  BLOCKS;
  auto D = descriptor(d, {k, n}, {n, 1}, {BK, BN});
  auto second = descriptor(c + m * n, {m, n}, {n, 1}, {BM, BN});
  auto other = zeros<f32>({BM, BN});
  for (auto i : range(steps)) {
    auto x = A.load({row, i * BK});
    sum = dot(x, B.load({i * BK, column}), sum);
    other = dot(x, D.load({i * BK, column}), other);
  }
  STORE;
  second.store({row, column}, cast<f16>(other));
}

VARIATION(sum_of_two_products) {   // a x b + a x d
  BLOCKS;
  auto D = descriptor(d, {k, n}, {n, 1}, {BK, BN});
  for (auto i : range(steps)) {
    auto x = A.load({row, i * BK});
    sum = dot(x, B.load({i * BK, column}), sum);
    sum = dot(x, D.load({i * BK, column}), sum);
  }
  STORE;
}

// The imaginary parts are in the columns of a from k on, and in the rows of b from k on; c has both.
VARIATION(complex_product) {
  PLACE;
  auto A = descriptor(a, {m, k * 2}, {k * 2, 1}, {BM, BK});
  auto B = descriptor(b, {k * 2, n}, {n, 1}, {BK, BN});
  auto real = zeros<f32>({BM, BN}), imaginary = zeros<f32>({BM, BN});
  for (auto i : range(steps)) {
    auto ar = A.load({row, i * BK}), ai = A.load({row, i * BK + k});
    auto br = B.load({i * BK, column}), bi = B.load({i * BK + k, column});
    real = dot(ar, br, real);
    real = dot(-ai, bi, real);
    imaginary = dot(ar, bi, imaginary);
    imaginary = dot(ai, br, imaginary);
  }
  descriptor(c, {m, n}, {n, 1}, {BM, BN}).store({row, column}, cast<f16>(real));
  descriptor(c + m * n, {m, n}, {n, 1}, {BM, BN}).store({row, column}, cast<f16>(imaginary));
}

VARIATION(low_rank_beside) {   // a x b + (a x d) x e: d is k x 64 and e, behind it, 64 x n
  BLOCKS;
  auto D = descriptor(d, {k, 64}, {64, 1}, {BK, 64});
  auto E = descriptor(d + k * 64, {64, n}, {n, 1}, {64, BN});
  auto low = zeros<f32>({BM, 64});
  for (auto i : range(steps)) {
    auto x = A.load({row, i * BK});
    sum = dot(x, B.load({i * BK, column}), sum);
    low = dot(x, D.load({i * BK, 0}), low);
  }
  sum = dot(cast<f16>(low), E.load({0, column}), sum);
  STORE;
}

VARIATION(of_a_stack) {   // the third matrix of a stack
  PLACE;
  auto A = descriptor(a, {3, m, k}, {m * k, k, 1}, {1, BM, BK});
  auto B = descriptor(b, {3, k, n}, {k * n, n, 1}, {1, BK, BN});
  auto C = descriptor(c, {3, m, n}, {m * n, n, 1}, {1, BM, BN});
  auto sum = zeros<f32>({BM, BN});
  for (auto i : range(steps))
    sum = dot(A.load_reduced({2, row, i * BK}), B.load_reduced({2, i * BK, column}), sum);
  C.store({2, row, column}, cast<f16>(sum));
}

template <class T> VARIATION_OF(of_type, T, T, f32) {   // b along k, as 8-bit types need it
  PLACE;
  auto A = descriptor(a, {m, k}, {k, 1}, {BM, BK});
  auto B = descriptor(b, {n, k}, {k, 1}, {BN, BK});
  auto C = descriptor(c, {m, n}, {n, 1}, {BM, BN});
  auto sum = zeros<std::conditional_t<std::is_same_v<T, i8>, i32, f32>>({BM, BN});
  for (auto i : range(steps))
    sum = dot(A.load({row, i * BK}), trans(B.load({column, i * BK})), sum);
  C.store({row, column}, cast<f32>(sum));
}

VARIATION_OF(fp8_promoted, e4m3, e4m3, f32) {
  PLACE;
  auto A = descriptor(a, {m, k}, {k, 1}, {BM, BK});
  auto B = descriptor(b, {n, k}, {k, 1}, {BN, BK});
  auto C = descriptor(c, {m, n}, {n, 1}, {BM, BN});
  auto sum = zeros<f32>({BM, BN});
  for (auto i : range(steps))
    sum = dot(A.load({row, i * BK}), trans(B.load({column, i * BK})), sum,
              DotOptions{.max_imprecise_acc = cfg.block_k});
  C.store({row, column}, sum);
}

VARIATION_OF(f32_in_parts, f32, f32, f32) {
  PLACE;
  const int step = BK / 4;   // its blocks take four times as much shared memory
  auto A = descriptor(a, {m, k}, {k, 1}, {BM, step});
  auto B = descriptor(b, {k, n}, {n, 1}, {step, BN});
  auto C = descriptor(c, {m, n}, {n, 1}, {BM, BN});
  auto sum = zeros<f32>({BM, BN});
  for (auto at : range(0, k, step))
    sum = dot(A.load({row, at}), B.load({at, column}), sum, DotOptions{.precision = Precision::bf16x3});
  C.store({row, column}, sum);
}

VARIATION_OF(f16_sums, f16, f16, f16) {
  PLACE;
  auto A = descriptor(a, {m, k}, {k, 1}, {BM, BK});
  auto B = descriptor(b, {k, n}, {n, 1}, {BK, BN});
  auto C = descriptor(c, {m, n}, {n, 1}, {BM, BN});
  auto sum = zeros<f16>({BM, BN});
  MULTIPLY;
  C.store({row, column}, sum);
}

// a by a row stride that is loaded.
inline void loaded_stride(Ptr<const f16> a, Ptr<const f16> b, Ptr<f16> c, Ptr<const i32> d, Int m, Int n,
                          Int k, const Config &cfg) {
  PLACE;
  Int stride = load(d) * 8 + 64;
  auto A = descriptor(a, {m, k}, {stride, 1}, {BM, BK});
  auto B = descriptor(b, {k, n}, {n, 1}, {BK, BN});
  auto C = descriptor(c, {m, n}, {n, 1}, {BM, BN});
  auto sum = zeros<f32>({BM, BN});
  MULTIPLY;
  STORE;
}

// Rows from where a list says: the rows of an expert.
inline void rows_from_a_list(Ptr<const f16> a, Ptr<const f16> b, Ptr<f16> c, Ptr<const i32> d, Int m, Int n,
                             Int k, const Config &cfg) {
  BLOCKS;
  Int from = load(d + tile_m) * 16;
  for (auto i : range(steps))
    sum = dot(A.load({from, i * BK}), B.load({i * BK, column}), sum);
  STORE;
}

TILE_KERNEL_LIBRARY(kernel<&product_of_a_product>("product_of_a_product"),
                    kernel<&attention_of_one_head>("attention_of_one_head"),
                    kernel<&two_results>("two_results"), kernel<&sum_of_two_products>("sum_of_two_products"),
                    kernel<&complex_product>("complex_product"), kernel<&low_rank_beside>("low_rank_beside"),
                    kernel<&of_a_stack>("of_a_stack"), kernel<&of_type<bf16>>("of_bf16"),
                    kernel<&of_type<f32>>("of_tf32"), kernel<&of_type<e4m3>>("of_fp8"),
                    kernel<&of_type<i8>>("of_i8"), kernel<&fp8_promoted>("fp8_promoted"),
                    kernel<&f32_in_parts>("f32_in_parts"), kernel<&f16_sums>("f16_sums"),
                    kernel<&loaded_stride>("loaded_stride"), kernel<&rows_from_a_list>("rows_from_a_list"))
