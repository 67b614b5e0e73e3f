// SPDX-License-Identifier: MIT
// Pointers whose offset overflowed on the way, known as such at the access.
#pragma once

#include "compiler/lowering/simulator/simulator_calls.h"

namespace tile::gpu {

// Offsets of 32 bits are computed in 64 bits as well, those of 64 bits in 128: where both differ, the sum
// with a pointer is one that nothing can be accessed through, and which knows the place. The same for an
// offset that leaves the address space.
//
//    %o = llvm.mul %row, %stride : i32
//    %p = llvm.getelementptr %base[%o]      becomes, in words,
//    %p = sext(%row) * sext(%stride) == sext(%o) ? base + sext(%o) : nowhere
//
// Only sums, differences, products, choices and extensions are computed again. Any other operation begins
// anew: a remainder is a valid index, even of a number that wrapped. So does a sum with a constant at an end
// of 32 bits, which may itself have wrapped where the compiler added two. If a number wraps on the way to an
// offset that fits, nothing is reported: the sum is right.
void checkPointers(mlir::LLVM::LLVMFuncOp kernel, SimulatorCalls &calls);

}   // namespace tile::gpu
