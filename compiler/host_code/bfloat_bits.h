// SPDX-License-Identifier: MIT
#pragma once

#include "llvm/Support/Error.h"

namespace llvm {
class Module;
}

namespace tile::simulator {

// Computes with bf16 without the type `bfloat`: as 16 bits wherever a value only travels, as floats where it
// is computed with, rounded to nearest even afterwards. LLVM 22 loses bits of the type on x86: a NaN changes
// when it goes to a further block, and `icmp slt i16 (bitcast bfloat %x to i16), 0` is false for every %x.
llvm::Error bfloatsToBits(llvm::Module &module);

}   // namespace tile::simulator
