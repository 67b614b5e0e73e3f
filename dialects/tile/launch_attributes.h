// SPDX-License-Identifier: MIT
// What the attributes of kernels and loops say, and what holds where they say nothing. Passes ask
// here and nowhere else, so that a kernel written by hand means the same to all of them.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace tile::ir {

inline constexpr llvm::StringLiteral KernelName = "tile.kernel", NumWarpsName = "tile.num_warps",
                                     NumStagesName = "tile.num_stages", NumCtasName = "tile.num_ctas",
                                     PingPongName = "tile.ping_pong", MaxRegistersName = "tile.max_registers",
                                     FpFusionName = "tile.fp_fusion", UnrollName = "tile.unroll",
                                     SpecializeWarpsName = "tile.specialize_warps";

/// Of a store: its elements go to memory from the registers in which they lie, without an exchange.
inline constexpr llvm::StringLiteral StoredInPlaceName = "tile_gpu.in_place";

/// Of a kernel that does not say; the front end always does.
inline constexpr unsigned DefaultNumWarps = 4, DefaultNumStages = 3;

unsigned numWarps(mlir::func::FuncOp kernel);
/// CTAs that share a program.
unsigned numCtas(mlir::func::FuncOp kernel);
// Whether two groups of warps take the programs in turn.
bool takesTurns(mlir::func::FuncOp kernel);
/// Slots of the channels that a loop fills: the loop's own word, else its kernel's.
unsigned numStages(mlir::scf::ForOp loop);
unsigned numStages(mlir::func::FuncOp kernel);
/// The most registers of a thread; nothing where the assembler decides.
std::optional<unsigned> maxRegisters(mlir::func::FuncOp kernel);
/// Whether a product that is used once, in a sum, may become part of it.
bool fusesProducts(mlir::func::FuncOp kernel);
/// How many iterations of a loop become one.
unsigned unrollFactor(mlir::scf::ForOp loop);
/// Whether the program promises that no iteration loads or stores what another one stores.
bool promisesIndependentIterations(mlir::scf::ForOp loop);

}   // namespace tile::ir
