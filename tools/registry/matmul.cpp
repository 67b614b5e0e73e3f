// SPDX-License-Identifier: MIT
// matmul by name: its settings, a checked run, its IR.
#include "kernels/matmul.h"
#include "tools/registry/kernel_entries.h"
#include "tools/registry/products.h"

namespace tile::registry {

template <class P> static auto multiply(const kernels::MatmulOptions &options) {
  return [options](Device &device, const auto &a, const auto &b, const auto &c) {
    kernels::matmul<P::activation>(device, a, b, c, options);
  };
}

template <class P> static Outcome run(Device &device, const Settings &settings) {
  const auto config = config_of<kernels::MatmulConfig>(settings);
  Outcome outcome =
      run_product<P>(device, settings, multiply<P>({.precision = P::precision, .config = config}));
  outcome.config = config_text(config);
  return outcome;
}

template <class P> static Problem problem(const Settings &settings) {
  return product_problem<P>(settings, multiply<P>({.precision = P::precision,
                                                   .config = config_of<kernels::MatmulConfig>(settings)}));
}

template <class P> static KernelIR trace(const Settings &settings, bool specialized) {
  const auto any = ArgClass::generic;
  std::vector<ArgClass> classes(12, any);
  if (specialized) {
    const auto by16 = ArgClass::divisible_by_16, one = ArgClass::one;
    const std::string &trans = settings.choice("trans");
    const bool a_by_columns = trans[0] == 't', b_by_columns = trans[1] == 't';
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
               one};
  }
  return kernels::matmul_kernel<typename P::In, typename P::Out, P::activation, P::precision>.trace(
      config_from<kernels::MatmulConfig>(settings.config), classes);
}

Entry matmul_entry() {
  std::vector<Parameter> parameters{{"m", "rows of a and c", "333", {}},
                                    {"n", "columns of b and c", "271", {}},
                                    {"k", "columns of a, rows of b", "205", {}}};
  for (Parameter &p : product_parameters())
    parameters.push_back(std::move(p));
  parameters.push_back(
      {"trans", "a and b stored by rows (n) or columns (t)", "nn", {"nn", "nt", "tn", "tt"}});
  return {.name = "matmul",
          .summary = "c = act(a * b) with pointer arithmetic, any strides; --config form=wrap, mask or exact",
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
                return with_product(settings,
                                    [](auto p) {
                                      using P = decltype(p);
                                      return config_texts(
                      kernels::matmul_kernel<typename P::In, typename P::Out, P::activation, P::precision>.configs);
                                    });
              },
          .problem =
              [](const Settings &settings) {
                return with_product(settings, [&](auto p) { return problem<decltype(p)>(settings); });
              }};
}

}   // namespace tile::registry
