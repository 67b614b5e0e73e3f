// SPDX-License-Identifier: MIT
// Code on a GPU: loading, assembling by the driver where that is left to it, and what a function needs.
#pragma once

#include "runtime/cuda/context.h"
#include "runtime/lowered_kernel.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tile::cuda {

struct Resources {
  int registers = 0;           // per thread
  int localBytes = 0;          // per thread: spills and arrays
  int staticSharedBytes = 0;   // per CTA
  int maxThreads = 0;          // per CTA, what the registers allow
};

// One loaded kernel.
class LoadedKernel {
 public:
  // Machine code, or PTX, which the assembler inside the driver makes machine code of that nobody gets to
  // see: in any number of threads at once, and `kernel` is told what it said. Throws tile::Error with its
  // first error and the PTX line that it names.
  LoadedKernel(std::shared_ptr<const PrimaryContext> context, LoweredKernel &kernel);
  ~LoadedKernel();
  LoadedKernel(const LoadedKernel &) = delete;
  LoadedKernel &operator=(const LoadedKernel &) = delete;

  Function function() const { return function_; }
  // Where a variable of the module is; throws where it has none of this name.
  Address variable(const char *name) const;
  const PrimaryContext &context() const { return *context_; }
  const std::string &name() const { return name_; }
  int sharedBytes() const { return sharedBytes_; }
  const Resources &resources() const { return resources_; }
  // How many CTAs of so many threads, in such clusters, the GPU runs at once.
  std::int64_t residentCtas(unsigned threads, const std::array<unsigned, 3> &cluster,
                            int multiprocessors) const;

 private:
  void loadMachineCode(const LoweredKernel &kernel);
  void assemble(LoweredKernel &ptx);
  void unload() const;

  std::shared_ptr<const PrimaryContext> context_;
  std::string name_;
  Library library_ = nullptr;   // where the driver has assembled, and owns the module
  Module module_ = nullptr;
  Function function_ = nullptr;
  int sharedBytes_;
  Resources resources_;
};

}   // namespace tile::cuda
