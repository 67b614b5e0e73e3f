// SPDX-License-Identifier: MIT
// Places of a program, for recordings of what its warps do (runtime/simulator/recorder.h): one before each
// operation that takes other hardware than the arithmetic units, and one at the end of each block. A place
// knows what is computed on the way to it, and which results of earlier operations that needs.
//
//   %x = load ...                 place 0: the load
//   %y = fadd %x, %c
//   %z = fmul %y, %y
//   store %z                      place 1: the store; two operations of the float pipe, waits for place 0
#pragma once

#include "compiler/lowering/simulator/simulator_calls.h"

namespace tile::gpu {

// Puts a call of the runtime at each place. Gives a row for each, which runtime/simulator/program.h
// describes: [location, [issued, fma, alu, special, depth], [places whose results are needed],
//  [location, cycles, location, cycles, ...]].
mlir::ArrayAttr markPlaces(mlir::LLVM::LLVMFuncOp kernel, SimulatorCalls &calls);

}   // namespace tile::gpu
