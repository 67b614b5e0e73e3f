// SPDX-License-Identifier: MIT
// What a kernel becomes, for a program that looks into it: every stage of its compilation as text, and what
// its code takes of a GPU. No GPU is needed.
#pragma once

#include "tile/kernel_ir.h"
#include "tile/lowered_kernel.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tile {

class CompiledKernel {
 public:
  // Compiles to PTX at once. Throws tile::Error at the kernel's line where a pass refuses it, and for a
  // target that is not known.
  CompiledKernel(KernelIR kernel, std::string_view target);

  // In the order of compilation: "tile", "tile-simplified", "tile_gpu", "thread", "llvm", "ptx", "sass".
  static std::vector<std::string> stages();
  static std::vector<std::string> targets();

  // The kernel after a stage. "sass" needs NVIDIA's ptxas and nvdisasm and throws where they are not
  // installed.
  std::string text(std::string_view stage) const;
  std::string_view ptx() const { return lowered_.text(); }
  // How often each instruction stands in the PTX, by its name: {"mma.sync.aligned.m16n8k16...", 32}.
  std::vector<std::pair<std::string, int>> instructions() const;
  // Registers and spilled bytes of a thread, shared memory of a CTA, what the assembler says. Needs ptxas,
  // too.
  KernelResources resources() const;

  unsigned threads() const { return lowered_.threads; }   // of a CTA
  // What programs without the compiler launch; serialise() makes a file of it.
  const LoweredKernel &lowered() const { return lowered_; }
  const KernelIR &ir() const { return ir_; }

 private:
  KernelIR ir_;
  LoweredKernel lowered_;
};

}   // namespace tile
