// SPDX-License-Identifier: MIT
// The units of a multiprocessor, each with the time from which it is free, and what threads wait at.
#pragma once

#include "runtime/simulator/program.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace tile::timeline {

// Does one thing after the other.
class Unit {
 public:
  double free() const { return free_; }
  double busy() const { return busy_; }
  // Gives the time at which it begins.
  double take(double from, double cycles) {
    const double begin = std::max(from, free_);
    free_ = begin + cycles;
    busy_ += cycles;
    return begin;
  }
  void count(double cycles) { busy_ += cycles; }

 private:
  double free_ = 0, busy_ = 0;
};

// A quarter of a multiprocessor: every fourth warp runs here.
struct Quarter {
  Unit issue, fma, alu, special, matrix;
};

struct Multiprocessor {
  std::array<Quarter, 4> quarters;
  Unit matrix;   // for wgmma, which takes all quarters
  Unit shared, incoming, outgoing;
};

// Warps that wait, by their number, and for what.
struct Waiting {
  std::size_t warp;
  std::uint32_t phases;
};

struct MBarrierState {
  std::int64_t expected = 1, arrived = 0, bytes = 0;
  std::uint32_t phases = 0;
  bool is_filled_by_copies = false;
  std::vector<Waiting> waiting;
  bool is_over() const { return arrived >= expected && bytes == 0; }
};

struct BarrierState {
  std::uint32_t arrived = 0;
  std::vector<std::size_t> waiting;
};

}   // namespace tile::timeline
