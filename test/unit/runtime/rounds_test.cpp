// SPDX-License-Identifier: MIT
#include "runtime/tuning/rounds.h"

#include <gtest/gtest.h>

#include <map>

namespace tile::tuning {
namespace {

// In the third round the clock drops between the two finalists. Their medians are of different clocks then:
// the second one, which is faster in four rounds of five, has the larger one.
TEST(Rounds, CompareFinalistsAtOneClock) {
  const std::vector<double> clocks[] = {{1, 1, 1, 1.05, 1.05}, {1, 1, 1.05, 1.05, 1.05}};
  const double seconds[] = {1.006e-3, 1e-3};
  std::map<std::size_t, std::size_t> done;
  std::vector<Record> records(2);
  const auto time = [&](const Measurement &m) -> std::vector<double> {
    const double clock = m.is_final ? clocks[m.candidate].at(done[m.candidate]++) : 1;
    return {seconds[m.candidate] * clock};
  };
  RoundOptions options;
  options.finals = 5;
  options.settle_seconds = 0;
  time_in_rounds(records, {0, 1}, time, [] {}, nullptr, options);
  EXPECT_EQ(done[0], 5u);
  EXPECT_EQ(done[1], 5u);
  EXPECT_NEAR(records[0].median / records[1].median, 1.006, 1e-9);
  EXPECT_EQ(pick(records), 1u);
}

}   // namespace
}   // namespace tile::tuning
