// SPDX-License-Identifier: MIT
#include "compiler/interpreter/reductions.h"

#include "compiler/interpreter/machine.h"

#include <algorithm>
#include <cstring>

namespace tile::interpreter {
namespace {

// Even slices of the axis to `earlier`, odd ones to `later`.
template <class T>
void separate(const T *from, T *earlier, T *later, std::size_t outer, std::size_t extent, std::size_t inner) {
  const std::size_t pairs = extent / 2;
  for (std::size_t o = 0; o < outer;
       ++o, from += extent * inner, earlier += pairs * inner, later += pairs * inner) {
    if (inner == 1) {
      for (std::size_t p = 0; p < pairs; ++p) {
        earlier[p] = from[2 * p];
        later[p] = from[2 * p + 1];
      }
      continue;
    }
    for (std::size_t p = 0; p < pairs; ++p) {
      std::memcpy(earlier + p * inner, from + 2 * p * inner, inner * sizeof(T));
      std::memcpy(later + p * inner, from + (2 * p + 1) * inner, inner * sizeof(T));
    }
  }
}

void separateTile(Machine &m, const Combined &tile, const std::byte *from, const Reduction &d,
                  std::size_t extent) {
  forBytes(tile.bytes, [&]<class T>(T) {
    separate(reinterpret_cast<const T *>(from), m.at<T>(tile.earlier), m.at<T>(tile.later), d.outer, extent,
             d.inner);
    return true;
  });
}

// The combined slices, and behind them the one that had no neighbour: it moves towards the front,
// never over one that is still to move.
void gatherRound(Machine &m, const Combined &tile, const std::byte *from, const Reduction &d,
                 std::size_t extent) {
  const std::size_t slice = d.inner * tile.bytes, pairs = extent / 2, next = pairs + extent % 2;
  const std::byte *combined = m.at<std::byte>(tile.combined);
  std::byte *to = m.at<std::byte>(tile.work);
  if (extent % 2 == 0) {
    std::memmove(to, combined, d.outer * pairs * slice);
    return;
  }
  for (std::size_t o = 0; o < d.outer; ++o) {
    std::memcpy(to + o * next * slice, combined + o * pairs * slice, pairs * slice);
    std::memmove(to + (o * next + pairs) * slice, from + (o * extent + extent - 1) * slice, slice);
  }
}

void reduce(const Instruction &i, Machine &m) {
  const Reduction &d = i.as<Reduction>();
  std::size_t extent = d.extent;
  const auto source = [&](const Combined &tile) {
    return m.at<std::byte>(extent == d.extent ? tile.source : tile.work);
  };
  for (const BlockId round : d.rounds) {
    for (const Combined &tile : d.tiles)
      separateTile(m, tile, source(tile), d, extent);
    m.run(round);
    for (const Combined &tile : d.tiles)
      gatherRound(m, tile, source(tile), d, extent);
    extent = extent / 2 + extent % 2;
  }
  for (const Combined &tile : d.tiles)
    std::memcpy(m.at<std::byte>(tile.result), source(tile), d.outer * d.inner * tile.bytes);
}

// Slice `at` of the axis between a tile and a dense copy.
void copySlice(std::byte *dense, std::byte *tile, const Scan &d, std::size_t bytes, std::size_t at,
               bool toDense) {
  const std::size_t slice = d.inner * bytes;
  for (std::size_t o = 0; o < d.outer; ++o) {
    std::byte *inTile = tile + (o * d.extent + at) * slice, *inCopy = dense + o * slice;
    std::memcpy(toDense ? inCopy : inTile, toDense ? inTile : inCopy, slice);
  }
}

void scan(const Instruction &i, Machine &m) {
  const Scan &d = i.as<Scan>();
  const auto position = [&](std::size_t step) { return d.reverse ? d.extent - 1 - step : step; };
  for (const Combined &tile : d.tiles) {
    copySlice(m.at<std::byte>(tile.earlier), m.at<std::byte>(tile.source), d, tile.bytes, position(0), true);
    copySlice(m.at<std::byte>(tile.earlier), m.at<std::byte>(tile.result), d, tile.bytes, position(0), false);
  }
  for (std::size_t step = 1; step < d.extent; ++step) {
    for (const Combined &tile : d.tiles)
      copySlice(m.at<std::byte>(tile.later), m.at<std::byte>(tile.source), d, tile.bytes, position(step),
                true);
    m.run(d.block);
    // All results leave before any becomes an argument: a region may yield its arguments crosswise.
    for (const Combined &tile : d.tiles)
      copySlice(m.at<std::byte>(tile.combined), m.at<std::byte>(tile.result), d, tile.bytes, position(step),
                false);
    for (const Combined &tile : d.tiles)
      copySlice(m.at<std::byte>(tile.earlier), m.at<std::byte>(tile.result), d, tile.bytes, position(step),
                true);
  }
}

void histogram(const Instruction &i, Machine &m) {
  const std::size_t bins = i.as<Histogram>().bins;
  std::uint32_t *counts = m.at<std::uint32_t>(i.result);
  const std::uint32_t *values = m.at<std::uint32_t>(i.a);   // negative ones are too large
  const std::uint8_t *mask = i.b == NoPlace ? nullptr : m.at<std::uint8_t>(i.b);
  std::fill(counts, counts + bins, 0u);
  for (std::size_t n = 0; n < i.lanes; ++n)
    if (values[n] < bins && (!mask || mask[n]))
      ++counts[values[n]];
}

}   // namespace

Handler reduceHandler() { return reduce; }
Handler scanHandler() { return scan; }
Handler histogramHandler() { return histogram; }

}   // namespace tile::interpreter
