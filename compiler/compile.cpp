// SPDX-License-Identifier: MIT
#include "compiler/compile.h"

#include "compiler/compilation.h"

#include <array>

namespace tile {
namespace {

constexpr std::array descriptions{
    StageDescription{Stage::Tile, "tile", "as it was traced"},
    StageDescription{Stage::TileSimplified, "tile-simplified", "in canonical form"},
    StageDescription{Stage::TileGpu, "tile_gpu", "every tile with its layout"},
    StageDescription{Stage::Thread, "thread", "what one thread does"},
    StageDescription{Stage::Llvm, "llvm", "LLVM IR, optimised"},
    StageDescription{Stage::Ptx, "ptx", "what the driver assembles"},
    StageDescription{Stage::Sass, "sass", "machine code; needs NVIDIA's ptxas and nvdisasm"},
};

}   // namespace

std::span<const StageDescription> stages() { return descriptions; }

LoweredKernel compile(const KernelIR &kernel, const Target &target) {
  Compilation compilation(kernel, target, target.name());
  return compilation.toPtx();
}

LoweredKernel compile(const HandWritten &kernel, const Target &target) {
  Compilation compilation(kernel, target, target.name());
  return compilation.toPtx();
}

std::string text_after(Stage stage, const KernelIR &kernel, const Target &target, const TextOptions &format,
                       std::vector<Remark> *remarks) {
  Compilation compilation(kernel, target, target.name());
  if (remarks)
    compilation.keepRemarks();
  compilation.runPassesTo(stage, format.locations);
  if (remarks)
    *remarks = compilation.takeRemarks();
  return compilation.text(stage, format);
}

}   // namespace tile
