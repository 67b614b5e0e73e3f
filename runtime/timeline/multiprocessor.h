// SPDX-License-Identifier: MIT
// The units of a multiprocessor, each with the time from which it is free.
#pragma once

#include <algorithm>
#include <array>

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

}   // namespace tile::timeline
