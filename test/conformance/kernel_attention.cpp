// SPDX-License-Identifier: MIT
// KE4: flash attention forward: two products per step, a running maximum and a running sum.
#include "context.h"
#include "families.h"
#include "types.h"

#include <cmath>
#include <limits>

namespace tile::conformance {

namespace {

struct AttentionConfig {
  int block_m = 64, block_n = 64, head_dim = 64;
  bool causal = false;
  int stages = 2;
  Launch launch{};
};

// All of q, k, v, o are [batch * heads, n, head_dim]; one program per block of queries and head.
template <class T>
void attention(Ptr<const T> q, Ptr<const T> k, Ptr<const T> v, Ptr<T> o, Int n, Float scale,
               const AttentionConfig &cfg) {
  const Int first = program_id(0) * cfg.block_m, base = program_id(1) * n * cfg.head_dim;
  const Int rows = first + arange(0, cfg.block_m), d = arange(0, cfg.head_dim);
  const Tensor<T> query =
      load(q + (base + (rows(all, none) * cfg.head_dim + d(none, all))), rows(all, none) < n);
  Tensor<f32> greatest = full<f32>({cfg.block_m}, -std::numeric_limits<float>::infinity());
  Tensor<f32> total = zeros<f32>({cfg.block_m}), acc = zeros<f32>({cfg.block_m, cfg.head_dim});
  const Int last = cfg.causal ? minimum(n, first + cfg.block_m) : n;
  for (auto start : range(0, last, cfg.block_n).stages(cfg.stages)) {
    const Int columns = start + arange(0, cfg.block_n);
    const Int at = base + (columns(all, none) * cfg.head_dim + d(none, all));
    const Tensor<T> key = load(k + at, columns(all, none) < n), value = load(v + at, columns(all, none) < n);
    Tensor<f32> scores = dot(query, trans(key)) * scale;
    Bool visible = broadcast_to(columns(none, all) < n, {cfg.block_m, cfg.block_n});
    if (cfg.causal)
      visible = visible & (rows(all, none) >= columns(none, all));
    scores = where(visible, scores, -std::numeric_limits<float>::infinity());
    const Tensor<f32> higher = maximum(greatest, max(scores, 1));
    const Tensor<f32> p = exp(scores - higher(all, none)), shrink = exp(greatest - higher);
    total = total * shrink + sum(p, 1);
    acc = dot(cast<T>(p), value, acc * shrink(all, none));
    greatest = higher;
  }
  store(o + (base + (rows(all, none) * cfg.head_dim + d(none, all))), cast<T>(acc / total(all, none)),
        rows(all, none) < n);
}

// In f64. `Rounding T` models what an honest implementation may round: the probabilities and the result.
template <class T>
std::vector<double> attention_reference(const Array &q, const Array &k, const Array &v, std::size_t heads,
                                        std::size_t n, std::size_t dim, double scale, bool causal,
                                        std::vector<double> &spread) {
  std::vector<double> result(heads * n * dim), p(n);
  spread.assign(result.size(), 0);
  for (std::size_t h = 0; h < heads; ++h)
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t end = causal ? i + 1 : n;
      double greatest = -std::numeric_limits<double>::infinity(), total = 0;
      for (std::size_t j = 0; j < end; ++j) {
        double score = 0;
        for (std::size_t c = 0; c < dim; ++c)
          score += static_cast<double>(q.real((h * n + i) * dim + c)) *
                   static_cast<double>(k.real((h * n + j) * dim + c));
        p[j] = score * scale;
        greatest = std::max(greatest, p[j]);
      }
      for (std::size_t j = 0; j < end; ++j)
        total += p[j] = std::exp(p[j] - greatest);
      for (std::size_t c = 0; c < dim; ++c) {
        double sum = 0, magnitude = 0;
        for (std::size_t j = 0; j < end; ++j) {
          const double term = p[j] * static_cast<double>(v.real((h * n + j) * dim + c));
          sum += term;
          magnitude += std::fabs(term);
        }
        result[(h * n + i) * dim + c] = sum / total;
        spread[(h * n + i) * dim + c] = magnitude / total;
      }
    }
  return result;
}

template <class T> void check_attention(Context &t, std::size_t batch, std::size_t n, std::size_t dim,
                                        bool causal, int stages) {
  const std::size_t heads = 2 * batch, size = heads * n * dim;
  const Array q = t.numbers<T>(size, Inputs::uniform), k = t.numbers<T>(size, Inputs::uniform),
              v = t.numbers<T>(size, Inputs::uniform);
  Memory &in_q = t.input(q), &in_k = t.input(k), &in_v = t.input(v), &out = t.output<T>(size);
  const double scale = static_cast<float>(0.5 / std::sqrt(static_cast<double>(dim)));
  t.run<&attention<T>>(
      {.head_dim = static_cast<int>(dim),
       .causal = causal,
       .stages = stages,
       .launch = {.num_stages = stages}},
      {static_cast<std::int64_t>(cdiv(n, std::size_t{64})), static_cast<std::int64_t>(heads)},
      {in_q, in_k, in_v, out, static_cast<int>(n), scale});
  std::vector<double> spread;
  const std::vector<double> expected = attention_reference<T>(q, k, v, heads, n, dim, scale, causal, spread);
  if constexpr (!is_fp8<T>)
    return t.close(
        out, expected,
        {.relative = std::is_same_v<T, bf16> ? 0.02 : 0, .absolute = std::is_same_v<T, bf16> ? 3e-2 : 1e-2});
  // e5m2 keeps two digits: a probability is off by at most 1/8 of itself (below 2^-16 by half the
  // smallest number), the result by 1/8 once more. Both bounds are those of the format, not of a device.
  const Array got = out.read();
  for (std::size_t i = 0; i < size; ++i) {
    const double allowed = 0.125 * spread[i] + 0.125 * (std::fabs(expected[i]) + 0.125 * spread[i]) +
                           4 * 0x1p-17 * static_cast<double>(n);
    const double error = std::fabs(static_cast<double>(got.real(i)) - expected[i]);
    t.require(error <= allowed, "element " + std::to_string(i) + ": got " + got.text(i) + ", expected " +
                                    std::to_string(expected[i]));
  }
}

}   // namespace

void add_attention_cases(Suite &suite) {
  each(Types<f16, bf16, e5m2>{}, [&]<class T>() {
    for (std::size_t n : {128, 100, 200, 1024})
      for (std::size_t dim : {64, 128})
        for (bool causal : {false, true})
          for (std::size_t batch : {1, 2})
            for (int stages : {1, 2, 3}) {
              const bool small = batch == 1 && n <= 128 && stages != 3;
              suite.add("KE4/forward/" + type_name<T>() + "/batch_" + std::to_string(batch) + "/n_" +
                            std::to_string(n) + "/d_" + std::to_string(dim) + (causal ? "/causal" : "/full") +
                            "/stages_" + std::to_string(stages),
                        small ? Tier::fast : Tier::nightly,
                        [=](Context &t) { check_attention<T>(t, batch, n, dim, causal, stages); });
            }
  });
}

}   // namespace tile::conformance
