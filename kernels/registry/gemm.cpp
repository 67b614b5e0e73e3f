// SPDX-License-Identifier: MIT
// gemm by name: its settings, a checked run, its IR. Operands get rows of multiples of 16 bytes, so that
// descriptors fit them whatever the sizes.
#include "kernels/gemm.h"
#include "kernels/registry/kernel_entries.h"
#include "kernels/registry/products.h"

namespace tile::registry {

using kernels::GemmConfig;
using kernels::StoredBy;

template <class P> static Outcome run(Device &device, const Settings &settings) {
  const auto config = config_of<GemmConfig>(settings);
  const kernels::GemmOptions options{.precision = P::precision, .config = config, .fall_back = false};
  Outcome outcome = run_product<P>(device, settings, [&](const auto &a, const auto &b, const auto &c) {
    kernels::gemm<P::activation>(device, a, b, c, options);
  });
  outcome.config = config_text(config);
  return outcome;
}

template <class P> static KernelIR trace(const Settings &settings, bool specialized) {
  const auto any = ArgClass::generic, by16 = ArgClass::divisible_by_16, one = ArgClass::one;
  const std::string &trans = settings.choice("trans");
  const bool a_by_columns = trans[0] == 't', b_by_columns = trans[1] == 't';
  GemmConfig config = config_from<GemmConfig>(settings.config);
  config.a = a_by_columns ? StoredBy::columns : StoredBy::rows;
  config.b = b_by_columns ? StoredBy::columns : StoredBy::rows;
  std::vector<ArgClass> classes(12, any);
  if (specialized)
    classes = {by16,
               by16,
               by16,
               by16,
               by16,
               by16,
               a_by_columns ? one : by16,
               a_by_columns ? by16 : one,
               b_by_columns ? one : by16,
               b_by_columns ? by16 : one,
               by16,
               one};
  return kernels::gemm_kernel<typename P::In, typename P::Out, P::activation, P::precision>.trace(config,
                                                                                                  classes);
}

Entry gemm_entry() {
  std::vector<Parameter> parameters{{"m", "rows of a and c", "333", {}},
                                    {"n", "columns of b and c", "271", {}},
                                    {"k", "columns of a, rows of b", "205", {}}};
  for (Parameter &p : product_parameters())
    parameters.push_back(std::move(p));
  parameters.push_back(
      {"trans", "a and b stored by rows (n) or columns (t)", "nn", {"nn", "nt", "tn", "tt"}});
  return {.name = "gemm",
          .summary = "c = act(a * b) with tensor descriptors, all four transpositions",
          .parameters = parameters,
          .run =
              [](Device &device, const Settings &settings) {
                return with_product(settings, [&](auto p) { return run<decltype(p)>(device, settings); });
              },
          .trace =
              [](const Settings &settings, bool specialized) {
                return with_product(settings,
                                    [&](auto p) { return trace<decltype(p)>(settings, specialized); });
              }};
}

}   // namespace tile::registry
