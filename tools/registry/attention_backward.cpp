// SPDX-License-Identifier: MIT
// attention_backward by name: its settings, a checked run, the IR of its two large kernels.
#include "kernels/attention_backward.h"
#include "tools/registry/attention_settings.h"
#include "tools/registry/kernel_entries.h"

#include <array>
#include <memory>
#include <numeric>

namespace tile::registry {

using kernels::AttentionGradientConfig;

// What a forward pass leaves for the backward pass.
template <class T> struct ForwardResult {
  Buffer<T> o;
  Buffer<f32> sums;
};

// Views of dense operands, heads one below the other.
template <class T> struct BackwardViews {
  TensorView<const T, 3> q, k, v, grad_o, o;
  kernels::AttentionGradients<T> gradients;
  MatrixView<f32> sums;
  std::optional<VectorView<const f32>> slopes;
  std::optional<TensorView<const T, 3>> bias;
};

template <class T>
static std::shared_ptr<ForwardResult<T>> forward(Device &device, const Chosen &chosen,
                                                 BackwardViews<T> &views) {
  const auto rows = static_cast<std::size_t>(chosen.heads * chosen.queries);
  const auto result = std::make_shared<ForwardResult<T>>(
      Buffer<T>(device, rows * static_cast<std::size_t>(chosen.value_length), "o"),
      Buffer<f32>(device, rows, "log_sum_exp"));
  const std::int64_t queries = views.q.extents[1];   // 0 where there are no heads
  const TensorView<T, 3> o(result->o.data(), {chosen.heads, queries, chosen.value_length});
  views.sums = MatrixView<f32>(result->sums.data(), chosen.heads, queries);
  kernels::AttentionOptions options = chosen.options;
  options.slopes = views.slopes;
  kernels::attention(device, views.q, views.k, views.v, o, options,
                     {.bias = views.bias, .log_sum_exp = views.sums});
  views.o = o;
  return result;
}

// Of the setting `passes`. None: the launch chooses.
static std::optional<bool> in_one_pass(const Settings &settings) {
  const std::string &passes = settings.choice("passes");
  return passes == "any" ? std::nullopt : std::optional(passes == "one");
}

template <class T>
static void backward(Device &device, const Chosen &chosen, const BackwardViews<T> &views,
                     const std::optional<AttentionGradientConfig> &config, std::optional<bool> one_pass) {
  kernels::AttentionBackwardOptions options{.causal = chosen.options.causal,
                                            .window = chosen.options.window,
                                            .soft_cap = chosen.options.soft_cap,
                                            .slopes = views.slopes,
                                            .key_config = config,
                                            .query_config = one_pass.value_or(false) ? std::nullopt : config,
                                            .one_pass = one_pass};
  kernels::attention_backward(device, views.q, views.k, views.v, views.o, views.grad_o, views.sums,
                              views.gradients, options, views.bias);
}

// A forward pass has two products of queries and keys, gradients have five.
static double backward_flop(const Chosen &chosen) {
  return chosen.flop() / static_cast<double>(chosen.length + chosen.value_length) *
         static_cast<double>(3 * chosen.length + 2 * chosen.value_length);
}

// Of a row of keys, which all queries of its heads take part in.
static double reference_work(const Chosen &chosen) {
  return 2 * chosen.work_of_row() * static_cast<double>(chosen.queries * chosen.sharing);
}

// The gradients of some rows of one operand. Rows of a head of keys are computed together.
static Matrix expected_rows(const Chosen &chosen, std::size_t output, const Problem::Read &read,
                            std::span<const std::int64_t> rows) {
  const std::int64_t length = output == 2 ? chosen.value_length : chosen.length;
  Matrix result(static_cast<std::int64_t>(rows.size()), length);
  std::vector<double> slopes;
  if (chosen.has_slopes)
    slopes = column_of(read, 4, chosen.heads);
  auto range = [](std::int64_t first, std::int64_t count) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), first);
    return all;
  };
  // `of_queries`: rows of q, all of heads that share keys.
  auto gradients = [&](std::int64_t key_head, const std::vector<std::int64_t> &of_queries, std::int64_t heads,
                       const std::vector<bool> &wanted) {
    const auto of_keys = range(key_head * chosen.keys, chosen.keys);
    const Matrix bias = chosen.has_bias ? rows_of_operand(read, 4, chosen.keys, of_queries) : Matrix();
    reference::AttentionShape shape = chosen.shape({}, chosen.has_bias ? &bias : nullptr);
    if (chosen.has_slopes)
      shape.slopes = std::span(slopes).subspan(static_cast<std::size_t>(of_queries[0] / chosen.queries),
                                               static_cast<std::size_t>(heads));
    shape.heads = shape.sharing = heads;
    shape.queries = static_cast<std::int64_t>(of_queries.size()) / heads;
    shape.first_own = of_queries[0] % chosen.queries + chosen.keys - chosen.queries;
    return reference::attention_gradients(
        rows_of_operand(read, 0, chosen.length, of_queries), rows_of_operand(read, 1, chosen.length, of_keys),
        rows_of_operand(read, 2, chosen.value_length, of_keys),
        rows_of_operand(read, 3, chosen.value_length, of_queries), shape, wanted);
  };
  auto keep = [&](std::size_t n, const Matrix &from, std::int64_t row) {
    for (std::int64_t d = 0; d < length; ++d)
      result.at(static_cast<std::int64_t>(n), d) = from.at(row, d);
  };
  if (output == 0) {
    for (std::size_t n = 0; n < rows.size(); ++n)
      keep(n, gradients(rows[n] / chosen.queries / chosen.sharing, {rows[n]}, 1, {}).q, 0);
    return result;
  }
  std::map<std::int64_t, std::vector<std::size_t>> of_heads;
  for (std::size_t n = 0; n < rows.size(); ++n)
    of_heads[rows[n] / chosen.keys].push_back(n);
  for (const auto &[key_head, places] : of_heads) {
    std::vector<bool> wanted(static_cast<std::size_t>(chosen.keys));
    for (const std::size_t n : places)
      wanted[static_cast<std::size_t>(rows[n] % chosen.keys)] = true;
    const auto of_queries =
        range(key_head * chosen.sharing * chosen.queries, chosen.sharing * chosen.queries);
    if (of_queries.empty())
      continue;
    const auto all = gradients(key_head, of_queries, chosen.sharing, wanted);
    for (const std::size_t n : places)
      keep(n, output == 1 ? all.k : all.v, rows[n] % chosen.keys);
  }
  return result;
}

template <class T> static Outcome run(Device &device, const Settings &settings) {
  const Chosen chosen(settings);
  std::mt19937_64 source(settings.seed);
  const std::int64_t queries = chosen.heads * chosen.queries, keys = chosen.key_heads() * chosen.keys;
  Placed<T> q(device, "q", queries, chosen.length), k(device, "k", keys, chosen.length),
      v(device, "v", keys, chosen.value_length), grad_o(device, "grad_o", queries, chosen.value_length),
      bias(device, "bias", chosen.has_bias ? queries : 0, chosen.keys),
      grad_q(device, "grad_q", queries, chosen.length), grad_k(device, "grad_k", keys, chosen.length),
      grad_v(device, "grad_v", keys, chosen.value_length);
  Placed<f32> slopes(device, "slopes", chosen.has_slopes ? 1 : 0, chosen.heads);
  auto fill = [&]<class E>(Placed<E> &to, std::int64_t rows, std::int64_t cols) {
    return to.fill(reference::random_matrix(rows, cols, element_type<E>, source));
  };
  const Matrix vq = fill(q, queries, chosen.length), vk = fill(k, keys, chosen.length),
               vv = fill(v, keys, chosen.value_length), vg = fill(grad_o, queries, chosen.value_length);
  BackwardViews<T> views{.q = stack_of(q.view(), chosen.heads),
                         .k = stack_of(k.view(), chosen.key_heads()),
                         .v = stack_of(v.view(), chosen.key_heads()),
                         .grad_o = stack_of(grad_o.view(), chosen.heads),
                         .gradients = {stack_of(grad_q.view(), chosen.heads),
                                       stack_of(grad_k.view(), chosen.key_heads()),
                                       stack_of(grad_v.view(), chosen.key_heads())}};
  Matrix vslopes, vbias;
  if (chosen.has_slopes) {
    vslopes = fill(slopes, 1, chosen.heads);
    views.slopes = VectorView<const f32>(slopes.view().data, chosen.heads);
  }
  if (chosen.has_bias) {
    vbias = fill(bias, queries, chosen.keys);
    views.bias = stack_of(bias.view(), chosen.heads);
  }
  for (Placed<T> *output : {&grad_q, &grad_k, &grad_v})
    output->poison();
  const auto config = config_of<AttentionGradientConfig>(settings);
  Outcome outcome{.config = config_text(config), .operations = backward_flop(chosen), .unit = "FLOP"};
  const auto left = forward(device, chosen, views);
  outcome.seconds = timed(device, [&] { backward(device, chosen, views, config, in_one_pass(settings)); });
  if (!settings.verify)
    return outcome;
  const auto tolerance = reference::attention_gradient_tolerance(element_type<T>);
  outcome.tolerance = tolerance.text();
  const Matrix *const inputs[] = {&vq, &vk, &vv, &vg, chosen.has_slopes ? &vslopes : &vbias};
  const Problem::Read read = [&](std::size_t operand, std::int64_t row, std::span<double> to) {
    for (std::size_t d = 0; d < to.size(); ++d)
      to[d] = inputs[operand]->values[static_cast<std::size_t>(row) * to.size() + d];
  };
  std::size_t result = 0;
  for (Placed<T> *output : {&grad_q, &grad_k, &grad_v}) {
    outcome.verdict.add(judge(
        *output, reference_work(chosen), settings.effort, tolerance,
        [&](std::span<const std::int64_t> rows) { return expected_rows(chosen, result, read, rows); }, 3));
    ++result;
  }
  return outcome;
}

template <class T> static Problem problem(const Settings &settings) {
  const Chosen chosen(settings);
  const ElementType type = element_type<T>;
  const std::int64_t queries = chosen.heads * chosen.queries, keys = chosen.key_heads() * chosen.keys;
  Problem problem{.kind = Problem::Kind::attention_backward,
                  .operands = {{"q", type, queries, chosen.length},
                               {"k", type, keys, chosen.length},
                               {"v", type, keys, chosen.value_length},
                               {"grad_o", type, queries, chosen.value_length}},
                  .work = {.flop = backward_flop(chosen)},
                  .work_of_row = reference_work(chosen),
                  .tolerance = reference::attention_gradient_tolerance(type)};
  if (chosen.has_slopes)
    problem.operands.push_back({"slopes", element_type<f32>, chosen.heads, 1});
  if (chosen.has_bias)
    problem.operands.push_back({"bias", type, queries, chosen.keys});
  const std::size_t first_output = problem.operands.size();
  problem.operands.push_back({"grad_q", type, queries, chosen.length, false, true});
  problem.operands.push_back({"grad_k", type, keys, chosen.length, false, true});
  problem.operands.push_back({"grad_v", type, keys, chosen.value_length, false, true});
  for (const Operand &operand : problem.operands)
    problem.work.bytes += operand.bytes();
  problem.bind = [=, config = config_of<AttentionGradientConfig>(settings),
                  one_pass = in_one_pass(settings)](Device &device, auto at) {
    auto stack = [](auto *first, std::int64_t count, std::int64_t rows, std::int64_t length) {
      return TensorView<std::remove_pointer_t<decltype(first)>, 3>(first, {count, rows, length});
    };
    auto input = [&](std::size_t n) { return static_cast<const T *>(at[n]); };
    auto output = [&](std::size_t n) { return static_cast<T *>(at[first_output + n]); };
    BackwardViews<T> views{
        .q = stack(input(0), chosen.heads, chosen.queries, chosen.length),
        .k = stack(input(1), chosen.key_heads(), chosen.keys, chosen.length),
        .v = stack(input(2), chosen.key_heads(), chosen.keys, chosen.value_length),
        .grad_o = stack(input(3), chosen.heads, chosen.queries, chosen.value_length),
        .gradients = {stack(output(0), chosen.heads, chosen.queries, chosen.length),
                      stack(output(1), chosen.key_heads(), chosen.keys, chosen.length),
                      stack(output(2), chosen.key_heads(), chosen.keys, chosen.value_length)}};
    if (chosen.has_slopes)
      views.slopes = VectorView<const f32>(static_cast<const f32 *>(at[4]), chosen.heads);
    if (chosen.has_bias)
      views.bias = stack(input(4), chosen.heads, chosen.queries, chosen.keys);
    const auto left = forward(device, chosen, views);
    return Problem::Launch([=, &device] {
      static_cast<void>(left);   // keeps the memory
      backward(device, chosen, views, config, one_pass);
    });
  };
  problem.expected = [=](std::size_t operand, const Problem::Read &read, std::span<const std::int64_t> rows) {
    return expected_rows(chosen, operand - first_output, read, rows);
  };
  return problem;
}

template <class T> static KernelIR trace(const Settings &settings, bool specialized) {
  const auto any = ArgClass::generic, by16 = specialized ? ArgClass::divisible_by_16 : any,
             one = specialized ? ArgClass::one : any;
  auto config = config_from<AttentionGradientConfig>(settings.config);
  config.form = Chosen(settings).form();
  config.form.query_sums = settings.choice("part") == "keys" && settings.choice("passes") == "one";
  std::vector<ArgClass> classes(40, by16);
  classes[12] = classes[13] = settings.any_rows ? any : by16;   // queries and keys
  classes[15] = one;                                            // sharing
  std::fill(classes.begin() + 16, classes.begin() + 23, any);   // section to soft_cap
  return settings.choice("part") == "keys"
             ? kernels::attention_key_gradient_kernel<T>.trace(config, classes)
             : kernels::attention_query_gradient_kernel<T>.trace(config, classes);
}

Entry attention_backward_entry() {
  auto parameters = attention_parameters();
  parameters.push_back({"part", "which kernel `tile dump` shows", "keys", {"keys", "queries"}});
  parameters.push_back({"passes",
                        "over the scores: one adds up grad_q, two compute them twice",
                        "any",
                        {"any", "one", "two"}});
  return {.name = "attention_backward",
          .summary = "the gradients of attention by q, k and v",
          .parameters = std::move(parameters),
          .run =
              [](Device &device, const Settings &settings) {
                return with_element<f16, bf16>(settings.choice("dtype"), [&](auto t) {
                  return run<typename decltype(t)::type>(device, settings);
                });
              },
          .trace =
              [](const Settings &settings, bool specialized) {
                return with_element<f16, bf16>(settings.choice("dtype"), [&](auto t) {
                  return trace<typename decltype(t)::type>(settings, specialized);
                });
              },
          .configs =
              [](const Settings &settings) {
                const Chosen chosen(settings);
                using kernels::detail::GradientPart;
                const GradientPart part = settings.choice("part") == "queries" ? GradientPart::queries
                                          : settings.choice("passes") == "one" ? GradientPart::all
                                                                               : GradientPart::keys;
                auto configs = kernels::detail::attention_gradient_configs();
                std::erase_if(configs, [&](const AttentionGradientConfig &config) {
                  return !kernels::detail::keep_attention_gradient_config(config, chosen.size(), part, {},
                                                                          {});
                });
                return config_texts(configs);
              },
          .problem =
              [](const Settings &settings) {
                return with_element<f16, bf16>(settings.choice("dtype"), [&](auto t) {
                  return problem<typename decltype(t)::type>(settings);
                });
              }};
}

}   // namespace tile::registry
