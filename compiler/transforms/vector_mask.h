// SPDX-License-Identifier: MIT
// Masks of accesses whose vectors are longer than what a mask is known to be equal for. Of
//
//    row < m & k < left        k = 0, 1, 2, ...; nothing is known of left
//
// the first half holds for whole vectors along k. The second one holds for the first elements of a vector,
// for as many as `left - k` says at its beginning:
//
//    whole     row < m
//    inside    k < left ? min(left - k, length) : 0
#pragma once

#include "compiler/analysis/axis_analysis.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tile {

struct VectorMask {
  mlir::Value whole, inside;   // null where they say nothing
};

// The longest vectors along `axis` that the mask can be taken apart for, at most `most` elements.
std::int64_t maskedLength(mlir::Value mask, unsigned axis, std::int64_t most, const AxisAnalysis &facts);
// The mask for vectors of this many elements. New operations stand where the builder is.
VectorMask takeApart(mlir::ImplicitLocOpBuilder &b, mlir::Value mask, unsigned axis, std::int64_t length,
                     const AxisAnalysis &facts);

}   // namespace tile
