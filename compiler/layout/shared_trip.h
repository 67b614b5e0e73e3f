// SPDX-License-Identifier: MIT
// A conversion by way of shared memory: which registers each instruction stores or loads, and where. Several
// ways are made up (vectors on either side; stmatrix or ldmatrix, straight or transposed) and the cheapest is
// taken. All follow from the linear maps: nothing asks which constructor made a layout.
#pragma once

#include "compiler/layout/tile_layout.h"

#include <array>
#include <optional>
#include <vector>

namespace tile::layout {

// How one instruction moves what a warp holds. A matrix is 8 rows of 16 bytes; lane l has word l of it: 4
// bytes of row l / 4, or, transposed, the 16-bit elements of column l / 4 in rows 2 (l % 4) and 2 (l % 4)
// + 1. Lane l gives the address of row l % 8 of matrix l / 8.
enum class AccessForm { Vector, Matrix, Transposed };

struct SharedTrip {
  // The address of an access in bytes: (what lane and warp give XOR `xored`) + `constant`.
  struct Access {
    std::int64_t round = 0;
    std::vector<std::int64_t> registers;   // in the order of memory; of matrices word by word
    std::uint64_t xored = 0;
    std::int64_t constant = 0;
  };
  struct Side {
    AccessForm form = AccessForm::Vector;
    std::vector<std::uint64_t> lanes, warps;   // what the bits of lane and warp give
    std::vector<Access> accesses;
    // How often the banks are passed for a warp's accesses, and the least that it takes.
    std::int64_t wavefronts = 0, ideal = 0;

    std::int64_t address(const Access &access, std::uint64_t lane, std::uint64_t warp) const;
  };

  Side store, load;
  std::int64_t rounds = 1, bytes = 0;
  // For each destination register the one that was loaded with its element.
  std::vector<std::int64_t> loaded;
  std::int64_t price = 0;   // see `Price`
};

// In instructions of a warp that the arithmetic units take two of in a cycle, as they do selects. A shuffle
// takes a cycle, and so do the 128 bytes of one pass of the banks. A barrier costs whatever the other warps
// need to come: 20 stands for warps that are about as far.
struct Price {
  static constexpr std::int64_t Select = 1, Shuffle = 2, Address = 1, Wavefront = 2, Barrier = 20;
  static constexpr std::int64_t MatrixLoad = 1;   // more than a load: what it brings comes later
};

struct TripLimits {
  unsigned elementBytes = 4;
  std::int64_t mostBytes = 0;     // of shared memory, as far as rounds can help
  bool hasMatrixStores = false;   // stmatrix; ldmatrix is everywhere
};
SharedTrip planTrip(const TileLayout &src, const TileLayout &dst, const TripLimits &limits);

}   // namespace tile::layout
