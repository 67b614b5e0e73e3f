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

double error_of_bf16x3(Precision precision, std::int64_t k) {
  return precision == Precision::bf16x3
             ? 0x1p-15 * std::sqrt(static_cast<double>(std::max<std::int64_t>(k, 1)))
             : 0;
}

// Sums grow as the square root of k.
reference::Tolerance normal_tolerance(ElementType in, ElementType out, Precision precision, std::int64_t k) {
  reference::Tolerance tolerance = reference::product_tolerance(in, out, k);
  if (out.is_integer())
    return tolerance;
  const double size = std::sqrt(static_cast<double>(std::max<std::int64_t>(k, 1)));
  tolerance.absolute *= 3;   // the elements are larger than those evenly in [-1, 1)
  tolerance.absolute = std::max(tolerance.absolute, 3 * error_of_bf16x3(precision, k));
  if ((in.kind == Kind::F32 && precision == Precision::tf32) || in.bits() == 8) {   // 10 bits of each factor
    tolerance.relative = std::max(tolerance.relative, 0.01);
    tolerance.absolute = std::max(tolerance.absolute, 5e-3 * size);
  }
  if (in.bits() ==
      8)   // units that sum fp8 with 14 bits cut off half a unit of the last one at each step of 32
    tolerance.absolute = std::max(tolerance.absolute, static_cast<double>(k) / 32 * 0x1p-14 * size);
  return tolerance;
}

ProductOperands stored_as_set(const Settings &settings) {
  const std::string &trans = settings.choice("trans");   // t: stored by columns
  return {.rows = {settings.size("m")}, .a_by_columns = trans[0] == 't', .b_by_columns = trans[1] == 't'};
}

// Rows of a matrix behind others.
static reference::ReadRow rows_from(const Problem::Read &read, std::size_t operand, std::int64_t first) {
  return [&read, operand, first](std::int64_t row, std::span<double> to) { read(operand, first + row, to); };
}

std::vector<std::pair<std::int64_t, std::vector<std::int64_t>>>
rows_by_matrix(std::span<const std::int64_t> rows, std::int64_t m) {
  std::vector<std::pair<std::int64_t, std::vector<std::int64_t>>> by_matrix;
  for (const std::int64_t row : rows) {
    if (by_matrix.empty() || by_matrix.back().first != row / m)
      by_matrix.emplace_back(row / m, std::vector<std::int64_t>());
    by_matrix.back().second.push_back(row % m);
  }
  return by_matrix;
}

Problem describe_product(const Settings &settings, ElementType in, ElementType out, Precision precision,
                         reference::Function activation, const ProductOperands &operands) {
  const std::int64_t n = settings.size("n"), k = settings.size("k"), batch = operands.batch;
  const std::size_t groups = operands.rows.size();
  Problem problem{.kind = groups == 1 ? Problem::Kind::product : Problem::Kind::products};
  problem.work_of_row = work_of_product_row(n, k);
  for (std::size_t g = 0; g < groups; ++g) {
    const std::string suffix = groups == 1 ? "" : std::to_string(g);
    const std::int64_t m = operands.rows[g];
    problem.operands.push_back(
        {"a" + suffix, in, m, k, operands.a_by_columns, false, operands.shares_a ? 1 : batch});
    problem.operands.push_back(
        {"b" + suffix, in, k, n, operands.b_by_columns, false, operands.shares_b ? 1 : batch});
    problem.operands.push_back({"c" + suffix, out, m, n, false, true, batch});
    problem.work.flop += 2.0 * static_cast<double>(batch) * static_cast<double>(m) * problem.work_of_row;
  }
  for (std::size_t at = 0; at < problem.operands.size(); ++at)
    if (operands.rows[at / 3] != 0)   // else nobody reads b
      problem.work.bytes += problem.operands[at].bytes();
  problem.multiplies_tf32 = in.kind == Kind::F32 && precision == Precision::tf32;
  problem.has_activation = activation != nullptr;
  problem.tolerance = normal_tolerance(in, out, precision, k);
  problem.expected = [=](std::size_t output, const Problem::Read &read, std::span<const std::int64_t> rows) {
    const std::int64_t m = operands.rows[output / 3];
    reference::Matrix result;
    for (const auto &[matrix, within] : rows_by_matrix(rows, m)) {
      const reference::Matrix part = reference::matmul_rows(
          rows_from(read, output - 2, operands.shares_a ? 0 : matrix * m),
          rows_from(read, output - 1, operands.shares_b ? 0 : matrix * k), k, n, within, activation);
      result.values.insert(result.values.end(), part.values.begin(), part.values.end());
    }
    result.rows = static_cast<std::int64_t>(rows.size());
    result.cols = n;
    return result;
  };
  return problem;
}

void refuse_product(const Settings &settings) {
  const std::string &dtype = settings.choice("dtype");
  if (dtype == "i8" && settings.choice("act") == "gelu")
    throw BadSetting("--act gelu needs float elements; of i8 products, none and leaky_relu are accepted");
  const char *outs = dtype == "bf16"                                        ? "bf16 and f32"
                     : dtype.ends_with("f32") || dtype.starts_with("bf16x") ? "f32"
                     : dtype == "i8"                                        ? "i32"
                                                                            : "f16 and f32";
  throw BadSetting(fmt::format("--out {} does not go with --dtype {}; accepted are auto, {}",
                               settings.choice("out"), dtype, outs));
}

}   // namespace tile::registry
