// SPDX-License-Identifier: MIT
// Linear maps over GF(2) between index spaces whose sizes are powers of two. They say which
// element of a tile a register of a lane of a warp holds, and which element lies at an offset of
// shared memory; no other description of a layout exists in the compiler.
//
// A map is given by the images of the powers of two of its inputs; everything else follows by
// XOR. A row-major 2 x 4 tile held by 4 lanes, two neighbouring elements each:
//
//     register 1 -> (0, 1)        lane:       0        1        2        3
//     lane     1 -> (0, 2)        row 0:   r0 r1    r0 r1
//     lane     2 -> (1, 0)        row 1:                     r0 r1    r0 r1
//
// so lane 3 (= 1 xor 2), register 1 holds (0,2) xor (1,0) xor (0,1) = (1, 3).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tile::layout {

// Names of index spaces: places in the hardware, and axes of a tile.
enum class Dim : std::uint8_t { Register, Lane, Warp, Block, Offset, Axis0 };
constexpr Dim axis(unsigned i) { return static_cast<Dim>(static_cast<unsigned>(Dim::Axis0) + i); }
std::string name(Dim dim);

struct Space {   // an index space of 2^bits points
  Dim dim;
  unsigned bits;
  bool operator==(const Space &) const = default;
};

struct Index {   // a point of one space
  Dim dim;
  std::uint64_t value;
  bool operator==(const Index &) const = default;
};

// Inputs and outputs are ordered lists of spaces; the first space has the lowest bits when a
// point is written as one number ("flat"). At most 64 bits on either side.
class LinearLayout {
 public:
  LinearLayout() = default;
  // `columns[i]` is the flat image of the i-th input bit.
  LinearLayout(std::vector<Space> ins, std::vector<Space> outs, std::vector<std::uint64_t> columns);

  // x -> x, and x -> 0, from `in` to `out`, 2^bits points.
  static LinearLayout identity(Dim in, Dim out, unsigned bits);
  static LinearLayout zeros(Dim in, Dim out, unsigned bits);

  const std::vector<Space> &ins() const { return ins_; }
  const std::vector<Space> &outs() const { return outs_; }
  const std::vector<std::uint64_t> &columns() const { return columns_; }
  bool hasIn(Dim d) const;
  bool hasOut(Dim d) const;
  unsigned inBits(Dim d) const;   // 0 for a space that is not there
  unsigned outBits(Dim d) const;
  unsigned inBits() const { return static_cast<unsigned>(columns_.size()); }
  unsigned outBits() const;

  std::uint64_t applyFlat(std::uint64_t flat) const;
  std::vector<Index> apply(const std::vector<Index> &point) const;   // absent inputs are 0
  // The coordinate along `out` of the image of the bit `bit` of `in`.
  std::uint64_t basis(Dim in, unsigned bit, Dim out) const;

  // The product puts the right map on the higher bits of the spaces both have: a layout of a
  // small tile times the layout of how tiles follow each other.
  LinearLayout operator*(const LinearLayout &higher) const;
  // (*this after inner)(x) = (*this)(inner(x)). inner's outputs are spaces of this one's inputs,
  // of the same size or smaller.
  LinearLayout after(const LinearLayout &inner) const;
  // Only the given spaces; other outputs are forgotten, other inputs are 0.
  LinearLayout restrictedTo(const std::vector<Dim> &ins, const std::vector<Dim> &outs) const;
  // The same map with its spaces in this order; absent ones are added with 0 bits.
  LinearLayout ordered(const std::vector<Dim> &ins, const std::vector<Dim> &outs) const;
  // Drops bits of `in` whose image is 0: what holds the same element twice.
  LinearLayout withoutZeroBases(Dim in) const;

  unsigned rank() const;
  bool isSurjective() const { return rank() == outBits(); }
  bool isInjective() const { return rank() == inBits(); }
  // For a surjective map: a right inverse, of all choices the one that leaves redundant input bits 0.
  LinearLayout rightInverse() const;
  // Per input space the bits that do not change the image once lower bits are given: replicas.
  std::vector<Index> redundantBits() const;

  bool operator==(const LinearLayout &) const = default;
  std::string text() const;   // the bases, one line per input bit

 private:
  std::vector<Space> ins_, outs_;
  std::vector<std::uint64_t> columns_;
};

// x with dst(x) = src(y) for each y: where an element goes. dst is surjective onto src's outputs.
LinearLayout conversion(const LinearLayout &src, const LinearLayout &dst);

}   // namespace tile::layout
