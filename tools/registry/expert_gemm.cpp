// SPDX-License-Identifier: MIT
// expert_gemm by name: its settings, a checked run of experts with uneven rows, its IR.
#include "kernels/expert_gemm.h"

#include "runtime/buffer.h"
#include "tools/registry/group_rows.h"
#include "tools/registry/kernel_entries.h"
#include "tools/registry/products.h"

#include <algorithm>
#include <memory>

namespace tile::registry {

using kernels::ExpertGemmConfig;
using kernels::StoredBy;

namespace {

// Where the rows of each expert end.
std::vector<i32> ends_of(const Settings &settings) {
  const GroupRows rows = parse_group_rows(settings.choice("m")).value();   // or it could not have been set
  const std::int64_t experts = settings.size("experts");
  const std::vector<std::int64_t> of_each =
      rows.is_dealt ? dealt_rows(rows.rows, experts)
                    : std::vector<std::int64_t>(static_cast<std::size_t>(experts), rows.rows);
  std::vector<i32> ends;
  std::int64_t end = 0;
  for (const std::int64_t count : of_each)
    ends.push_back(static_cast<i32>(end += count));
  return ends;
}
bool has_b_by_columns(const Settings &settings) { return settings.choice("trans") == "nt"; }

ExpertGemmConfig base_config(const Settings &settings) {
  return {.b = has_b_by_columns(settings) ? StoredBy::columns : StoredBy::rows};
}
std::optional<ExpertGemmConfig> chosen_config(const Settings &settings) {
  return settings.config.empty()
             ? std::nullopt
             : std::optional(config_from<ExpertGemmConfig>(settings.config, base_config(settings)));
}

template <class T> TensorView<T, 3> stack_of(T *data, std::int64_t row, std::int64_t experts, std::int64_t k,
                                             std::int64_t n, bool by_columns) {
  const std::int64_t rows = by_columns ? n : k, cols = by_columns ? k : n;
  const TensorView<T, 3> stored(data, {experts, rows, cols}, {rows * row, row, 1});
  return by_columns ? stored.transposed() : stored;
}

// Some rows of the result in float64; row(i, to) and element(e, i, j) give rows of a and elements of b.
template <class RowOfA, class ElementOfB>
reference::Matrix expected_rows(std::span<const i32> ends, std::int64_t n, std::int64_t k,
                                std::span<const std::int64_t> rows, RowOfA row_of_a, ElementOfB element) {
  reference::Matrix result(static_cast<std::int64_t>(rows.size()), n);
  std::vector<double> of_a(static_cast<std::size_t>(k));
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const auto expert = std::upper_bound(ends.begin(), ends.end(), rows[at]) - ends.begin();
    row_of_a(rows[at], std::span(of_a));
    for (std::int64_t i = 0; i < k; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        result.at(static_cast<std::int64_t>(at), j) +=
            of_a[static_cast<std::size_t>(i)] * element(expert, i, j);
  }
  reference::count_work(static_cast<double>(rows.size()) * work_of_product_row(n, k));
  return result;
}

template <class In, class Out> Outcome run(Device &device, const Settings &settings) {
  const std::int64_t experts = settings.size("experts"), n = settings.size("n"), k = settings.size("k");
  const std::vector<i32> ends = ends_of(settings);
  const std::int64_t rows = ends.empty() ? 0 : ends.back();
  const bool by_columns = has_b_by_columns(settings);
  const auto config = chosen_config(settings);
  std::mt19937_64 source(settings.seed);
  const bool tf32 = std::is_same_v<In, f32>;
  Factor<In> a(device, "a", rows, k, false, tf32, source),
      b(device, "b", experts * (by_columns ? n : k), by_columns ? k : n, false, tf32, source);
  reference::Placed<Out> c(device, "c", rows, n, {.padding = reference::padding_to_16_bytes<Out>(n)});
  c.poison();
  const Buffer<i32> last(device, ends, "ends");
  Outcome outcome{.config = config_text(config),
                  .operations = 2.0 * static_cast<double>(rows) * work_of_product_row(n, k),
                  .unit = "FLOP"};
  const MatrixView<In> stored = b.placed.view();
  outcome.seconds = timed(device, [&] {
    kernels::expert_gemm(device, a.placed.view(),
                         stack_of(stored.data, stored.row_stride, experts, k, n, by_columns), c.view(), last,
                         {.config = config});
  });
  if (!settings.verify)
    return outcome;
  const auto tolerance = reference::product_tolerance(element_type<In>, element_type<Out>, k);
  outcome.tolerance = tolerance.text();
  outcome.verdict = judge(c, work_of_product_row(n, k), settings.effort, tolerance,
                          [&](std::span<const std::int64_t> some) {
                            return expected_rows(
                                ends, n, k, some,
                                [&](std::int64_t row, std::span<double> to) {
                                  for (std::int64_t i = 0; i < k; ++i)
                                    to[static_cast<std::size_t>(i)] = a.values.at(row, i);
                                },
                                [&](std::int64_t e, std::int64_t i, std::int64_t j) {
                                  return by_columns ? b.values.at(e * n + j, i) : b.values.at(e * k + i, j);
                                });
                          });
  return outcome;
}

template <class In, class Out> Problem problem(const Settings &settings) {
  const std::int64_t experts = settings.size("experts"), n = settings.size("n"), k = settings.size("k");
  const std::vector<i32> ends = ends_of(settings);
  const std::int64_t rows = ends.empty() ? 0 : ends.back();
  const bool by_columns = has_b_by_columns(settings);
  const auto config = chosen_config(settings);
  Problem problem{.kind = Problem::Kind::expert_product,
                  .operands = {{"a", element_type<In>, rows, k},
                               {"b", element_type<In>, k, n, by_columns, false, experts},
                               {"c", element_type<Out>, rows, n, false, true}},
                  .work_of_row = work_of_product_row(n, k),
                  .tolerance = normal_tolerance(element_type<In>, element_type<Out>, Precision::tf32, k)};
  problem.work.flop = 2.0 * static_cast<double>(rows) * problem.work_of_row;
  for (const Operand &operand : problem.operands)
    problem.work.bytes += operand.bytes();
  problem.bind = [=](Device &device, auto at) {
    const MatrixView<const In> a(static_cast<const In *>(at[0]), rows, k);
    const auto b = stack_of(static_cast<const In *>(at[1]), by_columns ? k : n, experts, k, n, by_columns);
    const MatrixView<Out> c(static_cast<Out *>(at[2]), rows, n);
    // Made once, as a router leaves them on the device.
    return Problem::Launch([=, &device, last = std::make_shared<Buffer<i32>>(device, ends, "ends")] {
      kernels::expert_gemm(device, a, b, c, *last, {.config = config});
    });
  };
  problem.expected = [=](std::size_t, const Problem::Read &read, std::span<const std::int64_t> some) {
    // Rows of b as they are stored, each once.
    std::vector<std::vector<double>> of_b(static_cast<std::size_t>(experts));
    return expected_rows(
        ends, n, k, some, [&](std::int64_t row, std::span<double> to) { read(0, row, to); },
        [&](std::int64_t e, std::int64_t i, std::int64_t j) {
          std::vector<double> &matrix = of_b[static_cast<std::size_t>(e)];
          if (matrix.empty()) {
            matrix.resize(static_cast<std::size_t>(k * n));
            for (std::int64_t row = 0; row < k; ++row)
              read(1, e * k + row,
                   std::span(matrix).subspan(static_cast<std::size_t>(row * n), static_cast<std::size_t>(n)));
          }
          return matrix[static_cast<std::size_t>(i * n + j)];
        });
  };
  return problem;
}

template <class In, class Out> KernelIR trace(const Settings &settings, bool specialized) {
  const auto any = ArgClass::generic, by16 = ArgClass::divisible_by_16, one = ArgClass::one;
  const bool by_columns = has_b_by_columns(settings);
  std::vector<ArgClass> classes(13, any);
  if (specialized)
    classes = {by16,
               by16,
               by16,
               by16,
               any,
               any,
               by16,
               by16,
               by16,
               by16,
               by_columns ? one : by16,
               by_columns ? by16 : one,
               by16};
  ExpertGemmConfig base = base_config(settings);
  base.describes = specialized;
  return kernels::expert_gemm_kernel<In, Out>.trace(config_from<ExpertGemmConfig>(settings.config, base),
                                                    classes);
}

template <class F> auto with_types(const Settings &settings, F f) {
  return with_element<f16, bf16, f32, e4m3>(
      settings.choice("dtype"), [&]<class In>(std::type_identity<In> in) {
        return f(in, std::type_identity<std::conditional_t<std::is_same_v<In, e4m3>, f16, In>>());
      });
}

}   // namespace

Entry expert_gemm_entry() {
  return {
      .name = "expert_gemm",
      .summary = "the rows of each expert times its own matrix, ends of rows read on the device",
      .parameters =
          {{"experts", "how many matrices b has", "5", {}},
           {"m", "rows of each expert; 900u: all rows, dealt unevenly", "900u", {}, Parameter::Form::rows},
           {"n", "columns of b and c", "150", {}},
           {"k", "columns of a, rows of b", "100", {}},
           {"trans", "nn: b stored by rows; nt: by columns", "nn", {"nn", "nt"}},
           {"dtype", "elements of a and b; c has them, too, but f16 for e4m3", "f16",
            element_names<f16, bf16, f32, e4m3>()}},
      .run =
          [](Device &device, const Settings &settings) {
            return with_types(settings,
                              [&]<class In, class Out>(std::type_identity<In>, std::type_identity<Out>) {
                                return run<In, Out>(device, settings);
                              });
          },
      .trace =
          [](const Settings &settings, bool specialized) {
            return with_types(settings,
                              [&]<class In, class Out>(std::type_identity<In>, std::type_identity<Out>) {
                                return trace<In, Out>(settings, specialized);
                              });
          },
      .configs =
          [](const Settings &settings) {   // of rows at multiples of 16 bytes, as run and problem have them
            std::vector<ExpertGemmConfig> configs = kernels::detail::expert_gemm_configs();
            const ExpertGemmConfig base = base_config(settings);
            std::erase_if(configs, [&](const auto &cfg) { return cfg.b != base.b || !cfg.describes; });
            return config_texts(configs, base);
          },
      .problem =
          [](const Settings &settings) {
            return with_types(settings,
                              [&]<class In, class Out>(std::type_identity<In>, std::type_identity<Out>) {
                                return problem<In, Out>(settings);
                              });
          }};
}

}   // namespace tile::registry
