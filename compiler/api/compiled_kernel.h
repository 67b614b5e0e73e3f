// SPDX-License-Identifier: MIT
// A compiled kernel, for a program that inspects it: every stage of its compilation as text, and the
// resources that its code needs. No GPU is needed.
#pragma once

#include <tile/kernel_ir.h>
#include <tile/lowered_kernel.h>
#include <tile/remark.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tile {

class CompiledKernel {
 public:
  // Compiles to PTX at once. Throws tile::Error for an unknown target, and if a pass refuses the kernel; the
  // error then names the kernel's line.
  CompiledKernel(KernelIR kernel, std::string_view target);

  // In order of compilation: "tile", "tile-simplified", "tile_gpu", "thread", "llvm", "ptx", "sass".
  static std::vector<std::string> stages();
  static std::vector<std::string> targets();

  // Returns the kernel after a stage. "sass" needs NVIDIA's ptxas and nvdisasm, and throws if they are not
  // installed.
  std::string text(std::string_view stage) const;
  std::string_view ptx() const { return lowered_.text(); }
  // Counts each instruction of the PTX by its name: {"mma.sync.aligned.m16n8k16...", 32}.
  std::vector<std::pair<std::string, int>> instructions() const;
  // Registers and spilled bytes of a thread, shared memory of a CTA, messages of the assembler. Needs ptxas,
  // too.
  KernelResources resources() const;

  // What the compiler has chosen and why, in the order of the source. lowered() has what came of it: `unit`
  // and `roles`.
  std::vector<Remark> choices() const;

  unsigned threads() const { return lowered_.threads; }   // of a CTA
  // The code that programs without the compiler launch. serialise() writes it as a file.
  const LoweredKernel &lowered() const { return lowered_; }
  const KernelIR &ir() const { return ir_; }

 private:
  KernelIR ir_;
  LoweredKernel lowered_;
};

}   // namespace tile
