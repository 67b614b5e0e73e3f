// SPDX-License-Identifier: MIT
#include "compiler/api/compile.h"

#include "compiler/api/compiler.h"

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
  return compiler().compile(kernel, target);
}

LoweredKernel compile(const HandWritten &kernel, const Target &target) {
  return compiler().compile(kernel, target);
}

std::string text_after(Stage stage, const KernelIR &kernel, const Target &target, const TextOptions &format,
                       std::vector<Remark> *remarks) {
  return compiler().text_after(stage, kernel, target, format, remarks);
}

std::vector<Remark> choices(const KernelIR &kernel, const Target &target) {
  std::vector<Remark> remarks;
  static_cast<void>(text_after(Stage::TileGpu, kernel, target, {}, &remarks));
  sort_by_place(remarks);
  return remarks;
}

layout::TileLayout parse_layout(std::string_view text) { return compiler().parse_layout(text); }

std::vector<FoundLayout> layouts_in(std::string_view module) { return compiler().layouts_in(module); }

}   // namespace tile
