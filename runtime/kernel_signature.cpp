// SPDX-License-Identifier: MIT
#include "runtime/kernel_signature.h"

#include "runtime/kernel_names.h"
#include "runtime/report_text.h"

#include <algorithm>
#include <limits>

namespace tile {
namespace {

std::string number_text(ElementType type, std::uint64_t bits) {
  return type.is_unsigned() || type.is_pointer() ? std::to_string(bits)
                                                 : std::to_string(signed_number(type, bits));
}

std::string text_of(const Guard &guard, ElementType type) {
  std::string number = std::to_string(guard.number);
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
      parameters.emplace_back(PassedArgument{i});
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
  // As the driver has them, for code also that finds its programs itself.
  constexpr std::int64_t limits[] = {std::numeric_limits<std::int32_t>::max(), 65535, 65535};
  const std::int64_t extents[] = {grid.x, grid.y, grid.z};
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (extents[axis] < 0 || extents[axis] > limits[axis])
      throw Error(
          "the grid has " + grouped(extents[axis]) + " programs along " + "xyz"[axis] +
              (extents[axis] < 0 ? "; a grid has none or more" : "; the limit is " + grouped(limits[axis])),
          {})
          .add_context(title());
  for (const Guard &guard : guards)
    if (const Argument &argument = given[guard.argument]; !guard.holds(argument))
      throw Error(named(guard.argument) + " is " + number_text(argument.type, argument.bits) +
                      "; this code was made for launches where it is " + text_of(guard, argument.type),
                  {})
          .add_context(title())
          .add_help("pass an argument that keeps this promise, or launch code that was made without it");
  for (std::size_t axis = 0; axis < 3 && !persistent; ++axis)
    if (extents[axis] % cluster[axis] != 0)
      throw Error("the grid has " + std::to_string(extents[axis]) + " programs along " + "xyz"[axis] +
                      ", which is not a multiple of the cluster size " + std::to_string(cluster[axis]),
                  {})
          .add_context(title());
}

Grid KernelSignature::started(const Grid &asked, std::int64_t resident) const {
  if (!persistent)
    return asked;
  const std::int64_t together = ctas();   // that run a program
  return Grid{std::min(asked.x * asked.y * asked.z, resident / together) * together};
}

std::uint32_t KernelSignature::workspace_bytes() const {
  for (const CodeParameter &parameter : parameters)
    if (const auto *workspace = std::get_if<WorkspaceParameter>(&parameter))
      return workspace->bytes;
  return 0;
}

std::string KernelSignature::broken_rule() const {
  const auto is_number = [&](const LaunchNumber &number) { return number.is_sound(arguments); };
  std::size_t maps = 0, workspaces = 0;
  for (const CodeParameter &parameter : parameters) {
    if (const auto *passed = std::get_if<PassedArgument>(&parameter)) {
      if (passed->argument >= arguments.size())
        return "there is no argument " + std::to_string(passed->argument);
      continue;
    }
    if (const auto *extent = std::get_if<GridExtent>(&parameter)) {
      if (extent->axis > 2)
        return "a grid has no axis " + std::to_string(extent->axis);
      continue;
    }
    if (const auto *workspace = std::get_if<WorkspaceParameter>(&parameter)) {
      if (workspace->bytes == 0 || workspace->bytes % WorkspaceParameter::alignment != 0 ||
          workspace->bytes > WorkspaceParameter::most_bytes)
        return "a workspace has " + std::to_string(workspace->bytes) + " bytes, which is not a multiple of " +
               std::to_string(WorkspaceParameter::alignment) + " up to " +
               std::to_string(WorkspaceParameter::most_bytes);
      if (++workspaces > 1)
        return "there are two workspaces";
      if (!persistent)
        return "only a persistent kernel has a workspace";
      continue;
    }
    const auto &tensor = std::get<TensorParameter>(parameter);
    const std::string name = "tensor map " + std::to_string(maps);
    if (++maps > most_tensors)
      return "there are more than " + std::to_string(most_tensors) + " tensor maps";
    if (tensor.base >= arguments.size() || !arguments[tensor.base].type.is_pointer())
      return name + " begins at an argument that is not an address";
    const std::size_t rank = tensor.sizes.size();
    if (rank < 1 || rank > 5)
      return name + " has " + std::to_string(rank) + " dimensions, not one to five";
    if (tensor.strides.size() != rank - 1)
      return name + " of " + std::to_string(rank) + " dimensions has " +
             std::to_string(tensor.strides.size()) + " strides, not " + std::to_string(rank - 1);
    if (tensor.box.size() != rank)
      return name + " of " + std::to_string(rank) + " dimensions has a box of " +
             std::to_string(tensor.box.size());
    if (!std::ranges::all_of(tensor.box, [](std::uint32_t extent) { return extent >= 1 && extent <= 256; }))
      return name + " has a box with an extent that is not in 1 to 256";
    if (!std::ranges::all_of(tensor.sizes, is_number) || !std::ranges::all_of(tensor.strides, is_number))
      return name + " has an extent or a stride that integer arguments do not give";
  }
  if (persistent && cluster[1] * cluster[2] != 1)
    return "a persistent kernel has clusters along x only";
  return "";
}

}   // namespace tile
