// SPDX-License-Identifier: MIT
// softmax_backward and log_softmax_backward by name. They are functions of any numbers, so y need not be a
// softmax.
#include "kernels/softmax_gradient.h"
#include "tools/registry/row_functions.h"

#include <cmath>
#include <type_traits>

namespace tile::registry {
namespace {

template <class T, bool Logarithm> struct SoftmaxGradient {
  // Rounding errors of the row's sum grow with the square root of its length. The sum has y or exp(y) as a
  // factor, and random y are below 4.5. In f32 alone this is more than what the rounding of results may
  // change.
  static double growth_of_errors(std::int64_t n) {
    constexpr double largest = Logarithm ? 90 : 4.5;
    return std::is_same_v<T, f32> && n > 1024 ? largest * std::sqrt(static_cast<double>(n) / 1024) : 1;
  }

  using Config = kernels::SoftmaxGradientConfig;

  static Problem problem(const Settings &settings) {
    const std::int64_t m = settings.size("m"), n = settings.size("n");
    const ElementType type = element_type<T>;
    const kernels::SoftmaxGradientOptions options{.config = config_of<Config>(settings)};
    Problem problem{
        .kind = Problem::Kind::other_rows,
        .operands = {{"y", type, m, n}, {"grad_y", type, m, n}, {"grad_x", type, m, n, false, true}},
        .work = work_of_matrices(settings, 3, type),
        .work_of_row = 40.0 * static_cast<double>(n),
        .tolerance = reference::row_gradient_tolerance(type)};
    problem.tolerance.absolute *= growth_of_errors(n);
    problem.bind = [=](Device &device, auto at) {
      const MatrixView<const T> y(static_cast<const T *>(at[0]), m, n),
          grad_y(static_cast<const T *>(at[1]), m, n);
      const MatrixView<T> grad_x(static_cast<T *>(at[2]), m, n);
      return Problem::Launch([=, &device] {
        if constexpr (Logarithm)
          kernels::log_softmax_backward(device, y, grad_y, grad_x, options);
        else
          kernels::softmax_backward(device, y, grad_y, grad_x, options);
      });
    };
    problem.expected = [n](std::size_t, const Problem::Read &read, std::span<const std::int64_t> rows) {
      const reference::Matrix y = rows_of_operand(read, 0, n, rows),
                              grad_y = rows_of_operand(read, 1, n, rows);
      return Logarithm ? reference::log_softmax_gradient(y, grad_y) : reference::softmax_gradient(y, grad_y);
    };
    return problem;
  }

  static KernelIR trace(const Settings &settings, bool specialized) {
    const RowClasses c(specialized);
    std::vector<ArgClass> classes(11, c.by16);
    classes[0] = c.any;                              // rows
    classes[6] = classes[8] = classes[10] = c.one;   // from column to column
    return kernels::softmax_gradient_kernel<T, Logarithm>.trace(config_from<Config>(settings.config),
                                                                classes);
  }
  static auto configs(const Settings &) { return kernels::softmax_gradient_kernel<T, Logarithm>.configs; }
};

template <class T> using SoftmaxBackward = SoftmaxGradient<T, false>;
template <class T> using LogSoftmaxBackward = SoftmaxGradient<T, true>;

}   // namespace

Entry softmax_backward_entry() {
  return row_entry<SoftmaxBackward>("softmax_backward", "the gradient of softmax, from its result");
}
Entry log_softmax_backward_entry() {
  return row_entry<LogSoftmaxBackward>("log_softmax_backward",
                                       "the gradient of log_softmax, from its result");
}

}   // namespace tile::registry
