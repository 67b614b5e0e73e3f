// SPDX-License-Identifier: MIT
// layer_norm by name: its settings, a checked run of the result and of the statistics, its IR.
#include "kernels/layer_norm.h"
#include "tools/registry/kernel_entries.h"
#include "tools/registry/running.h"

namespace tile::registry {

using reference::Matrix;
using reference::Placed;

template <class T> static Outcome run(Device &device, const Settings &settings) {
  const std::int64_t rows = settings.size("m"), cols = settings.size("n");
  const auto config = config_of<kernels::LayerNormConfig>(settings);
  std::mt19937_64 source(settings.seed);
  const ElementType type = element_type<T>;
  Placed<T> x(device, "x", rows, cols), y(device, "y", rows, cols);
  Placed<T> weight(device, "weight", 1, cols), bias(device, "bias", 1, cols);
  Placed<f32> mean(device, "mean", 1, rows), scale(device, "scale", 1, rows);
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
                        kernels::LayerNormStatistics{mean.row(0), scale.row(0)});
  });
  if (!settings.verify)
    return outcome;
  const auto expected = reference::layer_norm(values, w.values, b.values, options.epsilon);
  auto as_row = [](const std::vector<double> &v) {
    Matrix row(1, static_cast<std::int64_t>(v.size()));
    row.values = v;
    return row;
  };
  const auto tolerance = reference::layer_norm_tolerance(type);
  outcome.tolerance = tolerance.text();
  outcome.verdict = judge(y, expected.y, tolerance);
  outcome.verdict.add(judge(mean, as_row(expected.mean), reference::layer_norm_tolerance(element_type<f32>)));
  outcome.verdict.add(
      judge(scale, as_row(expected.scale), reference::layer_norm_tolerance(element_type<f32>)));
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
          .work_of_row = 10.0 * static_cast<double>(n),
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
