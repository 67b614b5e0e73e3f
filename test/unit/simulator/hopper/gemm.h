// SPDX-License-Identifier: MIT
// A warp-specialised GEMM in the form that is to be emitted for Hopper, written in the NVVM dialect:
//
//   C[M,N] (f32) = A[M,K] (f16, K contiguous) x B[N,K]^T (f16, K contiguous)
//
// 384 threads make tiles of 128 x 128: warpgroup 0 feeds a ring of slots by tensor copies, warpgroups 1 and 2
// multiply 64 rows each and store them by a tensor copy. A CTA makes several tiles.
#pragma once

#include <map>
#include <string>

namespace tile::simulator {

struct GemmText {
  int slots = 3;
  bool inPairs = false;   // two CTAs make tiles one above the other, and each brings half of B to both
  int inFlight = 0;       // groups of matrix operations that may run while the next one is begun
  // Mistakes, by what they change; what each means is where it is used.
  std::string mistake;
};

// The module.
std::string gemmText(const GemmText &options);
// All mistakes that there are.
const std::map<std::string, std::string> &gemmMistakes();

inline constexpr int gemmSharedBytes(int slots) { return slots * 32768 + 65536 + 1024; }

}   // namespace tile::simulator
