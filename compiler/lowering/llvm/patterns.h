// SPDX-License-Identifier: MIT
// The patterns of `tile-gpu-to-llvm`, by family.
#pragma once

#include "compiler/target/target.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace tile::gpu {

// What a pointer of the language becomes: an address of global memory.
void addPointerConversion(mlir::LLVMTypeConverter &types);

// `%` of floats becomes a loop, before the patterns run.
void expandRemainders(mlir::func::FuncOp kernel);

// Tensor maps become parameters, before the patterns run; how many there are. Afterwards they are marked as
// what the launcher passes by value.
unsigned takeTensorMaps(mlir::func::FuncOp kernel);
void markTensorMaps(mlir::LLVM::LLVMFuncOp kernel, unsigned first, unsigned count);
// The extents of the grid become parameters behind these, for a kernel whose CTAs go over it.
void takeGrid(mlir::func::FuncOp kernel);
// And behind these the workspace, where there is one. Each CTA has its part.
void takeWorkspace(mlir::func::FuncOp kernel);

// Elements that lie side by side as the bits of a word.
mlir::Value pack(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange elements, unsigned wordBits);

void populateNumericPatterns(mlir::LLVMTypeConverter &types, const Target &target,
                             mlir::RewritePatternSet &patterns);
void populateCastPatterns(mlir::LLVMTypeConverter &types, const Target &target,
                          mlir::RewritePatternSet &patterns);
void populateMathPatterns(mlir::LLVMTypeConverter &types, mlir::RewritePatternSet &patterns);
void populateRandomPatterns(mlir::LLVMTypeConverter &types, mlir::RewritePatternSet &patterns);
void populateMemoryPatterns(mlir::LLVMTypeConverter &types, mlir::RewritePatternSet &patterns);
void populateAtomicPatterns(mlir::LLVMTypeConverter &types, mlir::RewritePatternSet &patterns);
void populateGlobalPatterns(mlir::LLVMTypeConverter &types, mlir::RewritePatternSet &patterns);
void populateProgramPatterns(mlir::LLVMTypeConverter &types, mlir::RewritePatternSet &patterns);

}   // namespace tile::gpu
