// SPDX-License-Identifier: MIT
// Routing of a mixture of experts: each token goes to the k experts with the largest scores, weighted by the
// softmax over these; and how many tokens each expert gets.
#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/dsl.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

using namespace tile;

struct RoutingConfig {
  int tokens = 32, experts = 16, k = 4;   // tokens of a program; experts and k are powers of two
};

void routing_kernel(Ptr<const f32> scores, Ptr<i32> chosen, Ptr<f32> weights, Ptr<i32> load_of_expert,
                    Int tokens, const RoutingConfig &cfg) {
  auto token = program_id(0) * cfg.tokens + arange(0, cfg.tokens);
  auto inside = token[all, none] < tokens;
  auto score = load(scores + token[all, none] * cfg.experts + arange(0, cfg.experts)[none, all], inside);
  auto [best, expert] = topk_with_index(score, cfg.k);
  auto to = token[all, none] * cfg.k + arange(0, cfg.k)[none, all];
  store(chosen + to, expert, inside);
  store(weights + to, softmax(best, 1), inside);
  auto counts = histogram(expert, cfg.experts, broadcast_to(inside, {cfg.tokens, cfg.k}));
  atomic_add(load_of_expert + arange(0, cfg.experts), counts);
}

const Kernel<&routing_kernel> routing{
    .name = "routing",
    .parameters = {"scores", "chosen", "weights", "load_of_expert", "tokens"},
    .grid = [](auto &cfg, auto, auto, auto, auto, int tokens) { return Grid{cdiv(tokens, cfg.tokens)}; },
};

int main() {
  const int tokens = 75, experts = 16, k = 4;
  std::vector<f32> scores(static_cast<std::size_t>(tokens * experts));
  for (std::size_t i = 0; i < scores.size(); ++i)
    scores[i] = static_cast<float>(i * 37 % 29) / 7.0f;   // some are equal: the first of them is taken

  auto device = open_device();
  Buffer<f32> ds(*device, scores, "scores"),
      weights(*device, static_cast<std::size_t>(tokens * k), "weights");
  Buffer<i32> chosen(*device, static_cast<std::size_t>(tokens * k), "chosen"),
      loads(*device, std::vector<i32>(experts), "loads");
  routing.with({.experts = experts, .k = k})(*device, ds, chosen, weights, loads, tokens);

  int wrong = 0;
  const std::vector<i32> got = chosen.to_host(), counted = loads.to_host();
  const std::vector<f32> weight = weights.to_host();
  std::vector<i32> expected_loads(experts);
  for (int t = 0; t < tokens; ++t) {
    const f32 *s = scores.data() + t * experts;
    std::vector<int> order(experts);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return s[a] > s[b] || (s[a] == s[b] && a < b); });
    double total = 0;
    for (int i = 0; i < k; ++i)
      total += std::exp(static_cast<double>(s[order[static_cast<std::size_t>(i)]]));
    for (int i = 0; i < k; ++i) {
      const int expert = order[static_cast<std::size_t>(i)];
      const auto at = static_cast<std::size_t>(t * k + i);
      ++expected_loads[static_cast<std::size_t>(expert)];
      wrong +=
          got[at] != expert || std::abs(weight[at] - std::exp(static_cast<double>(s[expert])) / total) > 1e-5;
    }
  }
  wrong += counted != expected_loads;
  std::printf("routing of %d tokens to %d of %d experts: %d wrong, %s\n", tokens, k, experts, wrong,
              wrong ? "WRONG" : "correct");
  return wrong != 0;
}
