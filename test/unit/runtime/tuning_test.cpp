// SPDX-License-Identifier: MIT
// Who wins, who is refused and why, and that the caller's memory stays as it is. The clock is a number.
#include "runtime/tuning/tuner.h"

#include "runtime/tuning/compare.h"

#include "test/unit/runtime/tuner_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <utility>

namespace tile::tuning {
namespace {

using testing::count;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::input;
using testing::output;
using testing::scale;
using testing::TimedDevice;
using Tuner = testing::TunerFixture;
using Outcome = Record::Outcome;

TEST_F(Tuner, TheFastestWins) {
  add("a", 3e-4, scale(2));
  add("b", 1e-4, scale(2));
  add("c", 1.9e-4, scale(2));
  add("d", 1.2e-4, scale(2));
  const Tuned tuned = run();
  EXPECT_EQ(tuned.sweep.winner, 1u);
  EXPECT_EQ(tuned.executable, programs[1].get());
  EXPECT_NEAR(tuned.sweep.records[1].median, 1e-4, 1e-9);
  EXPECT_EQ(tuned.sweep.records[1].registers, 32);
  EXPECT_EQ(tuned.sweep.records[1].shared_bytes, 1024);
  EXPECT_TRUE(tuned.sweep.records[0].stopped_early);   // three times the best
  EXPECT_TRUE(tuned.sweep.records[2].stopped_early);   // not more than twice, but far from the finals
  EXPECT_FALSE(tuned.sweep.records[3].stopped_early);
  EXPECT_EQ(tuned.sweep.records[0].rounds.size(), 1u);
  EXPECT_EQ(tuned.sweep.records[2].rounds.size(), 2u);
  EXPECT_EQ(tuned.sweep.records[3].rounds.size(), 5u);
}

TEST_F(Tuner, TheCallersMemoryAndItsAmountStay) {
  add("a", 2e-4, scale(2));
  add("b", 1e-4, scale(2));
  const std::size_t before = device.allocations();
  run();
  EXPECT_THAT(out.to_host(), Each(7.0f));
  EXPECT_THAT(in.to_host(), Each(3.0f));
  EXPECT_EQ(device.allocations(), before);
}

// What was faster all told is taken, known to lead or not.
TEST_F(Tuner, WhoIsNotAsFastIsNotTakenForBeingTheFirst) {
  add("a", 1.02e-4, scale(2));
  auto &b = add("b", 1e-4, scale(2));
  b.pace = [&] { return device.measurements / 2 % 5 < 2 ? 1.04 : 1.0; };
  EXPECT_EQ(run().sweep.winner, 1u);
}

// Faster in one round and slower in the next is not faster, though its median is a little smaller.
TEST_F(Tuner, ALeadOfSomeRoundsIsNoLead) {
  add("a", 1.004e-4, scale(2));
  auto &b = add("b", 1e-4, scale(2));
  b.pace = [&] { return device.measurements / 2 % 5 < 2 ? 1.02 : 1.0; };   // in two of five rounds
  EXPECT_EQ(run().sweep.winner, 0u);
  b.pace = nullptr;
  EXPECT_EQ(run().sweep.winner, 1u);
}

TEST(Leads, AreMoreThanChance) {
  const auto leads_in = [](int won, int lost) {
    Record a, b;
    for (int i = 0; i < won + lost; ++i) {
      a.rounds.push_back(1);
      b.rounds.push_back(i < won ? 2 : 0.5);
    }
    b.rounds.push_back(1.00001);   // as fast as can be told
    a.rounds.push_back(1);
    return leads(a, b);
  };
  EXPECT_TRUE(leads_in(5, 0));
  EXPECT_FALSE(leads_in(4, 0));
  EXPECT_FALSE(leads_in(4, 1));
  EXPECT_TRUE(leads_in(12, 3));
  EXPECT_FALSE(leads_in(11, 4));
  EXPECT_FALSE(leads_in(0, 5));
  EXPECT_FALSE(leads_in(0, 0));
}

// A clock that drops by a third from one round to the next hides no lead of 0.8 %: it hits both.
TEST_F(Tuner, ALeadInEveryRoundIsOne) {
  const auto clock = [&] { return device.measurements / 2 % 2 ? 1.3 : 1.0; };
  add("a", 1.008e-4, scale(2)).pace = clock;
  add("b", 1e-4, scale(2)).pace = clock;
  const Tuned tuned = run();
  EXPECT_EQ(tuned.sweep.winner, 1u);
  EXPECT_GT(tuned.sweep.records[0].spread, 0.1);
  EXPECT_EQ(tuned.sweep.records[0].rounds.size(), 5u) << "and is seen at once";
}

TEST_F(Tuner, TheOrderIsAnotherInEveryRoundAndTheSameInEverySweep) {
  std::string order;
  const auto note = [&](std::string name) {
    return [&, name](const Grid &g, std::span<const Argument> a) {
      scale(2)(g, a);
      if (!order.ends_with(name))
        order += name;
    };
  };
  for (const char *name : {"a", "b", "c", "d"})
    add(name, 1e-3, note(name));
  jobs = 1;   // checked in their order, too
  run();
  const std::string first = std::exchange(order, "");
  run();
  EXPECT_TRUE(order.starts_with(first) || first.starts_with(order))
      << "how long it takes to settle may differ";
  for (std::size_t at = 4; at + 8 < first.size(); at += 4)   // behind those that check
    EXPECT_NE(first.substr(at, 4), first.substr(at + 4, 4)) << first;
}

// Alone, a GPU is cooler and its caches are empty: who is faster then need not be it in a program.
TEST_F(Tuner, WhoIsFasterInARowWins) {
  const auto slower_in_a_row = [&] { return device.in_a_row > 1 ? 1.02 : 1.0; };
  add("a", 1.00e-4, scale(2)).pace = slower_in_a_row;
  add("b", 1.01e-4, scale(2));
  add("c", 1.50e-4, scale(2)).pace = slower_in_a_row;
  const Tuned tuned = run();
  EXPECT_EQ(tuned.sweep.winner, 1u);
  EXPECT_NEAR(tuned.sweep.records[0].median, 1.02e-4, 1e-9);
  EXPECT_NEAR(tuned.sweep.records[1].median, 1.01e-4, 1e-9);
  // Who was too far behind to be timed in a row is given in the terms of those who were.
  EXPECT_NEAR(tuned.sweep.records[2].median, 1.53e-4, 1e-8);
}

// What is seen of a GPU that was idle until now counts for nobody.
TEST_F(Tuner, FinalistsAreTimedWhenTheClockHasSettled) {
  double worked = 0;
  const auto cool = [&](double factor) {
    return [&, factor] {
      worked += device.in_a_row > 1 ? 1e-4 : 0;
      return worked < 0.2 ? factor : 1.0;
    };
  };
  add("a", 1.01e-4, scale(2)).pace = cool(0.95);
  add("b", 1.00e-4, scale(2)).pace = cool(1);
  const Tuned tuned = run();
  EXPECT_EQ(tuned.sweep.winner, 1u);
  EXPECT_NEAR(tuned.sweep.records[0].median, 1.01e-4, 1e-9);
}

// More of them together than three times the cache, and the caller's own never.
TEST_F(Tuner, FinalistsRotateTheirInputs) {
  device.is.cache_bytes = 5 * count * sizeof(float);
  std::vector<std::uint64_t> inputs, outputs;
  const auto note = [&](const Grid &g, std::span<const Argument> a) {
    scale(2)(g, a);
    if (device.in_a_row == 0)
      return;
    if (inputs.empty() || inputs.back() != a[0].bits) {
      inputs.push_back(a[0].bits);
      outputs.push_back(a[1].bits);
    }
  };
  add("a", 1e-4, note);
  add("b", 1e-4, note);
  const std::size_t before = device.allocations();
  run();
  EXPECT_EQ(device.allocations(), before);
  EXPECT_THAT(out.to_host(), Each(7.0f));
  ASSERT_GT(inputs.size(), 16u);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(inputs[i + 8], inputs[i]) << "8 sets of 800 bytes, for 3 times 2000";
    EXPECT_EQ(std::count(inputs.begin(), inputs.begin() + 8, inputs[i]), 1);
    EXPECT_EQ(outputs[i + 8], outputs[i]);
    EXPECT_NE(outputs[i], reinterpret_cast<std::uintptr_t>(out.data()));
  }
  device.largest = 1000;   // enough for the copies and for no set of inputs
  run();
}

// Compares as the host would, and counts.
struct CountingComparer : Comparer {
  explicit CountingComparer(int &c) : calls(c) {}
  std::size_t first_difference(ElementType type, const void *got, const void *expected, std::size_t n,
                               double) override {
    ++calls;
    const auto bytes = [&](const void *at) {
      return std::span(static_cast<const std::byte *>(at), n * type.bytes());
    };
    if (difference(type, bytes(got), bytes(expected)).empty())
      return n;
    std::size_t i = 0;
    while (std::memcmp(bytes(got).data() + i * type.bytes(), bytes(expected).data() + i * type.bytes(),
                       type.bytes()) == 0)
      ++i;
    return i;
  }
  bool are_unread(const void *a, const void *b, const void *was, unsigned char poison,
                  std::size_t bytes) override {
    ++calls;
    const auto at = [](const void *p, std::size_t i) { return static_cast<const unsigned char *>(p)[i]; };
    for (std::size_t i = 0; i < bytes; ++i)
      if (at(a, i) != at(b, i) && (at(b, i) != poison || at(a, i) != at(was, i)))
        return false;
    return true;
  }
  int &calls;
};

// Nothing but the zones around the copies, and the elements that a sentence is about.
TEST_F(Tuner, ResultsAreComparedOnTheDevice) {
  int calls = 0;
  device.make_comparer = [&] { return std::make_unique<CountingComparer>(calls); };
  add("a", 2e-4, scale(2));
  add("b", 1e-4, [](const Grid &g, std::span<const Argument> a) {
    scale(2)(g, a);
    output(a)[7] = 5;
  });
  add("c", 2e-4, scale(2));
  add("d", 1e-4, [](const Grid &, std::span<const Argument> a) {
    scale(2)({}, a);
    const_cast<float *>(input(a))[2] = 9;
  });
  const std::size_t before = device.allocations();
  const Tuned tuned = run();
  EXPECT_EQ(tuned.sweep.records[1].reason,
            "result differs from that of 2 configs: argument 1: element 7 is 5, not 6");
  EXPECT_EQ(tuned.sweep.records[3].reason, "it changes argument 0, which it may only read");
  EXPECT_GT(calls, 10);
  // The elements that differ, once more for each candidate that is run ahead of its turn.
  EXPECT_LT(device.copied_out % 4096, 100u) << "of 800 bytes that are compared again and again";
  EXPECT_EQ(device.allocations(), before);
  EXPECT_THAT(in.to_host(), Each(3.0f));
}

// Without memory there, or with a comparer that fails, the host looks.
TEST_F(Tuner, WhereTheDeviceCannotCompareTheHostDoes) {
  struct Failing : Comparer {
    std::size_t first_difference(ElementType, const void *, const void *, std::size_t, double) override {
      throw Error("it does not compile", {});
    }
    bool are_unread(const void *, const void *, const void *, unsigned char, std::size_t) override {
      throw Error("it does not compile", {});
    }
  };
  device.make_comparer = [] { return std::make_unique<Failing>(); };
  add("a", 2e-4, scale(2));
  add("b", 1e-4, scale(3));
  add("c", 2e-4, scale(2));
  EXPECT_EQ(run().sweep.records[1].reason,
            "result differs from that of 2 configs: argument 1: element 0 is 9, not 6");
  int calls = 0;
  device.make_comparer = [&] {
    device.largest = 10000;   // for the copy, of 400 bytes between zones, and not for what is compared
    return std::make_unique<CountingComparer>(calls);
  };
  programs.clear();
  candidates.clear();
  add("a", 2e-4, scale(2));
  add("b", 1e-4, scale(3));
  add("c", 2e-4, scale(2));
  EXPECT_EQ(run().sweep.records[1].outcome, Outcome::failed);
}

// Events around a launch are some microseconds apart, whatever is between them.
TEST_F(Tuner, ShortLaunchesAreTimedInARow) {
  device.event_seconds = 6e-6;
  add("a", 2e-6, scale(2));
  add("b", 1e-6, scale(2));
  const Tuned tuned = run();
  EXPECT_EQ(tuned.sweep.winner, 1u);
  EXPECT_NEAR(tuned.sweep.records[0].median, 2e-6, 1e-11);
  EXPECT_NEAR(tuned.sweep.records[1].median, 1e-6, 1e-11);
}

TEST_F(Tuner, WrongResultsAreOutHoweverFast) {
  add("a", 2e-4, scale(2));
  add("b", 1e-5, scale(2.5f));
  add("c", 1e-5, nullptr);   // writes nothing
  const Tuned tuned = run();
  EXPECT_EQ(tuned.sweep.winner, 0u);
  EXPECT_EQ(tuned.sweep.records[1].reason,
            "result differs from that of config a: argument 1: element 0 is 7.5, not 6");
  EXPECT_THAT(tuned.sweep.records[2].reason, HasSubstr("result differs"));
}

// As when the program has launched the kernel before: what is compared must not be lying there already.
TEST_F(Tuner, WritingNothingIsSeenWhereTheResultIsThereAlready) {
  out.copy_from(std::vector<float>(count, 6.0f));
  add("a", 2e-4, scale(2));
  add("b", 1e-5, nullptr);
  const Tuned tuned = run();
  EXPECT_EQ(tuned.sweep.winner, 0u);
  EXPECT_THAT(tuned.sweep.records[1].reason, HasSubstr("result differs"));
}

TEST_F(Tuner, WhatMostConfigsGiveIsTheResult) {
  add("a", 1e-5, scale(2.5f));
  add("b", 3e-4, scale(2));
  add("c", 1e-5, scale(3));
  add("d", 2e-4, scale(2.0001f));
  const Tuned tuned = run();
  EXPECT_EQ(tuned.sweep.winner, 3u);
  EXPECT_EQ(tuned.sweep.records[0].reason,
            "result differs from that of 2 configs: argument 1: element 0 is 7.5, not 6");
  EXPECT_EQ(tuned.sweep.records[2].reason,
            "result differs from that of 2 configs: argument 1: element 0 is 9, not 6");
}

// What reads its output is not to be mistaken for what does not because the first config does nothing.
TEST_F(Tuner, AFirstConfigThatWritesNothingLoses) {
  auto accumulate = [](const Grid &, std::span<const Argument> a) {
    for (std::size_t i = 0; i < count; ++i)
      output(a)[i] += input(a)[i];
  };
  add("a", 1e-5, nullptr);
  add("b", 2e-4, accumulate);
  add("c", 1e-4, accumulate);
  const Tuned tuned = run();
  EXPECT_EQ(tuned.sweep.winner, 2u);
  EXPECT_THAT(tuned.sweep.records[0].reason, HasSubstr("element 0 is 7, not 10"));
  programs.clear();
  candidates.clear();
  out.copy_from(std::vector<float>(count, 6.0f));   // the right result, from an earlier launch
  add("a", 1e-5, nullptr);
  add("b", 2e-4, scale(2));
  add("c", 1e-4, scale(2));
  EXPECT_EQ(run().sweep.winner, 2u);
}

TEST_F(Tuner, OfTwoResultsThatAsManyGiveTheEarlierCounts) {
  add("a", 4e-4, scale(2));
  add("b", 1e-5, scale(3));
  add("c", 1e-5, scale(3));
  add("d", 2e-4, scale(2));
  EXPECT_EQ(run().sweep.winner, 3u);
  reference = 2;   // unless the kernel names one of them
  EXPECT_EQ(run().sweep.winner, 1u);
  add("e", 3e-4, scale(2));
  EXPECT_EQ(run().sweep.winner, 3u) << "it does not outweigh more";
}

// It would spoil the inputs of all that come after it, who would agree on what comes of them.
TEST_F(Tuner, WhoChangesItsInputsIsOut) {
  const auto spoil = [](const Grid &g, std::span<const Argument> a) {
    scale(2)(g, a);
    const_cast<float *>(input(a))[7] = 5;
  };
  add("a", 1e-5, spoil);
  add("b", 2e-4, scale(2));
  add("c", 1e-5, scale(3));
  add("d", 1e-5, spoil);
  const Tuned tuned = run();
  EXPECT_EQ(tuned.sweep.winner, 1u);
  EXPECT_EQ(tuned.sweep.records[0].reason, "it changes argument 0, which it may only read");
  EXPECT_EQ(tuned.sweep.records[3].reason, "it changes argument 0, which it may only read");
  EXPECT_THAT(tuned.sweep.records[2].reason, HasSubstr("result differs from that of config b"));
  EXPECT_THAT(in.to_host(), Each(3.0f));
}

TEST_F(Tuner, SumsInAnotherOrderAreTheSame) {
  add("a", 2e-4, scale(2));
  add("b", 1e-4, scale(2.0001f));
  EXPECT_EQ(run().sweep.winner, 1u);
}

TEST_F(Tuner, KernelsThatWorkInPlaceStartAnew) {
  auto accumulate = [](const Grid &, std::span<const Argument> a) {
    for (std::size_t i = 0; i < count; ++i)
      output(a)[i] += input(a)[i];
  };
  add("a", 2e-4, accumulate);
  add("b", 1e-4, accumulate);
  add("c", 1e-5, scale(2));
  const Tuned tuned = run();
  EXPECT_EQ(tuned.sweep.winner, 1u);
  EXPECT_EQ(tuned.sweep.records[2].reason,
            "result differs from that of 2 configs: argument 1: element 0 is 6, not 10");
  EXPECT_THAT(out.to_host(), Each(7.0f));
}

TEST_F(Tuner, WritesAroundTheOutputAreSeen) {
  add("a", 2e-4, [](const Grid &g, std::span<const Argument> a) {
    scale(2)(g, a);
    output(a)[count] = 0;
  });
  add("b", 2e-4, scale(2));
  const Tuned tuned = run();
  EXPECT_EQ(tuned.sweep.winner, 1u);
  EXPECT_EQ(tuned.sweep.records[0].reason, "it writes behind the memory of argument 1");
}

TEST_F(Tuner, CandidatesThatFailAreSkipped) {
  add_refusing("a", "needs 256.0 KiB of shared memory, the device has 227.0");
  add("b", 1e-4, [](const Grid &, std::span<const Argument>) { throw Error("too many registers", {}); });
  add("c", 2e-4, scale(2));
  candidates.push_back({.config = "d", .pruned = true, .compile = nullptr, .grid = {}});
  const Tuned tuned = run();
  EXPECT_EQ(tuned.sweep.winner, 2u);
  const std::vector<Record> &records = tuned.sweep.records;
  EXPECT_EQ(records[0].outcome, Outcome::failed);
  EXPECT_EQ(records[0].reason, "needs 256.0 KiB of shared memory, the device has 227.0");
  EXPECT_EQ(records[1].reason, "too many registers");
  EXPECT_EQ(records[3].outcome, Outcome::pruned);
}

TEST_F(Tuner, AllFailingNamesEveryReason) {
  add_refusing("block=1", "no");
  add_refusing("block=2", "never");
  const std::string text = refusal();
  EXPECT_THAT(text, HasSubstr("error: no config of kernel scale works for these arguments"));
  EXPECT_THAT(text, HasSubstr("note: block=1: no"));
  EXPECT_THAT(text, HasSubstr("note: block=2: never"));
}

// A folder that cannot be written, a function that throws: no config is to blame.
TEST_F(Tuner, AllFailingAlikeIsSaidWhole) {
  for (const char *config : {"block=1", "block=2"})
    candidates.push_back(
        {config,
         false,
         []() -> Executable * { throw Error("no such folder", {}).add_help("name another"); },
         {}});
  const std::string text = refusal();
  EXPECT_THAT(text, HasSubstr("error: no such folder"));
  EXPECT_THAT(text, HasSubstr("= all configs of kernel scale fail in this way"));
  EXPECT_THAT(text, HasSubstr("= help: name another"));
}

TEST_F(Tuner, ALostDeviceEndsTheSweep) {
  jobs = 1;   // nobody overtakes
  add("a", 1e-4, [&](const Grid &, std::span<const Argument>) {
    device.lost = true;
    throw Error("illegal address", {});
  });
  TimedDevice::Program &later = add("b", 1e-4, scale(2));
  EXPECT_THAT(refusal(), ::testing::AllOf(HasSubstr("the device is lost"),
                                          HasSubstr("kernel scale, config a was tried")));
  EXPECT_EQ(later.launches, 0);
}

TEST_F(Tuner, ADeviceThatIsLostWhileItIsTimedNamesTheConfigAndTheBest) {
  add("a", 1e-4, scale(2));
  TimedDevice::Program &breaking = add("b", 5e-5, {});
  breaking.body = [&](const Grid &g, std::span<const Argument> a) {
    if (device.measurements > 0) {
      device.lost = true;
      throw Error("illegal address", {});
    }
    scale(2)(g, a);
  };
  EXPECT_THAT(refusal(),
              ::testing::AllOf(HasSubstr("the device is lost"), HasSubstr("kernel scale, config b was tried"),
                               HasSubstr("the fastest until then was config a")));
}

TEST_F(Tuner, AConfigThatDoesNotEndIsNamed) {
  struct Kept : Observer {
    void finished(const Sweep &s) override { sweep = s; }
    Sweep sweep;
  } observer;
  add("a", 1e-4, scale(2));
  TimedDevice::Program &hanging = add("b", 5e-5, {});
  hanging.body = [&](const Grid &, std::span<const Argument>) { device.hangs = true; };
  TimedDevice::Program &later = add("c", 1e-4, scale(2));
  jobs = 1;   // nobody overtakes
  ::testing::internal::CaptureStderr();
  const std::string text = refusal(&observer);
  // At once: what the caller does next, such as to free a buffer, may wait for the device.
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("kernel scale, config b, does not end"));
  EXPECT_THAT(text, ::testing::AllOf(HasSubstr("kernel scale, config b, does not end"), HasSubstr("60 s"),
                                     HasSubstr("TILE_TUNE_LIMIT")));
  EXPECT_EQ(code, ErrorCode::hung);
  ASSERT_EQ(observer.sweep.records.size(), 3u);
  EXPECT_EQ(observer.sweep.records[1].reason, "hangs: a launch before it was timed was not done after 60 s");
  EXPECT_EQ(later.launches, 0);
}

TEST_F(Tuner, AConfigThatDoesNotEndInALaterRoundIsNamed) {
  for (const double seconds : {1e-4, 1e-6}) {   // each launch alone, and many in a row
    programs.clear();
    candidates.clear();
    device.hangs = false;
    int timed = 0;
    add("a", seconds, scale(2));
    TimedDevice::Program &hanging = add("b", seconds, {});
    hanging.body = [&](const Grid &g, std::span<const Argument> a) {
      scale(2)(g, a);
      device.hangs = device.measurements > 0 && ++timed > 40;   // 3, 20, 20; 3, 100
    };
    ::testing::internal::CaptureStderr();
    const std::string text = refusal();
    ::testing::internal::GetCapturedStderr();
    EXPECT_THAT(text, HasSubstr("kernel scale, config b, does not end: the tuner gave up a launch of round " +
                                std::string(seconds < 1e-5 ? "2" : "3") + " after 60 s"));
  }
}

// To free memory is to wait for the device: what the sweep has allocated is left to the end of the process.
TEST_F(Tuner, AFinalistThatDoesNotEndIsNamedAndItsMemoryIsLeft) {
  int calls = 0, released = 0;
  struct Gpu : TimedDevice {
    void release(void *address) noexcept override {
      if (hangs)
        ++*released;
      else
        TimedDevice::release(address);
    }
    int *released = nullptr;
  };
  static Gpu gpu;   // what is left there is released after all tests, and then it does not hang
  gpu.released = &released;
  gpu.is.cache_bytes = 1000;
  gpu.make_comparer = [&] { return std::make_unique<CountingComparer>(calls); };
  for (const bool in_finals : {false, true}) {
    gpu.hangs = false;
    Buffer<float> from(gpu, std::vector<float>(count, 3.0f)), to(gpu, std::vector<float>(count, 7.0f));
    const auto body = [&](bool hangs) {
      return [&, hangs](const Grid &g, std::span<const Argument> a) {
        scale(2)(g, a);
        gpu.hangs = hangs && (!in_finals || gpu.in_a_row > 0);
      };
    };
    TimedDevice::Program first(gpu, 1e-4, body(false)), hanging(gpu, 1e-4, body(true));
    const Candidate both[] = {{"a", false, [&] { return &first; }, {}},
                              {"b", false, [&] { return &hanging; }, {}}};
    const Argument arguments[] = {{element_type<float *>, reinterpret_cast<std::uintptr_t>(from.data())},
                                  {element_type<float *>, reinterpret_cast<std::uintptr_t>(to.data())}};
    const Access access[] = {Access::reads, Access::writes};
    const MemoryExtent memory[] = {{from.data(), count * sizeof(float)}, {to.data(), count * sizeof(float)}};
    ::testing::internal::CaptureStderr();
    try {
      tune({.device = gpu,
            .kernel = "scale",
            .key = "100",
            .work = {},
            .candidates = {both[0], both[1]},
            .arguments = arguments,
            .access = access,
            .memory = memory,
            .jobs = 1});
      ADD_FAILURE() << "accepted";
    } catch (const Error &error) {
      EXPECT_THAT(error.message(), HasSubstr("kernel scale, config b, does not end"));
    }
    ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(released, 0) << (in_finals ? "in the finals" : "before it is timed");
    gpu.hangs = false;
  }
  gpu.released = nullptr;
}

TEST_F(Tuner, WithoutMemoryForCopiesTheFirstIsTaken) {
  add_refusing("a", "no");
  add("b", 2e-4, scale(2));
  add("c", 1e-4, scale(2));
  device.largest = 1000;
  const Tuned tuned = run();
  EXPECT_EQ(tuned.sweep.winner, 1u);
  EXPECT_EQ(tuned.sweep.not_timed, "no memory for a tuner's copy");
  EXPECT_EQ(programs[0]->launches, 0);
}

TEST_F(Tuner, SpillingLosesOnlyWhereTheTimesAreAlike) {
  add("a", 1e-4, scale(2), {255, 16, 0});
  add("b", 1e-4, scale(2));
  EXPECT_EQ(run().sweep.winner, 1u);
  programs[0]->seconds = 0.98e-4;
  EXPECT_EQ(run().sweep.winner, 0u);
  programs[0]->seconds = 1e-4;
  programs[1]->needs.spill_bytes = 8;
  EXPECT_EQ(run().sweep.winner, 0u) << "the first of those that spill";
}

// An observer reads the whole sweep while other threads still compile.
TEST_F(Tuner, ObserversSeeWhatIsSettled) {
  struct Looking : Observer {
    void progressed(const Sweep &sweep, const Progressed &) override {
      for (const Record &record : sweep.records)
        registers += record.registers;
    }
    int registers = 0;
  } observer;
  for (int i = 0; i < 40; ++i) {
    add("config=" + std::to_string(i), 1e-4, scale(2));
    candidates.back().compile = [made = programs.back().get()] {
      std::this_thread::sleep_for(std::chrono::microseconds(50));   // so that others do something meanwhile
      return made;
    };
  }
  run(&observer);
  EXPECT_GT(observer.registers, 0);
}

// Two objects for one GPU.
TEST_F(Tuner, OneAtATimeWhereTheHardwareIsOne) {
  struct Placed : TimedDevice {
    std::string place() const override { return "GPU 7"; }
  };
  std::atomic<int> inside = 0, most = 0;
  const auto sweep = [&] {
    Placed own;
    Buffer<float> y(own, std::vector<float>(count, 0.0f));
    TimedDevice::Program program(own, 1e-4, [&](const Grid &, std::span<const Argument>) {
      most = std::max(most.load(), ++inside);
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      --inside;
    });
    const std::vector<Candidate> both(2, {.config = "a", .compile = [&] { return &program; }, .grid = {}});
    const Argument arguments[] = {{element_type<float *>, reinterpret_cast<std::uintptr_t>(y.data())}};
    const Access access[] = {Access::writes};
    tune({.device = own,
          .kernel = "k",
          .key = "",
          .work = {},
          .candidates = both,
          .arguments = arguments,
          .access = access});
  };
  std::thread other(sweep);
  sweep();
  other.join();
  EXPECT_EQ(most, 1);
}

TEST_F(Tuner, OneAtATimePerDevice) {
  std::atomic<int> inside = 0, most = 0;
  auto body = [&](const Grid &g, std::span<const Argument> a) {
    most = std::max(most.load(), ++inside);
    scale(2)(g, a);
    std::this_thread::yield();
    --inside;
  };
  add("a", 1e-4, body);
  add("b", 2e-4, body);
  std::thread other([&] { run(); });
  run();
  other.join();
  EXPECT_EQ(most, 1);
}

}   // namespace
}   // namespace tile::tuning
