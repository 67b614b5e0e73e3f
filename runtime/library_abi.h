// SPDX-License-Identifier: MIT
// The interface between a shared library of kernels and a tool that loads it. It is plain C, so that the two
// may come from different compilers and standard libraries. The library passes kernels as text of the tile
// dialect, and the tool compiles them.
#pragma once

#include <cstdint>

namespace tile::library {

// It changes whenever the structs below change.
inline constexpr std::uint32_t abi_format = 4;
inline constexpr const char *entry_symbol = "tile_kernel_library";

// Receives the results of the calls below for the tool that calls. It copies texts before it returns.
struct Receiver {
  void *self;
  void (*text)(void *self, const char *text);
  // Receives an error: first its message, then each note and each line of context. Line 0: no place.
  enum Part : std::uint32_t { message, note, context };
  void (*error)(void *self, std::uint32_t part, const char *text, const char *file, std::uint32_t line,
                std::uint32_t column);
};

struct ParameterAbi {
  const char *name;
  std::uint8_t kind, pointers;   // as in ElementType
  std::uint8_t access;           // a tuning::Access
  std::uint8_t is_dynamic;
};

// A config: number `number` of the kernel's list, or the default config if it is -1, with changes as text for
// parse_config().
struct ConfigAbi {
  std::int32_t number;
  const char *changes;
};

struct LaunchAbi {
  std::int32_t num_warps, num_stages, num_ctas, ping_pong, max_registers, fp_fusion;
};

// Each call returns 0, or 1 after it passed an error to the receiver. Arguments are the bits of an Argument.
struct KernelAbi {
  const void *self;
  const char *name;
  std::uint32_t parameters, configs, has_grid, has_around;
  const ParameterAbi *parameter;   // an array of `parameters` elements

  int (*describe)(const void *self, const ConfigAbi *config, const Receiver *to);
  // Gives the text of the config, with the fields that follow from the arguments.
  int (*complete)(const void *self, const ConfigAbi *config, const std::uint64_t *arguments,
                  const Receiver *to);
  int (*trace)(const void *self, const ConfigAbi *config, const std::uint8_t *classes, LaunchAbi *launch,
               const Receiver *to);
  // Gives the trace's computation, 32 digits, and its fingerprint, two digits for each byte.
  int (*identity)(const void *self, const ConfigAbi *config, const std::uint8_t *classes, const Receiver *to);
  int (*keeps)(const void *self, const ConfigAbi *config, const std::uint64_t *arguments, std::uint8_t *keeps,
               const Receiver *to);
  int (*grid)(const void *self, const ConfigAbi *config, const std::uint64_t *arguments,
              std::int64_t extents[3], const Receiver *to);
  int (*work)(const void *self, const std::uint64_t *arguments, double *flop, double *bytes,
              const Receiver *to);
};

struct LibraryAbi {
  std::uint32_t format;       // always the first field
  const char *tile_version;   // version of the headers that the library was compiled with
  const char *compiler;       // for people
  std::uint32_t kernels;
  const KernelAbi *kernel;
};

// The functions that a library exports to other languages, <tile/export.h>.
inline constexpr std::uint32_t exports_format = 1;
inline constexpr const char *exports_symbol = "tile_exported_functions";

enum class ParameterKind : std::uint8_t { tensor, integer, floating, boolean, text };

struct Parameter {
  const char *name = nullptr;
  ParameterKind kind = ParameterKind::tensor;
  std::uint8_t element = 0;   // a Kind: of a number, or of a tensor's elements
  std::int8_t rank = -1;      // of a tensor; -1: any
  bool is_written = false, is_contiguous = false, takes_any_element = false;
};

struct ExportedFunction {
  const char *prefix, *name;   // the C function is prefix_name
  // Gives the parameters and how many there are.
  std::uint64_t (*describe)(const Parameter **parameters);
  const ExportedFunction *before = nullptr;   // the function that was exported before it
};

struct ExportsAbi {
  std::uint32_t format;       // always the first field
  const char *tile_version;   // version of the headers that the library was compiled with
  const ExportedFunction *last;
};

}   // namespace tile::library
