// SPDX-License-Identifier: MIT
// attention by name: its settings, a checked run, its IR.
#include "tools/registry/attention_settings.h"
#include "tools/registry/kernel_entries.h"
#include "tools/registry/running.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <vector>

namespace tile::registry {

// Heads lie one below the other in one matrix.
template <class T> static Outcome run(Device &device, const Settings &settings) {
  const Chosen chosen(settings);
  std::mt19937_64 source(settings.seed);
  Placed<T> q(device, "q", chosen.heads * chosen.queries, chosen.length),
      k(device, "k", chosen.key_heads() * chosen.keys, chosen.length),
      v(device, "v", chosen.key_heads() * chosen.keys, chosen.value_length),
      o(device, "o", chosen.heads * chosen.queries, chosen.value_length),
      bias(device, "bias", chosen.has_bias ? chosen.heads * chosen.queries : 0, chosen.keys);
  auto fill = [&]<class E>(Placed<E> &to, std::int64_t rows, std::int64_t cols, double factor) {
    Matrix values = reference::random_matrix(rows, cols, element_type<E>, source);
    for (double &value : values.values)
      value *= factor;
    return to.fill(std::move(values));
  };
  // Scores that tell keys apart.
  const Matrix vq = fill(q, chosen.heads * chosen.queries, chosen.length, 2),
               vk = fill(k, chosen.key_heads() * chosen.keys, chosen.length, 2),
               vv = fill(v, chosen.key_heads() * chosen.keys, chosen.value_length, 1);
  Placed<f32> slopes(device, "slopes", chosen.has_slopes ? 1 : 0, chosen.heads);
  Matrix vslopes, vbias;
  kernels::AttentionOptions options = chosen.options;
  options.config = config_of<AttentionConfig>(settings);
  kernels::AttentionExtras<T> extras;
  if (chosen.has_slopes) {
    vslopes = fill(slopes, 1, chosen.heads, 1);
    options.slopes = VectorView<const f32>(slopes.view().data, chosen.heads);
  }
  if (chosen.has_bias) {
    vbias = fill(bias, chosen.heads * chosen.queries, chosen.keys, 1);
    extras.bias = stack_of(bias.view(), chosen.heads);
  }
  o.poison();
  Outcome outcome{.config = config_text(options.config), .operations = chosen.flop(), .unit = "FLOP"};
  outcome.seconds = timed(device, [&] {
    kernels::attention(device, stack_of(q.view(), chosen.heads), stack_of(k.view(), chosen.key_heads()),
                       stack_of(v.view(), chosen.key_heads()), stack_of(o.view(), chosen.heads), options,
                       extras);
  });
  if (!settings.verify)
    return outcome;
  const auto tolerance = reference::attention_tolerance(element_type<T>);
  outcome.tolerance = tolerance.text();
  outcome.verdict =
      judge(o, chosen.work_of_row(), settings.effort, tolerance, [&](std::span<const std::int64_t> rows) {
        return reference::attention_rows(
            vq, vk, vv, chosen.shape(vslopes.values, chosen.has_bias ? &vbias : nullptr), rows);
      });
  return outcome;
}

template <class T> static Problem problem(const Settings &settings) {
  const Chosen chosen(settings);
  const ElementType type = element_type<T>;
  Problem problem{.kind = Problem::Kind::attention,
                  .operands = {{"q", type, chosen.heads * chosen.queries, chosen.length},
                               {"k", type, chosen.key_heads() * chosen.keys, chosen.length},
                               {"v", type, chosen.key_heads() * chosen.keys, chosen.value_length}},
                  .work = {.flop = chosen.flop()},
                  .work_of_row = chosen.work_of_row(),
                  .tolerance = reference::attention_tolerance(type)};
  if (chosen.has_slopes)
    problem.operands.push_back({"slopes", element_type<f32>, chosen.heads, 1});
  if (chosen.has_bias)
    problem.operands.push_back({"bias", type, chosen.heads * chosen.queries, chosen.keys});
  problem.operands.push_back({"o", type, chosen.heads * chosen.queries, chosen.value_length, false, true});
  for (const Operand &operand : problem.operands)
    problem.work.bytes += operand.bytes();
  problem.bind = [=, config = config_of<AttentionConfig>(settings)](Device &device, auto at) {
    auto stack = [](auto *first, std::int64_t count, std::int64_t rows, std::int64_t length) {
      return TensorView<std::remove_pointer_t<decltype(first)>, 3>(first, {count, rows, length});
    };
    const auto q = stack(static_cast<const T *>(at[0]), chosen.heads, chosen.queries, chosen.length),
               k = stack(static_cast<const T *>(at[1]), chosen.key_heads(), chosen.keys, chosen.length),
               v = stack(static_cast<const T *>(at[2]), chosen.key_heads(), chosen.keys, chosen.value_length);
    const auto o =
        stack(static_cast<T *>(at[at.size() - 1]), chosen.heads, chosen.queries, chosen.value_length);
    kernels::AttentionOptions options = chosen.options;
    options.config = config;
    kernels::AttentionExtras<T> extras;
    if (chosen.has_slopes)
      options.slopes = VectorView<const f32>(static_cast<const f32 *>(at[3]), chosen.heads);
    if (chosen.has_bias)
      extras.bias = stack(static_cast<const T *>(at[3]), chosen.heads, chosen.queries, chosen.keys);
    return Problem::Launch([=, &device] { kernels::attention(device, q, k, v, o, options, extras); });
  };
  // Each row by itself: one head of one query.
  problem.expected = [=](std::size_t, const Problem::Read &read, std::span<const std::int64_t> rows) {
    Matrix result(static_cast<std::int64_t>(rows.size()), chosen.value_length);
    const std::vector<double> slopes =
        chosen.has_slopes ? column_of(read, 3, chosen.heads) : std::vector<double>();
    for (std::size_t n = 0; n < rows.size(); ++n) {
      const std::int64_t row = rows[n], head = row / chosen.queries;
      std::vector<std::int64_t> of_head(static_cast<std::size_t>(chosen.keys));
      std::iota(of_head.begin(), of_head.end(), head / chosen.sharing * chosen.keys);
      const Matrix bias = chosen.has_bias ? rows_of_operand(read, 3, chosen.keys, std::array{row}) : Matrix();
      reference::AttentionShape shape = chosen.shape({}, chosen.has_bias ? &bias : nullptr);
      if (chosen.has_slopes)
        shape.slopes = std::span(slopes).subspan(static_cast<std::size_t>(head), 1);
      shape.heads = shape.sharing = shape.queries = 1;
      shape.first_own = row % chosen.queries + chosen.keys - chosen.queries;
      const Matrix one = reference::attention(rows_of_operand(read, 0, chosen.length, std::array{row}),
                                              rows_of_operand(read, 1, chosen.length, of_head),
                                              rows_of_operand(read, 2, chosen.value_length, of_head), shape);
      std::ranges::copy(one.values,
                        result.values.begin() + static_cast<std::ptrdiff_t>(n) * chosen.value_length);
    }
    return result;
  };
  return problem;
}

template <class T> static KernelIR trace(const Settings &settings, bool specialized) {
  const Chosen chosen(settings);
  const auto any = ArgClass::generic, by16 = specialized ? ArgClass::divisible_by_16 : any,
             rows = settings.any_rows ? any : by16;
  auto config = config_from<AttentionConfig>(settings.config);
  config.form = chosen.form();
  const std::vector<ArgClass> classes{by16, by16,
                                      by16, by16,
                                      by16,   // q, k, v, o, log_sum_exp
                                      by16, by16,
                                      by16, rows,
                                      rows,   // slopes, bias, heads, queries, keys
                                      by16, specialized ? ArgClass::one : any,
                                      by16, any,
                                      any,   // key_heads, sharing, section, lengths
                                      any,  any,
                                      any,  any,
                                      by16,   // window, scale, soft_cap, q_head
                                      by16, by16,
                                      by16, by16,
                                      by16,   // q_row to v_row
                                      by16, by16,
                                      by16, by16,
                                      by16};   // o_head to bias_row
  return kernels::attention_kernel<T>.trace(config, classes);
}

Entry attention_entry() {
  return {.name = "attention",
          .summary = "softmax(q kT) v for many heads, in one pass over keys and values",
          .parameters = attention_parameters(),
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
                auto configs = kernels::detail::attention_configs();
                std::erase_if(configs, [&](const AttentionConfig &config) {
                  return !kernels::detail::keep_attention_config(
                      config, static_cast<int>(chosen.length), static_cast<int>(chosen.value_length), {}, {});
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
