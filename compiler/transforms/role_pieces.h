// SPDX-License-Identifier: MIT
// What splitting a kernel into roles asks of its program, and does to it, wherever the split goes.
#pragma once

#include "compiler/analysis/axis_analysis.h"
#include "compiler/analysis/product_stages.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tile {

// Whether what a load copies is the same for all CTAs that share a program.
bool isForAllCtas(ir::DescriptorLoadOp load);

// Whether a tile lies as one of these products does: it is made of one element by element.
bool isOfProduct(mlir::Value tile, llvm::function_ref<bool(ir::DotOp)> isMade);

// The loop whose iterations two groups of warps can take in turn. All that the kernel does is in there. Null
// where there is none.
mlir::scf::ForOp loopOfTurns(mlir::func::FuncOp kernel, const SplitKernel &split);

// The engine stores nothing before a tensor, and whole pieces of 16 bytes of a row: none that begins within
// one, and a row that ends within one would be written past its end. Null where nothing of this can be.
mlir::Value storeIsAllowed(mlir::ImplicitLocOpBuilder &b, AxisAnalysis &facts, ir::DescriptorStoreOp store);

// From its first value on, a cursor goes through the loops and branches around its stage. `now` is a first
// value in the innermost block, `next` what follows there.
void carryCursor(mlir::ImplicitLocOpBuilder &b, mlir::Value now, mlir::Value next);

}   // namespace tile
