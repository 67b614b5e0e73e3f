// SPDX-License-Identifier: MIT
// One kernel of a shared library: its face, with C++ values and exceptions.
#pragma once

#include "runtime/library_face.h"
#include "tile/kernel_ir.h"
#include "tile/launch.h"
#include "tools/registry/registry.h"

#include <string>
#include <vector>

namespace tile::registry {

class LibraryKernel {
 public:
  explicit LibraryKernel(const library::KernelFace &face) : face_(&face) {}

  std::string name() const { return face_->name; }
  std::size_t configs() const { return face_->configs; }
  bool has_grid() const { return face_->has_grid != 0; }
  bool has_around() const { return face_->has_around != 0; }

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
  const library::KernelFace *face_;   // of a library that stays
};

// `tile run` and `tile tune` of it: buffers of random elements, one launch, and the same on the interpreter.
Outcome run_library_kernel(const LibraryKernel &kernel, Device &device, const Settings &settings);

}   // namespace tile::registry
