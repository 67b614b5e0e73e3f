// SPDX-License-Identifier: MIT
// A traced kernel through the whole compiler, for a target. No device is needed.
#pragma once

#include "compiler/kernel_ir.h"
#include "compiler/target/target.h"
#include "runtime/device_check.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tile {

// In the order of compilation.
enum class Stage { Tile, TileSimplified, TileGpu, Thread, Llvm, Ptx, Sass };

struct StageDescription {
  Stage stage;
  std::string_view name, summary;   // as `tile dump --stage` knows it
};
std::span<const StageDescription> stages();

struct Compiled {
  std::string text;                   // of the stage asked for
  std::string symbol;                 // the kernel's name in it
  int threads = 0;                    // per CTA
  int sharedBytes = 0;                // per CTA, dynamic
  std::vector<unsigned> parameters;   // positions of the launch arguments that the code takes
  std::vector<std::string> formats;   // of what it prints on a GPU, by the number in its records
  std::vector<DeviceCheck> checks;    // what it checks while it runs, by the number in its fault record
};

// Throws tile::Error at the user's line where a pass refuses the kernel. `format` is for the stages that are
// MLIR; its locations are the `.loc` lines of PTX, too, and the lines beside machine code. TILE_DUMP and
// TILE_TIMING are honoured here.
Compiled compile(const KernelIR &kernel, const Target &target, Stage stage = Stage::Ptx,
                 const TextOptions &format = {});

// To PTX from a module that was written by hand (compiler/written_module.h). Throws tile::Error with the line
// of the text.
Compiled compileWritten(const std::string &text, const Target &target);

}   // namespace tile
