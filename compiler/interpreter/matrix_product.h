// SPDX-License-Identifier: MIT
// c += a * b of dense row-major matrices, for float, double and unsigned integers
// of 32 and 64 bits: the loop in which
// the interpreter spends its time on a GEMM. Every element of c is a plain sum in the order of
// k, one rounding for each product and one for each sum, whatever the width of the machine's
// vectors: results do not depend on the machine.
#pragma once

#include <cstddef>

namespace tile::interpreter {

template <class T>
void addProduct(T *c, const T *a, const T *b, std::size_t rows, std::size_t columns, std::size_t depth);

}   // namespace tile::interpreter
