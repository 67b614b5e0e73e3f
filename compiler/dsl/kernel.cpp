// SPDX-License-Identifier: MIT
// Tracing a kernel, and launching it: whatever does not depend on a kernel's C++ types.
#include "tile/kernel.h"

#include "compiler/dsl/emit_mlir.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace tile::detail {

// ------------------------------------------------------------------------------ tracing

// One open trace per thread; the guard restores the outer one, for a kernel that is traced
// while another is (its values do not mix: traces have numbers).
class Tracing {
 public:
  explicit Tracing(Loc l) : outer_(current_trace_or_null()) {
    static std::atomic<std::uint64_t> traces = 0;   // unique in the process, not in the thread
    trace.id = ++traces;
    trace.loc = l;
    set_current_trace(&trace);
  }
  ~Tracing() { set_current_trace(outer_); }
  Tracing(const Tracing &) = delete;
  Tracing &operator=(const Tracing &) = delete;

  Trace trace;

 private:
  Trace *outer_;
};

Use parameter(const Tracing &tracing, std::size_t i) { return tracing.trace.parameters[i].use; }

namespace {

std::string parameter_name(const std::vector<const char *> &names, std::size_t i) {
  return i < names.size() && names[i] ? names[i] : "arg" + std::to_string(i);
}

std::string context_line(const char *name, const std::string &config) {
  return std::string("kernel ") + name + (config.empty() ? "" : ", config " + config);
}

void add_parameters(Trace &trace, const TraceRequest &request) {
  for (std::size_t i = 0; i < request.parameters.size(); ++i) {
    const ParameterSpec &spec = request.parameters[i];
    ArgClass c = i < request.classes.size() ? request.classes[i] : ArgClass::generic;
    std::string name = parameter_name(request.parameter_names, i);
    if (spec.is_dynamic)
      c = ArgClass::generic;
    if (c == ArgClass::one && !spec.type.is_integer())
      throw Error("parameter " + name + " has type " + spec.type.name() +
                      ": only integers are specialised to 1",
                  request.loc);
    if (c != ArgClass::generic && !spec.type.is_integer() && !spec.type.is_pointer())
      throw Error("parameter " + name + " has type " + spec.type.name() +
                      ": only integers and pointers are specialised",
                  request.loc);
    Use use = c == ArgClass::one
                  ? integer_constant(spec.type, 1, request.loc)   // the parameter is folded away
                  : Use{{trace.value(spec.type, {}), spec.type, {}}, request.loc};
    trace.parameters.push_back({std::move(name), spec.type, static_cast<int>(c), use});
  }
}

void check_names(const TraceRequest &request) {
  if (!request.parameter_names.empty() && request.parameter_names.size() != request.parameters.size())
    throw Error("`parameters` has " + std::to_string(request.parameter_names.size()) +
                    " names, the kernel takes " + std::to_string(request.parameters.size()) + " arguments",
                request.loc);
  if (request.classes.size() > request.parameters.size())
    throw Error(std::to_string(request.classes.size()) + " argument classes are given, the kernel takes " +
                    std::to_string(request.parameters.size()) + " arguments",
                request.loc);
}

Launch launch_of(const FieldTable &table, const void *config, Loc l) {
  Launch launch;
  if (table.launch >= 0)
    launch = *reinterpret_cast<const Launch *>(static_cast<const char *>(config) + table.launch);
  auto check = [&](bool ok, const char *field, int value, const char *rule) {
    if (!ok)
      throw Error("launch." + std::string(field) + " is " + std::to_string(value) + "; it is " + rule, l);
  };
  auto isPowerOfTwo = [](int n) { return n > 0 && (n & (n - 1)) == 0; };
  check(isPowerOfTwo(launch.num_warps) && launch.num_warps <= 32, "num_warps", launch.num_warps,
        "a power of two from 1 to 32");
  check(launch.num_stages >= 1 && launch.num_stages <= 32, "num_stages", launch.num_stages, "1 to 32");
  check(isPowerOfTwo(launch.num_ctas) && launch.num_ctas <= 16, "num_ctas", launch.num_ctas,
        "a power of two from 1 to 16");
  check(launch.max_registers == 0 || (launch.max_registers >= 24 && launch.max_registers <= 255),
        "max_registers", launch.max_registers, "24 to 255, or 0 to let the assembler decide");
  return launch;
}

}   // namespace

KernelIR trace(const TraceRequest &request, const void *kernel,
               void (*body)(const void *kernel, const TraceRequest &, const Tracing &)) {
  std::string config = describe(request.table, request.config);
  try {
    check_names(request);
    Launch launch = launch_of(request.table, request.config, request.loc);
    Tracing tracing(request.loc);
    Trace &trace = tracing.trace;
    add_parameters(trace, request);
    body(kernel, request, tracing);
    if (trace.pending)
      throw *trace.pending;
    promote(trace);
    if (request.options.canonical_order)
      order_canonically(trace);
    auto module = emit_module(trace, request.name, launch, request.options.locations);
    std::vector<Parameter> parameters;
    for (const TracedParameter &p : trace.parameters)
      parameters.push_back({p.name, p.type, static_cast<ArgClass>(p.argument_class)});
    return KernelIR(std::move(module), request.name, std::move(config), std::move(parameters), launch);
  } catch (Error &e) {
    e.add_context(context_line(request.name, config));
    throw;
  }
}

// ------------------------------------------------------------------------------- launch

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

// Device, config and argument classes as one row of words.
struct LaunchKey {
  std::vector<std::uint64_t> words;
  bool operator==(const LaunchKey &) const = default;
};
struct HashKey {
  std::size_t operator()(const LaunchKey &k) const {
    std::uint64_t h = 0xCBF29CE484222325u;   // FNV-1a, a word at a time
    for (std::uint64_t w : k.words)
      h = (h ^ w) * 0x100000001B3u;
    return h ^ h >> 32;
  }
};

LaunchKey key_of(const LaunchRequest &r) {
  LaunchKey key;
  key.words.reserve(2 + r.table.fields.size() + r.arguments.size() / 16);
  key.words.push_back(r.where.device.id());
  key.words.push_back(reinterpret_cast<std::uintptr_t>(r.name));
  for (const Field &f : r.table.fields) {
    std::uint64_t word = 0;
    std::memcpy(&word, static_cast<const char *>(r.config) + f.offset, f.bytes);
    key.words.push_back(word);
  }
  std::uint64_t classes = 0;
  for (std::size_t i = 0; i < r.arguments.size(); ++i) {
    classes = classes << 2 | static_cast<std::uint64_t>(r.arguments[i].argument_class);
    if (i % 32 == 31)
      key.words.push_back(std::exchange(classes, 0));
  }
  key.words.push_back(classes);
  return key;
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

class LaunchCache {
 public:
  Executable *find(const LaunchKey &key) const {
    std::shared_lock lock(mutex_);
    auto it = executables_.find(key);
    return it == executables_.end() ? nullptr : it->second.get();
  }
  // The first of two threads that compiled the same kernel wins.
  Executable *insert(LaunchKey key, std::unique_ptr<Executable> made) {
    std::unique_lock lock(mutex_);
    return executables_.try_emplace(std::move(key), std::move(made)).first->second.get();
  }

 private:
  mutable std::shared_mutex mutex_;
  std::unordered_map<LaunchKey, std::unique_ptr<Executable>, HashKey> executables_;
};

LaunchCache &make_launch_cache() { return *new LaunchCache; }

PackedArgument pack_pointer(ElementType t, const void *address, bool is_dynamic) {
  return pack(t, reinterpret_cast<std::uintptr_t>(address), is_dynamic);
}
PackedArgument pack_number(ElementType t, std::uint64_t bits, bool is_dynamic) {
  return pack(t, bits, is_dynamic);
}

void check_arguments(OnDevice where, const char *name, const std::vector<const char *> &parameter_names,
                     std::span<const PackedArgument> arguments) {
  const std::string kind(where.device.kind());
  auto refuse = [&](std::size_t i, const std::string &why, const char *help = nullptr) {
    Error e("argument " + parameter_name(parameter_names, i) + " " + why, where.where);
    e.add_context(std::string("kernel ") + name);
    if (help)
      e.add_help(help);
    throw e;
  };
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const PackedArgument &p = arguments[i];
    if (!p.fits)
      refuse(i, "does not fit " + p.argument.type.name() + ": its sign would be lost");
    if (p.owner && p.owner != &where.device)
      refuse(i, "is a buffer of another device (" + std::string(p.owner->kind()) + "), the launch is on " +
                    kind);
    if (p.argument.is_host && !where.device.reaches_host_memory())
      refuse(i, "is a span of host memory, which the device \"" + kind + "\" does not reach",
             "copy it into a tile::Buffer of the device");
  }
}

void launch(const LaunchRequest &r, const void *kernel,
            KernelIR (*trace)(const void *kernel, const LaunchRequest &, std::span<const ArgClass>)) {
  try {
    check_grid(r.grid, r.where.where);
  } catch (Error &e) {
    e.add_context(context_line(r.name, describe(r.table, r.config)));
    throw;
  }
  if (r.grid.x == 0 || r.grid.y == 0 || r.grid.z == 0)
    return;
  LaunchKey key = key_of(r);
  Executable *executable = r.cache.find(key);
  if (!executable) {
    std::vector<ArgClass> classes;
    for (const PackedArgument &p : r.arguments)
      classes.push_back(p.argument_class);
    executable = r.cache.insert(std::move(key), r.where.device.load(trace(kernel, r, classes)));
  }
  std::vector<Argument> arguments;
  arguments.reserve(r.arguments.size());
  for (const PackedArgument &p : r.arguments)
    arguments.push_back(p.argument);
  executable->launch(r.grid, arguments);
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
