// SPDX-License-Identifier: MIT
// A number that the launcher knows: a constant of the compiled code, an argument of the launch, or what the
// kernel computes from these. The steps are in postfix order; each leaves one value. `m * (k / 2)` is:
//
//    argument m, argument k, constant 2, divide, multiply
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tile {

struct LaunchArgument;

struct LaunchNumber {
  // What takes two values comes behind `argument`. All count with signs; quotients are of a positive
  // constant.
  enum class Operation : std::uint8_t {
    constant,
    argument,
    add,
    subtract,
    multiply,
    divide,        // rounded toward zero
    ceil_divide,   // rounded up
    minimum,
    maximum
  };
  struct Step {
    Operation operation = Operation::constant;
    std::int64_t value = 0;   // the constant, or the position of the launch argument
    bool is_narrow = false;   // the kernel computes it in 32 bits
    bool operator==(const Step &) const = default;
  };
  static constexpr std::size_t most_steps = 16;

  std::vector<Step> steps;

  static LaunchNumber constant(std::int64_t value) { return {{{Operation::constant, value}}}; }
  static LaunchNumber argument(unsigned position) { return {{{Operation::argument, position}}}; }

  // What passes the end of 32 or 64 bits begins anew, as in the kernel. The rules below hold.
  template <class ValueOfArgument> std::int64_t value(const ValueOfArgument &of_argument) const {
    if (steps.size() == 1)
      return leaf(steps.front(), of_argument);
    std::int64_t values[most_steps];
    std::size_t count = 0;
    for (const Step &step : steps)
      if (step.operation <= Operation::argument) {
        values[count++] = leaf(step, of_argument);
      } else {
        --count;
        values[count - 1] = computed(step, values[count - 1], values[count]);
      }
    return values[0];
  }
  // As people write it, with parentheses where they are needed: "m * (k / 2)".
  std::string text(std::span<const LaunchArgument> arguments) const;
  // Whether the steps leave one value, arguments are integers, and quotients are of positive constants.
  bool is_sound(std::span<const LaunchArgument> arguments) const;

  bool operator==(const LaunchNumber &) const = default;

 private:
  template <class ValueOfArgument>
  static std::int64_t leaf(const Step &step, const ValueOfArgument &of_argument) {
    return step.operation == Operation::constant ? step.value
                                                 : of_argument(static_cast<unsigned>(step.value));
  }
  static std::int64_t computed(const Step &step, std::int64_t a, std::int64_t b);
};

}   // namespace tile
