// SPDX-License-Identifier: MIT
// In programs that use LLVM and MLIR by themselves and not through the API, such as tile-opt and tests of
// passes: before anything else of theirs.
#include "compiler/api/start_llvm.h"

__attribute__((constructor(101))) static void start() { tile::start_llvm(); }
