// SPDX-License-Identifier: MIT
// Conversions within a warp by shuffles and selects. A shuffle brings one word from any lane to each lane;
// which of its registers a lane gives, and where it puts what came, must be the same in all lanes or be
// selected. A register bit that changes places with a lane bit is the picture to have in mind:
//
//     had     lane 0: a0 a1    lane 1: b0 b1         wanted     lane 0: a0 b0    lane 1: a1 b1
//
//     give    lane 0: a1       lane 1: b0            select     give = odd ? r0 : r1
//     get     lane 0: b0       lane 1: a1            shuffle    get = give of lane ^ 1
//     keep    lane 0: a0 b0    lane 1: a1 b1         select     r0' = odd ? get : r0,  r1' = odd ? r1 : get
//
// which is 1.5 selects and half a shuffle for each register. Here a round is "each lane l gets what register
// r xor H l of its own shall hold": H is chosen so that no lane has to give two registers in one round. What
// a lane gives is then its registers XORed with a linear function of the lane (selects), and what it got is
// XORed with H (selects).
#pragma once

#include "compiler/layout/tile_layout.h"

#include <optional>
#include <vector>

namespace tile::layout {

// The parity of some bits of a thread's lane and warp.
struct ThreadBit {
  std::uint64_t lanes = 0, warps = 0;
  auto operator<=>(const ThreadBit &) const = default;
};

// The steps compute words, each from those before it. A word holds one element or several that travel
// together, of one repetition of the layouts; all repetitions take the same steps.
struct ShufflePlan {
  struct Step {
    enum class Kind { Word, Select, Shuffle } kind = Kind::Word;
    std::size_t word = 0;   // Word: which of `words`
    std::size_t first = 0,
                second = 0;   // Select: the step taken where the condition holds, and else. Shuffle: first
    ThreadBit condition;
    std::uint64_t lane = 0;   // Shuffle: XORed to what `fromLane` and `fromWarp` say
    auto operator<=>(const Step &) const = default;
  };
  struct Source {
    std::size_t step, element;
  };

  std::vector<std::vector<std::int64_t>> words;   // the source registers that each word is made of
  std::vector<Step> steps;
  std::vector<Source> results;   // of each destination register
  // The lane that a lane reads from in a shuffle, by the bits of its lane and of its warp.
  std::vector<std::uint64_t> fromLane, fromWarp;
  bool keepsLanes = false;   // that is its own lane, up to the XOR

  std::size_t elementsPerWord() const { return words.empty() ? 1 : words.front().size(); }
  std::size_t count(Step::Kind kind) const;
  // As `Price` counts, for elements of so many bytes.
  std::int64_t price(unsigned elementBytes, std::int64_t repetitions) const;
};

// `perWord`: how many elements fit into one, a power of two; as many travel together as the layouts allow.
// None where warps or blocks would have to exchange elements, or where a lane would have to give two
// registers in one round whatever H is.
std::optional<ShufflePlan> planShuffles(const TileLayout &src, const TileLayout &dst, unsigned perWord);

}   // namespace tile::layout
