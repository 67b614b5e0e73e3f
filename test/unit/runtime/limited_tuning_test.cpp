// SPDX-License-Identifier: MIT
// A sweep that may not take long, and configs that come later: what was measured until then decides, and what
// was right once is right. The clock is a number, which compilations and launches move on.
#include "runtime/tuning/tuner.h"

#include "test/unit/runtime/timed_device.h"

#include <tile/buffer.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tile::tuning {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TimedDevice;
using Outcome = Record::Outcome;

class LimitedTuning : public ::testing::Test {
 protected:
  LimitedTuning() : out(device, std::vector<float>(8, 0.0f)) {}

  void add(std::string config, double launch, double compile, double expected = 0, float writes = 1) {
    programs.push_back(std::make_unique<TimedDevice::Program>(
        device, launch, [writes](const Grid &, std::span<const Argument> a) {
          std::fill_n(reinterpret_cast<float *>(a[0].bits), 8, writes);
        }));
    candidates.push_back({.config = config,
                          .compile = [this, config, compile, p = programs.back().get()]() -> Executable * {
                            compiled.push_back(config);
                            device.now += compile;
                            return config == broken ? throw Error("does not compile", {}) : p;
                          },
                          .grid = {},
                          .expected = expected});
  }
  Tuned run(double seconds = 0, std::optional<std::size_t> trusted = {}) {
    const Argument arguments[] = {{element_type<float *>, reinterpret_cast<std::uintptr_t>(out.data())}};
    const Access access[] = {Access::writes};
    const MemoryExtent memory[] = {{out.data(), 8 * sizeof(float)}};
    return tune({.device = device,
                 .kernel = "k",
                 .key = "",
                 .candidates = candidates,
                 .arguments = arguments,
                 .access = access,
                 .memory = memory,
                 .jobs = 1,
                 .trusted = trusted,
                 .seconds = seconds,
                 .clock = [this] { return device.now; }});
  }
  static std::vector<Outcome> outcomes(const Tuned &tuned) {
    std::vector<Outcome> all;
    for (const Record &record : tuned.sweep.records)
      all.push_back(record.outcome);
    return all;
  }

  TimedDevice device;
  Buffer<float> out;
  std::string broken;
  std::vector<std::unique_ptr<TimedDevice::Program>> programs;
  std::vector<Candidate> candidates;
  std::vector<std::string> compiled;
};

TEST_F(LimitedTuning, TheMostPromisingComeFirst) {
  add("a", 1e-4, 0, 3e-4);
  add("b", 1e-4, 0, 1e-4);
  add("c", 1e-4, 0, 2e-4);
  EXPECT_EQ(run().sweep.winner, 0u) << "of equals the first of the list, as ever";
  EXPECT_THAT(compiled, ElementsAre("b", "c", "a"));
}

TEST_F(LimitedTuning, WhatIsNotCompiledInTimeIsLeftOut) {
  for (const char *config : {"a", "b", "c", "d"})
    add(config, 1e-4, 1);
  const Tuned tuned = run(2.5);
  EXPECT_THAT(compiled, ElementsAre("a", "b", "c"));
  EXPECT_EQ(tuned.sweep.records[3].outcome, Outcome::left_out);
  EXPECT_EQ(tuned.sweep.records[3].reason, "the 2.5 s were over");
  EXPECT_LE(device.now, 3.1) << "it ends with what had begun";
}

TEST_F(LimitedTuning, WhatWasTimedUntilThenDecides) {
  add("a", 0.2, 0);
  add("b", 0.1, 0);
  add("c", 0.05, 0);
  // 0.7 s of checks, then three launches of each: those of c would begin too late.
  const Tuned tuned = run(1.5);
  EXPECT_THAT(outcomes(tuned), ElementsAre(Outcome::timed, Outcome::timed, Outcome::left_out));
  EXPECT_EQ(tuned.sweep.winner, 1u);
  EXPECT_EQ(tuned.sweep.not_timed, "");
  EXPECT_LT(device.now, 1.7);
}

TEST_F(LimitedTuning, TimeThatIsOverAtOnceStillGivesOneThatWorks) {
  add("a", 1e-4, 5, 3e-4);
  add("b", 1e-4, 5, 2e-4);
  add("c", 1e-4, 5, 1e-4);
  broken = "c";
  const Tuned tuned = run(1);
  EXPECT_THAT(compiled, ElementsAre("c", "b"));
  EXPECT_EQ(tuned.sweep.winner, 1u);
  EXPECT_EQ(tuned.executable, programs[1].get());
  EXPECT_EQ(tuned.sweep.not_timed, "the 1 s were over before a config was timed");
}

TEST_F(LimitedTuning, EnoughTimeChangesNothing) {
  for (const char *config : {"a", "b", "c"})
    add(config, config[0] == 'b' ? 1e-4 : 1.5e-4, 0);
  const Tuned tuned = run(1e6);
  EXPECT_THAT(outcomes(tuned), Each(Outcome::timed));
  EXPECT_EQ(tuned.sweep.winner, 1u);
  EXPECT_EQ(tuned.sweep.records[1].rounds.size(), 5u);
}

// New configs beside one that a majority had agreed with: two of them that are wrong alike are no majority.
TEST_F(LimitedTuning, WhatWasRightInAnEarlierSweepIs) {
  add("a", 1e-4, 0, 0, 7);
  add("b", 1e-4, 0, 0, 7);
  add("c", 2e-4, 0, 0, 1);
  EXPECT_EQ(run(0, 2).sweep.winner, 2u);
  EXPECT_THAT(run(0, 2).sweep.records[0].reason, HasSubstr("result differs from that of config c"));
  EXPECT_EQ(run().sweep.winner, 0u);
}

}   // namespace
}   // namespace tile::tuning
