// SPDX-License-Identifier: MIT
// A traced kernel: what the front end hands to a device. Whoever needs it as an MLIR module of
// the tile dialect makes one; users see its text.
#pragma once

#include "tile/argument_class.h"
#include "tile/device.h"
#include "tile/element.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tile {

struct Parameter {
  std::string name;
  ElementType type;   // of a scalar; a pointer's says what it points to
  ArgClass argument_class = ArgClass::generic;
};

struct TextOptions {
  bool locations = true;
  bool generic = false;   // MLIR's generic form
};

class KernelIR {
 public:
  class Source;   // compiler/face/kernel_source.h
  KernelIR(std::shared_ptr<const Source> source, std::string name, std::string config,
           std::vector<Parameter> parameters, Launch launch);

  const std::string &name() const { return name_; }       // "matmul"; the symbol in the module
  const std::string &config() const { return config_; }   // "block_m=128 launch.num_warps=8", for people
  const std::vector<Parameter> &parameters() const { return parameters_; }   // all, in launch order
  const Launch &launch() const { return launch_; }
  // Loads the compiler, as everything does that needs the module.
  std::string text(TextOptions options = {}) const;
  const Source &source() const { return *source_; }
  // Equal for kernels whose text is, but for columns.
  std::string fingerprint() const;

 private:
  std::shared_ptr<const Source> source_;
  std::string name_, config_;
  std::vector<Parameter> parameters_;
  Launch launch_;
};

// From text that such a kernel gave, with what the text does not say. Throws tile::Error where it does not
// parse.
KernelIR read_kernel_ir(std::string text, std::string name, std::string config,
                        std::vector<Parameter> parameters, const Launch &launch);
// From text alone, whose function says what the kernel takes; places name the text as `file`.
KernelIR read_kernel_ir(const std::string &text, const std::string &file);

}   // namespace tile
