// SPDX-License-Identifier: MIT
#include "tile/kernel_signature.h"

#include "runtime/kernel_names.h"

#include <algorithm>

namespace tile {
namespace {

std::string number_text(ElementType type, std::uint64_t bits) {
  if (type.is_unsigned() || type.is_pointer())
    return std::to_string(bits);
  const int unused = 64 - type.bits();
  return std::to_string(static_cast<std::int64_t>(bits << unused) >> unused);
}

std::string text_of(const Guard &guard, ElementType type) {
  const std::string number = std::to_string(guard.number);
  if (guard.kind == Guard::Kind::equal)
    return number;
  return type.is_pointer() ? "an address that " + number + " divides" : "a positive multiple of " + number;
}

}   // namespace

std::optional<Guard> Guard::of(unsigned argument, ArgClass promised) {
  switch (promised) {
  case ArgClass::one:
    return Guard{argument, Kind::equal, 1};
  case ArgClass::divisible_by_16:
    return Guard{argument, Kind::positive_multiple, 16};
  case ArgClass::generic:
    break;
  }
  return {};
}

bool Guard::holds(const Argument &given) const {
  return kind == Kind::equal ? given.bits == number : is_positive_multiple(given.type, given.bits, number);
}

std::string KernelSignature::title() const { return kernel_title(name, config); }

void KernelSignature::take(std::span<const LaunchArgument> given, std::span<const ArgClass> classes) {
  arguments.assign(given.begin(), given.end());
  for (unsigned i = 0; i < arguments.size(); ++i) {
    const ArgClass promised = i < classes.size() ? classes[i] : ArgClass::generic;
    if (is_passed(promised))
      parameters.push_back({i});
    if (const std::optional<Guard> guard = Guard::of(i, promised))
      guards.push_back(*guard);
  }
}

void KernelSignature::check(const Grid &grid, std::span<const Argument> given) const {
  const auto named = [&](unsigned i) { return "argument `" + arguments[i].name + "` of kernel " + name; };
  if (given.size() != arguments.size())
    throw Error("kernel " + name + " takes " + std::to_string(arguments.size()) + " arguments, not " +
                    std::to_string(given.size()),
                {})
        .add_context(title());
  for (unsigned i = 0; i < given.size(); ++i) {
    const ElementType taken = arguments[i].type, is = given[i].type;
    if (is.is_pointer() != taken.is_pointer())
      throw Error(named(i) + " is " + (taken.is_pointer() ? "an address" : "a number") + ", not " + is.name(),
                  {})
          .add_context(title());
    if (is.bits() != taken.bits())
      throw Error(named(i) + " is a number of type " + taken.name() + ", not " + is.name(), {})
          .add_context(title());
  }
  for (const Guard &guard : guards)
    if (const Argument &argument = given[guard.argument]; !guard.holds(argument))
      throw Error(named(guard.argument) + " is " + number_text(argument.type, argument.bits) +
                      "; this code was made for launches where it is " + text_of(guard, argument.type),
                  {})
          .add_context(title())
          .add_help("launch code that was made without this promise, or give it what it was promised");
  const std::int64_t extents[] = {grid.x, grid.y, grid.z};
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (extents[axis] % cluster[axis] != 0)
      throw Error("the grid has " + std::to_string(extents[axis]) + " programs along " + "xyz"[axis] +
                      ", which clusters of " + std::to_string(cluster[axis]) + " do not divide",
                  {})
          .add_context(title());
}

}   // namespace tile
