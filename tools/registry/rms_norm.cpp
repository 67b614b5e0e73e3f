// SPDX-License-Identifier: MIT
// rms_norm by name, also with a residual.
#include "kernels/rms_norm.h"
#include "tools/registry/row_functions.h"

namespace tile::registry {
namespace {

using kernels::rms_norm_kernel;
using reference::Matrix;

bool has_residual(const Settings &settings) { return settings.choice("residual") == "yes"; }

template <class T> struct RmsNorm {
  using Config = kernels::RmsNormConfig;

  static Problem problem(const Settings &settings) {
    const std::int64_t m = settings.size("m"), n = settings.size("n");
    const ElementType type = element_type<T>;
    const bool adds = has_residual(settings);
    const kernels::RmsNormOptions options{.config = config_of<Config>(settings)};
    Problem problem{.kind = Problem::Kind::other_rows,
                    .operands = {{"x", type, m, n}, {"weight", type, n, 1}},
                    .work = work_of_matrices(settings, adds ? 4 : 2, type),
                    .epsilon = options.epsilon,
                    .work_of_row = 40.0 * static_cast<double>(n),
                    .tolerance = reference::elementwise_tolerance(type)};
    if (adds)
      problem.operands.push_back({"residual", type, m, n});
    problem.operands.push_back({"y", type, m, n, false, true});
    if (adds)
      problem.operands.push_back({"sum", type, m, n, false, true});
    problem.bind = [=](Device &device, auto at) {
      const MatrixView<const T> x(static_cast<const T *>(at[0]), m, n);
      const VectorView<const T> weight(static_cast<const T *>(at[1]), n);
      auto written = [&](std::size_t operand) { return MatrixView<T>(static_cast<T *>(at[operand]), m, n); };
      kernels::RmsNormExtras<T> extras;
      if (adds)
        extras.residual = {{MatrixView<const T>(static_cast<const T *>(at[2]), m, n), written(4)}};
      const MatrixView<T> y = written(adds ? 3 : 2);
      return Problem::Launch([=, &device] { kernels::rms_norm(device, x, weight, y, options, extras); });
    };
    problem.expected = [=](std::size_t operand, const Problem::Read &read,
                           std::span<const std::int64_t> rows) {
      Matrix x = rows_of_operand(read, 0, n, rows);
      if (adds) {   // rounded, as the kernel writes it: the norm is of that
        const Matrix residual = rows_of_operand(read, 2, n, rows);
        for (std::size_t i = 0; i < x.values.size(); ++i)
          x.values[i] =
              numeric::cast<double>(numeric::cast<T>(static_cast<float>(x.values[i] + residual.values[i])));
        if (operand == 4)
          return x;
      }
      return reference::rms_norm(x, column_of(read, 1, n), options.epsilon).y;
    };
    return problem;
  }

  static KernelIR trace(const Settings &settings, bool specialized) {
    const RowClasses c(specialized);
    const bool adds = has_residual(settings);
    const std::vector<ArgClass> classes{c.any,
                                        c.by16,
                                        c.by16,
                                        c.by16,
                                        c.by16,
                                        c.by16,
                                        c.by16,
                                        c.by16,
                                        c.by16,
                                        c.one,
                                        c.by16,
                                        adds ? c.one : c.by16,
                                        c.by16,
                                        c.one,
                                        adds ? c.by16 : c.any,
                                        adds ? c.one : c.any,
                                        c.any};
    const auto config = config_from<Config>(settings.config);
    return adds ? rms_norm_kernel<T, true>.trace(config, classes) : rms_norm_kernel<T>.trace(config, classes);
  }
  static auto configs(const Settings &) { return rms_norm_kernel<T>.configs; }
};

}   // namespace

Entry rms_norm_entry() {
  return row_entry<RmsNorm>("rms_norm", "RMS normalisation of each row of a matrix, with weight",
                            {{"residual", "whether a matrix is added to x before", "no", {"no", "yes"}}});
}

}   // namespace tile::registry
