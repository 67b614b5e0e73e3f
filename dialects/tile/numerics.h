// SPDX-License-Identifier: MIT
// The language's arithmetic on single numbers, exactly as it is defined: what the folders compute is
// what every device computes. Integers are defined for all inputs, conversions saturate or round once.
#pragma once

#include "dialects/tile/dialect.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"

namespace tile::ir {

// Quotients and remainders. A zero divisor acts as 1; MIN / -1 is MIN with remainder 0.
llvm::APInt quotientSigned(const llvm::APInt &a, const llvm::APInt &b);
llvm::APInt quotientUnsigned(const llvm::APInt &a, const llvm::APInt &b);
llvm::APInt remainderSigned(const llvm::APInt &a, const llvm::APInt &b);
llvm::APInt remainderUnsigned(const llvm::APInt &a, const llvm::APInt &b);
llvm::APInt ceilingSigned(const llvm::APInt &a, const llvm::APInt &b);
llvm::APInt ceilingUnsigned(const llvm::APInt &a, const llvm::APInt &b);

// Shifts. The amount is read as unsigned; from the width on all bits are gone.
llvm::APInt shiftLeft(const llvm::APInt &a, const llvm::APInt &amount);
llvm::APInt shiftRightSigned(const llvm::APInt &a, const llvm::APInt &amount);
llvm::APInt shiftRightUnsigned(const llvm::APInt &a, const llvm::APInt &amount);

llvm::APInt highProductSigned(const llvm::APInt &a, const llvm::APInt &b);
llvm::APInt highProductUnsigned(const llvm::APInt &a, const llvm::APInt &b);

/// -0 is less than +0; `rule` says what a NaN does.
llvm::APFloat larger(const llvm::APFloat &a, const llvm::APFloat &b, NanRule rule);
llvm::APFloat smaller(const llvm::APFloat &a, const llvm::APFloat &b, NanRule rule);

/// One rounding; to an 8-bit format also saturating, infinities included.
llvm::APFloat convert(const llvm::APFloat &value, const llvm::fltSemantics &to, Rounding rounding);

/// Truncated toward zero, saturated at the ends of the integer type; NaN is 0.
llvm::APInt toInteger(const llvm::APFloat &value, unsigned width, bool isSigned);

}   // namespace tile::ir
