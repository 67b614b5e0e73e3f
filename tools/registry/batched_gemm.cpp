// SPDX-License-Identifier: MIT
// batched_gemm by name: its settings, a checked run of stacks with gaps between their matrices, its IR.
#include "kernels/batched_gemm.h"
#include "tools/registry/gemm_configs.h"
#include "tools/registry/kernel_entries.h"
#include "tools/registry/products.h"

#include <algorithm>
#include <array>

namespace tile::registry {

using kernels::GemmConfig;

static ProductOperands operands_of(const Settings &settings) {
  ProductOperands operands = stored_as_set(settings);
  operands.batch = settings.size("batch");
  operands.shares_a = settings.choice("shared") == "a";
  operands.shares_b = settings.choice("shared") == "b";
  return operands;
}

// Matrices one below the other as they are stored, each with a row behind it that belongs to none: so stacks
// of which one matrix is shared are no single larger matrix, which gemm would multiply.
template <class In> struct FactorStack {
  std::int64_t batch, rows, cols;   // as stored
  bool by_columns, is_shared;
  Factor<In> all;

  FactorStack(Device &device, const char *name, std::int64_t count, std::int64_t m, std::int64_t n,
              bool columns, bool shared, bool tf32, std::mt19937_64 &source)
      : batch(count), rows(columns ? n : m), cols(columns ? m : n), by_columns(columns), is_shared(shared),
        all(device, name, (shared ? std::min<std::int64_t>(count, 1) : count) * (rows + 1), cols, false, tf32,
            source) {}
  TensorView<const In, 3> view() const {
    const MatrixView<In> stored = all.placed.view();
    const std::int64_t apart = is_shared ? 0 : (rows + 1) * stored.row_stride;
    const TensorView<const In, 3> stack(stored.data, {batch, rows, cols}, {apart, stored.row_stride, 1});
    return by_columns ? stack.transposed() : stack;
  }
  reference::Matrix member(std::int64_t i) const {
    reference::Matrix values(by_columns ? cols : rows, by_columns ? rows : cols);
    const std::int64_t first = is_shared ? 0 : i * (rows + 1);
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < cols; ++c)
        (by_columns ? values.at(c, r) : values.at(r, c)) = all.values.at(first + r, c);
    return values;
  }
};

template <class T>
static TensorView<T, 3> stacked(const MatrixView<T> &all, std::int64_t batch, std::int64_t rows) {
  return {all.data, {batch, rows, all.cols}, {rows * all.row_stride, all.row_stride, 1}};
}

template <class P> static Outcome run(Device &device, const Settings &settings) {
  using In = typename P::In;
  using Out = typename P::Out;
  const std::int64_t m = settings.size("m"), n = settings.size("n"), k = settings.size("k");
  const ProductOperands operands = operands_of(settings);
  const auto config = config_of<GemmConfig>(settings);
  std::mt19937_64 source(settings.seed);
  const FactorStack<In> a(device, "a", operands.batch, m, k, operands.a_by_columns, operands.shares_a,
                          multiplies_tf32<P>(), source),
      b(device, "b", operands.batch, k, n, operands.b_by_columns, operands.shares_b, multiplies_tf32<P>(),
        source);
  reference::Placed<Out> c(device, "c", operands.batch * m, n,
                           {.padding = reference::padding_to_16_bytes<Out>(n)});
  c.poison();
  Outcome outcome{.config = config_text(config),
                  .operations = 2.0 * static_cast<double>(operands.batch) * static_cast<double>(m) *
                                static_cast<double>(n) * static_cast<double>(k),
                  .unit = "FLOP"};
  outcome.seconds = timed(device, [&] {
    kernels::batched_gemm<P::activation>(device, a.view(), b.view(), stacked(c.view(), operands.batch, m),
                                         {.precision = P::precision, .config = config, .fall_back = false});
  });
  if (!settings.verify)
    return outcome;
  const auto tolerance = reference::product_tolerance(element_type<In>, element_type<Out>, k);
  outcome.tolerance = tolerance.text();
  outcome.verdict = judge(
      c, work_of_product_row(n, k), settings.effort, tolerance, [&](std::span<const std::int64_t> rows) {
        reference::Matrix expected(0, n);
        for (const auto &[i, within] : rows_by_matrix(rows, m)) {
          const reference::Matrix part = reference::matmul(reference::rows_of(a.member(i), within),
                                                           b.member(i), activation_reference<P>(settings));
          expected.values.insert(expected.values.end(), part.values.begin(), part.values.end());
          expected.rows += part.rows;
        }
        return expected;
      });
  return outcome;
}

// Dense stacks, one matrix right behind the other.
template <class P> static Problem problem(const Settings &settings) {
  using In = const typename P::In;
  using Out = typename P::Out;
  const std::int64_t m = settings.size("m"), n = settings.size("n"), k = settings.size("k");
  const ProductOperands operands = operands_of(settings);
  const auto config = config_of<GemmConfig>(settings);
  Problem problem = describe_product<P>(settings, operands);
  problem.bind = [=](Device &device, auto at) {
    auto stack = [&](void *data, std::int64_t rows, std::int64_t cols, bool by_columns, bool is_shared) {
      TensorView<In, 3> view(static_cast<In *>(data),
                             {operands.batch, by_columns ? cols : rows, by_columns ? rows : cols});
      view.strides[0] = is_shared ? 0 : view.strides[0];
      return by_columns ? view.transposed() : view;
    };
    const auto a = stack(at[0], m, k, operands.a_by_columns, operands.shares_a),
               b = stack(at[1], k, n, operands.b_by_columns, operands.shares_b);
    const TensorView<Out, 3> c(static_cast<Out *>(at[2]), {operands.batch, m, n});
    return Problem::Launch([=, &device] {
      kernels::batched_gemm<P::activation>(
          device, a, b, c, {.precision = P::precision, .config = config, .fall_back = !config.has_value()});
    });
  };
  return problem;
}

template <class P> static KernelIR trace(const Settings &settings, bool specialized) {
  const GemmConfig config = stored_as_set(settings, config_from<GemmConfig>(settings.config));
  const ProductOperands operands = operands_of(settings);
  const auto any = ArgClass::generic, by16 = ArgClass::divisible_by_16, one = ArgClass::one;
  std::vector<ArgClass> classes(19, any);
  if (specialized) {
    auto matrix = [&](bool is_shared, bool by_columns) {   // count, distance, stride of rows, of columns
      return std::array{is_shared ? one : any, by16, by_columns ? one : by16, by_columns ? by16 : one};
    };
    classes = {by16, by16, by16, any, settings.any_rows ? any : by16, by16, by16};
    for (const auto &part :
         {matrix(operands.shares_a, operands.a_by_columns), matrix(operands.shares_b, operands.b_by_columns)})
      classes.insert(classes.end(), part.begin(), part.end());
    classes.insert(classes.end(), {by16, by16, by16, one});
  }
  return kernels::batched_gemm_kernel<typename P::In, typename P::Out, P::activation, P::precision>.trace(
      config, classes);
}

Entry batched_gemm_entry() {
  std::vector<Parameter> parameters{{"batch", "how many products", "5", {}},
                                    {"m", "rows of a and c", "200", {}},
                                    {"n", "columns of b and c", "150", {}},
                                    {"k", "columns of a, rows of b", "100", {}}};
  for (Parameter &p : product_parameters())
    parameters.push_back(std::move(p));
  parameters.push_back(trans_parameter());
  parameters.push_back(
      {"shared", "the operand of which all products have the same matrix", "none", {"none", "a", "b"}});
  return {.name = "batched_gemm",
          .summary = "c[i] = act(a[i] * b[i]) for stacks of matrices in one launch",
          .parameters = parameters,
          .run =
              [](Device &device, const Settings &settings) {
                return with_product(settings, [&](auto p) { return run<decltype(p)>(device, settings); });
              },
          .trace =
              [](const Settings &settings, bool specialized) {
                return with_product(settings,
                                    [&](auto p) { return trace<decltype(p)>(settings, specialized); });
              },
          .configs =
              [](const Settings &settings) {
                return configs_stored_as_set(settings, kernels::detail::batched_gemm_configs());
              },
          .problem =
              [](const Settings &settings) {
                return with_product(settings, [&](auto p) { return problem<decltype(p)>(settings); });
              }};
}

}   // namespace tile::registry
