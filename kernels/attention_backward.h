// SPDX-License-Identifier: MIT
// The gradients of attention by q, k and v, from the gradient by its result.
//
//   attention(device, q, k, v, o, {.causal = true}, {.log_sum_exp = sums});
//   attention_backward(device, q, k, v, o, grad_o, sums, {grad_q, grad_k, grad_v}, {.causal = true});
//
// The weights P = softmax(S) are computed again from the scores S and the logarithms of their sums. With
// dP = dO vᵀ and dS = P (dP - rowsum(dO o)):
//
//   dv = Pᵀ dO    dk = scale dSᵀ q    dq = scale dS k
//
// In two passes over the scores, three kernels run one after the other: the sums of rows, then dk and dv of
// blocks of keys, then dq of blocks of queries. Both of the latter compute S and dP. So no two programs add
// to one element, and the results have the same bits in each run.
//
// In one pass, the kernel of keys computes dq, too, and all its programs add to sums of f32:
//
//    rows of dO o, sums = 0       dk, dv, sums += scores dSᵀ        dq = scale sums, rounded
//
// That is five products instead of seven. The order in which programs add differs from run to run.
#pragma once

#include <tile/attention.h>
#include <tile/workspace.h>

namespace tile::kernels {

// Of the kernels for dk and dv, and for dq.
struct AttentionGradientConfig {
  int block_m = 64, block_n = 64;   // queries and keys of a tile of scores
  RowsBy rows = RowsBy::pointers;
  Launch launch{.num_warps = 4, .num_stages = 2};
  AttentionForm form{};   // the launch decides it
};
// Of the kernel for sums of rows.
struct AttentionDeltaConfig {
  int block_m = 16;
  int length = 64;         // the launch decides it
  bool full_rows = true;   // and this
  int sums_length = 0;     // and this: columns of the sums of gradients, 0 if there is nothing to add up
  Launch launch{};
};
// Of the kernel that rounds the sums of gradients.
struct AttentionSumsConfig {
  int block_m = 64;
  int length = 64;         // the launch decides it
  bool full_rows = true;   // and this
  Launch launch{};
};

// deltas = rowsum(o grad_o), and what is subtracted from scores, in units of log 2. A query that sees nothing
// has no weights, and neither has a row after the last query: exp2(x - inf) is 0. All sums of gradients
// become 0.
template <class T>
void attention_delta_program(Ptr<const T> o, Ptr<const T> grad_o, Ptr<const f32> log_sum_exp, Ptr<f32> logs,
                             Ptr<f32> deltas, Ptr<f32> query_sums, Int heads, Int queries, Int padded,
                             Dynamic<Int> length, [[maybe_unused]] Dynamic<Int> query_length, Int64 o_head,
                             Int o_row, Int64 g_head, Int g_row, Int64 log_head,
                             const AttentionDeltaConfig &cfg) {
  const auto [BM, columns, whole_rows, sums_length, launch] = cfg;
  const detail::Heads<const T> O{o,       heads,  queries,   o_head, o_row, RowsBy::pointers,
                                 columns, length, whole_rows},
      G{grad_o, heads, queries, g_head, g_row, RowsBy::pointers, columns, length, whole_rows};
  Int first = program_id(0) * BM, head = program_id(1);
  auto i = arange(0, BM);
  auto products = cast<f32>(O.load(head, first, O.at(head, first), BM, true)) *
                  cast<f32>(G.load(head, first, G.at(head, first), BM, true));
  constexpr float infinity = std::numeric_limits<float>::infinity();
  auto sums = load(log_sum_exp + cast<i64>(head) * log_head + first + i, i < queries - first, infinity);
  auto at = cast<i64>(head) * cast<i64>(padded) + cast<i64>(first);
  store(logs + at + i, where(sums == -infinity, infinity, sums * detail::log2_e));
  store(deltas + at + i, sum(products, 1));
  if (sums_length > 0) {
    const int count = BM * sums_length;
    auto before = cast<i64>(head) * cast<i64>(num_programs(0)) + cast<i64>(program_id(0));
    store(query_sums + before * count + arange(0, count), zeros<f32>({count}));
  }
}

// grad_q = scale sumsᵀ, rounded. A row of sums is an element of all queries of a head.
template <class T>
void attention_sums_program(Ptr<const f32> query_sums, Ptr<T> grad_q, Int heads, Int queries, Int padded,
                            Dynamic<Int> length, Float scale, Int64 gq_head, Int gq_row,
                            const AttentionSumsConfig &cfg) {
  const auto [BM, columns, whole_rows, launch] = cfg;
  const detail::Heads<T> GQ{grad_q,           heads,   queries, gq_head,   gq_row,
                            RowsBy::pointers, columns, length,  whole_rows};
  Int first = program_id(0) * BM, head = program_id(1);
  auto row = cast<i64>(head) * columns + cast<i64>(arange(0, columns)(all, none));
  auto sums = load(query_sums + row * cast<i64>(padded) + (first + arange(0, BM)(none, all)));
  GQ.store(head, first, cast<T>(trans(sums) * scale));
}

namespace detail {

// Of queries: the sums of their gradients have rows for all elements of all heads.
inline constexpr int most_heads = 1 << 22;

// How both kernels for gradients compute a tile of weights P, and of dS / scale.
template <class T> struct GradientStep {
  AttentionForm form;
  Sight sight;
  ScoreChange<no_score> change;
  Ptr<const T> bias;
  Int64 bias_head;
  Int bias_row;

  // `products`: a tile of q kᵀ or of its transpose. Sums broadcast to it. `partly`: some of it is hidden.
  Tensor<f32> weights(const Tensor<f32> &products, const ScorePlace &at, const Float &slope,
                      const Tensor<f32> &sums, const Bool &partly) const {
    auto scaled = [&] {   // in units of log 2
      if (change.is_plain())
        return products * (change.scale * log2_e);
      auto load_bias = [&] {
        auto within = cast<i64>(at.query) * cast<i64>(bias_row) + at.key;
        return load(bias + cast<i64>(at.head) * bias_head + within,
                    (at.query < sight.queries) & (at.key < sight.keys));
      };
      return change(products, at, slope, load_bias) * log2_e;
    };
    Tensor<f32> p = exp2_approx(scaled() - sums);
    TILE_IF (partly) {
      p = where(broadcast_to(sight.visible(at.query, at.key), p.shape()), p, 0.0f);
    }
    return p;
  }
  Tensor<f32> score_gradients(const Tensor<f32> &p, const Tensor<f32> &grad_p, const Tensor<f32> &of_rows,
                              const Tensor<f32> &products) const {
    auto gradients = p * (grad_p - of_rows);
    return form.soft_cap ? gradients * change.derivative(products) : gradients;
  }
};

}   // namespace detail

// grad_k and grad_v of a block of keys. All heads of queries that share it add to them, one after the other.
template <class T>
void attention_key_gradient_program(Ptr<const T> q, Ptr<const T> k, Ptr<const T> v, Ptr<const T> grad_o,
                                    Ptr<f32> query_sums, Ptr<T> grad_k, Ptr<T> grad_v, Ptr<const f32> logs,
                                    Ptr<const f32> deltas, Ptr<const f32> slopes, Ptr<const T> bias,
                                    Int heads, Int queries, Int keys, Int key_heads, Int sharing, Int section,
                                    Dynamic<Int> length, Dynamic<Int> value_length, Dynamic<Int> before,
                                    Dynamic<Int> after, Float scale, Float soft_cap, Int64 q_head, Int q_row,
                                    Int64 k_head, Int k_row, Int64 v_head, Int v_row, Int64 g_head, Int g_row,
                                    [[maybe_unused]] Int64 sums_head, [[maybe_unused]] Int sums_row,
                                    Int64 gk_head, Int gk_row, Int64 gv_head, Int gv_row, Int padded,
                                    Int64 bias_head, Int bias_row, const AttentionGradientConfig &cfg) {
  const auto [BM, BN, rows, launch, form] = cfg;
  const int D = form.length, DV = form.value_length;
  const bool whole_rows = form.full_rows;
  const detail::Heads<const T> Q{q, heads, queries, q_head, q_row, rows, D, length, whole_rows},
      K{k, key_heads, keys, k_head, k_row, rows, D, length, whole_rows},
      V{v, key_heads, keys, v_head, v_row, rows, DV, value_length, whole_rows},
      G{grad_o, heads, queries, g_head, g_row, rows, DV, value_length, whole_rows};
  const detail::Heads<T> GK{grad_k, key_heads, keys, gk_head, gk_row, rows, D, length, whole_rows},
      GV{grad_v, key_heads, keys, gv_head, gv_row, rows, DV, value_length, whole_rows};
  const detail::Sight sight{queries, keys, before, after, form.bounded_before, form.bounded_after};
  const detail::GradientStep<T> step{form, sight, {form, scale, soft_cap}, bias, bias_head, bias_row};
  Int blocks = cdiv(keys, BN);
  const auto [block, key_head] =
      detail::block_of_program(form.bounded_after, rows == RowsBy::descriptors, key_heads, blocks, section);
  // The first keys are seen by the most queries.
  Int first = (form.bounded_after ? Int(blocks - 1 - block) : block) * BN;
  auto i = arange(0, BM), j = arange(0, BN);
  auto key = K.load(key_head, first, K.at(key_head, first), BN, true);
  auto value = V.load(key_head, first, V.at(key_head, first), BN, true);
  Tensor<f32> sum_k = zeros<f32>({BN, D}), sum_v = zeros<f32>({BN, DV});
  // The queries that see some key of the block, and those that see all of them: their blocks need no mask.
  Int last = minimum(first + BN, keys) - 1;
  Int from = form.bounded_after ? sight.from_query(first) / BM * BM : Int(0), end = sight.end_query(last);
  Int whole_from = sight.from_query(last), whole_end = sight.end_query(first);
  std::optional<Descriptor<f32>> query_gradients;   // its rows are elements, its columns queries
  if (form.query_sums)
    query_gradients = descriptor(query_sums, {heads * D, padded}, {padded, 1}, {D, BM});
  Int steps = cdiv(maximum(end - from, 0), BM);
  auto blocks_of_queries = range(0, steps * sharing);
  for (auto n : form.query_sums ? blocks_of_queries.specialize_warps() : blocks_of_queries) {
    Int head = key_head * sharing + n / steps, begin = from + n % steps * BM;
    auto query = Q.load(head, begin, Q.at(head, begin), BM, true);
    auto grad = G.load(head, begin, G.at(head, begin), BM, true);
    const ScorePlace at{full<i32>({1, 1}, head), (begin + i)(none, all), (first + j)(all, none), queries,
                        keys};
    auto of_queries = [&](const Ptr<const f32> &numbers) {   // a row
      if (rows == RowsBy::descriptors)
        return descriptor(numbers, {heads, padded}, {padded, 1}, {1, BM}).load({head, begin});
      return load(numbers + cast<i64>(head) * cast<i64>(padded) + begin + i)(none, all);
    };
    Float slope = form.slopes ? load(slopes + head) : constant<f32>(0);
    Bool partly = form.bounded_before  ? (begin + BM > whole_end) | (begin < whole_from)
                  : form.bounded_after ? begin < whole_from
                                       : constant<i1>(false);
    if (form.query_sums)   // of keys that do not exist, weights may be infinite
      partly = partly | (first + BN > keys);
    auto products = dot(key, trans(query));   // [BN, BM]
    auto p = step.weights(products, at, slope, of_queries(logs), partly);
    sum_v = dot(cast<T>(p), grad, sum_v);
    auto grad_p = dot(value, trans(grad));
    auto grad_s = step.score_gradients(p, grad_p, of_queries(deltas), products);
    auto rounded = cast<T>(grad_s);
    sum_k = dot(rounded, query, sum_k);
    if (query_gradients)
      query_gradients->add({assume_range(head, 0, detail::most_heads) * D,
                            assume_range(begin, 0, std::numeric_limits<std::int32_t>::max())},
                           dot(trans(key), rounded));
  }
  GK.store(key_head, first, cast<T>(sum_k * scale));
  GV.store(key_head, first, cast<T>(sum_v));
}

// grad_q of a block of queries.
template <class T>
void attention_query_gradient_program(Ptr<const T> q, Ptr<const T> k, Ptr<const T> v, Ptr<const T> grad_o,
                                      Ptr<T> grad_q, [[maybe_unused]] Ptr<T> grad_k,
                                      [[maybe_unused]] Ptr<T> grad_v, Ptr<const f32> logs,
                                      Ptr<const f32> deltas, Ptr<const f32> slopes, Ptr<const T> bias,
                                      Int heads, Int queries, Int keys, Int key_heads, Int sharing,
                                      Int section, Dynamic<Int> length, Dynamic<Int> value_length,
                                      Dynamic<Int> before, Dynamic<Int> after, Float scale, Float soft_cap,
                                      Int64 q_head, Int q_row, Int64 k_head, Int k_row, Int64 v_head,
                                      Int v_row, Int64 g_head, Int g_row, Int64 gq_head, Int gq_row,
                                      [[maybe_unused]] Int64 gk_head, [[maybe_unused]] Int gk_row,
                                      [[maybe_unused]] Int64 gv_head, [[maybe_unused]] Int gv_row, Int padded,
                                      Int64 bias_head, Int bias_row, const AttentionGradientConfig &cfg) {
  const auto [BM, BN, rows, launch, form] = cfg;
  const int D = form.length, DV = form.value_length;
  const bool whole_rows = form.full_rows;
  const detail::Heads<const T> Q{q, heads, queries, q_head, q_row, rows, D, length, whole_rows},
      K{k, key_heads, keys, k_head, k_row, rows, D, length, whole_rows},
      V{v, key_heads, keys, v_head, v_row, rows, DV, value_length, whole_rows},
      G{grad_o, heads, queries, g_head, g_row, rows, DV, value_length, whole_rows};
  const detail::Heads<T> GQ{grad_q, heads, queries, gq_head, gq_row, rows, D, length, whole_rows};
  const detail::Sight sight{queries, keys, before, after, form.bounded_before, form.bounded_after};
  const detail::GradientStep<T> step{form, sight, {form, scale, soft_cap}, bias, bias_head, bias_row};
  const auto [block, head] = detail::block_of_program(form.bounded_after, rows == RowsBy::descriptors, heads,
                                                      cdiv(queries, BM), section);
  Int first = block * BM, key_head = head / sharing;
  auto i = arange(0, BM), j = arange(0, BN);
  auto query = Q.load(head, first, Q.at(head, first), BM, true);
  auto grad = G.load(head, first, G.at(head, first), BM, true);
  auto at_queries = cast<i64>(head) * cast<i64>(padded) + first + i;
  auto sums = load(logs + at_queries), of_rows = load(deltas + at_queries);
  Float slope = form.slopes ? load(slopes + head) : constant<f32>(0);
  Tensor<f32> sum_q = zeros<f32>({BM, D});
  Int last = first + (BM - 1);
  Int from = form.bounded_before ? sight.from(first) / BN * BN : Int(0), end = sight.end(last);
  Int whole_from = sight.from(last), whole_end = sight.end(first);
  for (auto begin : range(from, end, BN)) {
    auto key = K.load(key_head, begin, K.at(key_head, begin), BN, true);
    auto value = V.load(key_head, begin, V.at(key_head, begin), BN, true);
    const ScorePlace at{full<i32>({1, 1}, head), (first + i)(all, none), (begin + j)(none, all), queries,
                        keys};
    Bool partly =
        form.bounded_before ? (begin + BN > whole_end) | (begin < whole_from) : begin + BN > whole_end;
    auto products = dot(query, trans(key));   // [BM, BN]
    auto p = step.weights(products, at, slope, sums(all, none), partly);
    auto grad_p = dot(grad, trans(value));
    auto grad_s = step.score_gradients(p, grad_p, of_rows(all, none), products);
    sum_q = dot(cast<T>(grad_s), key, sum_q);
  }
  GQ.store(head, first, cast<T>(sum_q * scale));
}

namespace detail {
// What a kernel computes: dk and dv, dq, or all three.
enum class GradientPart { keys, queries, all };
std::vector<AttentionGradientConfig> attention_gradient_configs();
// Seconds that a launch is expected to take.
double attention_gradient_seconds(const Machine &machine, const AttentionGradientConfig &cfg,
                                  const AttentionSize &size, GradientPart part);
bool keep_attention_gradient_config(const AttentionGradientConfig &cfg, const AttentionSize &size,
                                    GradientPart part, std::initializer_list<const void *> data,
                                    std::initializer_list<std::int64_t> strides);

// The kernels for dk and dv, and for dq: they have the same arguments.
template <bool IsOfKeys> constexpr GradientPart part_of(const void *grad_q) {
  return !IsOfKeys ? GradientPart::queries : grad_q ? GradientPart::all : GradientPart::keys;
}
template <auto Program, bool IsOfKeys> Kernel<Program> attention_gradient_kernel(const char *name) {
  return {
      .name = name,
      .parameters = {"q",         "k",        "v",       "grad_o",    "grad_q",       "grad_k",  "grad_v",
                     "logs",      "deltas",   "slopes",  "bias",      "heads",        "queries", "keys",
                     "key_heads", "sharing",  "section", "length",    "value_length", "before",  "after",
                     "scale",     "soft_cap", "q_head",  "q_row",     "k_head",       "k_row",   "v_head",
                     "v_row",     "g_head",   "g_row",   "gq_head",   "gq_row",       "gk_head", "gk_row",
                     "gv_head",   "gv_row",   "padded",  "bias_head", "bias_row"},
      .grid =
          [](auto &cfg, auto, auto, auto, auto, auto, auto, auto, auto, auto, auto, auto, int heads,
             int queries, int keys, int key_heads, auto...) {
            return IsOfKeys ? Grid{std::int64_t{cdiv(keys, cfg.block_n)} * key_heads}
                            : Grid{std::int64_t{cdiv(queries, cfg.block_m)} * heads};
          },
      .configs = attention_gradient_configs(),
      .complete =
          [](auto cfg, auto, auto, auto, auto, auto grad_q, auto, auto, auto, auto, auto slopes, auto bias,
             int, int, int, int, int, int, int length, int value_length, int before, int after, float,
             float soft_cap, auto...) {
            cfg.form = attention_form(length, value_length, before, after, soft_cap, slopes, bias, nullptr);
            cfg.form.query_sums = part_of<IsOfKeys>(grad_q) == GradientPart::all;
            return cfg;
          },
      .key =
          [](auto, auto, auto, auto, auto grad_q, auto, auto, auto, auto, auto slopes, auto bias, int heads,
             int queries, int keys, int, int, int, int length, int value_length, int before, int after, float,
             float soft_cap, auto...) {
            AttentionForm form =
                attention_form(length, value_length, before, after, soft_cap, slopes, bias, nullptr);
            form.query_sums = part_of<IsOfKeys>(grad_q) == GradientPart::all;
            return attention_key({heads, queries, keys, length, value_length, before, after}, form);
          },
      .keep =
          [](auto &cfg, auto q, auto k, auto v, auto grad_o, auto grad_q, auto grad_k, auto grad_v, auto,
             auto, auto, auto, int heads, int queries, int keys, int, int, int, int length, int value_length,
             int before, int after, float, float, std::int64_t q_head, int q_row, std::int64_t k_head,
             int k_row, std::int64_t v_head, int v_row, std::int64_t g_head, int g_row, std::int64_t gq_head,
             int gq_row, std::int64_t gk_head, int gk_row, std::int64_t gv_head, int gv_row, auto...) {
            return keep_attention_gradient_config(
                cfg, {heads, queries, keys, length, value_length, before, after}, part_of<IsOfKeys>(grad_q),
                {q, k, v, grad_o, grad_q, grad_k, grad_v},
                {q_head, q_row, k_head, k_row, v_head, v_row, g_head, g_row, gq_head, gq_row, gk_head, gk_row,
                 gv_head, gv_row});
          },
      // Three and four products of which a forward pass has two, where both compute two of them alike, or
      // five.
      .work =
          [](auto, auto, auto, auto, auto grad_q, auto, auto, auto, auto, auto, auto, int heads, int queries,
             int keys, int, int, int, int length, int value_length, int before, int after, auto...) {
            const double pairs =
                2.0 * heads *
                AttentionSize{heads, queries, keys, length, value_length, before, after}.pairs();
            const double sums = part_of<IsOfKeys>(grad_q) == GradientPart::all ? length : 0;
            return Work{.flop = pairs * (IsOfKeys ? 2.0 * (length + value_length) + sums
                                                  : 2.0 * length + value_length)};
          },
      .cost =
          [](auto &cfg, const Machine &machine, auto, auto, auto, auto, auto grad_q, auto, auto, auto, auto,
             auto, auto, int heads, int queries, int keys, int, int, int, int length, int value_length,
             int before, int after, auto...) {
            return attention_gradient_seconds(machine, cfg,
                                              {heads, queries, keys, length, value_length, before, after},
                                              part_of<IsOfKeys>(grad_q));
          },
      .tunes = Tunes::when_asked};
}
}   // namespace detail

template <class T>
inline const Kernel<&attention_delta_program<T>> attention_delta_kernel{
    .name = "attention_delta",
    .parameters = {"o", "grad_o", "log_sum_exp", "logs", "deltas", "query_sums", "heads", "queries", "padded",
                   "length", "query_length", "o_head", "o_row", "g_head", "g_row", "log_head"},
    .grid = [](auto &cfg, auto, auto, auto, auto, auto, auto, int heads, int, int padded,
               auto...) { return Grid{cdiv(padded, cfg.block_m), heads}; },
    .complete =
        [](auto cfg, auto, auto, auto, auto, auto, auto query_sums, int, int, int, int length,
           int query_length, auto...) {
          cfg.length = detail::tile_columns(length);
          cfg.full_rows = cfg.length == length;
          cfg.sums_length = query_sums ? detail::tile_columns(query_length) : 0;
          return cfg;
        },
    .work =
        [](auto, auto, auto, auto, auto, auto query_sums, int heads, int queries, int padded, int length,
           int query_length, auto...) {
          return Work{.bytes = 2.0 * sizeof(T) * heads * double(queries) * length +
                               (query_sums ? sizeof(f32) * heads * double(padded) * query_length : 0)};
        }};
template <class T>
inline const Kernel<&attention_sums_program<T>> attention_sums_kernel{
    .name = "attention_sums",
    .parameters = {"query_sums", "grad_q", "heads", "queries", "padded", "length", "scale", "gq_head",
                   "gq_row"},
    .grid = [](auto &cfg, auto, auto, int heads, int queries,
               auto...) { return Grid{cdiv(queries, cfg.block_m), heads}; },
    .complete =
        [](auto cfg, auto, auto, int, int, int, int length, auto...) {
          cfg.length = detail::tile_columns(length);
          cfg.full_rows = cfg.length == length;
          return cfg;
        },
    .work =
        [](auto, auto, int heads, int queries, int, int length, auto...) {
          return Work{.bytes = (sizeof(f32) + sizeof(T)) * heads * double(queries) * length};
        }};
template <class T>
inline const auto attention_key_gradient_kernel =
    detail::attention_gradient_kernel<&attention_key_gradient_program<T>, true>("attention_key_gradient");
template <class T>
inline const auto attention_query_gradient_kernel =
    detail::attention_gradient_kernel<&attention_query_gradient_program<T>, false>(
        "attention_query_gradient");

// The same meaning as in AttentionOptions. They must be those of the forward pass.
struct AttentionBackwardOptions {
  std::optional<float> scale;
  bool causal = false;
  Window window{};
  float soft_cap = 0;
  std::optional<VectorView<const f32>> slopes;
  std::optional<AttentionGradientConfig> key_config, query_config;   // none: the kernels choose
  Numerics numerics = Numerics::any;
  // Five products in one pass over the scores, or seven in two. In one pass the last bits of grad_q differ
  // from run to run. None: one pass where it is expected to be faster, if `numerics` allow it.
  std::optional<bool> one_pass;
};

// What is written: the shapes of q, k and v.
template <class T> struct AttentionGradients {
  TensorView<T, 3> q, k, v;
};

namespace detail {
struct AttentionBackwardOperands {
  AttentionOperands forward;
  Stack grad_o, grad_q, grad_k, grad_v;
};
struct AttentionBackwardShape {
  AttentionShape forward;
  int g_row, gq_row, gk_row, gv_row;
  bool is_describable;   // all operands, for the copy engine
};
// Numbers of queries lie in memory in whole blocks of so many, which the blocks of configs divide.
inline constexpr int block_of_queries = 128;
constexpr int padded_queries(int queries) {
  return (queries + block_of_queries - 1) / block_of_queries * block_of_queries;
}
// Throws tile::Error if the operands do not fit together.
AttentionBackwardShape attention_backward_shape(const Operands &operands, const AttentionBackwardOperands &of,
                                                const AttentionBackwardOptions &options);
bool takes_one_pass(const AttentionBackwardOptions &options, const AttentionBackwardShape &shape,
                    const Machine &machine);
}   // namespace detail

// q, k, v and o as for attention(), which wrote o and log_sum_exp. `bias`: what AttentionExtras had; it gets
// no gradient.
template <class Q, class K, class V, class O, class G, class S>
void attention_backward(OnDevice on, const TensorView<Q, 3> &q, const TensorView<K, 3> &k,
                        const TensorView<V, 3> &v, const TensorView<O, 3> &o, const TensorView<G, 3> &grad_o,
                        const MatrixView<S> &log_sum_exp,
                        const AttentionGradients<std::remove_const_t<Q>> &gradients,
                        const AttentionBackwardOptions &options = {},
                        const std::optional<TensorView<const std::remove_const_t<Q>, 3>> &bias = {}) {
  using T = std::remove_const_t<Q>;
  static_assert(std::is_same_v<std::remove_const_t<K>, T> && std::is_same_v<std::remove_const_t<V>, T> &&
                    std::is_same_v<std::remove_const_t<O>, T> && std::is_same_v<std::remove_const_t<G>, T>,
                "q, k, v, o and grad_o must have the same element type");
  static_assert(std::is_same_v<T, f16> || std::is_same_v<T, bf16>, "attention supports f16 and bf16");
  static_assert(std::is_same_v<std::remove_const_t<S>, f32>, "log_sum_exp has elements of f32");
  detail::AttentionBackwardOperands operands{{detail::stack_of(q),
                                              detail::stack_of(k),
                                              detail::stack_of(v),
                                              detail::stack_of(o),
                                              {},
                                              detail::placed(log_sum_exp)},
                                             detail::stack_of(grad_o),
                                             detail::stack_of(gradients.q),
                                             detail::stack_of(gradients.k),
                                             detail::stack_of(gradients.v)};
  if (bias)
    operands.forward.bias = detail::stack_of(*bias);
  const detail::AttentionBackwardShape shape =
      detail::attention_backward_shape(detail::Operands("attention_backward", on.where), operands, options);
  const detail::AttentionShape &forward = shape.forward;
  const detail::AttentionSize &size = forward.size;
  const bool one_pass = detail::takes_one_pass(options, shape, on.device.machine());
  const int padded = detail::padded_queries(size.queries);
  const auto rows = static_cast<std::size_t>(size.heads) * static_cast<std::size_t>(padded);
  const Workspace<f32> logs(on.device, rows), deltas(on.device, rows),
      query_sums(on.device,
                 one_pass ? rows * static_cast<std::size_t>(detail::tile_columns(size.length)) : 0);
  f32 *const sums = one_pass ? query_sums.data() : nullptr;
  attention_delta_kernel<T>(on, o, grad_o, log_sum_exp, logs.data(), deltas.data(), sums, size.heads,
                            size.queries, padded, size.value_length, size.length, o.strides[0], forward.o_row,
                            grad_o.strides[0], shape.g_row, forward.log_head);
  auto run = [&](const auto &kernel, std::optional<AttentionGradientConfig> config, int section,
                 auto *of_queries, std::int64_t head_stride, int row_stride) {
    if (!config && options.numerics != Numerics::any)
      config = AttentionGradientConfig{.block_m = 32, .block_n = 32};   // for all lengths and GPUs
    kernel.launch_with(config, on, q, k, v, grad_o, of_queries, gradients.k, gradients.v,
                       static_cast<const f32 *>(logs.data()), static_cast<const f32 *>(deltas.data()),
                       options.slopes.value_or(VectorView<const f32>()),
                       bias.value_or(TensorView<const T, 3>()), size.heads, size.queries, size.keys,
                       forward.key_heads, forward.sharing, section, size.length, size.value_length,
                       size.before, size.after, forward.scale, options.soft_cap, q.strides[0], forward.q_row,
                       k.strides[0], forward.k_row, v.strides[0], forward.v_row, grad_o.strides[0],
                       shape.g_row, head_stride, row_stride, gradients.k.strides[0], shape.gk_row,
                       gradients.v.strides[0], shape.gv_row, padded, forward.bias_head, forward.bias_row);
  };
  run(attention_key_gradient_kernel<T>, options.key_config,
      forward.key_heads > 1 ? forward.section / forward.sharing : 1, sums, 0, padded);
  if (one_pass)
    attention_sums_kernel<T>(on, static_cast<const f32 *>(sums), gradients.q, size.heads, size.queries,
                             padded, size.length, forward.scale, gradients.q.strides[0], shape.gq_row);
  else
    run(attention_query_gradient_kernel<T>, options.query_config, forward.section, gradients.q.data,
        gradients.q.strides[0], shape.gq_row);
}

}   // namespace tile::kernels
