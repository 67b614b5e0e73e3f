// SPDX-License-Identifier: MIT
// The names of what products can be made of.
#include "tools/registry/products.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tile::registry {

std::vector<Parameter> product_parameters() {
  return {{"dtype",
           "elements of a and b; tf32: f32 multiplied with tf32's precision, f32: exactly",
           "f16",
           {"f16", "bf16", "f32", "tf32", "e4m3", "e5m2", "i8"}},
          {"out",
           "elements of c; auto: as dtype, f16 for fp8, i32 for i8",
           "auto",
           {"auto", "f16", "bf16", "f32", "i32"}},
          {"act", "activation", "none", {"none", "leaky_relu", "gelu"}}};
}

reference::Function activation_reference(const std::string &act, ElementType accumulator) {
  if (act == "gelu")
    return reference::gelu;
  if (act == "leaky_relu")
    return accumulator.is_integer() ? reference::leaky_relu_of_integer : reference::leaky_relu;
  return nullptr;
}

// Of elements of a normal distribution, with k products in a sum, which grows as the square root of k.
static reference::Tolerance normal_tolerance(ElementType in, ElementType out, bool tf32, std::int64_t k) {
  reference::Tolerance tolerance = reference::product_tolerance(in, out, k);
  if (out.is_integer())
    return tolerance;
  const double size = std::sqrt(static_cast<double>(std::max<std::int64_t>(k, 1)));
  tolerance.absolute *= 3;        // the elements are larger than those evenly in [-1, 1)
  if (tf32 || in.bits() == 8) {   // 10 bits of each factor
    tolerance.relative = std::max(tolerance.relative, 0.01);
    tolerance.absolute = std::max(tolerance.absolute, 5e-3 * size);
  }
  if (in.bits() ==
      8)   // units that sum fp8 with 14 bits cut off half a unit of the last one at each step of 32
    tolerance.absolute = std::max(tolerance.absolute, static_cast<double>(k) / 32 * 0x1p-14 * size);
  return tolerance;
}

Problem describe_product(const Settings &settings, ElementType in, ElementType out, bool tf32,
                         reference::Function activation, std::int64_t groups, bool a_by_columns,
                         bool b_by_columns) {
  const std::int64_t m = settings.size("m"), n = settings.size("n"), k = settings.size("k");
  Problem problem{.kind = groups == 1 ? Problem::Kind::product : Problem::Kind::products};
  for (std::int64_t g = 0; g < groups; ++g) {
    const std::string suffix = groups == 1 ? "" : std::to_string(g);
    problem.operands.push_back({"a" + suffix, in, m, k, a_by_columns});
    problem.operands.push_back({"b" + suffix, in, k, n, b_by_columns});
    problem.operands.push_back({"c" + suffix, out, m, n, false, true});
  }
  for (const Operand &operand : problem.operands)
    problem.work.bytes += operand.bytes();
  problem.work_of_row = static_cast<double>(k) * static_cast<double>(n);
  problem.work.flop = 2.0 * static_cast<double>(groups) * static_cast<double>(m) * problem.work_of_row;
  problem.multiplies_tf32 = tf32;
  problem.has_activation = activation != nullptr;
  problem.tolerance = normal_tolerance(in, out, tf32, k);
  problem.expected = [=](std::size_t output, const Problem::Read &read, std::span<const std::int64_t> rows) {
    auto operand = [&](std::size_t which) {
      return [&read, which](std::int64_t row, std::span<double> to) { read(which, row, to); };
    };
    return reference::matmul_rows(operand(output - 2), operand(output - 1), k, n, rows, activation);
  };
  return problem;
}

void refuse_product(const Settings &settings) {
  const std::string &dtype = settings.choice("dtype");
  if (dtype == "i8" && settings.choice("act") == "gelu")
    throw BadSetting("--act gelu needs float elements; of i8 products, none and leaky_relu are accepted");
  const char *outs = dtype == "bf16"                     ? "bf16 and f32"
                     : dtype == "f32" || dtype == "tf32" ? "f32"
                     : dtype == "i8"                     ? "i32"
                                                         : "f16 and f32";
  throw BadSetting(fmt::format("--out {} does not go with --dtype {}; accepted are auto, {}",
                               settings.choice("out"), dtype, outs));
}

}   // namespace tile::registry
