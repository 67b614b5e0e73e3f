// SPDX-License-Identifier: MIT
// A traced kernel through the whole compiler, for a target. No device is needed.
#pragma once

#include "compiler/api/hand_written.h"
#include "compiler/api/kernel_ir.h"
#include "compiler/api/remark.h"
#include "compiler/target/target.h"
#include "runtime/lowered_kernel.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tile {

// All of these throw tile::Error at the user's line where a pass refuses the kernel. TILE_DUMP and
// TILE_TIMING are honoured here.

// To PTX, with the lines of the user's source.
LoweredKernel compile(const KernelIR &kernel, const Target &target);
LoweredKernel compile(const HandWritten &kernel, const Target &target);

// In the order of compilation.
enum class Stage { Tile, TileSimplified, TileGpu, Thread, Llvm, Ptx, Sass };

struct StageDescription {
  Stage stage;
  std::string_view name, summary;   // as `tile dump --stage` knows it
};
std::span<const StageDescription> stages();

// The kernel as it is after a stage. `format` is for the stages that are MLIR; its locations are the `.loc`
// lines of PTX, too, and the lines beside machine code.
std::string text_after(Stage stage, const KernelIR &kernel, const Target &target,
                       const TextOptions &format = {}, std::vector<Remark> *remarks = nullptr);

// What the compiler chooses for the kernel and why, in the order of the source.
std::vector<Remark> choices(const KernelIR &kernel, const Target &target);

}   // namespace tile
