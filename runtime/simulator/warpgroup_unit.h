// SPDX-License-Identifier: MIT
// The arithmetic of wgmma. Products are exact and summed in f32 in the order of k; hardware sums several at
// once and rounds less often, so results differ in the last bits. Integers wrap.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tile::simulator {

enum class MatrixKind : unsigned { f16, bf16, tf32, e4m3, e5m2, s8, u8 };

constexpr unsigned elementBytes(MatrixKind kind) {
  return kind == MatrixKind::tf32 ? 4 : kind == MatrixKind::f16 || kind == MatrixKind::bf16 ? 2 : 1;
}

// One operation on 64 rows.
struct WarpgroupProduct {
  MatrixKind a, b;
  bool transposeA, transposeB, negateA, negateB;
  bool roundsToHalf;   // the accumulators are f16
  bool isRing;         // floats are integers (compiler/analysis/float_ring.h)
  unsigned columns;
  const std::byte *shared;
  const std::uint32_t *placesA;   // as MatrixDescriptor::places gives them; null: in registers
  const std::uint32_t *placesB;
  const std::uint32_t (*registers)[4];   // of each of the 128 threads
  // 64 x columns, of f32, or of the bits of i32.
  float *accumulators;
};

void multiply(const WarpgroupProduct &product);

}   // namespace tile::simulator
