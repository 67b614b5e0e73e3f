// SPDX-License-Identifier: MIT
// A kernel object without its C++ types, as launches, tuners and libraries take it: a config is bytes, of
// which a table knows the fields, and an argument is bits. What the compiler makes anew for each kernel is in
// <tile/kernel.h>, and it is little: each of these calls is a few instructions.
#pragma once

#include "tile/fields.h"
#include "tile/kernel_ir.h"
#include "tile/launch.h"
#include "tile/recording.h"

#include <cstddef>
#include <span>
#include <vector>

namespace tile {

struct TraceOptions {
  bool locations = true;
  bool canonical_order = true;   // off: the order in which the C++ compiler evaluated operands
};

namespace detail {

class Tracing;   // an open trace

struct ParameterSpec {
  ElementType type;
  bool is_dynamic = false;
  tuning::Access access = tuning::Access::reads;
};

// The arguments of a launch, wherever their bits are.
class ArgumentBits {
 public:
  explicit ArgumentBits(const std::uint64_t *bits) : ArgumentBits(bits, sizeof *bits) {}
  ArgumentBits(std::span<const Argument> arguments)
      : ArgumentBits(arguments.empty() ? nullptr : &arguments.front().bits, sizeof(Argument)) {}
  ArgumentBits(std::span<const launching::PackedArgument> packed)
      : ArgumentBits(packed.empty() ? nullptr : &packed.front().argument.bits,
                     sizeof(launching::PackedArgument)) {}
  std::uint64_t operator[](std::size_t i) const {
    return *reinterpret_cast<const std::uint64_t *>(first_ + i * stride_);
  }

 private:
  ArgumentBits(const std::uint64_t *first, std::size_t stride)
      : first_(reinterpret_cast<const std::byte *>(first)), stride_(stride) {}
  const std::byte *first_;
  std::size_t stride_;
};

// A kernel's `around`, which outlives the kernel object.
using AroundFunction = void (*)();

// What a kernel object has functions for, or what holds where it has none.
struct KernelCalls {
  bool (*keeps)(const void *kernel, const void *config, ArgumentBits arguments);
  Grid (*grid)(const void *kernel, const void *config, ArgumentBits arguments);
  void (*complete)(const void *kernel, void *config, ArgumentBits arguments);
  Key (*key)(const void *kernel, ArgumentBits arguments);
  Work (*work)(const void *kernel, ArgumentBits arguments);
  double (*cost)(const void *kernel, const void *config, const Machine &machine, ArgumentBits arguments);
  void (*go_around)(AroundFunction around, const void *config, Device &device,
                    const launching::LaunchWithin &launch, const Grid &grid,
                    std::span<const Argument> arguments);
  void (*record)(const Tracing &tracing, const void *config);
};

// Refers to a kernel object.
struct AnyKernel {
  const KernelCalls *calls;
  const void *kernel;
  const char *name;
  const std::vector<const char *> *parameter_names;
  std::span<const ParameterSpec> parameters;
  const FieldTable *table;
  const void *configs;
  std::size_t config_count;
  const void *reference;   // a config, or null
  bool has_grid, has_complete, has_cost;
  AroundFunction around;   // null: launches are plain
  Tunes tunes;
  int tune_at_most;
  std::string_view (*shipped_tunings)();

  const void *config(std::size_t i) const {
    return static_cast<const std::byte *>(configs) + i * table->plain.size();
  }
};

Use parameter(const Tracing &tracing, std::size_t i);
// Opens a trace, has the kernel recorded, and closes it.
KernelIR trace(const AnyKernel &kernel, const void *config, std::span<const ArgClass> classes,
               TraceOptions options, Loc l);

// Tunes where somebody asked for it, and else launches.
void launch(const AnyKernel &kernel, launching::LaunchCache &cache, launching::TuneRequest *tune,
            OnDevice where, std::span<const launching::PackedArgument> packed);

}   // namespace detail
}   // namespace tile
