// SPDX-License-Identifier: MIT
#include "tools/bench/product_call.h"

#include "tools/bench/cublas_functions.h"
#include "tools/bench/provider.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace tile::bench::blas {
namespace {

constexpr Scale ones{1, 1, 1}, zeros{0, 0, 0};

const void *of_type(const Scale &scale, int type) {
  return type == R32I   ? static_cast<const void *>(&scale.i32)
         : type == R64F ? static_cast<const void *>(&scale.f64)
                        : static_cast<const void *>(&scale.f32);
}

int data_type(ElementType type, const std::string &library) {
  switch (type.kind) {
  case Kind::F16:
    return R16F;
  case Kind::BF16:
    return R16BF;
  case Kind::F32:
    return R32F;
  case Kind::F64:
    return R64F;
  case Kind::E4M3:
    return R8E4M3;
  case Kind::E5M2:
    return R8E5M2;
  case Kind::I8:
    return R8I;
  case Kind::I32:
    return R32I;
  default:
    throw Cannot(fmt::format("{} has no products of {}", library, type.name()));
  }
}

std::int64_t step(const registry::Operand &operand) {
  return operand.matrices == 1 ? 0 : operand.rows * operand.cols;
}

}   // namespace

const void *ProductCall::one() const { return of_type(ones, scaleType); }
const void *ProductCall::zero() const { return of_type(zeros, scaleType); }

// Before version 12 there were fewer digits: 11905 was 11.9.5.
std::string version_text(std::size_t version) {
  const std::size_t major = version >= 100000 ? 10000 : 1000;
  return fmt::format("{}.{}.{}", version / major, version % major / 100, version % 100);
}

std::string layout_name(const registry::Problem &product) {
  return {product.operands[0].by_columns ? 't' : 'n', product.operands[1].by_columns ? 't' : 'n'};
}

ProductCall product_call(const registry::Problem &problem, const std::string &library) {
  using enum registry::Problem::Kind;
  if (problem.kind != product && problem.kind != products)
    throw Cannot(library + " has no such function");
  if (problem.has_activation)
    throw Cannot(library + " multiplies without an activation");
  if (problem.operands.empty())
    throw Cannot("there is nothing to multiply");
  const registry::Operand &a = problem.operands[0], &b = problem.operands[1], &c = problem.operands[2];
  std::vector<std::int64_t> rows;
  for (std::size_t output = 2; output < problem.operands.size(); output += 3)
    rows.push_back(problem.operands[output].rows);
  const std::int64_t most = std::ranges::max(rows);
  constexpr std::int64_t largest = std::numeric_limits<int>::max();
  if (most > largest || c.cols > largest || a.cols > largest || c.matrices > largest)
    throw Cannot(library + " takes sizes of 32 bits");
  if (most == 0 || a.cols == 0 || b.cols == 0 || c.matrices == 0)
    throw Cannot("there is nothing to multiply");
  ProductCall call{.m = c.cols,
                   .n = c.rows,
                   .k = a.cols,
                   .rows = rows,
                   .transFirst = b.by_columns ? Transposed : Normal,
                   .transSecond = a.by_columns ? Transposed : Normal,
                   .ldFirst = b.by_columns ? b.rows : b.cols,
                   .ldSecond = a.by_columns ? a.rows : a.cols,
                   .ldResult = c.cols,
                   .inType = data_type(a.type, library),
                   .outType = data_type(c.type, library),
                   .computeType = Compute32F,
                   .scaleType = R32F,
                   .batch = c.matrices,
                   .stepFirst = step(b),
                   .stepSecond = step(a),
                   .stepResult = step(c)};
  if (c.type.is_integer())
    call.computeType = Compute32I, call.scaleType = R32I;
  else if (a.type.kind == Kind::F64)
    call.computeType = Compute64F, call.scaleType = R64F;
  else if (problem.multiplies_tf32)
    call.computeType = Compute32FFastTF32;
  return call;
}

}   // namespace tile::bench::blas
