// SPDX-License-Identifier: MIT
// One kernel of a shared library: its ABI, with C++ values and exceptions.
#pragma once

#include "compiler/api/kernel_ir.h"
#include "runtime/launch/launch.h"
#include "runtime/library_abi.h"
#include "runtime/tuning/tuning.h"
#include "tools/registry/registry.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tile::registry {

class LibraryKernel {
 public:
  explicit LibraryKernel(const library::KernelAbi &abi) : abi_(&abi) {}

  std::string name() const { return abi_->name; }
  const char *c_name() const { return abi_->name; }   // at one address, by which caches know it
  // What its launches in this process share.
  launching::LaunchCache &launch_cache() const;
  std::size_t configs() const { return abi_->configs; }
  bool has_grid() const { return abi_->has_grid != 0; }
  bool has_around() const { return abi_->has_around != 0; }

  struct Parameter {
    std::string name, setting;   // the setting of `seed`, which commands have too, is seed_
    ElementType type;
    tuning::Access access;
    bool is_dynamic;
  };
  std::vector<Parameter> parameters() const;

  // A config of the list, or changes to the default one. All of these throw what the library's code throws.
  struct Config {
    int number = -1;
    std::string changes;
  };
  std::string describe(const Config &config) const;
  // With the fields that follow from a launch's arguments.
  Config complete(const Config &config, std::span<const std::uint64_t> arguments) const;
  KernelIR trace(const Config &config, std::span<const ArgClass> classes) const;
  bool keeps(const Config &config, std::span<const std::uint64_t> arguments) const;
  Grid grid(const Config &config, std::span<const std::uint64_t> arguments) const;
  Work work(std::span<const std::uint64_t> arguments) const;

 private:
  const library::KernelAbi *abi_;   // of a library that stays
};

// A launch of it on arrays of random elements, as the settings say: made ready once, launched as often as
// wished.
class LibraryLaunch {
 public:
  // With one config, or with all that the settings leave. `like`: of the same settings on the same device,
  // whose arrays' elements it gets.
  LibraryLaunch(const LibraryKernel &kernel, Device &device, const Settings &settings,
                const std::optional<LibraryKernel::Config> &config = {}, const LibraryLaunch *like = nullptr);
  ~LibraryLaunch();

  void launch();                                        // with the config that a program's launch would take
  tuning::Sweep tune(const tuning::Options &options);   // on a device with a clock
  Work work() const;                                    // nothing: the kernel does not say
  double bytes() const;                                 // of its arrays
  bool is_empty() const;                                // there is nothing to launch

  struct Config {
    std::size_t place;           // among all
    LibraryKernel::Config how;   // as it was given, for other sizes to complete
    std::string text;            // with what follows from the arguments
  };
  std::vector<Config> configs() const;   // that launches may take; throws if there is no such config
  // What launches it with one of them. Throws what compiling it throws.
  std::function<void()> bound(const Config &config);
  KernelResources resources(const Config &config);

  // What the arrays hold that the kernel may write to.
  std::vector<reference::Matrix> written() const;

 private:
  struct Made;
  std::unique_ptr<Made> made_;
};

// One launch with these settings, compared with what the interpreter computes.
reference::Verdict compare_with_interpreter(const LibraryKernel &kernel, Device &device,
                                            const Settings &settings,
                                            const std::optional<LibraryKernel::Config> &config = {});

// What a kernel is compared at before it is timed, which the interpreter computes in a second or two: sizes
// that arrays follow from are lowered, by a large power of two, so that what divides them goes on doing so.
// Throws BadSetting where that cannot be done.
Settings lowered_sizes(const Entry &kernel, const Settings &settings);
// The settings with those of "n=1000,m=64".
Settings with_sizes(const Entry &kernel, Settings settings, std::string_view sizes);

// `tile run` and `tile tune` of it: one launch, and the same on the interpreter.
Outcome run_library_kernel(const LibraryKernel &kernel, Device &device, const Settings &settings);

}   // namespace tile::registry
