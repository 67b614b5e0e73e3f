// SPDX-License-Identifier: MIT
// Natural variations of one matrix product, each as a user would write it: which of them get roles of warps,
// with what ring, and what the compiler says where they do not (variations.test). `tile bench --from` times
// them.
#include <tile/dsl.h>
#include <tile/library.h>

using namespace tile;

struct Config {
  int block_m = 128, block_n = 128, block_k = 64;
  Launch launch{.num_warps = 8, .num_stages = 4};
};

#define VARIATION_OF(name, type_a, type_b, type_c)                                                           \
  void name(Ptr<const type_a> a, Ptr<const type_b> b, Ptr<type_c> c, [[maybe_unused]] Ptr<const f16> d,      \
            Int m, Int n, Int k, const Config &cfg)
#define VARIATION(name) VARIATION_OF(name, f16, f16, f16)

// What all of them begin with. `d` is m x n, and its first row a row of scales or biases.
#define BLOCKS                                                                                               \
  const auto [BM, BN, BK, launch] = cfg;                                                                     \
  auto A = descriptor(a, {m, k}, {k, 1}, {BM, BK});                                                          \
  auto B = descriptor(b, {k, n}, {n, 1}, {BK, BN});                                                          \
  auto C = descriptor(c, {m, n}, {n, 1}, {BM, BN});                                                          \
  auto [tile_m, tile_n] =                                                                                    \
      swizzle2d(program_id(0) / cdiv(n, BN), program_id(0) % cdiv(n, BN), cdiv(m, BM), cdiv(n, BN), 8);      \
  Int row = tile_m * BM, column = tile_n * BN, steps = cdiv(k, BK);                                          \
  auto sum = zeros<f32>({BM, BN})

VARIATION(plain) {
  BLOCKS;
  for (auto i : range(steps))
    sum = dot(A.load({row, i * BK}), B.load({i * BK, column}), sum);
  C.store({row, column}, cast<f16>(sum));
}

VARIATION(assert_first) {
  device_assert(k % 8 == 0, "k must be a multiple of 8");
  BLOCKS;
  for (auto i : range(steps))
    sum = dot(A.load({row, i * BK}), B.load({i * BK, column}), sum);
  C.store({row, column}, cast<f16>(sum));
}

VARIATION(scaled_result) {
  BLOCKS;
  for (auto i : range(steps))
    sum = dot(A.load({row, i * BK}), B.load({i * BK, column}), sum);
  C.store({row, column}, cast<f16>(sum * 0.5f));
}

VARIATION(branch_in_the_loop) {
  BLOCKS;
  for (auto i : range(steps)) {
    TILE_IF (i < m) {   // which holds, but the compiler does not know it
      sum = dot(A.load({row, i * BK}), B.load({i * BK, column}), sum);
    }
  }
  C.store({row, column}, cast<f16>(sum));
}

VARIATION(unrolled_by_hand) {
  BLOCKS;
  for (auto i : range(cdiv(steps, 4)))
    for (int part = 0; part < 4; ++part) {
      Int at = (i * 4 + part) * BK;
      sum = dot(A.load({row, at}), B.load({at, column}), sum);
    }
  C.store({row, column}, cast<f16>(sum));
}

VARIATION(two_loops) {
  BLOCKS;
  Int half = steps / 2;
  for (auto i : range(half))
    sum = dot(A.load({row, i * BK}), B.load({i * BK, column}), sum);
  for (auto i : range(half, steps))
    sum = dot(A.load({row, i * BK}), B.load({i * BK, column}), sum);
  C.store({row, column}, cast<f16>(sum));
}

VARIATION(printing) {
  BLOCKS;
  for (auto i : range(steps))
    sum = dot(A.load({row, i * BK}), B.load({i * BK, column}), sum);
  print("row", row);
  C.store({row, column}, cast<f16>(sum));
}

VARIATION(assert_in_the_loop) {
  BLOCKS;
  for (auto i : range(steps)) {
    device_assert(i < 1 << 20, "k is too large");
    sum = dot(A.load({row, i * BK}), B.load({i * BK, column}), sum);
  }
  C.store({row, column}, cast<f16>(sum));
}

VARIATION(scaled_operand) {
  BLOCKS;
  for (auto i : range(steps))
    sum = dot(A.load({row, i * BK}) * 2.0f, B.load({i * BK, column}), sum);
  C.store({row, column}, cast<f16>(sum));
}

VARIATION(loaded_outside) {
  BLOCKS;
  auto x = A.load({row, 0});
  for (auto i : range(steps))
    sum = dot(x, B.load({i * BK, column}), sum);
  C.store({row, column}, cast<f16>(sum));
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

VARIATION(relu_operand) {
  BLOCKS;
  for (auto i : range(steps))
    sum = dot(maximum(A.load({row, i * BK}), 0.0f), B.load({i * BK, column}), sum);
  C.store({row, column}, cast<f16>(sum));
}

VARIATION_OF(operand_of_f32, f32, f16, f16) {
  BLOCKS;
  for (auto i : range(steps))
    sum = dot(cast<f16>(A.load({row, i * BK})), B.load({i * BK, column}), sum);
  C.store({row, column}, cast<f16>(sum));
}

// Each column of the weights has a scale.
template <class T> VARIATION_OF(weights, f16, T, f16) {
  BLOCKS;
  auto scales = load(d + column + arange(0, BN));
  for (auto i : range(steps))
    sum = dot(A.load({row, i * BK}), cast<f16>(B.load({i * BK, column})) * scales[none, all], sum);
  C.store({row, column}, cast<f16>(sum));
}

Tensor<f32> gelu(const Tensor<f32> &x) { return 0.5f * x * (1.0f + erf(x * 0.70710678f)); }

VARIATION(residual) {
  BLOCKS;
  auto D = descriptor(d, {m, n}, {n, 1}, {BM, BN});
  for (auto i : range(steps))
    sum = dot(A.load({row, i * BK}), B.load({i * BK, column}), sum);
  C.store({row, column}, cast<f16>(sum + cast<f32>(D.load({row, column}))));
}

VARIATION(first_sums) {
  BLOCKS;
  auto D = descriptor(d, {m, n}, {n, 1}, {BM, BN});
  sum += cast<f32>(D.load({row, column}));
  for (auto i : range(steps))
    sum = dot(A.load({row, i * BK}), B.load({i * BK, column}), sum);
  C.store({row, column}, cast<f16>(sum));
}

VARIATION(bias) {
  BLOCKS;
  for (auto i : range(steps))
    sum = dot(A.load({row, i * BK}), B.load({i * BK, column}), sum);
  auto biases = cast<f32>(load(d + column + arange(0, BN)));
  C.store({row, column}, cast<f16>(sum + biases[none, all]));
}

VARIATION(bias_gelu_residual) {
  BLOCKS;
  auto D = descriptor(d, {m, n}, {n, 1}, {BM, BN});
  for (auto i : range(steps))
    sum = dot(A.load({row, i * BK}), B.load({i * BK, column}), sum);
  auto biases = cast<f32>(load(d + column + arange(0, BN)));
  C.store({row, column}, cast<f16>(gelu(sum + biases[none, all]) + cast<f32>(D.load({row, column}))));
}

VARIATION(bias_gelu_residual_by_pointers) {
  BLOCKS;
  for (auto i : range(steps))
    sum = dot(A.load({row, i * BK}), B.load({i * BK, column}), sum);
  auto rows = row + arange(0, BM), columns = column + arange(0, BN);
  auto biases = cast<f32>(load(d + columns));
  auto residual =
      load(d + rows[all, none] * n + columns[none, all], (rows < m)[all, none] & (columns < n)[none, all]);
  C.store({row, column}, cast<f16>(gelu(sum + biases[none, all]) + cast<f32>(residual)));
}

VARIATION(while_around) {
  BLOCKS;
  Int i = 0;
  while_([&] { return i < steps; },
         [&] {
           sum = dot(A.load({row, i * BK}), B.load({i * BK, column}), sum);
           i += 1;
         });
  C.store({row, column}, cast<f16>(sum));
}

VARIATION(stored_before) {
  BLOCKS;
  C.store({row, column}, zeros<f16>({BM, BN}));
  for (auto i : range(steps))
    sum = dot(A.load({row, i * BK}), B.load({i * BK, column}), sum);
  C.store({row, column}, cast<f16>(sum));
}

// relu(first block of A x B) times D, for m = n: what attention does, but for its rows.
VARIATION(product_of_a_product) {
  BLOCKS;
  auto D = descriptor(d, {m, n}, {n, 1}, {BN, BN});
  auto x = A.load({row, 0});
  for (auto i : range(cdiv(n, BN))) {
    auto scores = dot(x, B.load({0, i * BN}));
    sum = dot(cast<f16>(maximum(scores, 0.0f)), D.load({i * BN, column}), sum);
  }
  C.store({row, column}, cast<f16>(sum));
}

template <auto Fn> Kernel<Fn> kernel(const char *name) {
  return {.name = name,
          .parameters = {"a", "b", "c", "d", "m", "n", "k"},
          .grid = [](auto &cfg, auto, auto, auto, auto, int m, int n,
                     auto...) { return Grid{cdiv(m, cfg.block_m) * cdiv(n, cfg.block_n)}; },
          .work = [](auto, auto, auto, auto, int m, int n, int k) { return Work{.flop = 2.0 * m * n * k}; }};
}

TILE_KERNEL_LIBRARY(kernel<&plain>("plain"), kernel<&assert_first>("assert_first"),
                    kernel<&scaled_result>("scaled_result"),
                    kernel<&branch_in_the_loop>("branch_in_the_loop"),
                    kernel<&unrolled_by_hand>("unrolled_by_hand"), kernel<&two_loops>("two_loops"),
                    kernel<&printing>("printing"), kernel<&assert_in_the_loop>("assert_in_the_loop"),
                    kernel<&scaled_operand>("scaled_operand"), kernel<&loaded_outside>("loaded_outside"),
                    kernel<&block_of_two>("block_of_two"), kernel<&relu_operand>("relu_operand"),
                    kernel<&operand_of_f32>("operand_of_f32"), kernel<&weights<i8>>("weights_of_i8"),
                    kernel<&weights<e4m3>>("weights_of_fp8"), kernel<&residual>("residual"),
                    kernel<&first_sums>("first_sums"), kernel<&bias>("bias"),
                    kernel<&bias_gelu_residual>("bias_gelu_residual"),
                    kernel<&bias_gelu_residual_by_pointers>("bias_gelu_residual_by_pointers"),
                    kernel<&while_around>("while_around"), kernel<&stored_before>("stored_before"),
                    kernel<&product_of_a_product>("product_of_a_product"))
