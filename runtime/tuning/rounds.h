// SPDX-License-Identifier: MIT
// Times candidates in turn, so that a clock that drops or a neighbour that disturbs hits all of them alike,
// and picks one. What counts between two candidates is who was faster in each round, not how far each was
// disturbed from one round to the next:
//
//   round        1      2      3      4      5
//   a        100.8  131.0  100.9  130.8  100.8 us     the clock drops by 30 %, and b is faster five times
//   b        100.0  130.0  100.1  129.9  100.0 us     of five
//
// Each launch is first timed alone, which is enough to tell who is far behind. The few that are close to the
// best are then timed as programs and benches run them: in a row, for long enough that a GPU is as hot as in
// work. Who is faster alone need not be it then.
#pragma once

#include "runtime/tuning/tuning.h"

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
  // After each later one, this many times: of two rounds a median is off by a few percent at most, and only
  // who is within `final_close` goes on.
  double behind_later = 1.3;
  // What is closer to the best than this is as fast, unless it is known which is faster.
  double close = 0.005;
  // So many of those that are as close to the best as this are timed anew, many launches in a row, after some
  // seconds of the same that do not count. As many rounds as the others have had, then those go on that may
  // be faster than the fastest by more than `close`, for all that is known.
  double final_close = 0.1;
  std::size_t finalists = 6;
  int finals = 24;
  double final_seconds = 5e-3;   // that a finalist takes of a round
  int most_final_launches = 1000;
  double settle_seconds = 0.3;
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
  // In a row, and what they read where the launches before have left it: in no cache, if it can be had so.
  bool is_final = false;
  bool is_settling = false;   // of a final: the time does not count
};

// time(measurement): seconds of a launch, one or several samples. Fills in median, spread, samples and rounds
// of the records with these numbers, of the finalists those of the finals, their medians by what the rounds
// say of each and the fastest; the others' are scaled by what those of the finalists have changed by. The
// order of the candidates is another in each round, and the same in each sweep. `told()` is called after each
// measurement. A candidate that throws tile::Error while it is timed becomes a failed record. Where `stop` is
// given, the candidates of the first round keep their order, and no measurement begins when it says so.
void time_in_rounds(std::vector<Record> &records, const std::vector<std::size_t> &candidates,
                    const std::function<std::vector<double>(const Measurement &)> &time,
                    const std::function<void()> &told, const std::function<bool()> &stop,
                    const RoundOptions &options = {});

// Whether `a` was faster than `b` in so many of their rounds that chance has it so in one of twenty cases at
// most. `ahead`: were it in each round a little faster, by this part of b's time.
bool leads(const Record &a, const Record &b, double ahead = 0);

// The fastest timed record, or one that is close to it and that it does not lead: the first that does not
// spill, else the first. records.size() if none was timed.
std::size_t pick(const std::vector<Record> &records);

}   // namespace tile::tuning
