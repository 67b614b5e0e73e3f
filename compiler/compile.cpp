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

Compiled compile(const KernelIR &kernel, const Target &target, Stage stage, const TextOptions &format) {
  Compilation compilation(kernel, target, target.name());
  compilation.runPassesTo(stage);
  Compiled result;
  result.symbol = kernel.name();
  result.threads = 32 * kernel.launch().num_warps;
  result.sharedBytes = compilation.sharedBytes();
  result.checks = compilation.checks();
  for (unsigned i = 0; i < kernel.parameters().size(); ++i)
    if (kernel.parameters()[i].argument_class != ArgClass::one)
      result.parameters.push_back(i);
  result.text = compilation.text(stage, format);
  result.formats = compilation.formats();
  return result;
}

}   // namespace tile
