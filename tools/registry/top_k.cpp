// SPDX-License-Identifier: MIT
// top_k by name, also with a softmax.
#include "kernels/top_k.h"
#include "tools/registry/row_functions.h"

namespace tile::registry {
namespace {

using kernels::TopKSoftmax;
using reference::Share;

TopKSoftmax softmax_of(const Settings &settings) {
  const std::string &name = settings.choice("softmax");
  return name == "over_row" ? TopKSoftmax::over_row
         : name == "none"   ? TopKSoftmax::none
                            : TopKSoftmax::over_chosen;
}
Share share_of(TopKSoftmax softmax) {
  return softmax == TopKSoftmax::over_row ? Share::of_row
         : softmax == TopKSoftmax::none   ? Share::none
                                          : Share::of_chosen;
}

template <class T> struct TopK {
  using Config = kernels::TopKConfig;

  static Problem problem(const Settings &settings) {
    const std::int64_t m = settings.size("m"), n = settings.size("n"),
                       k = std::min<std::int64_t>(std::stoi(settings.choice("count")), n);
    const ElementType type = element_type<T>, number = element_type<i32>;
    const kernels::TopKOptions options{.softmax = softmax_of(settings),
                                       .config = config_of<Config>(settings)};
    Problem problem{.kind = Problem::Kind::other_rows,
                    .operands = {{"x", type, m, n},
                                 {"values", type, m, k, false, true},
                                 {"indices", number, m, k, false, true}},
                    .work = {.bytes = static_cast<double>(m) *
                                      (static_cast<double>(n * type.bytes()) +
                                       static_cast<double>(k * (type.bytes() + number.bytes())))},
                    .work_of_row = 40.0 * static_cast<double>(n),
                    .tolerance = reference::elementwise_tolerance(type)};
    problem.bind = [=](Device &device, auto at) {
      const MatrixView<const T> x(static_cast<const T *>(at[0]), m, n);
      const MatrixView<T> values(static_cast<T *>(at[1]), m, k);
      const MatrixView<i32> indices(static_cast<i32 *>(at[2]), m, k);
      return Problem::Launch([=, &device] { kernels::top_k(device, x, values, indices, k, options); });
    };
    problem.expected = [n, k, share = share_of(options.softmax)](std::size_t operand,
                                                                 const Problem::Read &read,
                                                                 std::span<const std::int64_t> rows) {
      auto result = reference::top_k(rows_of_operand(read, 0, n, rows), k, share);
      return operand == 1 ? std::move(result.values) : std::move(result.indices);
    };
    return problem;
  }

  static KernelIR trace(const Settings &settings, bool specialized) {
    const RowClasses c(specialized);
    const std::vector<ArgClass> classes{c.any, c.by16, c.by16, c.by16, c.by16, c.by16,
                                        c.one, c.any,  c.one,  c.any,  c.one,  c.any};
    const auto config = config_from<Config>(settings.config);
    switch (softmax_of(settings)) {
    case TopKSoftmax::none:
      return kernels::top_k_kernel<T, T, TopKSoftmax::none>.trace(config, classes);
    case TopKSoftmax::over_chosen:
      return kernels::top_k_kernel<T, T, TopKSoftmax::over_chosen>.trace(config, classes);
    default:
      return kernels::top_k_kernel<T, T, TopKSoftmax::over_row>.trace(config, classes);
    }
  }
  static auto configs(const Settings &) { return kernels::top_k_kernel<T, T, TopKSoftmax::none>.configs; }
};

}   // namespace

Entry top_k_entry() {
  Entry entry = row_entry<TopK>(
      "top_k", "the largest elements of each row of a matrix, with their columns",
      {{"count", "how many; all, if a row has fewer", "8", {"1", "2", "4", "6", "8", "16", "32"}},
       {"softmax", "softmax of the elements", "none", {"none", "over_chosen", "over_row"}}});
  for (Parameter &parameter : entry.parameters)
    if (parameter.name == "n")
      parameter.fallback = "256";
  return entry;
}

}   // namespace tile::registry
