// SPDX-License-Identifier: MIT
// What the entries of matmul, gemm, batched_gemm and grouped_gemm share: element types and activations by
// name, and a product of two random matrices that is checked.
#pragma once

#include "kernels/activation.h"
#include "tools/registry/running.h"

#include <string>
#include <vector>

namespace tile::registry {

// dtype (tf32 is f32 with the products of tf32 units), out, act.
std::vector<Parameter> product_parameters();
reference::Function activation_reference(const std::string &act, ElementType accumulator);
[[noreturn]] void refuse_product(const Settings &settings);

// What a product is made of; the functions below get it as a template argument.
template <class InType, class OutType, auto Function, Precision Rule> struct Product {
  using In = InType;
  using Out = OutType;
  static constexpr auto activation = Function;
  static constexpr Precision precision = Rule;
};

template <class In, class Out, Precision Rule, class F> auto with_activation(const Settings &settings, F f) {
  using Acc = kernels::Accumulator<In>;
  const std::string &act = settings.choice("act");
  if constexpr (std::is_same_v<Acc, f32>)
    if (act == "gelu")
      return f(Product<In, Out, &kernels::gelu, Rule>());
  if (act == "leaky_relu")
    return f(Product<In, Out, &kernels::leaky_relu<Acc>, Rule>());
  if (act != "none")
    refuse_product(settings);
  return f(Product<In, Out, kernels::no_activation, Rule>());
}

// The first of the Outs is what `out=auto` means.
template <class In, Precision Rule, class... Outs, class F> auto with_out(const Settings &settings, F f) {
  using Result = std::common_type_t<decltype(with_activation<In, Outs, Rule>(settings, f))...>;
  const std::string &out = settings.choice("out");
  std::optional<Result> result;
  auto call_if_named = [&]<class Out>(std::type_identity<Out>) {
    if (!result && (out == "auto" || out == element_type<Out>.name()))
      result.emplace(with_activation<In, Out, Rule>(settings, f));
  };
  (call_if_named(std::type_identity<Outs>()), ...);
  if (!result)
    refuse_product(settings);
  return std::move(*result);
}

// Calls f(Product<...>()) with the types and the function that the settings name.
template <class F> auto with_product(const Settings &settings, F f) {
  const std::string &dtype = settings.choice("dtype");
  if (dtype == "f16")
    return with_out<f16, Precision::tf32, f16, f32>(settings, f);
  if (dtype == "bf16")
    return with_out<bf16, Precision::tf32, bf16, f32>(settings, f);
  if (dtype == "f32")
    return with_out<f32, Precision::ieee, f32>(settings, f);
  if (dtype == "tf32")
    return with_out<f32, Precision::tf32, f32>(settings, f);
  if (dtype == "e4m3")
    return with_out<e4m3, Precision::tf32, f16, f32>(settings, f);
  if (dtype == "e5m2")
    return with_out<e5m2, Precision::tf32, f16, f32>(settings, f);
  return with_out<i8, Precision::tf32, i32>(settings, f);
}

// A factor in the device's memory, and what it is to the reference.
template <class In> struct Factor {
  reference::Placed<In> placed;
  reference::Matrix values;

  Factor(Device &device, const char *name, std::int64_t rows, std::int64_t cols, bool by_columns, bool tf32,
         std::mt19937_64 &source)
      : placed(device, name, rows, cols,
               {.by_columns = by_columns,
                .padding = reference::padding_to_16_bytes<In>(by_columns ? rows : cols)}),
        values(placed.fill(reference::random_matrix(rows, cols, element_type<In>, source))) {
    if (tf32)
      reference::round_to_tf32(values);
  }
};

template <class P> constexpr bool multiplies_tf32() {
  return std::is_same_v<typename P::In, f32> && P::precision == Precision::tf32;
}
// Two terms hold 16 bits of each factor. 0 for other precisions.
double error_of_bf16x3(Precision precision, std::int64_t k);
// Of elements of a normal distribution, with k products in a sum.
reference::Tolerance normal_tolerance(ElementType in, ElementType out, Precision precision, std::int64_t k);
template <class P> reference::Function activation_reference(const Settings &settings) {
  return activation_reference(settings.choice("act"), element_type<kernels::Accumulator<typename P::In>>);
}

inline double work_of_product_row(std::int64_t n, std::int64_t k) {
  return static_cast<double>(k) * static_cast<double>(n);
}

// The operands of a product's problem: n and k are settings.
struct ProductOperands {
  std::vector<std::int64_t> rows;   // of a and c, of each group
  bool a_by_columns = false, b_by_columns = false;
  std::int64_t batch = 1;   // matrices of c, and of a and b unless all products share one
  bool shares_a = false, shares_b = false;
};
ProductOperands stored_as_set(const Settings &settings);   // one product, `trans` as in BLAS

// Rows of a stack of matrices of m rows each: those of each matrix, within it.
std::vector<std::pair<std::int64_t, std::vector<std::int64_t>>>
rows_by_matrix(std::span<const std::int64_t> rows, std::int64_t m);

// What a product's problem is but for the launch: operands a, b, c of each group.
Problem describe_product(const Settings &settings, ElementType in, ElementType out, Precision precision,
                         reference::Function activation, const ProductOperands &operands);
template <class P> Problem describe_product(const Settings &settings, const ProductOperands &operands) {
  return describe_product(settings, element_type<typename P::In>, element_type<typename P::Out>, P::precision,
                          activation_reference<P>(settings), operands);
}

// multiply(device, a, b, c) with views.
template <class P, class Multiply> Problem product_problem(const Settings &settings, Multiply multiply) {
  using In = const typename P::In;
  using Out = typename P::Out;
  const std::int64_t m = settings.size("m"), n = settings.size("n"), k = settings.size("k");
  const ProductOperands operands = stored_as_set(settings);
  const bool a_by_columns = operands.a_by_columns, b_by_columns = operands.b_by_columns;
  Problem problem = describe_product<P>(settings, operands);
  problem.bind = [=](Device &device, auto at) {
    auto *a = static_cast<In *>(at[0]), *b = static_cast<In *>(at[1]);
    const auto left = a_by_columns ? column_major(a, m, k) : MatrixView<In>(a, m, k);
    const auto right = b_by_columns ? column_major(b, k, n) : MatrixView<In>(b, k, n);
    const MatrixView<Out> c(static_cast<Out *>(at[2]), m, n);
    return Problem::Launch([=, &device] { multiply(device, left, right, c); });
  };
  return problem;
}

// multiply(device, a, b, c) with views.
template <class P, class Multiply>
Outcome run_product(Device &device, const Settings &settings, Multiply multiply) {
  using Out = typename P::Out;
  const std::int64_t m = settings.size("m"), n = settings.size("n"), k = settings.size("k");
  const ProductOperands operands = stored_as_set(settings);
  std::mt19937_64 source(settings.seed);
  Factor<typename P::In> a(device, "a", m, k, operands.a_by_columns, multiplies_tf32<P>(), source);
  Factor<typename P::In> b(device, "b", k, n, operands.b_by_columns, multiplies_tf32<P>(), source);
  reference::Placed<Out> c(device, "c", m, n, {.padding = reference::padding_to_16_bytes<Out>(n)});
  c.poison();
  Outcome outcome{.operations =
                      2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k),
                  .unit = "FLOP"};
  outcome.seconds = timed(device, [&] { multiply(device, a.placed.view(), b.placed.view(), c.view()); });
  if (!settings.verify)
    return outcome;
  auto tolerance = reference::product_tolerance(element_type<typename P::In>, element_type<Out>, k);
  tolerance.absolute = std::max(tolerance.absolute, error_of_bf16x3(P::precision, k));
  outcome.tolerance = tolerance.text();
  outcome.verdict = judge(c, work_of_product_row(n, k), settings.effort, tolerance,
                          [&](std::span<const std::int64_t> rows) {
                            return reference::matmul(reference::rows_of(a.values, rows), b.values,
                                                     activation_reference<P>(settings));
                          });
  return outcome;
}

}   // namespace tile::registry
