// SPDX-License-Identifier: MIT
#pragma once

namespace tile {

// Where LLVM is inside the program, does what LLVM would do at the program's start; once. Elsewhere the
// loader has done it.
void start_llvm();

}   // namespace tile
