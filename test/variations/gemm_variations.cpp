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

#define VARIATION(name)                                                                                      \
  void name(Ptr<const f16> a, Ptr<const f16> b, Ptr<f16> c, Int m, Int n, Int k, const Config &cfg)

// What all of them begin with.
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

template <auto Fn> Kernel<Fn> kernel(const char *name) {
  return {.name = name,
          .parameters = {"a", "b", "c", "m", "n", "k"},
          .grid = [](auto &cfg, auto, auto, auto, int m, int n,
                     auto...) { return Grid{cdiv(m, cfg.block_m) * cdiv(n, cfg.block_n)}; },
          .work = [](auto, auto, auto, int m, int n, int k) { return Work{.flop = 2.0 * m * n * k}; }};
}

TILE_KERNEL_LIBRARY(kernel<&plain>("plain"), kernel<&assert_first>("assert_first"),
                    kernel<&scaled_result>("scaled_result"),
                    kernel<&branch_in_the_loop>("branch_in_the_loop"),
                    kernel<&unrolled_by_hand>("unrolled_by_hand"), kernel<&two_loops>("two_loops"),
                    kernel<&printing>("printing"), kernel<&assert_in_the_loop>("assert_in_the_loop"),
                    kernel<&scaled_operand>("scaled_operand"), kernel<&loaded_outside>("loaded_outside"),
                    kernel<&block_of_two>("block_of_two"), kernel<&while_around>("while_around"),
                    kernel<&stored_before>("stored_before"))
