// SPDX-License-Identifier: MIT
// softmax and log_softmax by name: their settings, a checked run, their IR.
#include "kernels/softmax.h"
#include "tools/registry/row_functions.h"

namespace tile::registry {

using reference::Matrix;
using reference::Placed;

// Exponentials take as long as many additions.
static double work_of_row(std::int64_t cols) { return 40.0 * static_cast<double>(cols); }

template <class T> static Outcome run(Device &device, const Settings &settings) {
  const std::int64_t rows = settings.size("m"), cols = settings.size("n");
  const auto config = config_of<kernels::SoftmaxConfig>(settings);
  std::mt19937_64 source(settings.seed);
  Placed<T> x(device, "x", rows, cols), y(device, "y", rows, cols);
  Matrix values = reference::random_matrix(rows, cols, element_type<T>, source);
  for (double &value : values.values)
    value *= 8;   // e^8 tells elements apart
  values = x.fill(std::move(values));
  y.poison();
  Outcome outcome{.config = config_text(config),
                  .operations = 2.0 * sizeof(T) * static_cast<double>(rows) * static_cast<double>(cols),
                  .unit = "B"};
  outcome.seconds = timed(device, [&] { kernels::softmax(device, x.view(), y.view(), {.config = config}); });
  if (!settings.verify)
    return outcome;
  const auto tolerance = reference::elementwise_tolerance(element_type<T>);
  outcome.tolerance = tolerance.text();
  outcome.verdict =
      judge(y, work_of_row(cols), settings.effort, tolerance, [&](std::span<const std::int64_t> some) {
        return reference::softmax(reference::rows_of(values, some));
      });
  return outcome;
}

template <class T> static Problem problem(const Settings &settings) {
  const std::int64_t m = settings.size("m"), n = settings.size("n");
  const ElementType type = element_type<T>;
  return {.kind = Problem::Kind::softmax,
          .operands = {{"x", type, m, n}, {"y", type, m, n, false, true}},
          .work = {.bytes = 2.0 * sizeof(T) * static_cast<double>(m) * static_cast<double>(n)},
          .work_of_row = work_of_row(n),
          .tolerance = reference::elementwise_tolerance(type),
          .bind =
              [m, n, config = config_of<kernels::SoftmaxConfig>(settings)](Device &device, auto at) {
                const MatrixView<const T> x(static_cast<const T *>(at[0]), m, n);
                const MatrixView<T> y(static_cast<T *>(at[1]), m, n);
                return Problem::Launch([=, &device] { kernels::softmax(device, x, y, {.config = config}); });
              },
          .expected =
              [n](std::size_t, const Problem::Read &read, std::span<const std::int64_t> rows) {
                return reference::softmax(rows_of_operand(read, 0, n, rows));
              }};
}

template <class T> static KernelIR trace(const Settings &settings, bool specialized) {
  const auto any = ArgClass::generic, by16 = specialized ? ArgClass::divisible_by_16 : any,
             one = specialized ? ArgClass::one : any;
  return kernels::softmax_kernel<T>.trace(config_from<kernels::SoftmaxConfig>(settings.config),
                                          {by16, by16, by16, by16, by16, one, by16, one});
}

template <class T> struct LogSoftmax {
  using Config = kernels::SoftmaxConfig;

  static Problem problem(const Settings &settings) {
    const std::int64_t m = settings.size("m"), n = settings.size("n");
    const ElementType type = element_type<T>;
    Problem problem{.kind = Problem::Kind::other_rows,
                    .operands = {{"x", type, m, n}, {"y", type, m, n, false, true}},
                    .work = work_of_matrices(settings, 2, type),
                    .work_of_row = work_of_row(n),
                    .tolerance = reference::row_gradient_tolerance(type)};
    problem.bind = [m, n, config = config_of<Config>(settings)](Device &device, auto at) {
      const MatrixView<const T> x(static_cast<const T *>(at[0]), m, n);
      const MatrixView<T> y(static_cast<T *>(at[1]), m, n);
      return Problem::Launch([=, &device] { kernels::log_softmax(device, x, y, {.config = config}); });
    };
    problem.expected = [n](std::size_t, const Problem::Read &read, std::span<const std::int64_t> rows) {
      return reference::log_softmax(rows_of_operand(read, 0, n, rows));
    };
    return problem;
  }

  static KernelIR trace(const Settings &settings, bool specialized) {
    const RowClasses c(specialized);
    return kernels::softmax_kernel<T, true>.trace(
        config_from<Config>(settings.config), {c.by16, c.by16, c.by16, c.by16, c.by16, c.one, c.by16, c.one});
  }
  static auto configs(const Settings &) { return kernels::softmax_kernel<T, true>.configs; }
};

Entry log_softmax_entry() {
  return row_entry<LogSoftmax>("log_softmax", "logarithm of the softmax of each row of a matrix");
}

Entry softmax_entry() {
  return {.name = "softmax",
          .summary = "softmax of each row of a matrix, rows of any length",
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
                  return config_texts(kernels::softmax_kernel<typename decltype(t)::type>.configs);
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
