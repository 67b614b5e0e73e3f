// SPDX-License-Identifier: MIT
#include "runtime/launch_number.h"

#include "runtime/kernel_signature.h"

#include <algorithm>
#include <utility>

namespace tile {

std::int64_t LaunchNumber::computed(const Step &step, std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a),
             y = static_cast<std::uint64_t>(b);   // their ends are no errors
  std::uint64_t result = 0;
  switch (step.operation) {
  case Operation::add:
    result = x + y;
    break;
  case Operation::subtract:
    result = x - y;
    break;
  case Operation::multiply:
    result = x * y;
    break;
  case Operation::divide:
    return a / b;
  case Operation::ceil_divide:
    return a / b + (a % b > 0 ? 1 : 0);
  case Operation::minimum:
    return std::min(a, b);
  default:
    return std::max(a, b);
  }
  return step.is_narrow ? static_cast<std::int32_t>(result) : static_cast<std::int64_t>(result);
}

std::string LaunchNumber::text(std::span<const LaunchArgument> arguments) const {
  enum Binding { sum, product, whole };
  std::vector<std::pair<std::string, Binding>> parts;
  const auto inside = [](const std::pair<std::string, Binding> &part, Binding around) {
    return part.second < around ? "(" + part.first + ")" : part.first;
  };
  for (const Step &step : steps) {
    if (step.operation <= Operation::argument) {
      parts.emplace_back(step.operation == Operation::constant
                             ? std::to_string(step.value)
                             : arguments[static_cast<std::size_t>(step.value)].name,
                         whole);
      continue;
    }
    const auto right = parts.back();
    parts.pop_back();
    auto &left = parts.back();
    const auto infix = [&](const char *sign, Binding binding, Binding of_right) {
      left = {inside(left, binding) + sign + inside(right, of_right), binding};
    };
    const auto call = [&](const char *function) {
      left = {std::string(function) + "(" + left.first + ", " + right.first + ")", whole};
    };
    switch (step.operation) {
    case Operation::add:
      infix(" + ", sum, sum);
      break;
    case Operation::subtract:
      infix(" - ", sum, product);
      break;
    case Operation::multiply:
      infix(" * ", product, whole);
      break;
    case Operation::divide:
      infix(" / ", product, whole);
      break;
    case Operation::ceil_divide:
      call("cdiv");
      break;
    case Operation::minimum:
      call("minimum");
      break;
    default:
      call("maximum");
    }
  }
  return parts.front().first;
}

bool LaunchNumber::is_sound(std::span<const LaunchArgument> arguments) const {
  if (steps.size() > most_steps)
    return false;
  std::size_t count = 0;
  const Step *before = nullptr;
  for (const Step &step : steps) {
    if (step.operation <= Operation::argument) {
      const auto at = static_cast<std::uint64_t>(step.value);
      if (step.operation == Operation::argument &&
          (at >= arguments.size() || !arguments[at].type.is_integer()))
        return false;
      ++count;
    } else {
      const bool is_quotient =
          step.operation == Operation::divide || step.operation == Operation::ceil_divide;
      if (count < 2 || (is_quotient && (before->operation != Operation::constant || before->value < 1)))
        return false;
      --count;
    }
    before = &step;
  }
  return count == 1;
}

}   // namespace tile
