// SPDX-License-Identifier: MIT
// grouped_gemm by name: its settings, a checked run of problems of random sizes, its IR.
#include "kernels/grouped_gemm.h"
#include "tools/registry/group_rows.h"
#include "tools/registry/kernel_entries.h"
#include "tools/registry/products.h"

#include <deque>
#include <memory>

namespace tile::registry {

using kernels::GroupedGemmConfig;

static GroupRows rows_of(const Settings &settings) {
  return parse_group_rows(settings.choice("m")).value();   // or it could not have been set
}

// Group 0 has the full sizes and group 1, if there is one, no rows; the others have random ones. Where rows
// are dealt, all groups have the full n and k, as experts do.
template <class P> static Outcome run(Device &device, const Settings &settings) {
  using In = typename P::In;
  using Out = typename P::Out;
  const auto config = config_of<GroupedGemmConfig>(settings);
  std::mt19937_64 source(settings.seed);
  const GroupRows rows = rows_of(settings);
  const std::vector<std::int64_t> dealt = dealt_rows(rows.rows, settings.size("groups"));
  auto size = [&](std::int64_t limit, std::int64_t group) {
    return group == 0 ? limit : static_cast<std::int64_t>(source() % static_cast<std::uint64_t>(limit + 1));
  };

  std::deque<Factor<In>> as, bs;
  std::deque<reference::Placed<Out>> cs;
  std::vector<typename kernels::GroupedProblems<In, Out>::Problem> problems;
  Outcome outcome{.config = config_text(config), .unit = "FLOP"};
  std::int64_t deepest = 0;
  for (std::int64_t g = 0; g < settings.size("groups"); ++g) {
    const std::int64_t m = rows.is_dealt ? dealt[static_cast<std::size_t>(g)]
                           : g == 1      ? 0
                                         : size(rows.rows, g),
                       n = size(settings.size("n"), rows.is_dealt ? 0 : g),
                       k = size(settings.size("k"), rows.is_dealt ? 0 : g);
    const std::string suffix = std::to_string(g);
    as.emplace_back(device, ("a" + suffix).c_str(), m, k, false, multiplies_tf32<P>(), source);
    bs.emplace_back(device, ("b" + suffix).c_str(), k, n, false, multiplies_tf32<P>(), source);
    cs.emplace_back(device, "c" + suffix, m, n,
                    reference::Placement{.padding = reference::padding_to_16_bytes<Out>(n)});
    cs.back().poison();
    problems.push_back({as.back().placed.view(), bs.back().placed.view(), cs.back().view()});
    outcome.operations += 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    deepest = std::max(deepest, k);
  }
  const kernels::GroupedProblems<In, Out> list(device, problems);
  outcome.seconds = timed(device, [&] {
    kernels::grouped_gemm<P::activation>(device, list, {.precision = P::precision, .config = config});
  });
  if (!settings.verify)
    return outcome;
  const auto tolerance = reference::product_tolerance(element_type<In>, element_type<Out>, deepest);
  outcome.tolerance = tolerance.text();
  for (std::size_t g = 0; g < cs.size(); ++g)
    outcome.verdict.add(judge(
        cs[g], work_of_product_row(bs[g].values.cols, bs[g].values.rows), settings.effort, tolerance,
        [&](std::span<const std::int64_t> some) {
          return reference::matmul(reference::rows_of(as[g].values, some), bs[g].values,
                                   activation_reference<P>(settings));
        },
        cs.size()));
  return outcome;
}

// Groups of one size, or with rows that are dealt: what one launch does is to follow from the shape.
template <class P> static Problem problem(const Settings &settings) {
  using In = typename P::In;
  using Out = typename P::Out;
  using Problems = kernels::GroupedProblems<In, Out>;
  const std::int64_t n = settings.size("n"), k = settings.size("k"), groups = settings.size("groups");
  const GroupRows rows = rows_of(settings);
  const ProductOperands operands{
      .rows = rows.is_dealt ? dealt_rows(rows.rows, groups)
                            : std::vector<std::int64_t>(static_cast<std::size_t>(groups), rows.rows)};
  Problem problem = describe_product<P>(settings, operands);
  problem.bind = [=, config = config_of<GroupedGemmConfig>(settings)](Device &device, auto at) {
    std::vector<typename Problems::Problem> list;
    for (std::size_t g = 0; g < operands.rows.size(); ++g) {
      const std::int64_t m = operands.rows[g];
      list.push_back({MatrixView<const In>(static_cast<const In *>(at[3 * g]), m, k),
                      MatrixView<const In>(static_cast<const In *>(at[3 * g + 1]), k, n),
                      MatrixView<Out>(static_cast<Out *>(at[3 * g + 2]), m, n)});
    }
    // The arrays of addresses are made once, as a program would.
    return Problem::Launch([=, &device, list = std::make_shared<Problems>(device, list)] {
      kernels::grouped_gemm<P::activation>(device, *list, {.precision = P::precision, .config = config});
    });
  };
  return problem;
}

template <class P>
static KernelIR trace(bool specialized, const GroupedGemmConfig &config) {
  const auto by16 = specialized ? ArgClass::divisible_by_16 : ArgClass::generic,
             of_all = config.alike ? by16 : ArgClass::generic;   // else they are 0
  return kernels::grouped_gemm_kernel<typename P::In, typename P::Out, P::activation, P::precision>.trace(
      config, {by16, by16, by16, by16, by16, ArgClass::generic, ArgClass::generic, of_all, of_all, of_all,
               of_all, of_all});
}
static GroupedGemmConfig traced_config(const Settings &settings, bool specialized) {
  return config_from<GroupedGemmConfig>(settings.config, {.alignment = specialized ? 16 : 1});
}
// The same config for problems that are alike, or for those that are not.
template <class P> static std::vector<KernelIR> other_form(const Settings &settings, bool specialized) {
  GroupedGemmConfig config = traced_config(settings, specialized);
  config.alike = !config.alike;
  if (config.alignment != 16)
    return {};
  return {trace<P>(specialized, config)};
}

Entry grouped_gemm_entry() {
  std::vector<Parameter> parameters{{"groups", "how many products", "5", {}},
                                    {"m",
                                     "largest number of rows of a product; 900u: all rows, dealt unevenly",
                                     "200",
                                     {},
                                     Parameter::Form::rows},
                                    {"n", "largest number of columns of a product", "150", {}},
                                    {"k", "largest number of products in a sum", "100", {}}};
  for (Parameter &p : product_parameters())
    parameters.push_back(std::move(p));
  return {.name = "grouped_gemm",
          .summary = "many products of different sizes in one launch, sizes read on the device",
          .parameters = parameters,
          .run =
              [](Device &device, const Settings &settings) {
                return with_product(settings, [&](auto p) { return run<decltype(p)>(device, settings); });
              },
          .trace =
              [](const Settings &settings, bool specialized) {
                return with_product(settings, [&](auto p) {
                  return trace<decltype(p)>(specialized, traced_config(settings, specialized));
                });
              },
          .beside =
              [](const Settings &settings, bool specialized) {
                return with_product(settings,
                                    [&](auto p) { return other_form<decltype(p)>(settings, specialized); });
              },
          // Of rows at multiples of 16 bytes, and problems that are alike, as `problem` has them.
          .configs =
              [](const Settings &) { return config_texts(kernels::detail::grouped_gemm_configs(16, true)); },
          .problem =
              [](const Settings &settings) {
                return with_product(settings, [&](auto p) { return problem<decltype(p)>(settings); });
              }};
}

}   // namespace tile::registry
