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

// The products of all element types, and those of f32 as terms of bf16.
template <class F> static auto with_gemm_product(const Settings &settings, F f) {
  const std::string &dtype = settings.choice("dtype");
  if (dtype == "bf16x6")
    return with_out<f32, Precision::bf16x6, f32>(settings, f);
  if (dtype == "bf16x3")
    return with_out<f32, Precision::bf16x3, f32>(settings, f);
  return with_product(settings, f);
}

// How the arguments of specialised code are classed: sizes and strides are multiples of 16.
struct ArgClasses {
  ArgClass m, a_row, a_col, b_row, b_col;

  explicit ArgClasses(const Settings &settings) {
    const ProductOperands operands = stored_as_set(settings);
    const auto by16 = ArgClass::divisible_by_16, one = ArgClass::one;
    m = settings.any_rows ? ArgClass::generic : by16;
    a_row = operands.a_by_columns ? one : by16;
    a_col = operands.a_by_columns ? by16 : one;
    b_row = operands.b_by_columns ? one : by16;
    b_col = operands.b_by_columns ? by16 : one;
  }
};

template <class P> static KernelIR trace(const Settings &settings, bool specialized) {
  const auto any = ArgClass::generic, by16 = ArgClass::divisible_by_16, one = ArgClass::one;
  const GemmConfig config = stored_as_set(settings, config_from<GemmConfig>(settings.config));
  const auto &[m, a_row, a_col, b_row, b_col] = ArgClasses(settings);
  auto with_classes = [&](const auto &kernel, const std::vector<ArgClass> &classes) {
    return kernel.trace(config, specialized ? classes : std::vector(classes.size(), any));
  };
  if constexpr (kernels::detail::is_product_of_terms<P::precision>)
    return with_classes(kernels::gemm_of_terms_kernel<typename P::Out, P::activation, P::precision>,
                        {by16, by16, by16, m, by16, by16, by16, a_row, a_col, by16, b_row, b_col, by16, one,
                         by16, any, by16});
  else
    return with_classes(
        kernels::gemm_kernel<typename P::In, typename P::Out, P::activation, P::precision>,
        {by16, by16, by16, m, by16, by16, a_row, a_col, b_row, b_col, by16, one, by16, any, by16});
}

// The other kernels of a launch: the terms of f32, and the sums of split_k.
template <class P> static std::vector<KernelIR> beside(const Settings &settings, bool specialized) {
  const auto any = ArgClass::generic, by16 = ArgClass::divisible_by_16, one = ArgClass::one;
  const ArgClass m = ArgClasses(settings).m;
  std::vector<KernelIR> kernels;
  auto add = [&](const auto &kernel, const auto &config, const std::vector<ArgClass> &classes) {
    kernels.push_back(kernel.trace(config, specialized ? classes : std::vector(classes.size(), any)));
  };
  using Out = typename P::Out;
  if constexpr (kernels::detail::is_product_of_terms<P::precision>)
    add(kernels::bf16_terms_kernel, kernels::TermsConfig{.terms = kernels::detail::terms_of<P::precision>},
        {by16, by16, by16, by16, by16, one, by16, by16});
  const int parts = config_from<GemmConfig>(settings.config).split_k;
  if (parts > 1)
    add(kernels::sum_of_parts_kernel<kernels::Accumulator<typename P::In>, Out, P::activation>,
        kernels::SumOfPartsConfig{.parts = parts}, {by16, by16, m, by16, by16, by16, by16, one});
  return kernels;
}

Entry gemm_entry() {
  std::vector<Parameter> parameters{{"m", "rows of a and c", "333", {}},
                                    {"n", "columns of b and c", "271", {}},
                                    {"k", "columns of a, rows of b", "205", {}}};
  for (Parameter &p : product_parameters()) {
    if (p.name == "dtype") {
      p.help += ". bf16x6, bf16x3: f32 as sums of bf16";
      p.choices.insert(p.choices.end(), {"bf16x6", "bf16x3"});
    }
    parameters.push_back(std::move(p));
  }
  parameters.push_back(trans_parameter());
  return {.name = "gemm",
          .summary = "c = act(a * b) with tensor descriptors, all four transpositions",
          .parameters = parameters,
          .run =
              [](Device &device, const Settings &settings) {
                return with_gemm_product(settings,
                                         [&](auto p) { return run<decltype(p)>(device, settings); });
              },
          .trace =
              [](const Settings &settings, bool specialized) {
                return with_gemm_product(settings,
                                         [&](auto p) { return trace<decltype(p)>(settings, specialized); });
              },
          .beside =
              [](const Settings &settings, bool specialized) {
                return with_gemm_product(settings,
                                         [&](auto p) { return beside<decltype(p)>(settings, specialized); });
              },
          .configs =
              [](const Settings &settings) {
                const std::string &dtype = settings.choice("dtype");
                return dtype == "bf16x6" || dtype == "bf16x3"
                           ? config_texts(kernels::detail::gemm_of_terms_configs())
                           : configs_stored_as_set(settings, kernels::detail::gemm_configs());
              },
          .problem =
              [](const Settings &settings) {
                return with_gemm_product(settings, [&](auto p) { return problem<decltype(p)>(settings); });
              }};
}

}   // namespace tile::registry
