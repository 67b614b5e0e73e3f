// SPDX-License-Identifier: MIT
// What several sweeps of a key found out, as one. A config that came later was measured beside the best until
// then, on another day and at another clock: its times count as so many times that one's.
//
//   sweep 1        a 100 us, b 130 us                    the best is a
//   sweep 2        a 120 us, c  96 us, beside a          c is taken for 80 us
//   known          c  80 us, a 100 us, b 130 us
#pragma once

#include "runtime/tuning/tuning.h"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tile::tuning {

class Known {
 public:
  // `beside`: the config of an earlier sweep that this one measured again; empty: it was about all of them
  // anew. What was not tried in it changes nothing.
  void add(const std::vector<Record> &records, const std::string &fastest, const std::string &beside);
  // Null: nothing is known of the config.
  const Record *find(const std::string &config) const;
  // The place of the fastest among these configs that were timed.
  std::optional<std::size_t> fastest(const std::vector<std::string> &configs) const;
  bool empty() const { return records_.empty(); }

 private:
  std::map<std::string, Record> records_;   // by config
  std::string best_;                        // of a row of sweeps, each beside the best of the one before,
  std::set<std::string> beaten_;            // in which these were tried
};

}   // namespace tile::tuning
