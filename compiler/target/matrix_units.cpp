// SPDX-License-Identifier: MIT
#include "compiler/target/matrix_units.h"

namespace tile {
namespace {

using enum MatrixElement;
using layout::mmaAccumulator;
using layout::mmaOperandA;
using layout::mmaOperandB;
using layout::sharedRows;
using layout::wgmmaAccumulator;

// PTX ISA, "Matrix multiply-accumulate operation using mma instruction".
MatrixUnit mmaSync(MatrixElement a, MatrixElement b, MatrixElement sum, unsigned k) {
  return {.instruction = MmaSync,
          .a = {.element = a, .inRegisters = mmaOperandA},
          .b = {.element = b, .inRegisters = mmaOperandB},
          .sum = sum,
          .m = 16,
          .k = k,
          .n = {.step = 8, .most = 8, .coarseAbove = 8, .coarseStep = 8},
          .threads = 32,
          .negates = false,
          .sums = mmaAccumulator};
}

// PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions". Four warps to 64 rows:
// each has the fragments of mma.sync.
MatrixUnit wgmma(MatrixElement a, MatrixElement b, MatrixElement sum, unsigned k) {
  bool isWide = bitsOf(a) == 16;
  return {.instruction = Wgmma,
          .a = {.element = a, .inRegisters = mmaOperandA, .inShared = sharedRows, .alongEitherAxis = isWide},
          .b = {.element = b, .inShared = sharedRows, .alongEitherAxis = isWide},
          .sum = sum,
          .m = 64,
          .k = k,
          .n = {.step = 8, .most = 256, .coarseAbove = isInteger(a) ? 24u : 256u, .coarseStep = 16},
          .threads = 128,
          .negates = !isInteger(a),
          .sums = wgmmaAccumulator};
}

}   // namespace

std::string_view nameOf(MatrixElement element) {
  constexpr std::string_view names[] = {"f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8", "f32", "s32"};
  return names[static_cast<unsigned>(element)];
}

unsigned bitsOf(MatrixElement element) {
  constexpr unsigned bits[] = {16, 16, 32, 8, 8, 8, 8, 32, 32};
  return bits[static_cast<unsigned>(element)];
}

// mma.sync has sums of f16, too. A product that is to have those is computed in f32 and rounded once: it is
// as fast, and more exact.
const std::vector<MatrixUnit> &mmaSyncUnits() {
  static const std::vector<MatrixUnit> rows = {
      mmaSync(f16, f16, f32, 16), mmaSync(bf16, bf16, f32, 16), mmaSync(tf32, tf32, f32, 8),
      mmaSync(s8, s8, s32, 32),   mmaSync(u8, u8, s32, 32),
  };
  return rows;
}

const std::vector<MatrixUnit> &mmaSyncFloat8Units() {
  static const std::vector<MatrixUnit> rows = {
      mmaSync(e4m3, e4m3, f32, 32),
      mmaSync(e4m3, e5m2, f32, 32),
      mmaSync(e5m2, e4m3, f32, 32),
      mmaSync(e5m2, e5m2, f32, 32),
  };
  return rows;
}

const std::vector<MatrixUnit> &wgmmaUnits() {
  static const std::vector<MatrixUnit> rows = {
      wgmma(f16, f16, f32, 16),   wgmma(bf16, bf16, f32, 16), wgmma(tf32, tf32, f32, 8),
      wgmma(e4m3, e4m3, f32, 32), wgmma(e4m3, e5m2, f32, 32), wgmma(e5m2, e4m3, f32, 32),
      wgmma(e5m2, e5m2, f32, 32), wgmma(s8, s8, s32, 32),     wgmma(s8, u8, s32, 32),
      wgmma(u8, s8, s32, 32),     wgmma(u8, u8, s32, 32),     wgmma(f16, f16, f16, 16),
      wgmma(e4m3, e4m3, f16, 32), wgmma(e4m3, e5m2, f16, 32), wgmma(e5m2, e4m3, f16, 32),
      wgmma(e5m2, e5m2, f16, 32),
  };
  return rows;
}

const MatrixUnit *findMatrixUnit(std::string_view instruction, MatrixElement a, MatrixElement b,
                                 MatrixElement sum) {
  for (const std::vector<MatrixUnit> *rows : {&mmaSyncUnits(), &mmaSyncFloat8Units(), &wgmmaUnits()})
    for (const MatrixUnit &unit : *rows)
      if (unit.instruction == instruction && unit.a.element == a && unit.b.element == b && unit.sum == sum)
        return &unit;
  return nullptr;
}

}   // namespace tile
