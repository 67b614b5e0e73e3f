// SPDX-License-Identifier: MIT
// cross_entropy by name, also with its gradient. The target of row i is column 7 i, counted round the row.
#include "kernels/cross_entropy.h"
#include "runtime/buffer.h"
#include "tools/registry/row_functions.h"

namespace tile::registry {
namespace {

using kernels::cross_entropy_kernel;
using reference::Matrix;

bool has_gradient(const Settings &settings) { return settings.choice("gradient") == "yes"; }

constexpr std::int64_t ignored = -1;   // what rows without columns have

std::vector<std::int64_t> targets_of(std::span<const std::int64_t> rows, std::int64_t cols) {
  std::vector<std::int64_t> targets;
  for (const std::int64_t row : rows)
    targets.push_back(cols > 0 ? 7 * row % cols : ignored);
  return targets;
}

template <class T> struct CrossEntropy {
  using Config = kernels::CrossEntropyConfig;

  static Problem problem(const Settings &settings) {
    const std::int64_t m = settings.size("m"), n = settings.size("n");
    const ElementType type = element_type<T>;
    const bool gives_gradient = has_gradient(settings);
    const kernels::CrossEntropyOptions options{.ignore_index = ignored,
                                               .config = config_of<Config>(settings)};
    Problem problem{.kind = Problem::Kind::other_rows,
                    .operands = {{"logits", type, m, n}, {"loss", element_type<f32>, m, 1, false, true}},
                    .work = work_of_matrices(settings, gives_gradient ? 2 : 1, type),
                    .work_of_row = 40.0 * static_cast<double>(n),
                    .tolerance = reference::row_gradient_tolerance(type)};
    if (gives_gradient)
      problem.operands.push_back({"grad", type, m, n, false, true});
    problem.bind = [=](Device &device, auto at) {
      const auto targets = std::make_shared<Buffer<i64>>(device, targets_of(all_rows(m), n));
      const MatrixView<const T> logits(static_cast<const T *>(at[0]), m, n);
      const VectorView<f32> loss(static_cast<f32 *>(at[1]), m);
      kernels::CrossEntropyExtras<T> extras;
      if (gives_gradient)
        extras.grad = MatrixView<T>(static_cast<T *>(at[2]), m, n);
      return Problem::Launch([=, &device] {
        kernels::cross_entropy(device, logits, VectorView<const i64>(targets->data(), m), loss, options,
                               extras);
      });
    };
    problem.expected = [n](std::size_t operand, const Problem::Read &read,
                           std::span<const std::int64_t> rows) {
      const std::vector<std::int64_t> targets = targets_of(rows, n);
      const auto expected = reference::cross_entropy(rows_of_operand(read, 0, n, rows),
                                                     {.targets = targets, .ignored = ignored});
      return operand == 1 ? as_column(expected.loss) : expected.grad;
    };
    return problem;
  }

  static KernelIR trace(const Settings &settings, bool specialized) {
    const RowClasses c(specialized);
    const bool gives_gradient = has_gradient(settings);
    std::vector<ArgClass> classes(17, c.any);
    if (specialized)
      classes = {c.any,
                 c.by16,
                 c.by16,
                 c.by16,
                 c.by16,
                 c.by16,
                 c.by16,
                 c.by16,
                 c.by16,
                 c.one,
                 gives_gradient ? c.by16 : c.any,
                 gives_gradient ? c.one : c.any,
                 c.any,
                 c.any,
                 c.any,
                 c.any,
                 c.any};
    const auto config = config_from<Config>(settings.config);
    return gives_gradient ? cross_entropy_kernel<T, i64, true>.trace(config, classes)
                          : cross_entropy_kernel<T, i64>.trace(config, classes);
  }
  static auto configs(const Settings &) { return cross_entropy_kernel<T, i64>.configs; }
};

}   // namespace

Entry cross_entropy_entry() {
  return row_entry<CrossEntropy>("cross_entropy", "cross entropy of each row of logits with a target",
                                 {{"gradient", "whether the gradient is written", "no", {"no", "yes"}}});
}

}   // namespace tile::registry
