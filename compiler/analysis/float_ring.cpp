// SPDX-License-Identifier: MIT
#include "compiler/analysis/float_ring.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tile::float_ring {
namespace {

constexpr struct {
  std::string_view name;
  Op op;
} functions[] = {
    {"arith.addf", Op::Add},         {"arith.subf", Op::Subtract},    {"arith.mulf", Op::Multiply},
    {"math.fma", Op::MultiplyAdd},   {"arith.negf", Op::Negate},      {"math.absf", Op::Absolute},
    {"math.floor", Op::Same},        {"math.ceil", Op::Same},         {"math.roundeven", Op::Same},
    {"math.round", Op::Same},        {"math.trunc", Op::Same},        {"arith.maxnumf", Op::Maximum},
    {"arith.maximumf", Op::Maximum}, {"tile.maximum", Op::Maximum},   {"arith.minnumf", Op::Minimum},
    {"arith.minimumf", Op::Minimum}, {"tile.minimum", Op::Minimum},   {"tile.clamp", Op::Clamp},
    {"arith.divf", Op::Divide},      {"arith.remf", Op::MixOfTwo},    {"math.powf", Op::MixOfTwo},
    {"math.atan2", Op::MixOfTwo},    {"math.copysign", Op::MixOfTwo}, {"math.sqrt", Op::Mix},
    {"math.rsqrt", Op::Mix},         {"math.exp", Op::Mix},           {"math.exp2", Op::Mix},
    {"math.expm1", Op::Mix},         {"math.log", Op::Mix},           {"math.log2", Op::Mix},
    {"math.log10", Op::Mix},         {"math.log1p", Op::Mix},         {"math.sin", Op::Mix},
    {"math.cos", Op::Mix},           {"math.tan", Op::Mix},           {"math.asin", Op::Mix},
    {"math.acos", Op::Mix},          {"math.atan", Op::Mix},          {"math.sinh", Op::Mix},
    {"math.cosh", Op::Mix},          {"math.tanh", Op::Mix},          {"math.erf", Op::Mix},
    {"math.cbrt", Op::Mix},
};

constexpr struct {
  std::string_view name;
  Extension extension;
} conversions[] = {
    {"tile.fp_cast", Extension::sign}, {"arith.extf", Extension::sign},   {"arith.truncf", Extension::sign},
    {"arith.sitofp", Extension::sign}, {"arith.uitofp", Extension::zero}, {"arith.fptosi", Extension::sign},
    {"tile.fptosi", Extension::sign},  {"arith.fptoui", Extension::zero}, {"tile.fptoui", Extension::zero},
};

}   // namespace

std::optional<Function> function(std::string_view operation) {
  const auto *found = std::find_if(std::begin(functions), std::end(functions),
                                   [&](auto &row) { return row.name == operation; });
  if (found == std::end(functions))
    return std::nullopt;
  const auto row = static_cast<std::uint64_t>(found - std::begin(functions));
  return Function{found->op, (0x9e3779b97f4a7c15 * (2 * row + 1)) | 1};
}

std::optional<Extension> conversion(std::string_view operation) {
  for (const auto &row : conversions)
    if (row.name == operation)
      return row.extension;
  return std::nullopt;
}

// In arith the first seven and then the next seven predicates are false, equal, greater, greater or equal,
// less, less or equal, not equal: ordered, then unordered.
Comparison comparison(int predicate) {
  enum { eq, ne, slt, sle, sgt, sge };
  constexpr int integers[] = {eq, sgt, sge, slt, sle, ne};
  constexpr int ordered = 7, unordered = 14, always = 15;
  if (predicate == 0 || predicate == unordered)
    return {{}, false};
  if (predicate == ordered || predicate == always)
    return {{}, true};
  return {integers[(predicate - 1) % ordered], false};
}

std::uint64_t embedded(double value, std::uint64_t bits, unsigned width) {
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - width);
  if (value == std::floor(value) && std::abs(value) < std::ldexp(1.0, 62))
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) & all;
  if (std::isinf(value))   // the ends of the order
    return value > 0 ? all >> 1 : (all >> 1) + 1;
  return bits & all;
}

}   // namespace tile::float_ring
