// SPDX-License-Identifier: MIT
// vector_add by name: its settings, a checked run, its IR.
#include "kernels/vector_add.h"
#include "tools/registry/kernel_entries.h"
#include "tools/registry/running.h"

namespace tile::registry {

using reference::Matrix;
using reference::Placed;

static Matrix sum_of(const Matrix &x, const Matrix &y) {
  Matrix sum = x;
  for (std::size_t i = 0; i < sum.values.size(); ++i)
    sum.values[i] += y.values[i];
  return sum;
}

template <class T> static Outcome run(Device &device, const Settings &settings) {
  const std::int64_t n = settings.size("n");
  const auto config = config_of<kernels::VectorAddConfig>(settings);
  std::mt19937_64 source(settings.seed);
  Placed<T> x(device, "x", 1, n), y(device, "y", 1, n), sum(device, "sum", 1, n);
  const Matrix a = x.fill(reference::random_matrix(1, n, element_type<T>, source));
  const Matrix b = y.fill(reference::random_matrix(1, n, element_type<T>, source));
  sum.poison();
  Outcome outcome{
      .config = config_text(config), .operations = 3.0 * sizeof(T) * static_cast<double>(n), .unit = "B"};
  outcome.seconds =
      timed(device, [&] { kernels::vector_add(device, x.row(0), y.row(0), sum.row(0), {.config = config}); });
  if (!settings.verify)
    return outcome;
  // The sum of two elements is rounded once: what the reference rounds to.
  outcome.tolerance = reference::Tolerance{}.text();
  outcome.verdict = judge(sum, static_cast<double>(n), settings.effort, {},
                          [&](std::span<const std::int64_t>) { return sum_of(a, b); });
  return outcome;
}

template <class T> static Problem problem(const Settings &settings) {
  const std::int64_t n = settings.size("n");
  const ElementType type = element_type<T>;
  return {.kind = Problem::Kind::sum,
          .operands = {{"x", type, n, 1}, {"y", type, n, 1}, {"sum", type, n, 1, false, true}},
          .work = {.bytes = 3.0 * sizeof(T) * static_cast<double>(n)},
          .bind =
              [n, config = config_of<kernels::VectorAddConfig>(settings)](Device &device, auto at) {
                const VectorView<const T> x(static_cast<const T *>(at[0]), n),
                    y(static_cast<const T *>(at[1]), n);
                const VectorView<T> sum(static_cast<T *>(at[2]), n);
                return Problem::Launch(
                    [=, &device] { kernels::vector_add(device, x, y, sum, {.config = config}); });
              },
          .expected =
              [](std::size_t, const Problem::Read &read, std::span<const std::int64_t> rows) {
                return sum_of(rows_of_operand(read, 0, 1, rows), rows_of_operand(read, 1, 1, rows));
              }};
}

template <class T> static KernelIR trace(const Settings &settings, bool specialized) {
  const auto any = specialized ? ArgClass::divisible_by_16 : ArgClass::generic;
  return kernels::vector_add_kernel<T>.trace(config_from<kernels::VectorAddConfig>(settings.config),
                                             {any, any, any, any});
}

Entry vector_add_entry() {
  return {.name = "vector_add",
          .summary = "sum = x + y",
          .parameters = {{"n", "elements", "100000", {}},
                         {"dtype", "element type", "f32", element_names<f16, bf16, f32, f64, i32, i64>()}},
          .run =
              [](Device &device, const Settings &settings) {
                return with_element<f16, bf16, f32, f64, i32, i64>(settings.choice("dtype"), [&](auto t) {
                  return run<typename decltype(t)::type>(device, settings);
                });
              },
          .trace =
              [](const Settings &settings, bool specialized) {
                return with_element<f16, bf16, f32, f64, i32, i64>(settings.choice("dtype"), [&](auto t) {
                  return trace<typename decltype(t)::type>(settings, specialized);
                });
              },
          .configs =
              [](const Settings &settings) {
                return with_element<f16, bf16, f32, f64, i32, i64>(settings.choice("dtype"), [](auto t) {
                  return config_texts(kernels::vector_add_kernel<typename decltype(t)::type>.configs);
                });
              },
          .problem =
              [](const Settings &settings) {
                return with_element<f16, bf16, f32, f64, i32, i64>(settings.choice("dtype"), [&](auto t) {
                  return problem<typename decltype(t)::type>(settings);
                });
              }};
}

}   // namespace tile::registry
