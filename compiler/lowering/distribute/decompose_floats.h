// SPDX-License-Identifier: MIT
// f32 as a sum of numbers that the matrix unit takes, so that several products of it make one that is nearly
// as exact as f32:
//
//    x = first + second (+ third)          first: x with the low bits dropped or rounded off
//    x * y = first * first' + first * second' + second * first' (+ ...)
//
// Where x is an infinity or a NaN, only the product of the first parts sees it, for it says all: in the
// others inf * second could be of the other sign, and inf * 0 is a NaN.
#pragma once

#include "dialects/tile/dialect.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <array>

namespace tile::gpu {

// `Finite` is the first part, 0 where that is an infinity or a NaN.
enum class Part : unsigned { First, Finite, Second, Third };
// A word of an operand in each of its parts; null where no product asks for it.
using Parts = std::array<mlir::Value, 4>;

// The products that make one, the smallest first. For a single one: of the words as they are.
struct PartProduct {
  Part a, b;
};
llvm::ArrayRef<PartProduct> partProducts(ir::Precision precision);

// One f32, as words for products of tf32.
Parts decomposeIntoTf32(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
// Two neighbours along K, as words of two bf16 each.
Parts decomposeIntoBf16(mlir::ImplicitLocOpBuilder &b, mlir::Value low, mlir::Value high, bool inThree);

}   // namespace tile::gpu
