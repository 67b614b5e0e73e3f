// SPDX-License-Identifier: MIT
// A kernel object without its C++ types, for launches, tuners and libraries. A config is bytes, and a table
// describes its fields. An argument is bits. The templates that the C++ compiler instantiates for each kernel
// are in <tile/kernel.h>. They are small: each of the calls below is a few instructions.
#pragma once

#include <tile/fields.h>
#include <tile/kernel_ir.h>
#include <tile/launch.h>
#include <tile/recording.h>

#include <cstddef>
#include <span>
#include <vector>

namespace tile {

struct TraceOptions {
  bool locations = true;
  bool canonical_order = true;   // false: the order in which the C++ compiler evaluated the operands
};

namespace detail {

class Tracing;   // an open trace

struct ParameterSpec {
  ElementType type;
  bool is_dynamic = false;
  tuning::Access access = tuning::Access::reads;
};

// The bits of the arguments of a launch, which lie in an array of one of several structs.
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

// A kernel's `around`. It outlives the kernel object.
using AroundFunction = void (*)();

// Calls the functions of a kernel object. key and work give a default if the object has no function.
struct KernelCalls {
  bool (*keeps)(const void *kernel, const void *config, ArgumentBits arguments);
  Grid (*grid)(const void *kernel, const void *config, ArgumentBits arguments);
  void (*complete)(const void *kernel, void *config, ArgumentBits arguments);
  Key (*key)(const void *kernel, ArgumentBits arguments);
  Work (*work)(const void *kernel, ArgumentBits arguments);
  double (*cost)(const void *kernel, const void *config, const Machine &machine, ArgumentBits arguments);
  void (*go_around)(AroundFunction around, const void *config, Device &device,
                    const launching::LaunchWithin &launch, const Grid &grid,
                    std::span<const Argument> arguments, bool is_rehearsal);
  void (*record)(const Tracing &tracing, const void *config);
};

// Refers to a kernel object and does not own it.
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
  bool has_grid, has_keep, has_complete, has_cost;
  AroundFunction around;   // null: launches are plain
  Requirements require;
  Tunes tunes;
  int tune_at_most;
  std::string_view (*shipped_tunings)();
  launching::LaunchCache &(*cache)();

  const void *config(std::size_t i) const {
    return static_cast<const std::byte *>(configs) + i * table->plain.size();
  }
};

Use parameter(const Tracing &tracing, std::size_t i);
// Opens a trace, records the kernel, closes the trace and returns the IR.
KernelIR trace(const AnyKernel &kernel, const void *config, std::span<const ArgClass> classes,
               TraceOptions options, Loc l);

// Tunes if `tune` is not null, else launches.
void launch(const AnyKernel &kernel, launching::TuneRequest *tune, OnDevice where,
            std::span<const launching::PackedArgument> packed);

// Loads what packs have of the kernel, so that launches on the device need not trace it.
std::size_t prepare(const AnyKernel &kernel, OnDevice on);

}   // namespace detail
}   // namespace tile
