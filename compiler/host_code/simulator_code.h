// SPDX-License-Identifier: MIT
// A kernel through the compiler, for the simulator: the program that PTX is made from, as code of the host.
#pragma once

#include "compiler/api/compiler.h"
#include "runtime/simulator/program.h"

#include <functional>
#include <memory>

namespace mlir {
class Operation;
}

namespace tile::simulator {

// What a test does to the module between the common passes and the simulator's own.
using Alteration = std::function<void(mlir::Operation *module)>;

// Throws tile::Error at the user's line where a pass refuses the kernel.
std::shared_ptr<const Program> compileForHost(const KernelIR &kernel, const Target &target,
                                              const Alteration &alter = {}, const SimulatorCode &code = {});

// The same for what was written by hand: for sm_90a. Throws with the line of the text.
std::shared_ptr<const Program> compileForHost(const HandWritten &kernel, const Alteration &alter = {});

}   // namespace tile::simulator
