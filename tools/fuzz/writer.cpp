// SPDX-License-Identifier: MIT
#include "tools/fuzz/writer.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <set>

namespace tile::fuzz {

int Writer::axis(int extent, int least) {
  program.axes.push_back({extent, least, {}});
  return static_cast<int>(program.axes.size()) - 1;
}

bool Writer::has_product(const std::vector<int> &factors) const {
  const std::uint64_t product = static_cast<std::uint64_t>(elements(program, {Kind::I32, factors}));
  return product >> std::countr_zero(product) <= 31;
}

int Writer::product_of(std::vector<int> factors) {
  for (std::size_t i = 0; i < program.axes.size(); ++i)
    if (program.axes[i].factors == factors)
      return static_cast<int>(i);
  program.axes.push_back({1, 1, std::move(factors)});
  return static_cast<int>(program.axes.size()) - 1;
}

int Writer::fresh(Type type, double bound) {
  const int value = static_cast<int>(program.values.size());
  program.values.push_back({type, bound, is_fixing_});
  if (type.is_number())
    pool_[type].push_back(value);
  return value;
}

int Writer::emit(std::string text, std::vector<int> operands, Type type, double bound) {
  return emit_several(std::move(text), std::move(operands), {{std::move(type), bound}})[0];
}

int Writer::emit_unseen(std::string text, std::vector<int> operands, Type type) {
  const int result = static_cast<int>(program.values.size());
  program.values.push_back(
      {std::move(type), std::numeric_limits<double>::infinity(), /*is_fixed=*/is_fixing_});
  add({.text = std::move(text), .operands = std::move(operands), .results = {result}, .regions = {}});
  return result;
}

std::vector<int> Writer::emit_several(std::string text, std::vector<int> operands,
                                      const std::vector<std::pair<Type, double>> &results) {
  Node node{.text = std::move(text), .operands = std::move(operands), .results = {}, .regions = {}};
  for (const auto &[type, bound] : results)
    node.results.push_back(fresh(type, bound));
  std::vector<int> values = node.results;
  add(std::move(node));
  return values;
}

void Writer::effect(std::string text, std::vector<int> operands) {
  add({.text = std::move(text), .operands = std::move(operands), .results = {}, .regions = {}});
}

int Writer::constant(const Type &type, std::int64_t value) {
  std::string number = type.kind == Kind::I1 ? (value ? "true" : "false") : std::to_string(value);
  if (is_float(type.kind))
    number += ".0";
  const int result = static_cast<int>(program.values.size());
  program.values.push_back({type, std::abs(static_cast<double>(value)), is_fixing_});
  add({.text = type.is_tile() ? fmt::format("arith.constant dense<{}> : $T0", number)
                              : "arith.constant " + number + (type.kind == Kind::I1 ? "" : " : $T0"),
       .operands = {},
       .results = {result},
       .regions = {}});
  return result;
}

// Constants where arithmetic changes: the ends of the type, powers of two, small numbers.
int Writer::edge(const Type &type) {
  if (type.kind == Kind::I1)
    return constant(type, below(2));
  if (is_float(type.kind))   // powers of two: their products stay exact, if the compiler computes them
    return constant(type, is_ring() ? (one_in(2) ? 1 : -1) * (1 << below(4)) : between(-8, 8));
  const int bits = ElementType{type.kind}.bits();
  const std::int64_t most = static_cast<std::int64_t>((std::uint64_t{1} << (bits - 1)) - 1);
  switch (below(6)) {
  case 0:
    return constant(type, most);
  case 1:
    return constant(type, -most - 1);
  case 2:
    return constant(type, std::int64_t{1} << below(static_cast<std::size_t>(bits - 1)));
  default:
    return constant(type, between(-9, 100));
  }
}

// Recent values more often, so that chains grow.
int Writer::existing(const Type &type, double bound) {
  const auto found = pool_.find(type);
  if (found == pool_.end())
    return -1;
  std::vector<int> fitting;
  for (int value : found->second)
    if (!is_float(type.kind) || admits(this->bound(value), bound))
      fitting.push_back(value);
  if (fitting.empty())
    return -1;
  return one_in(2) ? fitting[fitting.size() - 1 - below(std::min<std::size_t>(3, fitting.size()))]
                   : one_of(fitting);
}

int Writer::any(const Type &type, double bound) {
  const bool wants_constant = one_in(9);
  const int value = wants_constant ? -1 : existing(type, bound);
  if (value >= 0)
    return value;
  if (!wants_constant && !is_making_ && source) {
    is_making_ = true;
    const int made = source(type);
    is_making_ = false;
    if (!is_float(type.kind) || admits(this->bound(made), bound))
      return made;
  }
  if (is_float(type.kind))
    return constant(type, between(0, static_cast<int>(std::min(bound, 8.0))));
  return edge(type);
}

std::vector<Type> Writer::types_in_scope() const {
  std::vector<Type> types;
  for (const auto &[type, values] : pool_)
    types.push_back(type);
  return types;
}

static void collect_uses(const Region &region, std::set<int> &uses) {
  uses.insert(region.yields.begin(), region.yields.end());
  for (const Node &node : region.nodes) {
    uses.insert(node.operands.begin(), node.operands.end());
    for (const Region &inner : node.regions)
      collect_uses(inner, uses);
  }
}

std::vector<int> Writer::unused() const {
  std::set<int> uses;
  collect_uses(region_, uses);
  std::vector<int> values;
  for (const Node &node : region_.nodes)
    for (int result : node.results)
      if (!uses.contains(result))
        values.push_back(result);
  return values;
}

}   // namespace tile::fuzz
