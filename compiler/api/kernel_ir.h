// SPDX-License-Identifier: MIT
// A traced kernel, which the front end passes to a device. Code that needs an MLIR module of the tile dialect
// makes it from this; users see its text.
#pragma once

#include <tile/argument_class.h>
#include <tile/device.h>
#include <tile/element.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tile {

struct Parameter {
  std::string name;
  ElementType type;   // a pointer type includes the type that it points to
  ArgClass argument_class = ArgClass::generic;
};

struct TextOptions {
  bool locations = true;
  bool generic = false;   // MLIR's generic form
};

class KernelIR {
 public:
  class Source;   // compiler/api/kernel_source.h
  KernelIR(std::shared_ptr<const Source> source, std::string name, std::string config,
           std::vector<Parameter> parameters, Launch launch);

  const std::string &name() const { return name_; }       // "matmul", the symbol in the module
  const std::string &config() const { return config_; }   // "block_m=128 launch.num_warps=8", for people
  const std::vector<Parameter> &parameters() const { return parameters_; }   // all, in launch order
  const Launch &launch() const { return launch_; }
  // Returns the IR as text. Loads the compiler, because it needs the module.
  std::string text(TextOptions options = {}) const;
  const Source &source() const { return *source_; }
  // Equal for traced kernels whose texts differ only in the columns of locations.
  std::string fingerprint() const;
  // A hash of what the kernel computes: equal also where lines of the source or classes of arguments differ.
  std::string computation() const;

 private:
  std::shared_ptr<const Source> source_;
  std::string name_, config_;
  std::vector<Parameter> parameters_;
  Launch launch_;
};

// What a trace says of itself.
struct TraceIdentity {
  std::string fingerprint, computation;
};

// Makes a kernel from the text of one. The other parameters give what the text lacks. Throws tile::Error
// if the text does not parse.
KernelIR read_kernel_ir(std::string text, std::string name, std::string config,
                        std::vector<Parameter> parameters, const Launch &launch,
                        std::optional<TraceIdentity> traced = {});
// Makes a kernel from text alone. Its function gives the name and parameters. Locations call the text `file`.
KernelIR read_kernel_ir(const std::string &text, const std::string &file);

}   // namespace tile
