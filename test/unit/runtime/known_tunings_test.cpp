// SPDX-License-Identifier: MIT
// What several sweeps are together, and what ships with a kernel.
#include "runtime/tuning/known.h"
#include "runtime/tuning/shipped.h"

#include <tile/error.h>

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
  for (const bool reversed : {false, true}) {
    Known known;
    known.add({timed("a", 100)}, "a", "");
    for (const bool first : {!reversed, reversed})
      if (first)
        known.add({timed("a", 200), timed("c", 160)}, "c", "a");
      else
        known.add({timed("a", 50), timed("d", 45)}, "d", "a");
    EXPECT_EQ(known.fastest({"a", "c", "d"}), 1u) << reversed;
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

TEST(Shipped, LinesAreReadAsTheyWereWritten) {
  const Shipped one{.device = "a GPU",
                    .kernel = "k",
                    .arguments = "f16* \"",
                    .key = "1 2",
                    .config = "a=1,b=2",
                    .median = 1e-6};
  Shipped two = one;
  two.key = "3";
  two.config = "a=3";
  static const std::string lines =
      line_of(one) + "\n\n" + line_of(two);   // an empty line, and none at the end
  EXPECT_EQ(shipped_config(lines, one), "a=1,b=2");
  EXPECT_EQ(shipped_config(lines, two), "a=3");
  for (std::string Shipped::*field :
       {&Shipped::kernel, &Shipped::arguments, &Shipped::key, &Shipped::device}) {
    Shipped other = one;
    other.*field += "x";
    EXPECT_EQ(shipped_config(lines, other), "");
  }
  two.device += ", 132 multiprocessors";
  EXPECT_EQ(shipped_config(lines, two), "a=3");
}

TEST(Shipped, MeasuredLinesHavePriority) {
  Shipped measured{.device = "a GPU", .kernel = "k", .key = "1", .config = "a=1"};
  Shipped predicted = measured;
  predicted.config = "a=2";
  predicted.is_predicted = true;
  static const std::string alone = line_of(predicted), behind = line_of(predicted) + "\n" + line_of(measured),
                           before = line_of(measured) + "\n" + line_of(predicted);
  EXPECT_EQ(shipped_config(alone, measured), "a=2");
  EXPECT_EQ(shipped_config(behind, measured), "a=1");
  EXPECT_EQ(shipped_config(before, measured), "a=1");
}

TEST(Shipped, DamageHasItsLine) {
  static const std::string lines = line_of({.device = "a", .kernel = "k"}) + "\n{\"device\": \n";
  try {
    shipped_config(lines, {});
    FAIL();
  } catch (const Error &e) {
    EXPECT_EQ(e.message().find("line 2 of the tunings that ship with a kernel: line 1, column"), 0u)
        << e.message();
  }
}

}   // namespace
}   // namespace tile::tuning
