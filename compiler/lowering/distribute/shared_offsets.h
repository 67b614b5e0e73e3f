// SPDX-License-Identifier: MIT
// Where the elements of a distributed tile lie in a buffer of shared memory, and whether ldmatrix reads, or
// stmatrix writes, what lies there.
#pragma once

#include "compiler/lowering/distribute/distribution.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tile::gpu {

using Columns = std::vector<std::uint64_t>;

// Where the elements of a distributed tile lie in a buffer: byte offsets, linear over GF(2) in the bits of
// register, lane and warp, but for the repetitions of odd extents, which only registers have.
class Offsets {
 public:
  Offsets(const layout::TileLayout &tile, const layout::TileLayout &buffer, std::int64_t elementBytes)
      : tile_(tile), buffer_(buffer), bytes_(elementBytes) {}

  std::int64_t ofRegister(std::int64_t reg) const { return at({reg, 0, 0, 0}); }
  std::uint64_t ofRegisterBit(unsigned bit) const {
    return static_cast<std::uint64_t>(at({std::int64_t(1) << bit, 0, 0, 0}));
  }
  Columns lanes() const {
    Columns columns;
    for (unsigned i = 0; i < tile_.linear().inBits(layout::Dim::Lane); ++i)
      columns.push_back(static_cast<std::uint64_t>(at({0, std::uint64_t(1) << i, 0, 0})));
    return columns;
  }
  Columns warps() const {
    Columns columns;
    for (unsigned i = 0; i < tile_.linear().inBits(layout::Dim::Warp); ++i)
      columns.push_back(static_cast<std::uint64_t>(at({0, 0, std::uint64_t(1) << i, 0})));
    return columns;
  }
  unsigned registerBits() const { return tile_.linear().inBits(layout::Dim::Register); }
  std::int64_t elementBytes() const { return bytes_; }

  // Consecutive registers that are neighbours in the buffer, `most` bytes at most.
  std::int64_t run(std::int64_t most) const {
    std::int64_t length = 1;
    for (unsigned bit = 0; bit < registerBits() && length * 2 * bytes_ <= most; ++bit, length *= 2)
      if (ofRegisterBit(bit) != static_cast<std::uint64_t>(length * bytes_))
        break;
    return length;
  }

 private:
  std::int64_t at(const layout::Place &place) const {
    return buffer_.place(tile_.coordinates(place)).reg * bytes_;
  }
  const layout::TileLayout &tile_, &buffer_;
  std::int64_t bytes_;
};

// How ldmatrix reads a tile, and stmatrix writes it. A matrix is 8 rows of 16 bytes; lane l gives the address
// of row l % 8 of matrix l / 8 and has word l of every matrix: 4 bytes of row l / 4, or, transposed, the
// 16-bit elements of column l / 4 in rows 2 (l % 4) and 2 (l % 4) + 1.
struct MatrixAccess {
  bool transposed;
  Columns rows;            // byte offsets by the bits of the lane that gives the address
  unsigned first, count;   // register bits that number the matrices: 2^count at a time

  static std::optional<MatrixAccess> of(const Offsets &offsets) {
    Columns lanes = offsets.lanes();
    unsigned bytes = static_cast<unsigned>(offsets.elementBytes()), within = llvm::Log2_32(4 / bytes);
    if (lanes.size() != 5 || offsets.registerBits() < within)
      return std::nullopt;
    bool straight = lanes[0] == 4 && lanes[1] == 8;
    for (unsigned bit = 0; bit < within; ++bit)
      straight &= offsets.ofRegisterBit(bit) == std::uint64_t(bytes) << bit;
    bool transposed = bytes == 2 && lanes[2] == 2 && lanes[3] == 4 && lanes[4] == 8;
    if (!straight && !transposed)
      return std::nullopt;
    MatrixAccess read;
    read.transposed = !straight;
    if (straight)
      read.rows = {lanes[2], lanes[3], lanes[4]};
    else
      read.rows = {offsets.ofRegisterBit(0), lanes[0], lanes[1]};
    for (std::uint64_t row : read.rows)
      if (row % 16 != 0)
        return std::nullopt;
    read.first = within;
    read.count = std::min(2u, offsets.registerBits() - within);
    for (unsigned i = 0; i < read.count; ++i) {
      std::uint64_t column = offsets.ofRegisterBit(within + i);
      if (column % 16 != 0)
        return std::nullopt;
      read.rows.push_back(column);
    }
    return read;
  }
};

inline std::uint64_t reachOf(const Columns &lanes, const Columns &warps) {
  std::uint64_t reach = 0;
  for (std::uint64_t column : lanes)
    reach |= column;
  for (std::uint64_t column : warps)
    reach |= column;
  return reach;
}

}   // namespace tile::gpu
