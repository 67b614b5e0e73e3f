// SPDX-License-Identifier: MIT
// Launching without the kernel's C++ types and without the compiler. This code launches, caches and tunes for
// every caller that can make an executable for a config.
#pragma once

#include <tile/argument_class.h>
#include <tile/device.h>
#include <tile/launch_description.h>
#include <tile/tuning.h>
#include <tile/word_key.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tile::launching {

struct PackedArgument {
  Argument argument;
  ArgClass argument_class = ArgClass::generic;
  const Device *owner = nullptr;   // the device of a Buffer
  bool fits = true;                // false: the sign of an integer would be lost
  tuning::Access access = tuning::Access::reads;
  // The memory that a launch may reach through a pointer: the buffer or range of a view. Empty: not known.
  MemoryExtent memory = {};
};
// `is_dynamic`: the kernel must not be specialised for this parameter.
PackedArgument pack_pointer(ElementType t, const void *address, bool is_dynamic);
PackedArgument pack_number(ElementType t, std::uint64_t bits, bool is_dynamic);

// The executables of one kernel function, by device, config and argument classes. The cache is never
// destroyed, because its devices may be gone before it.
class LaunchCache;
LaunchCache &make_launch_cache();

// The launch that the `around` function of a kernel makes. The code was compiled for certain classes of
// arguments. The arguments that `around` passes on must belong to these classes, too.
class LaunchWithin {
 public:
  struct Code {
    const char *kernel;
    std::vector<const char *> parameters;
    std::vector<ArgClass> classes;
    std::source_location where;
  };
  LaunchWithin(std::unique_ptr<Executable> executable, Code code)
      : executable_(std::move(executable)), code_(std::move(code)) {}
  const Executable &executable() const { return *executable_; }
  const std::source_location &where() const { return code_.where; }
  // `is_rehearsal`: checks, but queues nothing.
  void operator()(const Grid &grid, std::span<const Argument> given, std::span<const Argument> changed,
                  bool is_rehearsal) const;

 private:
  std::unique_ptr<Executable> executable_;
  Code code_;
};

// Makes the executable of a config later, when the arguments and the kernel object may be gone.
class Recipe {
 public:
  virtual ~Recipe() = default;
  virtual std::unique_ptr<Executable> load(Device &device) const = 0;
  // The executable that launches use: it runs the kernel's `around`, too.
  virtual std::unique_ptr<Executable> as_launched(Device &device,
                                                  std::unique_ptr<Executable> plain) const = 0;
};

// The configs of a kernel, by number, for the arguments of one launch.
class ConfigSpace {
 public:
  virtual std::size_t size() const = 0;
  virtual const void *list() const = 0;                              // identifies the list of configs
  virtual bool follows_from_arguments() const { return false; }      // arguments set fields of configs
  virtual void push_values(std::size_t i, WordKey &key) const = 0;   // pushes the config's fields
  virtual std::string text(std::size_t i) const = 0;                 // "block_m=128 launch.num_warps=8"
  // The number in the kernel's own list, of which these may be a part.
  virtual std::size_t place_in_list(std::size_t i) const { return i; }
  // The number of a config. The text need not name every field: "block_m=128,launch.num_warps=8".
  virtual std::optional<std::size_t> find(std::string_view) const { return std::nullopt; }
  virtual bool keeps(std::size_t i) const = 0;
  // Whether launches may use it: `keep` admits it, and the complete config does not equal an earlier one.
  bool takes(std::size_t i) const;
  // A hash of the configs with the fields that the arguments set; 0: the arguments set none.
  std::uint64_t completed_as() const;
  virtual Grid grid(std::size_t i) const = 0;
  virtual Key key() const = 0;
  virtual Work work() const = 0;
  virtual Tunes tunes() const { return Tunes::at_first_launch; }
  // How many configs a sweep tries: those with the least cost. 0: all.
  virtual int tune_at_most() const { return 0; }
  // Seconds that the launch is expected to take on the machine; nullopt if the kernel has no `cost`.
  virtual std::optional<double> cost(std::size_t, const Machine &) const { return std::nullopt; }
  // Lines of JSON: tunings that ship with the kernel (runtime/tuning/shipped.h).
  virtual std::string_view shipped_tunings() const { return {}; }
  // The config that decides which result is right when equally many configs have different results. nullopt:
  // the kernel names none; size(): the named config is not in the list.
  virtual std::optional<std::size_t> reference() const { return std::nullopt; }
  // May be called in any thread.
  virtual std::unique_ptr<Executable> executable(Device &device, std::size_t i,
                                                 std::span<const ArgClass> classes) const = 0;
  // The executable that launches use: it runs the kernel's `around`, too.
  virtual std::unique_ptr<Executable> as_launched(Device &, std::size_t, std::unique_ptr<Executable> plain,
                                                  std::span<const ArgClass>) const {
    return plain;
  }
  // Makes both executables later; the steps that need the arguments are done now. Null: not possible.
  virtual std::unique_ptr<const Recipe> recipe(std::size_t, std::span<const ArgClass>) const {
    return nullptr;
  }
  // All that the kernel records, without source places; empty if its code is already made.
  virtual std::string fingerprint(std::size_t, std::span<const ArgClass>) const { return {}; }
  // The text that tracing records now, without source places; empty if the code is already made.
  virtual std::string trace_text(std::size_t, std::span<const ArgClass>) const { return {}; }

 protected:
  ~ConfigSpace() = default;
};

struct LaunchRequest {
  OnDevice where;
  const char *name;
  std::span<const PackedArgument> arguments;
  LaunchCache &cache;
};
struct TuneRequest {
  tuning::Options options;
  tuning::Sweep found;
};
// Launches the fastest config if the device can measure it, else the config that is expected to be fastest.
void launch(const LaunchRequest &request, const ConfigSpace &space);
// What launch() would launch, loaded, with nothing that stands in for it. No executable: the grid is empty.
struct Chosen {
  std::size_t config = 0;
  Executable *executable = nullptr;
};
Chosen decide(const LaunchRequest &request, const ConfigSpace &space);
// Throws tile::Error if a GPU does not take such a grid.
void check_grid(const Grid &grid, const std::source_location &where);
inline bool is_empty(const Grid &g) { return g.x == 0 || g.y == 0 || g.z == 0; }
// Measures which config is fastest. It launches nothing on the caller's memory.
tuning::Sweep tune(const LaunchRequest &request, const ConfigSpace &space, const tuning::Options &options);
// Checks the properties that do not depend on the config: devices of buffers, signs of integers.
void check_arguments(OnDevice where, const char *name, const std::vector<const char *> &parameter_names,
                     std::span<const PackedArgument> arguments);
[[noreturn]] void no_grid(const char *name, const Location &where);

}   // namespace tile::launching
