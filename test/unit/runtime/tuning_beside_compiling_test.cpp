// SPDX-License-Identifier: MIT
// What a tuner does with candidates that are compiled while others still are: who is first changes nothing of
// what it finds out.
#include "test/unit/runtime/tuner_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <thread>

namespace tile::tuning {
namespace {

using ::testing::HasSubstr;
using testing::output;
using testing::scale;
using testing::TimedDevice;
using Outcome = Record::Outcome;

class BesideCompiling : public testing::TunerFixture {
 protected:
  // The last candidate is compiled when this is so.
  template <class IsSo> void compile_when(IsSo is_so) {
    candidates.back().compile = [is_so, compile = candidates.back().compile] {
      const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(10);
      while (!is_so() && std::chrono::steady_clock::now() < give_up)
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      return compile();
    };
  }
};

// Neighbours of these factors are alike, others are not; so it depends on the first of a group who is in it.
TEST_F(BesideCompiling, TheOrderInWhichTheyAreCompiledChangesNothing) {
  std::mt19937 random(7);
  const auto found = [&] {
    const Tuned tuned = run();
    std::string all = std::to_string(tuned.sweep.winner);
    for (const Record &record : tuned.sweep.records)
      all += "\n" + record.config + ": " + record.reason;
    return all;
  };
  for (int sweep = 0; sweep < 40; ++sweep) {
    programs.clear();
    candidates.clear();
    for (std::size_t i = 0; i < 6; ++i) {
      const auto kind = random() % 6;
      const std::string name = std::to_string(i);
      if (i > 0 && kind == 4)
        add_refusing(name, "does not compile");
      else if (i > 0 && kind == 5)
        add(name, 1e-4, [](const Grid &, std::span<const Argument>) { throw Error("does not run", {}); });
      else
        add(name, 1e-4, scale(2 + 0.003f * static_cast<float>(kind % 4)));
    }
    jobs = 1;
    const std::string expected = found();
    jobs = 6;
    std::vector<std::size_t> places{0, 1, 2, 3, 4, 5};
    std::ranges::shuffle(places, random);
    std::atomic<std::size_t> compiled = 0;
    for (std::size_t i = 0; i < 6; ++i)
      candidates[i].compile = [&, place = places[i], compile = candidates[i].compile] {
        while (compiled != place)
          std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::microseconds(300));   // the one before is given first
        ++compiled;
        return compile();
      };
    EXPECT_EQ(found(), expected) << ::testing::PrintToString(places);
  }
}

// Nobody is left out where the first are late.
TEST_F(BesideCompiling, TheFirstThatWorksIsTakenWhereNoneIsTimedThoughOthersAreCompiledBefore) {
  std::atomic<bool> is_compiled = false;
  add("a", 2e-4, scale(2));
  compile_when([&] { return is_compiled.load(); });
  add("b", 1e-4, scale(2));
  candidates.back().compile = [&, compile = candidates.back().compile] {
    is_compiled = true;
    return compile();
  };
  device.largest = 1000;
  const Tuned tuned = run();
  EXPECT_EQ(tuned.sweep.winner, 0u);
  EXPECT_EQ(tuned.executable, programs[0].get());
  EXPECT_EQ(tuned.sweep.not_timed, "no memory for a tuner's copy");
}

// 0.3 s of launches of another one are worth as much as 0.3 s of the finals.
TEST_F(BesideCompiling, TheDeviceIsBusyMeanwhile) {
  std::atomic<int> launches = 0;
  const auto count = [&](const Grid &g, std::span<const Argument> a) {
    ++launches;
    scale(2)(g, a);
  };
  add("a", 1e-4, count);
  add("b", 1e-4, scale(2));
  run();
  const int measured = device.measurements;
  launches = 0;
  keeps_busy = true;
  compile_when([&] { return launches > 3100; });
  device.measurements = 0;
  const Tuned tuned = run();
  EXPECT_EQ(tuned.sweep.winner, 0u);
  EXPECT_LT(device.measurements, measured - 40) << "30 rounds of two that settle the clock";
  EXPECT_GT(device.measurements, 2 * 5 + 2 * 5 + 2) << "rounds alone, finals, and one before them";
}

// The first in the order is late: somebody else keeps the device busy until it comes.
TEST_F(BesideCompiling, WhoIsCompiledBeforeItsTurnKeepsItBusy) {
  std::atomic<int> launches = 0;
  add("a", 1e-4, scale(2));
  compile_when([&] { return launches > 500; });
  add("b", 2e-4, [&](const Grid &g, std::span<const Argument> a) {
    ++launches;
    scale(2)(g, a);
  });
  keeps_busy = true;
  EXPECT_EQ(run().sweep.winner, 0u);
  EXPECT_GT(launches, 500);
}

TEST_F(BesideCompiling, LongLaunchesKeepNobodyWaiting) {
  std::atomic<bool> is_running = false;
  add("a", 1, [&](const Grid &g, std::span<const Argument> a) {
    is_running = true;
    scale(2)(g, a);
  });
  add("b", 1.5, scale(2));
  compile_when([&] { return is_running.load(); });
  keeps_busy = true;
  run();
  const double with_work = device.now;
  keeps_busy = false;
  device.now = 0;
  run();
  EXPECT_NEAR(with_work, device.now + 1, 1e-6) << "one launch, to know how long it is";
}

TEST_F(BesideCompiling, WhoHangsMeanwhileIsNamed) {
  std::atomic<int> launches = 0;
  add("a", 1e-4, [&](const Grid &g, std::span<const Argument> a) {
    scale(2)(g, a);
    device.hangs = ++launches > 200;
  });
  add("b", 1e-4, scale(2));
  compile_when([&] { return launches > 200; });
  keeps_busy = true;
  ::testing::internal::CaptureStderr();
  const std::string text = refusal();
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("kernel scale, config a, does not end"));
  EXPECT_THAT(text, HasSubstr("gave up a launch before it was timed after 60 s"));
}

TEST_F(BesideCompiling, WhoFailsMeanwhileIsOut) {
  std::atomic<int> launches = 0;
  add("a", 1e-5, [&](const Grid &g, std::span<const Argument> a) {
    scale(2)(g, a);
    if (++launches > 200)
      throw Error("illegal instruction", {});
  });
  add("b", 1e-4, scale(2));
  compile_when([&] { return launches > 200; });
  keeps_busy = true;
  const Tuned tuned = run();
  EXPECT_EQ(tuned.sweep.winner, 1u);
  EXPECT_EQ(tuned.sweep.records[0].reason, "illegal instruction");
}

// An observer is told nothing after the end.
TEST_F(BesideCompiling, ALostDeviceEndsTheSweepWhenNobodyCompiles) {
  struct Looking : Observer {
    void progressed(const Sweep &, const Progressed &) override { late += is_finished; }
    void finished(const Sweep &) override { is_finished = true; }
    std::atomic<bool> is_finished = false;
    std::atomic<int> late = 0;
  } observer;
  std::atomic<bool> is_lost = false;
  add("a", 1e-4, [&](const Grid &, std::span<const Argument>) {
    device.lost = true;
    is_lost = true;
    throw Error("illegal address", {});
  });
  for (int i = 0; i < 8; ++i) {
    add("b" + std::to_string(i), 1e-4, scale(2));
    compile_when([&] { return is_lost.load(); });
  }
  EXPECT_THAT(refusal(&observer), HasSubstr("kernel scale, config a was tried"));
  EXPECT_TRUE(observer.is_finished);
  EXPECT_EQ(observer.late, 0);
  EXPECT_EQ(programs.back()->launches, 0);
}

}   // namespace
}   // namespace tile::tuning
