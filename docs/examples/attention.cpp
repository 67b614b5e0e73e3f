// SPDX-License-Identifier: MIT
// o = softmax(scale q kᵀ) v for a stack of heads. A program takes a block of queries and goes through the
// keys once, so the scores are never in memory. The file is built twice: as a program, and as a library for
// the command `tile`.
#include <tile/bench.h>
#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/dsl.h>
#include <tile/library.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

using namespace tile;

constexpr int dim = 64;   // elements of a query, of a key and of a value

struct AttentionConfig {
  int block_m = 128, block_n = 64;   // queries of a program, keys of a step
  Launch launch{.num_warps = 8, .num_stages = 2};
};

void attention_kernel(Ptr<const f16> q, Ptr<const f16> k, Ptr<const f16> v, Ptr<f16> o, Int heads,
                      Int queries, Int keys, Float scale, const AttentionConfig &cfg) {
  const auto [BM, BN, launch] = cfg;
  Int first = program_id(0) * BM, head = program_id(1);
  auto Q = descriptor(q, {heads, queries, dim}, {queries * dim, dim, 1}, {1, BM, dim});
  auto K = descriptor(k, {heads, keys, dim}, {keys * dim, dim, 1}, {1, BN, dim});
  auto V = descriptor(v, {heads, keys, dim}, {keys * dim, dim, 1}, {1, BN, dim});
  auto O = descriptor(o, {heads, queries, dim}, {queries * dim, dim, 1}, {1, BM, dim});
  auto query = Q.load_reduced({head, first, 0});

  auto top = full<f32>({BM}, -INFINITY);   // of each query: the largest score so far,
  auto total = zeros<f32>({BM});           // the sum of exp(score - top),
  auto acc = zeros<f32>({BM, dim});        // and the sum of exp(score - top) * value
  for (auto begin : range(0, keys, BN)) {
    auto key = K.load_reduced({head, begin, 0});
    auto value = V.load_reduced({head, begin, 0});

    auto scores = dot(query, trans(key)) * scale;   // [BM, BN]
    auto inside = begin + arange(0, BN) < keys;
    scores = where(inside[none, all], scores, -INFINITY);

    auto new_top = maximum(top, max(scores, 1));
    auto p = exp(scores - new_top[all, none]);
    auto shrink = exp(top - new_top);
    total = total * shrink + sum(p, 1);
    acc = dot(cast<f16>(p), value, acc * shrink[all, none]);
    top = new_top;
  }
  O.store({head, first, 0}, cast<f16>(acc / total[all, none]));
}

const Kernel<&attention_kernel> attention{
    .name = "attention",
    .parameters = {"q", "k", "v", "o", "heads", "queries", "keys", "scale"},
    .grid = [](auto &cfg, auto, auto, auto, auto, int heads, int queries,
               auto...) { return Grid{cdiv(queries, cfg.block_m), heads}; },
    .configs = {{}, {.block_m = 64, .launch = {.num_warps = 4, .num_stages = 2}}, {.block_n = 128}},
    .key = [](auto, auto, auto, auto, int heads, int queries, int keys,
              auto) { return Key{heads, queries, keys}; },
    .work =
        [](auto, auto, auto, auto, int heads, int queries, int keys, auto) {
          const double rows = 1.0 * heads * (queries + keys);   // of two tensors each
          return Work{.flop = 4.0 * heads * queries * keys * dim, .bytes = 2 * rows * dim * sizeof(f16)};
        },
};

TILE_KERNEL_LIBRARY(attention)

// Random numbers of the normal distribution.
std::vector<f16> numbers(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<f16> values(static_cast<std::size_t>(count));
  for (f16 &value : values)
    value = f16(normal(random));
  return values;
}

struct Problem {
  int heads, queries, keys;
  Buffer<f16> q, k, v, o;
};

Problem make_problem(Device &device, int heads, int queries, int keys, unsigned seed) {
  const int of_queries = heads * queries * dim, of_keys = heads * keys * dim;
  return {heads,
          queries,
          keys,
          Buffer<f16>(device, numbers(of_queries, seed), "q"),
          Buffer<f16>(device, numbers(of_keys, seed + 1), "k"),
          Buffer<f16>(device, numbers(of_keys, seed + 2), "v"),
          Buffer<f16>(device, of_queries, "o")};
}

void launch(Device &device, Problem &p) {
  attention(device, p.q, p.k, p.v, p.o, p.heads, p.queries, p.keys, 0.125f);   // 1 / sqrt(64)
}

// Against the definition in float64: all scores of a query, then their softmax, then the sum of values.
double largest_error(const Problem &p) {
  const std::vector<f16> q = p.q.to_host(), k = p.k.to_host(), v = p.v.to_host(), o = p.o.to_host();
  double worst = 0;
  std::vector<double> share(static_cast<std::size_t>(p.keys));
  for (int i = 0; i < p.heads * p.queries; ++i) {
    const int first_key = i / p.queries * p.keys;
    double total = 0;
    for (int j = 0; j < p.keys; ++j) {
      double score = 0;
      for (int d = 0; d < dim; ++d)
        score += static_cast<double>(q[i * dim + d]) * static_cast<double>(k[(first_key + j) * dim + d]);
      total += share[j] = std::exp(0.125 * score);
    }
    for (int d = 0; d < dim; ++d) {
      double want = 0;
      for (int j = 0; j < p.keys; ++j)
        want += share[j] / total * static_cast<double>(v[(first_key + j) * dim + d]);
      worst = std::max(worst, std::abs(static_cast<double>(o[i * dim + d]) - want));
    }
  }
  return worst;
}

void show_speed(Device &device) {
  if (!device.can_time()) {
    std::printf("%s has no clock\n", device.description().c_str());
    return;
  }
  const int heads = 64, rows = 4096;
  std::vector<Problem> sets;   // of 134 MB each: more than the cache of a GPU holds
  for (unsigned seed : {1, 4})
    sets.push_back(make_problem(device, heads, rows, rows, seed));
  const bench::Timing t = bench::time(device, [&](int set) { launch(device, sets[set]); },
                                      {.cache = bench::Cache::rotating, .sets = 2});
  const double flop = 4.0 * heads * rows * rows * dim;
  std::printf("%.1f us +- %.1f%%, %.0f TFLOPS\n", t.median * 1e6, 100 * t.spread, flop / t.median * 1e-12);
}

int main() {
  auto device = open_device();
  Problem small = make_problem(*device, 2, 70, 150, 1);
  launch(*device, small);
  const double error = largest_error(small);
  std::printf("attention of 2 x 70 x 150: off by at most %.1e, %s\n", error,
              error < 1e-3 ? "correct" : "WRONG");
  show_speed(*device);
  return error < 1e-3 ? 0 : 1;
}
