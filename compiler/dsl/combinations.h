// SPDX-License-Identifier: MIT
// Makes the configs of a kernel from all combinations of some values:
//
//   .configs = combinations(Config{.group = 8}, each(&Config::block_m, {64, 128}),
//                           each(&Config::block_n, {128, 256}),
//                           each(&Config::launch, &Launch::num_warps, {4, 8}),
//                           only([](const Config &c) { return c.block_m * c.block_n >= 8192 *
//                           c.launch.num_warps / 4; }))
//
// The order is the order of nested loops: the value that is named last changes first. It matters, because a
// tuner takes the first of equally fast configs.
#pragma once

#include <concepts>
#include <initializer_list>
#include <type_traits>
#include <utility>
#include <vector>

namespace tile {
namespace detail {

// Repeats each config that was made so far, once with each of the values.
template <class Config, class Set, class Value> struct Each {
  Set set;
  std::vector<Value> values;
  void apply(std::vector<Config> &all) const {
    std::vector<Config> more;
    for (const Config &config : all)
      for (const Value &value : values) {
        more.push_back(config);
        set(more.back()) = value;
      }
    all = std::move(more);
  }
};

template <class Condition> struct Only {
  Condition condition;
  template <class Config> void apply(std::vector<Config> &all) const {
    static_assert(
        std::is_invocable_r_v<bool, const Condition &, const Config &>,
        "only() takes a function that says whether a config is kept: [](const Config &c) { return ...; }");
    std::erase_if(all, [&](const Config &config) { return !condition(config); });
  }
};

template <class Config, class Value, class Set> Each<Config, Set, Value>
each_of(Set set, std::initializer_list<Value> values) {
  return {set, values};
}

}   // namespace detail

template <class Config, class Value>
auto each(Value Config::*field, std::initializer_list<std::type_identity_t<Value>> values) {
  auto set = [field](Config &config) -> Value & { return config.*field; };
  return detail::each_of<Config, Value>(set, values);
}
// The same for a field of a nested struct, such as the Launch.
template <class Config, class Inner, class Value>
auto each(Inner Config::*outer, Value Inner::*field,
          std::initializer_list<std::type_identity_t<Value>> values) {
  auto set = [outer, field](Config &config) -> Value & { return config.*outer.*field; };
  return detail::each_of<Config, Value>(set, values);
}

// Keeps the configs made so far for which the condition is true.
template <class Condition> auto only(Condition condition) {
  return detail::Only<Condition>{std::move(condition)};
}

template <class Config, class... Steps>
std::vector<Config> combinations(const Config &base, const Steps &...steps) {
  std::vector<Config> all{base};
  (steps.apply(all), ...);
  return all;
}

}   // namespace tile
