// SPDX-License-Identifier: MIT
// A launch without the kernel's C++ types, and without the compiler: whoever can give an executable for a
// config launches, caches and tunes here.
#pragma once

#include "tile/argument_class.h"
#include "tile/device.h"
#include "tile/launch_description.h"
#include "tile/tuning.h"
#include "tile/word_key.h"

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
  const Device *owner = nullptr;   // of a Buffer
  bool fits = true;                // false: the sign of an integer is lost
  tuning::Access access = tuning::Access::reads;
  // What the launch may reach through a pointer: the buffer, or the range of a view. Nowhere: not known.
  MemoryExtent memory = {};
};
// `is_dynamic`: the kernel is not to be specialised for this parameter.
PackedArgument pack_pointer(ElementType t, const void *address, bool is_dynamic);
PackedArgument pack_number(ElementType t, std::uint64_t bits, bool is_dynamic);

// Kernels that were made ready for a device, by device, config and argument classes. One per
// kernel function, never destroyed: a device may be gone before it.
class LaunchCache;
LaunchCache &make_launch_cache();

// The launch that a kernel makes by itself within another one's place: of code for certain classes of
// arguments, which those that the kernel passes on must be of, too.
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
  void operator()(const Grid &grid, std::span<const Argument> given,
                  std::span<const PackedArgument> changed) const;

 private:
  std::unique_ptr<Executable> executable_;
  Code code_;
};

// What makes the executable of a config when the arguments and the kernel object may be gone.
class Recipe {
 public:
  virtual ~Recipe() = default;
  virtual std::unique_ptr<Executable> load(Device &device) const = 0;
  // As launches take it: with what the kernel does around them.
  virtual std::unique_ptr<Executable> as_launched(Device &device,
                                                  std::unique_ptr<Executable> plain) const = 0;
};

// The configs of a kernel, by number, with the arguments of one launch in hand.
class ConfigSpace {
 public:
  virtual std::size_t size() const = 0;
  virtual const void *list() const = 0;                              // tells lists of configs apart
  virtual bool follows_from_arguments() const { return false; }      // a field of a config, say
  virtual void push_values(std::size_t i, WordKey &key) const = 0;   // of the config's fields
  virtual std::string text(std::size_t i) const = 0;                 // "block_m=128 launch.num_warps=8"
  // The place of a config by a text that need not name every field: "block_m=128,launch.num_warps=8".
  virtual std::optional<std::size_t> find(std::string_view) const { return std::nullopt; }
  virtual bool keeps(std::size_t i) const = 0;
  // Whether launches may take it: the kernel keeps it, and the arguments made it no other one in front of it.
  bool takes(std::size_t i) const;
  // What the arguments made of the list; 0: nothing.
  std::uint64_t completed_as() const;
  virtual Grid grid(std::size_t i) const = 0;
  virtual Key key() const = 0;
  virtual Work work() const = 0;
  virtual Tunes tunes() const { return Tunes::at_first_launch; }
  // How many configs a sweep tries, those with the least cost; 0: all.
  virtual int tune_at_most() const { return 0; }
  // Seconds that the launch is expected to take there; nothing where the kernel does not say.
  virtual std::optional<double> cost(std::size_t, const Machine &) const { return std::nullopt; }
  // Lines of JSON: tunings that ship with the kernel (runtime/tuning/shipped.h).
  virtual std::string_view shipped_tunings() const { return {}; }
  // The config that is believed where as many configs have another result, if one is; size(): it is none of
  // them.
  virtual std::optional<std::size_t> reference() const { return std::nullopt; }
  // In any thread.
  virtual std::unique_ptr<Executable> executable(Device &device, std::size_t i,
                                                 std::span<const ArgClass> classes) const = 0;
  // As launches take it: with what the kernel does around them.
  virtual std::unique_ptr<Executable> as_launched(Device &, std::size_t, std::unique_ptr<Executable> plain,
                                                  std::span<const ArgClass>) const {
    return plain;
  }
  // What makes both later: all that depends on the arguments is done now. Null: nothing does.
  virtual std::unique_ptr<const Recipe> recipe(std::size_t, std::span<const ArgClass>) const {
    return nullptr;
  }
  // All that the kernel records but for places; nothing where its code is already made.
  virtual std::string fingerprint(std::size_t, std::span<const ArgClass>) const { return {}; }
  // What the kernel records now, without places; nothing where its code is already made.
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
// Launches the fastest config where the device can find it out, else the one that is expected to be.
void launch(const LaunchRequest &request, const ConfigSpace &space);
// Finds it out, and launches nothing on the caller's memory.
tuning::Sweep tune(const LaunchRequest &request, const ConfigSpace &space, const tuning::Options &options);
// What does not depend on the config: devices of buffers, signs of integers.
void check_arguments(OnDevice where, const char *name, const std::vector<const char *> &parameter_names,
                     std::span<const PackedArgument> arguments);
[[noreturn]] void no_grid(const char *name, const Location &where);

}   // namespace tile::launching
