// SPDX-License-Identifier: MIT
// attention by name: its settings, a checked run, its IR.
#include "kernels/attention.h"
#include "tools/registry/kernel_entries.h"
#include "tools/registry/running.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <type_traits>
#include <vector>

namespace tile::registry {

using kernels::AttentionConfig;
using reference::Matrix;
using reference::Placed;

template <class F> static auto with_length(const Settings &settings, F f) {
  switch (settings.size("head_dim")) {
  case 16:
    return f(std::integral_constant<int, 16>());
  case 32:
    return f(std::integral_constant<int, 32>());
  case 128:
    return f(std::integral_constant<int, 128>());
  case 256:
    return f(std::integral_constant<int, 256>());
  default:
    return f(std::integral_constant<int, 64>());
  }
}
static bool is_causal(const Settings &settings) { return settings.choice("causal") == "yes"; }
static std::int64_t checked_sharing(const Settings &settings) {
  const std::int64_t heads = settings.size("heads"),
                     sharing = std::max<std::int64_t>(1, settings.size("sharing"));
  if (heads % sharing != 0)
    throw BadSetting("--sharing takes a divisor of --heads: that many heads of queries share one of keys");
  return sharing;
}
// What a mask leaves away is half of it, as everybody counts it.
static double flop_of(const Settings &settings) {
  return (is_causal(settings) ? 2.0 : 4.0) * static_cast<double>(settings.size("heads")) *
         static_cast<double>(settings.size("m")) * static_cast<double>(settings.size("n")) *
         static_cast<double>(settings.size("head_dim"));
}

static double work_of_row(const Settings &settings) {
  return 2.0 * static_cast<double>(settings.size("n")) * static_cast<double>(settings.size("head_dim"));
}

// Heads lie one below the other in one matrix.
template <class T> static Outcome run(Device &device, const Settings &settings) {
  const std::int64_t heads = settings.size("heads"), sharing = checked_sharing(settings),
                     queries = settings.size("m"), keys = settings.size("n"),
                     length = settings.size("head_dim");
  const auto config = config_of<AttentionConfig>(settings);
  std::mt19937_64 source(settings.seed);
  Placed<T> q(device, "q", heads * queries, length), k(device, "k", heads / sharing * keys, length),
      v(device, "v", heads / sharing * keys, length), o(device, "o", heads * queries, length);
  auto fill = [&](Placed<T> &to, std::int64_t rows, double factor) {
    Matrix values = reference::random_matrix(rows, length, element_type<T>, source);
    for (double &value : values.values)
      value *= factor;
    return to.fill(std::move(values));
  };
  // Scores that tell keys apart.
  const Matrix vq = fill(q, heads * queries, 2), vk = fill(k, heads / sharing * keys, 2),
               vv = fill(v, heads / sharing * keys, 1);
  o.poison();
  auto stack = [](const MatrixView<T> &all, std::int64_t count) {
    const std::int64_t rows = count == 0 ? 0 : all.rows / count;
    return TensorView<T, 3>(all.data, {count, rows, all.cols}, {rows * all.row_stride, all.row_stride, 1});
  };
  Outcome outcome{.config = config_text(config), .operations = flop_of(settings), .unit = "FLOP"};
  outcome.seconds = timed(device, [&] {
    kernels::attention(device, stack(q.view(), heads), stack(k.view(), heads / sharing),
                       stack(v.view(), heads / sharing), stack(o.view(), heads),
                       {.causal = is_causal(settings), .config = config});
  });
  if (!settings.verify)
    return outcome;
  const auto tolerance = reference::attention_tolerance(element_type<T>);
  outcome.tolerance = tolerance.text();
  outcome.verdict =
      judge(o, work_of_row(settings), settings.effort, tolerance, [&](std::span<const std::int64_t> rows) {
        return reference::attention_rows(vq, vk, vv, {heads, sharing, queries, keys, is_causal(settings)},
                                         rows);
      });
  return outcome;
}

template <class T> static Problem problem(const Settings &settings) {
  const std::int64_t heads = settings.size("heads"), sharing = checked_sharing(settings),
                     queries = settings.size("m"), keys = settings.size("n"),
                     length = settings.size("head_dim");
  const bool causal = is_causal(settings);
  const ElementType type = element_type<T>;
  Problem problem{.kind = Problem::Kind::attention,
                  .operands = {{"q", type, heads * queries, length},
                               {"k", type, heads / sharing * keys, length},
                               {"v", type, heads / sharing * keys, length},
                               {"o", type, heads * queries, length, false, true}},
                  .work = {.flop = flop_of(settings)},
                  .work_of_row = work_of_row(settings),
                  .tolerance = reference::attention_tolerance(type)};
  for (const Operand &operand : problem.operands)
    problem.work.bytes += operand.bytes();
  problem.bind = [=, config = config_of<AttentionConfig>(settings)](Device &device, auto at) {
    auto stack = [&](auto *first, std::int64_t count, std::int64_t rows) {
      return TensorView<std::remove_pointer_t<decltype(first)>, 3>(first, {count, rows, length});
    };
    const auto q = stack(static_cast<const T *>(at[0]), heads, queries),
               k = stack(static_cast<const T *>(at[1]), heads / sharing, keys),
               v = stack(static_cast<const T *>(at[2]), heads / sharing, keys);
    const auto o = stack(static_cast<T *>(at[3]), heads, queries);
    return Problem::Launch(
        [=, &device] { kernels::attention(device, q, k, v, o, {.causal = causal, .config = config}); });
  };
  problem.expected = [=](std::size_t, const Problem::Read &read, std::span<const std::int64_t> rows) {
    Matrix result(static_cast<std::int64_t>(rows.size()), length);
    for (std::size_t n = 0; n < rows.size(); ++n) {
      const std::int64_t row = rows[n], first = row / queries / sharing * keys;
      const std::int64_t seen =
          causal ? std::clamp<std::int64_t>(row % queries + 1 + keys - queries, 0, keys) : keys;
      std::vector<std::int64_t> of_head(static_cast<std::size_t>(seen));
      std::iota(of_head.begin(), of_head.end(), first);
      const Matrix one = reference::attention(
          rows_of_operand(read, 0, length, std::array{row}), rows_of_operand(read, 1, length, of_head),
          rows_of_operand(read, 2, length, of_head), {1, 1, 1, seen, false});
      std::ranges::copy(one.values, result.values.begin() + static_cast<std::ptrdiff_t>(n) * length);
    }
    return result;
  };
  return problem;
}

template <class T> static KernelIR trace(const Settings &settings, bool specialized) {
  const auto any = ArgClass::generic, by16 = specialized ? ArgClass::divisible_by_16 : any,
             rows = settings.any_rows ? any : by16;
  const auto config = config_from<AttentionConfig>(settings.config);
  const std::vector<ArgClass> classes{
      by16, by16, by16, by16, by16, rows, rows, by16, specialized ? ArgClass::one : any, by16, any,
      by16, by16, by16, by16, by16, by16, by16, by16};
  return with_length(settings, [&](auto length) {
    return is_causal(settings) ? kernels::attention_kernel<T, length, true>.trace(config, classes)
                               : kernels::attention_kernel<T, length, false>.trace(config, classes);
  });
}

Entry attention_entry() {
  return {.name = "attention",
          .summary = "softmax(q kT) v for many heads, in one pass over keys and values",
          .parameters = {{"heads", "heads of queries", "3", {}},
                         {"m", "queries of a head", "77", {}},
                         {"n", "keys of a head", "91", {}},
                         {"head_dim", "elements of a row", "64", {"16", "32", "64", "128", "256"}},
                         {"sharing", "heads of queries that share one of keys and values", "1", {}},
                         {"causal", "whether a query sees only the keys before it", "no", {"no", "yes"}},
                         {"dtype", "element type", "f16", element_names<f16, bf16>()}},
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
                return config_texts(
                    kernels::detail::attention_configs(static_cast<int>(settings.size("head_dim"))));
              },
          .problem =
              [](const Settings &settings) {
                return with_element<f16, bf16>(settings.choice("dtype"), [&](auto t) {
                  return problem<typename decltype(t)::type>(settings);
                });
              }};
}

}   // namespace tile::registry
