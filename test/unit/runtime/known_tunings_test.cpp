// SPDX-License-Identifier: MIT
// What several sweeps are together.
#include "runtime/tuning/known.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tile::tuning {
namespace {

using Outcome = Record::Outcome;
using Names = std::vector<std::string>;

Record timed(const std::string &config, double us) {
  return {.config = config, .outcome = Outcome::timed, .median = us * 1e-6, .rounds = {us * 1e-6}};
}
double us(const Known &known, const std::string &config) { return known.find(config)->median * 1e6; }

TEST(Known, WhatWasMeasuredOnAnotherDayCountsBesideTheBest) {
  Known known;
  known.add({timed("a", 100), timed("b", 130)}, "a", "");
  EXPECT_EQ(known.fastest({"a", "b"}), 0u);
  known.add({timed("a", 120), timed("c", 96)}, "c", "a");
  EXPECT_NEAR(us(known, "c"), 80, 1e-9);
  EXPECT_NEAR(us(known, "a"), 100, 1e-9);
  EXPECT_EQ(known.fastest({"a", "b", "c"}), 2u);
  EXPECT_EQ(known.fastest({"b", "a"}), 1u) << "of a list without the best: by their times";
}

// Both found a better one than a; the better of these counts, whoever wrote last.
TEST(Known, TwoProcessesBesideTheSame) {
  for (const bool turned : {false, true}) {
    Known known;
    known.add({timed("a", 100)}, "a", "");
    for (const bool first : {!turned, turned})
      if (first)
        known.add({timed("a", 200), timed("c", 160)}, "c", "a");
      else
        known.add({timed("a", 50), timed("d", 45)}, "d", "a");
    EXPECT_EQ(known.fastest({"a", "c", "d"}), 1u) << turned;
  }
}

TEST(Known, AWholeSweepReplaces) {
  Known known;
  known.add({timed("a", 100), timed("b", 130)}, "a", "");
  known.add({timed("a", 100), timed("b", 90)}, "b", "");
  EXPECT_EQ(known.fastest({"a", "b"}), 1u);
  known.add({timed("a", 1)}, "a", "gone");   // beside what nobody knows: on its own
  EXPECT_EQ(us(known, "a"), 1);
}

// Close to each other, and not led in its rounds: in one sweep the first counts. Who won is who has won.
TEST(Known, TheWinnerOfASweepIsWhoItSays) {
  Known known;
  known.add({timed("a", 101), timed("b", 100)}, "b", "");
  EXPECT_EQ(known.fastest({"a", "b"}), 1u);
}

TEST(Known, WhatWasLeftOutOrFailedDoesNotWin) {
  Known known;
  known.add({timed("a", 100),
             {.config = "b", .outcome = Outcome::left_out},
             {.config = "c", .outcome = Outcome::failed},
             {.config = "d", .outcome = Outcome::pruned}},
            "a", "");
  EXPECT_EQ(known.fastest({"b", "c", "a"}), 2u);
  EXPECT_EQ(known.fastest({"b", "c"}), std::nullopt);
  EXPECT_EQ(known.find("b")->outcome, Outcome::left_out);
  EXPECT_EQ(known.find("d"), nullptr);
  known.add({timed("a", 50), timed("b", 40)}, "b", "a");
  EXPECT_NEAR(us(known, "b"), 80, 1e-9);
  known.add({timed("b", 40), {.config = "a", .outcome = Outcome::left_out}}, "b", "b");
  EXPECT_EQ(known.find("a")->outcome, Outcome::timed);
}

}   // namespace
}   // namespace tile::tuning
