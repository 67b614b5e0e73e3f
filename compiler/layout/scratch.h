// SPDX-License-Identifier: MIT
// Where the elements of a tile lie in shared memory while it changes its layout: a linear map from elements
// to offsets, found so that neither those who store nor those who load wait for each other's banks. What
// moves in one pass of the banks is 128 bytes; the elements of such a pass must differ in the offset's low
// seven bits. Over GF(2) two subspaces of the same size have a common complement, so that a map that suits
// both sides always exists:
//
//     stored by rows, loaded by columns, f32          offset within 128 bytes
//     row r    lanes 0 .. 31: columns 0 .. 31         column xor row
//     column c lanes 0 .. 31: rows 0 .. 31            column xor row
#pragma once

#include "compiler/layout/bit_matrix.h"

#include <optional>

namespace tile::layout {

// An element is a number of `bits` bits. A linear function of elements with values 0 and 1 is written as the
// mask of the bits whose parity it is.
bool parity(Bits function, Bits element);

// What one side wants of the offsets.
struct Wish {
  std::size_t low = 0;   // so many low bits of the offset are
  Columns apart;         // 0 for these elements, so that an access begins at a multiple of its size,
  std::size_t firstOfMatrix = ~std::size_t(0);
  Columns apartInMatrix;   // and those from that bit on for these;
  Columns together;        // the banks are passed once for the sums of these.
};

struct Scratch {
  Columns functions;    // the offset's bits, in elements, from the lowest
  Columns directions;   // the elements at the offsets 1, 2, 4, ...: as many as were asked for
};

// `directions`: which elements shall lie at 1, 2, 4, ... `lineBits`: of the offset in elements within 128
// bytes. `rounds`: functions that say in which round an element takes the trip; the offset need not tell.
std::optional<Scratch> chooseScratch(unsigned bits, unsigned lineBits, const Columns &directions,
                                     const Wish &stored, const Wish &loaded, const Columns &rounds);

}   // namespace tile::layout
