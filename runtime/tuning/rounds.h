// SPDX-License-Identifier: MIT
// Times candidates in turn, so that a clock that drops or a neighbour that disturbs hits all of them alike,
// and picks one. What counts between two candidates is who was faster in each round, not how far each was
// disturbed from one round to the next:
//
//   round        1      2      3      4      5
//   a        100.8  131.0  100.9  130.8  100.8 us     the clock drops by 30 %, and b is faster five times
//   b        100.0  130.0  100.1  129.9  100.0 us     of five
#pragma once

#include "tile/tuning.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace tile::tuning {

struct RoundOptions {
  int rounds = 5;
  int first_launches = 3;        // of each candidate in the first round
  int most_launches = 20;        // in each later round; fewer of slow kernels:
  double round_seconds = 2e-3;   // what one candidate may take of a later round
  double behind = 2;             // after the first round, this many times the best is given up
  // Further rounds, at most, of those that are as close to the best as this, until it is known which is
  // faster.
  int finals = 10;
  double close = 0.05;
  // Where the best of the first round is shorter, the events around a launch are much of what is measured: so
  // many launches in a row are timed as one.
  double short_launch = 10e-6;
  int launches_in_a_row = 100;
};

struct Measurement {
  std::size_t candidate = 0;
  int round = 1;
  int launches = 1;
  bool in_a_row = false;   // one after the other; else each alone, what it reads in no cache
};

// time(measurement): seconds of a launch, one or several samples. Fills in median, spread, samples and rounds
// of the records with these numbers. The order of the candidates is another in each round, and the same in
// each sweep. `told()` is called after each measurement. A candidate that throws tile::Error while it is
// timed becomes a failed record. Where `stop` is given, the candidates of the first round keep their order,
// and no measurement begins when it says so.
void time_in_rounds(std::vector<Record> &records, const std::vector<std::size_t> &candidates,
                    const std::function<std::vector<double>(const Measurement &)> &time,
                    const std::function<void()> &told, const std::function<bool()> &stop,
                    const RoundOptions &options = {});

// Whether `a` was faster than `b` in so many of their rounds that chance has it so in one of twenty cases at
// most.
bool leads(const Record &a, const Record &b);

// The fastest timed record, or one that is close to it and that it does not lead: the first that does not
// spill, else the first. records.size() if none was timed.
std::size_t pick(const std::vector<Record> &records);

}   // namespace tile::tuning
