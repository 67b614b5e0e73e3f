// SPDX-License-Identifier: MIT
// Launching a kernel: whatever does not depend on its C++ types.
#include "compiler/dsl/kernel_names.h"
#include "compiler/dsl/launch_steps.h"
#include "compiler/dsl/staged_arguments.h"
#include "compiler/dsl/tuned_launch.h"

#include <cstring>
#include <utility>

namespace tile::detail {
namespace {

ArgClass class_of(ElementType t, std::uint64_t bits, bool is_dynamic) {
  if (is_dynamic || (!t.is_pointer() && !t.is_integer()))
    return ArgClass::generic;
  if (bits == 1 && !t.is_pointer())
    return ArgClass::one;
  // Zero and negative numbers are left out: a remainder by a positive number is what sizes are good for.
  const bool positive = t.is_pointer() || (bits != 0 && (t.is_unsigned() || bits >> (t.bits() - 1) == 0));
  return positive && bits % 16 == 0 ? ArgClass::divisible_by_16 : ArgClass::generic;
}

PackedArgument pack(ElementType t, std::uint64_t bits, bool is_dynamic) {
  PackedArgument p;
  p.argument.type = t;
  p.argument.bits = bits;
  p.argument_class = class_of(t, bits, is_dynamic);
  return p;
}

void check_grid(const Grid &g, Loc l) {
  auto text = [&] {
    return "[" + std::to_string(g.x) + ", " + std::to_string(g.y) + ", " + std::to_string(g.z) + "]";
  };
  if (g.x < 0 || g.y < 0 || g.z < 0)
    throw Error("the grid " + text() + " has a negative extent", l);
  constexpr std::int64_t MaxX = 2147483647, MaxYZ = 65535;
  if (g.x > MaxX || g.y > MaxYZ || g.z > MaxYZ)
    throw Error("the grid " + text() + " is too large: x is at most 2147483647, y and z at most 65535", l);
}

}   // namespace

void push_fields(WordKey &key, const FieldTable &table, const void *config) {
  for (const Field &f : table.fields) {
    std::uint64_t word = 0;
    std::memcpy(&word, static_cast<const char *>(config) + f.offset, f.bytes);
    key.push(word);
  }
}

WordKey key_of(const LaunchRequest &r) {
  WordKey key;
  key.push(r.where.device.id());
  key.push(reinterpret_cast<std::uintptr_t>(r.name));
  std::uint64_t classes = 0;
  for (std::size_t i = 0; i < r.arguments.size(); ++i) {
    classes = classes << 2 | static_cast<std::uint64_t>(r.arguments[i].argument_class);
    if (i % 32 == 31)
      key.push(std::exchange(classes, 0));
  }
  key.push(classes);
  return key;
}

Grid grid_of(const LaunchRequest &r, const ConfigSpace &space, std::size_t config) {
  const Grid grid = space.grid(config);
  try {
    check_grid(grid, r.where.where);
  } catch (Error &e) {
    e.add_context(context_line(r.name, describe(r.table, space.config(config))));
    throw;
  }
  return grid;
}

Executable *executable_of(const LaunchRequest &r, const ConfigSpace &space, std::size_t config) {
  WordKey key = key_of(r);
  push_fields(key, r.table, space.config(config));
  if (Executable *known = r.cache.find(key))
    return known;
  std::vector<ArgClass> classes;
  for (const PackedArgument &p : r.arguments)
    classes.push_back(p.argument_class);
  return r.cache.insert(key, r.where.device.load(space.trace(config, classes)));
}

std::size_t first_kept(const LaunchRequest &r, const ConfigSpace &space) {
  for (std::size_t i = 0; i < space.size(); ++i)
    if (space.keeps(i))
      return i;
  no_config(r.name, space.size(), r.where.where);
}

LaunchCache &make_launch_cache() { return *new LaunchCache; }

PackedArgument pack_pointer(ElementType t, const void *address, bool is_dynamic) {
  return pack(t, reinterpret_cast<std::uintptr_t>(address), is_dynamic);
}
PackedArgument pack_number(ElementType t, std::uint64_t bits, bool is_dynamic) {
  return pack(t, bits, is_dynamic);
}

void check_arguments(OnDevice where, const char *name, const std::vector<const char *> &parameter_names,
                     std::span<const PackedArgument> arguments) {
  auto kind = [&] { return std::string(where.device.kind()); };
  auto refuse = [&](std::size_t i, const std::string &why) {
    throw Error("argument " + parameter_name(parameter_names, i) + " " + why, where.where)
        .add_context(std::string("kernel ") + name);
  };
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const PackedArgument &p = arguments[i];
    if (!p.fits)
      refuse(i, "does not fit " + p.argument.type.name() + ": its sign would be lost");
    if (p.owner && p.owner != &where.device)
      refuse(i, "is a buffer of another device (" + std::string(p.owner->kind()) + "), the launch is on " +
                    kind());
  }
}

static void launch_on_device(const LaunchRequest &r, const ConfigSpace &space) {
  Chosen chosen{0, nullptr};
  if (space.size() > 1 && (r.where.device.can_time() || r.where.device.has_limits()))
    chosen = tuned_choice(r, space);
  else
    chosen.config = first_kept(r, space);
  const Grid grid = grid_of(r, space, chosen.config);
  if (is_empty(grid))
    return;
  if (!chosen.executable)
    chosen.executable = executable_of(r, space, chosen.config);
  chosen.executable->launch(grid, Row(r.arguments).arguments());
}

void launch(const LaunchRequest &r, const ConfigSpace &space) {
  if (!StagedArguments::are_needed(r))
    return launch_on_device(r, space);
  StagedArguments staged(r);
  launch_on_device(staged.request(), space);
  staged.copy_back();
}

void no_config(const char *name, std::size_t configs, Loc l) {
  if (configs == 0)
    throw Error(std::string("kernel ") + name + " has no configs", l);
  throw Error("no config of kernel " + std::string(name) + " suits these arguments: `keep` refused " +
                  (configs == 1 ? "the only one" : "all " + std::to_string(configs)),
              l);
}

void no_grid(const char *name, Loc l) {
  throw Error(std::string("kernel ") + name +
                  " has no grid: give it `.grid = [](auto &cfg, ...) { return tile::Grid{...}; }`",
              l);
}

}   // namespace tile::detail
