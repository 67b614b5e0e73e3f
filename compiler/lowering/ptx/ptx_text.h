// SPDX-License-Identifier: MIT
// Assembly text for the ops of PTX that LLVM and NVVM do not know. Nothing else writes any.
#pragma once

#include "compiler/target/target.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace tile::gpu {

// The register class of a word. PTX has no 8-bit registers: a byte travels in 16 bits.
std::string constraint(unsigned bits);
mlir::LLVM::InlineAsmOp assembly(mlir::OpBuilder &b, mlir::Location loc, mlir::TypeRange results,
                                 mlir::ValueRange operands, const std::string &text,
                                 const std::string &constraints, bool hasSideEffects = true);

void populatePtxBarriers(mlir::RewritePatternSet &patterns);
void populatePtxAccesses(mlir::RewritePatternSet &patterns);
void populatePtxTensorMaps(mlir::RewritePatternSet &patterns);
void populatePtxAtomics(const Target &target, mlir::RewritePatternSet &patterns);
// To be called before the patterns are applied: an error at the op where the target lacks its unit.
mlir::LogicalResult checkMatrixUnits(mlir::ModuleOp module, const Target &target);
// The same, where products are begun that nobody commits, or nobody awaits.
mlir::LogicalResult checkProductQueue(mlir::ModuleOp module);
void populatePtxMma(mlir::RewritePatternSet &patterns);
// To be called before the patterns are applied.
void keepWgmmaOperandsBeforeFences(mlir::ModuleOp module);
void keepArithmeticBehindWaits(mlir::ModuleOp module);
void populatePtxWgmma(mlir::RewritePatternSet &patterns);
// To be called after the patterns are applied.
void splitSharedAddresses(mlir::ModuleOp module);
// Calls of the machine's printf become records in memory that the host reads.
mlir::LogicalResult printIntoMemory(mlir::ModuleOp module);

}   // namespace tile::gpu
