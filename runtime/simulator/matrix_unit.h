// SPDX-License-Identifier: MIT
// mma.sync m16n8kK of a whole warp. Products are exact and summed in f32 in the order of k; hardware sums
// several at once and rounds less often, so results differ in the last bits. Integers wrap.
#pragma once

namespace tile::simulator {

// Of each lane 10 words: four of the accumulator, which the sums replace, four of A and two of B.
void multiplyF16(void **lanes);                               // K = 16
void multiplyBf16(void **lanes);                              // K = 16
void multiplyTf32(void **lanes);                              // K = 8
void multiplyS8(void **lanes);                                // K = 32
void multiplyU8(void **lanes);                                // K = 32
template <class A, class B> void multiplyFp8(void **lanes);   // K = 32; e4m3 and e5m2
// Floats that are elements of a ring (compiler/analysis/float_ring.h), bf16 too; tf32 as whole words.
void multiplyRing16(void **lanes);   // K = 16
void multiplyRing32(void **lanes);   // K = 8

}   // namespace tile::simulator
