// SPDX-License-Identifier: MIT
// Times candidates in turn, so that a clock that drops or a neighbour that disturbs hits all of them alike,
// and picks one.
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
};

// time(i, launches): seconds of each launch of candidate i. Fills in median, spread and samples of the
// records with these numbers. `told(done)` is called after each measurement. A candidate that throws
// tile::Error while it is timed becomes a failed record.
void time_in_rounds(std::vector<Record> &records, const std::vector<std::size_t> &candidates,
                    const std::function<std::vector<double>(std::size_t, int)> &time,
                    const std::function<void()> &told, const RoundOptions &options = {});

// The fastest timed record that does not spill (or of all, if all spill); the first in order of those that
// are not slower than it by more than the noise of the two. records.size() if none was timed.
std::size_t pick(const std::vector<Record> &records);

}   // namespace tile::tuning
