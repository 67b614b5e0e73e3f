// SPDX-License-Identifier: MIT
// A kernel through the compiler, for the simulator: the program that PTX is made from, as code of the host.
#pragma once

#include "compiler/hand_written.h"
#include "compiler/kernel_ir.h"
#include "compiler/target/target.h"
#include "runtime/simulator/program.h"

#include <functional>
#include <memory>

namespace mlir {
class Operation;
}

namespace tile::simulator {

// What a test does to the module between the common passes and the simulator's own.
using Alteration = std::function<void(mlir::Operation *module)>;

// What floats are: numbers, or elements of a ring (compiler/analysis/float_ring.h).
enum class Floats { numbers, ring };

// What the code looks for while it runs, at a price.
struct CodeChecks {
  bool facts = true;     // what assume_divisible and assume_range promise
  bool offsets = true;   // no access through an offset that overflowed; only where bounds are checked as well
};

// Throws tile::Error at the user's line where a pass refuses the kernel.
std::shared_ptr<const Program> compileForHost(const KernelIR &kernel, const Target &target,
                                              const Alteration &alter = {}, Floats floats = Floats::numbers,
                                              const CodeChecks &checks = {});

// The same for what was written by hand: for sm_90a. Throws with the line of the text.
std::shared_ptr<const Program> compileForHost(const HandWritten &kernel, const Alteration &alter = {});

}   // namespace tile::simulator
