// SPDX-License-Identifier: MIT
// The matrix units that GPUs have, one row for each kind of product that an instruction computes: which
// elements, how much of a product, who takes part, where operands may live and how they lie there. Verifiers,
// the choice of layouts, the distribution and both ends of the compiler read the rows; nobody keeps a table
// of its own. A new unit is a row here and a handler in compiler/lowering/distribute/products.cpp.
#pragma once

#include "compiler/layout/constructors.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace tile {

// The first seven are operands, numbered as the simulator does (runtime/simulator/warpgroup_unit.h).
enum class MatrixElement : std::uint8_t { f16, bf16, tf32, e4m3, e5m2, s8, u8, f32, s32 };
std::string_view nameOf(MatrixElement element);   // as PTX writes it
unsigned bitsOf(MatrixElement element);
constexpr bool isInteger(MatrixElement e) {
  return e == MatrixElement::s8 || e == MatrixElement::u8 || e == MatrixElement::s32;
}
constexpr bool isFloat8(MatrixElement e) { return e == MatrixElement::e4m3 || e == MatrixElement::e5m2; }

struct MatrixOperand {
  MatrixElement element;
  // How a tile of it lies in the registers of the warps that lie over the product; null where the unit does
  // not take the operand from registers.
  layout::TileLayout (*inRegisters)(const layout::Shape &shape, unsigned bits, unsigned warpsM,
                                    unsigned warpsN) = nullptr;
  // How a tile of it lies in shared memory, neighbours along the axis `fast`; null where the unit does not
  // take the operand from there.
  layout::TileLayout (*inShared)(const layout::Shape &shape, unsigned bits, unsigned fast) = nullptr;
  // Whether `fast` may be the axis that is not K.
  bool alongEitherAxis = false;
};

// The numbers of columns that one instruction may have: multiples of `step` up to `coarseAbove`, then of
// `coarseStep`.
struct MatrixColumns {
  unsigned step, most, coarseAbove, coarseStep;
  bool has(std::int64_t n) const {
    return n >= step && n <= most && n % (n > coarseAbove ? coarseStep : step) == 0;
  }
  unsigned least() const { return step; }
};

struct MatrixUnit {
  std::string_view instruction;   // as PTX names the family
  MatrixOperand a, b;
  MatrixElement sum;
  unsigned m, k;   // of one instruction
  MatrixColumns n;
  unsigned threads;   // that do it together
  bool negates;       // whether an operand's sign is a part of the form
  layout::TileLayout (*sums)(const layout::Shape &shape, unsigned warpsM, unsigned warpsN);

  unsigned warps() const { return threads / 32; }
  // Registers of 32 bits in each thread.
  unsigned wordsOfA() const { return m * k * bitsOf(a.element) / 32 / threads; }
  unsigned wordsOfB(unsigned columns) const { return columns * k * bitsOf(b.element) / 32 / threads; }
  unsigned wordsOfSums(unsigned columns) const { return m * columns * bitsOf(sum) / 32 / threads; }
};

inline constexpr std::string_view MmaSync = "mma.sync", Wgmma = "wgmma.mma_async";

// mma.sync of a warp: without and with 8-bit floats; and what a warpgroup multiplies out of shared memory.
const std::vector<MatrixUnit> &mmaSyncUnits();
const std::vector<MatrixUnit> &mmaSyncFloat8Units();
const std::vector<MatrixUnit> &wgmmaUnits();

// The row of an instruction, whichever GPUs have it; null if there is no such row.
const MatrixUnit *findMatrixUnit(std::string_view instruction, MatrixElement a, MatrixElement b,
                                 MatrixElement sum);

}   // namespace tile
