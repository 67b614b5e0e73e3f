// SPDX-License-Identifier: MIT
#include "runtime/launch/launch.h"

#include "runtime/environment.h"
#include "runtime/kernel_names.h"
#include "runtime/launch/copied_arguments.h"
#include "runtime/launch/launch_steps.h"
#include "runtime/launch/tuned_launch.h"

#include <algorithm>
#include <utility>

namespace tile::launching {
namespace {

PackedArgument pack(ElementType t, std::uint64_t bits, bool is_dynamic) {
  PackedArgument p;
  p.argument.type = t;
  p.argument.bits = bits;
  p.argument_class = is_dynamic ? ArgClass::generic : class_of(t, bits);
  return p;
}

}   // namespace

void check_grid(const Grid &g, const std::source_location &where) {
  auto text = [&] {
    return "[" + std::to_string(g.x) + ", " + std::to_string(g.y) + ", " + std::to_string(g.z) + "]";
  };
  if (g.x < 0 || g.y < 0 || g.z < 0)
    throw Error("the grid " + text() + " has a negative extent", where);
  constexpr std::int64_t MaxX = 2147483647, MaxYZ = 65535;
  if (g.x > MaxX || g.y > MaxYZ || g.z > MaxYZ)
    throw Error("the grid " + text() + " is too large: x is at most 2147483647, y and z at most 65535",
                where);
}

bool ConfigSpace::takes(std::size_t i) const {
  const auto values = [&](std::size_t of) {
    WordKey key;
    push_values(of, key);
    return key;
  };
  for (std::size_t before = 0; before < i && follows_from_arguments(); ++before)
    if (values(before) == values(i))
      return false;
  return keeps(i);
}

std::uint64_t ConfigSpace::completed_as() const {
  if (!follows_from_arguments())
    return 0;
  WordKey all;
  for (std::size_t i = 0; i < size(); ++i)
    push_values(i, all);
  return all.hash();
}

static WordKey key_on(std::uint64_t device, const LaunchRequest &r) {
  WordKey key;
  key.push(device);
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
WordKey key_of(const LaunchRequest &r) { return key_on(r.where.device.id(), r); }
WordKey model_key_of(const LaunchRequest &r) { return key_on(r.where.device.model(), r); }

Grid grid_of(const LaunchRequest &r, const ConfigSpace &space, std::size_t config) {
  const Grid grid = space.grid(config);
  try {
    check_grid(grid, r.where.where);
  } catch (Error &e) {
    e.add_context(kernel_title(r.name, space.text(config)));
    throw;
  }
  return grid;
}

std::vector<ArgClass> classes_of(const LaunchRequest &r) {
  std::vector<ArgClass> classes;
  for (const PackedArgument &p : r.arguments)
    classes.push_back(p.argument_class);
  return classes;
}

ExecutableKeys keys_of_executable(const LaunchRequest &r, const ConfigSpace &space, std::size_t config) {
  ExecutableKeys keys{key_of(r), model_key_of(r), {r.where.device.id(), r.name, {}, classes_of(r)}};
  for (WordKey *key : {&keys.own, &keys.of_model, &keys.origin.fields})
    space.push_values(config, *key);
  return keys;
}

Executable *loaded_once(LaunchCache &cache, Device &device, const ExecutableKeys &keys,
                        const std::function<std::unique_ptr<Executable>()> &make, const Wrap &wrap, Use use) {
  if (Executable *known = cache.find(keys.own, use))
    return known;
  const std::shared_ptr<void> beside = device.beside_recordings();   // also in a thread of a tuner's
  if (const std::shared_ptr<const LoweredKernel> code = cache.code(keys.of_model))
    return cache.insert(keys.own, wrap(device.load_lowered(*code)), use, keys.origin);
  std::unique_ptr<Executable> made = make();
  if (const LoweredKernel *code = made->reusable())
    cache.keep(keys.of_model, *code);
  return cache.insert(keys.own, wrap(std::move(made)), use, keys.origin);
}

Executable *executable_of(const LaunchRequest &r, const ConfigSpace &space, std::size_t config, Use use) {
  WordKey key = key_of(r);
  space.push_values(config, key);
  if (Executable *known = r.cache.find(key, use))
    return known;
  return loaded_once(
      r.cache, r.where.device, keys_of_executable(r, space, config),
      [&] { return space.executable(r.where.device, config, classes_of(r)); },
      [&](std::unique_ptr<Executable> plain) {
        return space.as_launched(r.where.device, config, std::move(plain), classes_of(r));
      },
      use);
}

// The first line in which two texts differ, of each.
static std::pair<std::string, std::string> difference(const std::string &a, const std::string &b) {
  std::size_t begin = 0, i = 0;
  for (; i < a.size() && i < b.size() && a[i] == b[i]; ++i)
    if (a[i] == '\n')
      begin = i + 1;
  auto line = [&](const std::string &text) {
    const std::size_t from = std::min(text.find_first_not_of(' ', begin), text.size());
    return text.substr(from, text.find('\n', from) - from);
  };
  return {line(a), line(b)};
}

// Code is compiled once from what a kernel recorded; a global that it read while it did has no say
// afterwards.
static void check_trace(const LaunchRequest &r, const ConfigSpace &space, std::size_t config) {
  static const bool is_on = environment::check().trace;
  if (!is_on)
    return;
  WordKey key = key_of(r);
  space.push_values(config, key);
  const std::string now = space.trace_text(config, classes_of(r)), first = r.cache.first_trace(key, now);
  if (now == first)
    return;
  const auto [then, today] = difference(first, now);
  throw Error("the kernel records other operations than at its first launch with this config, but its code "
              "stays that of the first launch: a value that is neither a parameter nor in the config has "
              "changed",
              r.where.where)
      .add_context(kernel_title(r.name, space.text(config)))
      .add_context("then: " + then)
      .add_context("now:  " + today)
      .add_help("pass this value as a parameter or as a field of the config");
}

[[noreturn]] static void no_config(const char *name, std::size_t configs, const Location &where) {
  if (configs == 0)
    throw Error(std::string("kernel ") + name + " has no configs", where);
  throw Error("no config of kernel " + std::string(name) + " suits these arguments: `keep` refused " +
                  (configs == 1 ? "the only one" : "all " + std::to_string(configs)),
              where);
}

std::size_t first_kept(const LaunchRequest &r, const ConfigSpace &space) {
  for (std::size_t i = 0; i < space.size(); ++i)
    if (space.takes(i))
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

void LaunchWithin::operator()(const Grid &grid, std::span<const Argument> given,
                              std::span<const Argument> changed, bool is_rehearsal) const {
  const auto pass = [&](std::span<const Argument> arguments) {
    if (is_rehearsal)
      executable_->rehearse(grid, arguments);
    else
      executable_->launch(grid, arguments);
  };
  if (std::ranges::equal(given, changed, {}, &Argument::bits, &Argument::bits))
    return pass(given);
  Row row(given);
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (changed[i].bits == given[i].bits)
      continue;
    row[i] = changed[i];
    if (code_.classes[i] != ArgClass::generic &&
        code_.classes[i] != class_of(changed[i].type, changed[i].bits))
      throw Error("argument " + parameter_name(code_.parameters, i) +
                      " was changed in the kernel's `around` to a value that this code was not made for",
                  code_.where)
          .add_context(std::string("kernel ") + code_.kernel)
          .add_help("declare the parameter Dynamic<>; or, if the launch was given a multiple of 16 or "
                    "null, pass a multiple of 16");
  }
  pass(row.arguments());
}

void check_arguments(OnDevice where, const char *name, const std::vector<const char *> &parameter_names,
                     std::span<const PackedArgument> arguments) {
  checked_kernel_name(name, where.where);
  auto kind = [&] { return std::string(where.device.kind()); };
  auto refuse = [&](std::size_t i, const std::string &why) {
    throw Error("argument " + parameter_name(parameter_names, i) + " " + why, where.where)
        .add_context(std::string("kernel ") + name);
  };
  try {
    where.device.check_use("a launch", where.where);
  } catch (Error &error) {
    error.add_context(std::string("kernel ") + name);
    throw;
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const PackedArgument &p = arguments[i];
    if (!p.fits)
      refuse(i, "does not fit " + p.argument.type.name() + ": its sign would be lost");
    if (p.owner && p.owner != &where.device)
      refuse(i, "is a buffer of another device (" + std::string(p.owner->kind()) + "), the launch is on " +
                    kind());
  }
}

// One config is no choice, and a device without a clock or limits takes the first.
static bool is_tuned(const LaunchRequest &r, const ConfigSpace &space) {
  return space.size() > 1 && (r.where.device.can_time() || r.where.device.has_limits());
}

Chosen decide(const LaunchRequest &r, const ConfigSpace &space) {
  Chosen chosen = is_tuned(r, space) ? tuned_choice(r, space, StandIns::never) : Chosen{first_kept(r, space)};
  if (!chosen.executable && !is_empty(grid_of(r, space, chosen.config)))
    chosen.executable = executable_of(r, space, chosen.config);
  return chosen;
}

static void launch_on_device(const LaunchRequest &r, const ConfigSpace &space) {
  Chosen chosen = is_tuned(r, space) ? tuned_choice(r, space) : Chosen{first_kept(r, space)};
  const Grid grid = grid_of(r, space, chosen.config);
  if (is_empty(grid))
    return;
  check_trace(r, space, chosen.config);
  if (!chosen.executable)
    chosen.executable = executable_of(r, space, chosen.config);
  chosen.executable->launch(grid, Row(r.arguments).arguments());
}

void launch(const LaunchRequest &r, const ConfigSpace &space) {
  if (!CopiedArguments::are_needed(r))
    return launch_on_device(r, space);
  CopiedArguments copied(r);
  launch_on_device(copied.request(), space);
  copied.copy_back();
}

void no_grid(const char *name, const Location &where) {
  throw Error(std::string("kernel ") + name +
                  " has no grid: give it `.grid = [](auto &cfg, ...) { return tile::Grid{...}; }`",
              where);
}

}   // namespace tile::launching
