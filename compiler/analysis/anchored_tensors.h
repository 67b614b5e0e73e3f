// SPDX-License-Identifier: MIT
// Tensors that begin where the program says, described to the copy engine by the launch all the same:
//
//    c = load cs[g]; m = load sizes[g]                     known while the kernel runs
//    C = descriptor(c, {m, n}, {c_row, 1}, {BM, BN})       n and c_row are arguments
//
// A tensor map has one address and one number of rows. The map of such a tensor begins at an anchor instead,
// an address that the launch knows (here `cs`), and its coordinates lead to any other address:
//
//    address = anchor + far * 16 GiB + near * 16 bytes + row * c_row + column
//
// The engine adds modulo 2^64, so that `far` leads backwards, too. Where the number of rows is not known
// either, the map has as many rows as the block, and the box begins so far down in it that the tensor's last
// row is the map's last one, too:
//
//    m = 300, a box of 128 rows from row 256 on: 44 of them exist, so it begins at row 84 of the map's 128,
//    and the address is that of row 256 - 84
//
// No map is made while the kernel runs.
#pragma once

#include "compiler/analysis/axis_analysis.h"
#include "dialects/tile/dialect.h"

#include <cstdint>
#include <optional>

namespace tile {

// The extents of a map along `far` and `near`, and the bytes of a step. Coordinates have 31 bits. From
// FarOrigin on, `far` leads forwards: so many steps are 2^64 bytes.
inline constexpr std::int64_t FarExtent = (std::int64_t(1) << 31) - 1, FarOrigin = std::int64_t(1) << 30,
                              NearExtent = std::int64_t(1) << 30;
inline constexpr unsigned FarBits = 34, NearBits = 4;

// Whether it is possible: the length of rows and their distance are known at the launch, rules are known to
// hold, and no block begins before the first row where the number of rows is not known.
bool canBeAnchored(ir::MakeDescriptorOp made, const AxisAnalysis &facts);
// Whether the plan says so.
bool isAnchored(ir::MakeDescriptorOp made);
// The kernel's argument that is the anchor: what the base is computed or loaded from.
std::optional<unsigned> anchorOf(ir::MakeDescriptorOp made);

}   // namespace tile
