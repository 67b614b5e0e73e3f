// SPDX-License-Identifier: MIT
#include "tools/fuzz/kernel.h"

#include "compiler/api/compile.h"

namespace tile::fuzz {

KernelIR read_kernel(const std::string &text) { return read_kernel_ir(text, "fuzz.mlir"); }

KernelIR canonical(const KernelIR &kernel) {
  return read_kernel(text_after(Stage::TileSimplified, kernel, *Target::parse("sm_80")));
}

}   // namespace tile::fuzz
