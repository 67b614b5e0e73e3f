// SPDX-License-Identifier: MIT
// Elements in words of 32 bits, in which shuffles and the matrix instructions of shared memory move them:
// four bytes or two elements of 16 bits to a word, the first in the lowest bits; 64 bits are two words.
#pragma once

#include "compiler/lowering/distribute/distribution.h"

namespace tile::gpu {

// How many elements fit into a word; 1 where an element takes several.
unsigned elementsPerWord(mlir::Type element);

// As many elements as fit, or fewer: what is left of the word is zero. All words of an element if it has
// several.
Registers toWords(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange elements);
// As many elements as fit.
Registers fromWords(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange words, mlir::Type element);

// ldmatrix and stmatrix of one, two or four matrices of 8 rows of 16 bytes, a word of each lane for each of
// them.
Registers loadMatrices(mlir::ImplicitLocOpBuilder &b, unsigned count, bool isTransposed, mlir::Value at);
void storeMatrices(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange words, bool isTransposed, mlir::Value at);

}   // namespace tile::gpu
