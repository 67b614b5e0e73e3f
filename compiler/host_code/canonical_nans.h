// SPDX-License-Identifier: MIT
#pragma once

namespace llvm {
class Module;
}

namespace tile::simulator {

// Arithmetic gives one NaN, as that of a GPU does (0x7fffffff in f32), where an x86 gives the NaN of one of
// the operands or a negative one of its own. Threads that hold the same element may have combined it in
// different orders: without this they would store different bytes, which is a race.
//
// Arithmetic, comparisons and conversions to integers do not see which NaN an operand is. So a result is made
// canonical where its bits get out: stored, taken as an integer, given to the runtime, given a sign, or mixed
// with values that were loaded, whose bits stay. A sum that a loop carries costs nothing in the loop.
void canonicalizeNaNs(llvm::Module &module);

}   // namespace tile::simulator
