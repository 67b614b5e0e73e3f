// SPDX-License-Identifier: MIT
// A kernel made ready for the interpreter's engine.
#pragma once

#include "compiler/api/compiler.h"

#include <memory>

namespace tile::interpreter {

// Throws tile::Error at the line of what the interpreter does not know. The engine outlives what is returned.
std::unique_ptr<Executable> interpret(host::Engine &engine, const KernelIR &kernel,
                                      const Interpretation &how);

}   // namespace tile::interpreter
