// SPDX-License-Identifier: MIT
// layer_norm by name: its settings, a checked run of the result and of the statistics, its IR.
#include "kernels/layer_norm.h"
#include "tools/registry/kernel_entries.h"
#include "tools/registry/running.h"

namespace tile::registry {

using reference::Matrix;
using reference::Placed;

// It goes through a row several times, and so does the comparison.
static double work_of_row(std::int64_t cols) { return 40.0 * static_cast<double>(cols); }

template <class T> static Outcome run(Device &device, const Settings &settings) {
  const std::int64_t rows = settings.size("m"), cols = settings.size("n");
  const auto config = config_of<kernels::LayerNormConfig>(settings);
  std::mt19937_64 source(settings.seed);
  const ElementType type = element_type<T>;
  Placed<T> x(device, "x", rows, cols), y(device, "y", rows, cols);
  Placed<T> weight(device, "weight", 1, cols), bias(device, "bias", 1, cols);
  Placed<f32> mean(device, "mean", rows, 1), scale(device, "scale", rows, 1);
  const Matrix values = x.fill(reference::random_matrix(rows, cols, type, source));
  const Matrix w = weight.fill(reference::random_matrix(1, cols, type, source));
  const Matrix b = bias.fill(reference::random_matrix(1, cols, type, source));
  y.poison();
  mean.poison();
  scale.poison();

  kernels::LayerNormOptions options{.config = config};
  Outcome outcome{.config = config_text(config),
                  .operations = 2.0 * sizeof(T) * static_cast<double>(rows) * static_cast<double>(cols),
                  .unit = "B"};
  outcome.seconds = timed(device, [&] {
    kernels::layer_norm(device, x.view(), weight.row(0), bias.row(0), y.view(), options,
                        kernels::LayerNormStatistics{mean.column(), scale.column()});
  });
  if (!settings.verify)
    return outcome;
  const auto tolerance = reference::layer_norm_tolerance(type),
             tolerance_f32 = reference::layer_norm_tolerance(element_type<f32>);
  outcome.tolerance = tolerance.text();
  reference::LayerNorm expected;
  outcome.verdict =
      judge(y, work_of_row(cols), settings.effort, tolerance, [&](std::span<const std::int64_t> some) {
        expected =
            reference::layer_norm(reference::rows_of(values, some), w.values, b.values, options.epsilon);
        return expected.y;
      });
  // Their elements are its rows.
  const auto column_of = [](const std::vector<double> &numbers) {
    Matrix column(static_cast<std::int64_t>(numbers.size()), 1);
    column.values = numbers;
    return column;
  };
  for (auto [statistic, numbers] : {std::pair(&mean, &expected.mean), std::pair(&scale, &expected.scale)})
    outcome.verdict.add(judge(*statistic, work_of_row(cols), settings.effort, tolerance_f32,
                              [&](std::span<const std::int64_t>) { return column_of(*numbers); }));
  return outcome;
}

template <class T> static Problem problem(const Settings &settings) {
  const std::int64_t m = settings.size("m"), n = settings.size("n");
  const ElementType type = element_type<T>;
  const kernels::LayerNormOptions options{.config = config_of<kernels::LayerNormConfig>(settings)};
  return {.kind = Problem::Kind::layer_norm,
          .operands = {{"x", type, m, n},
                       {"weight", type, n, 1},
                       {"bias", type, n, 1},
                       {"y", type, m, n, false, true}},
          .work = {.bytes = 2.0 * sizeof(T) * static_cast<double>(m) * static_cast<double>(n)},
          .epsilon = options.epsilon,
          .work_of_row = work_of_row(n),
          .tolerance = reference::layer_norm_tolerance(type),
          .bind =
              [m, n, options](Device &device, auto at) {
                const MatrixView<const T> x(static_cast<const T *>(at[0]), m, n);
                const VectorView<const T> weight(static_cast<const T *>(at[1]), n),
                    bias(static_cast<const T *>(at[2]), n);
                const MatrixView<T> y(static_cast<T *>(at[3]), m, n);
                return Problem::Launch(
                    [=, &device] { kernels::layer_norm(device, x, weight, bias, y, options); });
              },
          .expected =
              [n, options](std::size_t, const Problem::Read &read, std::span<const std::int64_t> rows) {
                return reference::layer_norm(rows_of_operand(read, 0, n, rows), column_of(read, 1, n),
                                             column_of(read, 2, n), options.epsilon)
                    .y;
              }};
}

template <class T> static KernelIR trace(const Settings &settings, bool specialized) {
  const auto any = ArgClass::generic, by16 = specialized ? ArgClass::divisible_by_16 : any,
             one = specialized ? ArgClass::one : any;
  return kernels::layer_norm_kernel<T>.trace(
      config_from<kernels::LayerNormConfig>(settings.config),
      {by16, by16, by16, by16, by16, by16, by16, by16, by16, one, by16, one, any});
}

Entry layer_norm_entry() {
  return {.name = "layer_norm",
          .summary = "layer normalisation of each row of a matrix, with weight and bias",
          .parameters = {{"m", "rows", "64", {}},
                         {"n", "columns", "1823", {}},
                         {"dtype", "element type", "f32", element_names<f16, bf16, f32>()}},
          .run =
              [](Device &device, const Settings &settings) {
                return with_element<f16, bf16, f32>(settings.choice("dtype"), [&](auto t) {
                  return run<typename decltype(t)::type>(device, settings);
                });
              },
          .trace =
              [](const Settings &settings, bool specialized) {
                return with_element<f16, bf16, f32>(settings.choice("dtype"), [&](auto t) {
                  return trace<typename decltype(t)::type>(settings, specialized);
                });
              },
          .configs =
              [](const Settings &settings) {
                return with_element<f16, bf16, f32>(settings.choice("dtype"), [](auto t) {
                  return config_texts(kernels::layer_norm_kernel<typename decltype(t)::type>.configs);
                });
              },
          .problem =
              [](const Settings &settings) {
                return with_element<f16, bf16, f32>(settings.choice("dtype"), [&](auto t) {
                  return problem<typename decltype(t)::type>(settings);
                });
              }};
}

}   // namespace tile::registry
