// SPDX-License-Identifier: MIT
// gemm by name: its settings, a checked run, its IR. Operands get rows of multiples of 16 bytes, so that
// descriptors fit them whatever the sizes.
#include "tools/registry/gemm_configs.h"
#include "tools/registry/kernel_entries.h"
#include "tools/registry/products.h"

namespace tile::registry {

using kernels::GemmConfig;
using kernels::StoredBy;

template <class P> static auto multiply(const kernels::GemmOptions &options) {
  return [options](Device &device, const auto &a, const auto &b, const auto &c) {
    kernels::gemm<P::activation>(device, a, b, c, options);
  };
}

template <class P> static Outcome run(Device &device, const Settings &settings) {
  const auto config = config_of<GemmConfig>(settings);
  const kernels::GemmOptions options{.precision = P::precision, .config = config, .fall_back = false};
  Outcome outcome = run_product<P>(device, settings, multiply<P>(options));
  outcome.config = config_text(config);
  return outcome;
}

// Dense operands may have rows that no descriptor takes. Then another kernel multiplies them, unless a config
// of this one was asked for.
template <class P> static Problem problem(const Settings &settings) {
  const auto config = config_of<GemmConfig>(settings);
  return product_problem<P>(
      settings, multiply<P>({.precision = P::precision, .config = config, .fall_back = !config.has_value()}));
}

GemmConfig stored_as_set(const Settings &settings, GemmConfig config) {
  const ProductOperands operands = stored_as_set(settings);
  config.a = operands.a_by_columns ? StoredBy::columns : StoredBy::rows;
  config.b = operands.b_by_columns ? StoredBy::columns : StoredBy::rows;
  return config;
}

// The list has configs for each way to store the operands.
std::vector<std::string> configs_stored_as_set(const Settings &settings,
                                               const std::vector<GemmConfig> &configs) {
  const GemmConfig base = stored_as_set(settings, {});
  std::vector<GemmConfig> fitting;
  for (const GemmConfig &config : configs)
    if (config.a == base.a && config.b == base.b)
      fitting.push_back(config);
  return config_texts(fitting, base);
}

Parameter trans_parameter() {
  return {"trans", "a and b stored by rows (n) or columns (t)", "nn", {"nn", "nt", "tn", "tt"}};
}

template <class P> static KernelIR trace(const Settings &settings, bool specialized) {
  const auto any = ArgClass::generic, by16 = ArgClass::divisible_by_16, one = ArgClass::one;
  const GemmConfig config = stored_as_set(settings, config_from<GemmConfig>(settings.config));
  const bool a_by_columns = config.a == StoredBy::columns, b_by_columns = config.b == StoredBy::columns;
  std::vector<ArgClass> classes(15, any);
  if (specialized)
    classes = {by16,
               by16,
               by16,
               settings.any_rows ? any : by16,
               by16,
               by16,
               a_by_columns ? one : by16,
               a_by_columns ? by16 : one,
               b_by_columns ? one : by16,
               b_by_columns ? by16 : one,
               by16,
               one,
               by16,
               any,
               by16};
  return kernels::gemm_kernel<typename P::In, typename P::Out, P::activation, P::precision>.trace(config,
                                                                                                  classes);
}

// A product with split_k adds the parts up in a launch of its own.
template <class P> static std::vector<KernelIR> beside(const Settings &settings, bool specialized) {
  const int parts = config_from<GemmConfig>(settings.config).split_k;
  if (parts == 1)
    return {};
  const auto any = ArgClass::generic, by16 = ArgClass::divisible_by_16;
  std::vector<ArgClass> classes(8, any);
  if (specialized)
    classes = {by16, by16, settings.any_rows ? any : by16, by16, by16, by16, by16, ArgClass::one};
  const auto &sum =
      kernels::sum_of_parts_kernel<kernels::Accumulator<typename P::In>, typename P::Out, P::activation>;
  return {sum.trace({.parts = parts}, classes)};
}

Entry gemm_entry() {
  std::vector<Parameter> parameters{{"m", "rows of a and c", "333", {}},
                                    {"n", "columns of b and c", "271", {}},
                                    {"k", "columns of a, rows of b", "205", {}}};
  for (Parameter &p : product_parameters())
    parameters.push_back(std::move(p));
  parameters.push_back(trans_parameter());
  return {
      .name = "gemm",
      .summary = "c = act(a * b) with tensor descriptors, all four transpositions",
      .parameters = parameters,
      .run =
          [](Device &device, const Settings &settings) {
            return with_product(settings, [&](auto p) { return run<decltype(p)>(device, settings); });
          },
      .trace =
          [](const Settings &settings, bool specialized) {
            return with_product(settings, [&](auto p) { return trace<decltype(p)>(settings, specialized); });
          },
      .beside =
          [](const Settings &settings, bool specialized) {
            return with_product(settings, [&](auto p) { return beside<decltype(p)>(settings, specialized); });
          },
      .configs =
          [](const Settings &settings) {
            return configs_stored_as_set(settings, kernels::detail::gemm_configs());
          },
      .problem =
          [](const Settings &settings) {
            return with_product(settings, [&](auto p) { return problem<decltype(p)>(settings); });
          }};
}

}   // namespace tile::registry
