// SPDX-License-Identifier: MIT
// The functions of analysis in f64, as LLVM's scalar arithmetic.
#pragma once

#include "compiler/lowering/llvm/scalar_code.h"

namespace tile::gpu {

mlir::Value expDouble(ScalarCode &code, mlir::Value x);
mlir::Value exp2Double(ScalarCode &code, mlir::Value x);
mlir::Value logDouble(ScalarCode &code, mlir::Value x);
mlir::Value log2Double(ScalarCode &code, mlir::Value x);
// sin(x + quadrants pi / 2).
mlir::Value sineDouble(ScalarCode &code, mlir::Value x, unsigned quadrants);
mlir::Value tanhDouble(ScalarCode &code, mlir::Value x);
mlir::Value erfDouble(ScalarCode &code, mlir::Value x);
mlir::Value log1pDouble(ScalarCode &code, mlir::Value x);
mlir::Value expm1Double(ScalarCode &code, mlir::Value x);
// x to the power of y.
mlir::Value powDouble(ScalarCode &code, mlir::Value x, mlir::Value y);

}   // namespace tile::gpu
