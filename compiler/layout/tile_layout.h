// SPDX-License-Identifier: MIT
// The layout of a whole tile, whose extents are r * 2^k: a linear layout of the 2^k parts and, for
// the odd factors, a repetition of it. A repetition adds registers of a thread (or rows of
// shared memory), never lanes or warps, and is outermost:
//
//     16 x 24 tile = 16 x 8 linear part, repeated 1 x 3 times
//
//     axis 1:      0 .. 7      8 .. 15     16 .. 23
//     registers   [0, R)      [R, 2R)     [2R, 3R)        R: registers of the linear part
//
// Two layouts of one shape have the same repetition, so converting between them is converting
// their linear parts, once per repetition.
#pragma once

#include "compiler/layout/linear_layout.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace tile::layout {

using Coordinates = std::vector<std::int64_t>;   // of an element, one per axis

struct Extent {   // odd << log2
  std::int64_t odd;
  unsigned log2;
};
Extent factor(std::int64_t extent);

// A hardware place: which register of which lane of which warp of which CTA. For shared memory
// `reg` counts the offset, in elements.
struct Place {
  std::int64_t reg = 0;
  std::uint64_t lane = 0, warp = 0, block = 0;
  bool operator==(const Place &) const = default;
};

class TileLayout {
 public:
  TileLayout() = default;
  // `linear` maps to axes 0 .. rank-1 of the tile's 2^k part; `repeats` are the odd factors. The
  // space that repeats is Register, or Offset for shared memory.
  TileLayout(LinearLayout linear, std::vector<std::int64_t> repeats);
  explicit TileLayout(LinearLayout linear);   // no repetition

  const LinearLayout &linear() const { return linear_; }
  const std::vector<std::int64_t> &repeats() const { return repeats_; }
  unsigned rank() const { return static_cast<unsigned>(repeats_.size()); }
  std::int64_t repetitions() const;   // the product of the odd factors
  std::vector<std::int64_t> shape() const;
  bool isShared() const { return linear_.hasIn(Dim::Offset); }

  // Registers of a thread, or elements of the shared buffer.
  std::int64_t places() const { return repetitions() * (std::int64_t(1) << linear_.inBits(repeated())); }
  unsigned lanes() const { return 1u << linear_.inBits(Dim::Lane); }
  unsigned warps() const { return 1u << linear_.inBits(Dim::Warp); }
  unsigned blocks() const { return 1u << linear_.inBits(Dim::Block); }

  // The element at a place.
  Coordinates coordinates(const Place &place) const;
  // The place of an element, of all replicas the one with the lowest bits.
  Place place(const Coordinates &coordinates) const;
  // Which register, the first of several, holds an element in lane 0 of warp 0. Layouts are linear: registers
  // that correspond there do so in every thread.
  std::map<Coordinates, std::int64_t> registersOfFirstThread() const;

  // Whether an element has several places.
  bool isReplicated() const { return !linear_.isInjective(); }

  bool operator==(const TileLayout &) const = default;

  // A table of who holds each element, rank 1 or 2: "w0:l3:r1" per cell.
  std::string table() const;

 private:
  Dim repeated() const { return isShared() ? Dim::Offset : Dim::Register; }
  LinearLayout linear_;
  std::vector<std::int64_t> repeats_;
};

// The place bit that gives bit `bit` of the coordinate along `axis`, if one alone does and does nothing else.
struct PlaceBit {
  Dim dim;
  unsigned bit;
};
std::optional<PlaceBit> placeBit(const TileLayout &layout, unsigned axis, unsigned bit);

}   // namespace tile::layout
