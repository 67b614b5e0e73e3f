// SPDX-License-Identifier: MIT
// What a shared library of kernels shows to a tool that loads it: plain C, so that the two may come from
// different compilers and standard libraries. Kernels go across as text of the tile dialect, which the tool
// compiles.
#pragma once

#include <cstdint>

namespace tile::library {

// Changes with the structs below.
inline constexpr std::uint32_t face_format = 3;
inline constexpr const char *entry_symbol = "tile_kernel_library";

// Who asked: takes what a call below gives back. Texts are copied before it returns.
struct Receiver {
  void *self;
  void (*text)(void *self, const char *text);
  // Of an error: first its message, then each of its notes and lines of context. Line 0: no place.
  enum Part : std::uint32_t { message, note, context };
  void (*error)(void *self, std::uint32_t part, const char *text, const char *file, std::uint32_t line,
                std::uint32_t column);
};

struct ParameterFace {
  const char *name;
  std::uint8_t kind, pointers;   // of an ElementType
  std::uint8_t access;           // a tuning::Access
  std::uint8_t is_dynamic;
};

// A config: one of the kernel's list, or a default one where the number is -1, with changes as parse_config()
// takes.
struct ConfigFace {
  std::int32_t number;
  const char *changes;
};

struct LaunchFace {
  std::int32_t num_warps, num_stages, num_ctas, ping_pong, max_registers, fp_fusion;
};

// Each call returns 0, or 1 after it has told the receiver why not. Arguments are the bits of an Argument.
struct KernelFace {
  const void *self;
  const char *name;
  std::uint32_t parameters, configs, has_grid, has_around;
  const ParameterFace *parameter;   // as many as there are

  int (*describe)(const void *self, const ConfigFace *config, const Receiver *to);
  // The text of the config with the fields that follow from the arguments.
  int (*complete)(const void *self, const ConfigFace *config, const std::uint64_t *arguments,
                  const Receiver *to);
  int (*trace)(const void *self, const ConfigFace *config, const std::uint8_t *classes, LaunchFace *launch,
               const Receiver *to);
  int (*keeps)(const void *self, const ConfigFace *config, const std::uint64_t *arguments,
               std::uint8_t *keeps, const Receiver *to);
  int (*grid)(const void *self, const ConfigFace *config, const std::uint64_t *arguments,
              std::int64_t extents[3], const Receiver *to);
  int (*work)(const void *self, const std::uint64_t *arguments, double *flop, double *bytes,
              const Receiver *to);
};

struct LibraryFace {
  std::uint32_t format;       // first for ever
  const char *tile_version;   // of the headers that it was compiled with
  const char *compiler;       // for people
  std::uint32_t kernels;
  const KernelFace *kernel;
};

}   // namespace tile::library
