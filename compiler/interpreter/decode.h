// SPDX-License-Identifier: MIT
// From a kernel's IR to a program. The only door between the engine, which knows no MLIR, and the
// decoder, which does.
#pragma once

#include "compiler/interpreter/machine.h"

#include <memory>

namespace tile {
class KernelIR;
}

namespace tile::interpreter {

// What floats are: numbers, or elements of a ring (compiler/analysis/float_ring.h).
enum class Floats { numbers, ring };

// Throws tile::Error at the line of what it does not know.
std::shared_ptr<const Program> decode(const KernelIR &kernel, const Checks &checks,
                                      Floats floats = Floats::numbers);

}   // namespace tile::interpreter
