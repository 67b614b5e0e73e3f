// SPDX-License-Identifier: MIT
// What roles ask of a program, and do to it, whatever the roles are.
#pragma once

#include "compiler/analysis/axis_analysis.h"
#include "compiler/analysis/role_partition.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tile {

// Whether what a load copies is the same for all CTAs that share a program.
bool isForAllCtas(ir::DescriptorLoadOp load);

// Whether a tile lies as one of these products does: it is made of one element by element.
bool isOfProduct(mlir::Value tile, llvm::function_ref<bool(ir::DotOp)> isMade);

// What is left for threads to exchange tiles that are no boxes: many, lines, or none to speak of; and what
// one value needs of it.
std::int64_t bytesForExchange(mlir::Value value);
int64_t bytesForExchanges(mlir::func::FuncOp kernel, llvm::function_ref<bool(ir::DescriptorLoadOp)> isBoxed);

// Whether a value is the same in all iterations of a loop: made of what comes from outside by arithmetic, and
// by loads, which nothing before the copies of a kernel in roles changes.
bool isFixedIn(mlir::scf::ForOp loop, mlir::Value v);

// Moves what a tensor that is the same in all iterations is made of to the start of its block, and it itself,
// where all of it is in the block.
bool gatherAtStart(ir::MakeDescriptorOp tensor);

// Whether an iteration is among the first so many.
mlir::Value isAmongFirst(mlir::ImplicitLocOpBuilder &b, mlir::scf::ForOp loop, unsigned count);

// The engine stores nothing before a tensor, and whole units of 16 bytes of a row: none that begins within
// one, and a row that ends within one would be written past its end. Null where nothing of this can be.
mlir::Value storeIsAllowed(mlir::ImplicitLocOpBuilder &b, AxisAnalysis &facts, mlir::Operation *store,
                           ir::MakeDescriptorOp tensor, mlir::OperandRange coordinates);

// From its first value on, a number goes through the loops and branches around where it is used and changed:
// a cursor, or whose turn it is. `now` is the first value, made in the innermost block, `next` what follows
// there.
void carryOutwards(mlir::ImplicitLocOpBuilder &b, mlir::Value now, mlir::Value next);

}   // namespace tile
