// SPDX-License-Identifier: MIT
// How calls are timed, on a clock that is a number.
#include <tile/bench.h>

#include "runtime/bench/samples.h"
#include "test/unit/runtime/timed_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace tile::bench {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using testing::TimedDevice;

TEST(Bench, SummariesAreMediansAndQuantiles) {
  const Summary odd = summarise({5, 1, 3});
  EXPECT_EQ(odd.median, 3);
  EXPECT_EQ(odd.samples, 3);
  std::vector<double> many;
  for (int i = 1; i <= 101; ++i)
    many.push_back(i);
  EXPECT_DOUBLE_EQ(summarise(many).median, 51);
  EXPECT_DOUBLE_EQ(summarise(many).spread, 30.0 / 51);
  EXPECT_EQ(summarise({}).samples, 0);
}

// The clock halves in the last three rounds, which the medians of the two see differently.
TEST(Samples, AreComparedRoundByRound) {
  const std::vector<double> a = {10, 10.2, 20, 20, 20.2}, b = {10, 10, 10.1, 20, 20};
  EXPECT_DOUBLE_EQ(times_as_long(a, {5, 5.1, 10, 10, 10.1}), 2);
  EXPECT_DOUBLE_EQ(times_as_long(a, b), 1.01);
  EXPECT_DOUBLE_EQ(times_as_long({4, 6, 8}, {3}), 2);
}

TEST(Bench, ASampleIsTheMeanOfManyCalls) {
  TimedDevice device;
  const Timing t = time(device, [&](int) { device.now += 1e-5; }, {.rounds = 7, .sample_seconds = 1e-3});
  EXPECT_NEAR(t.median, 1e-5, 1e-12);
  EXPECT_EQ(t.calls, 100);
  EXPECT_THAT(t.samples, SizeIs(7));
  EXPECT_FALSE(t.is_recorded);
}

TEST(Bench, SlowCallsAreTimedOneByOne) {
  TimedDevice device;
  EXPECT_EQ(time(device, [&](int) { device.now += 1; }, {.rounds = 1, .settle_seconds = 0}).calls, 1);
}

TEST(Bench, RotatingCallsWalkOverAllSetsEquallyOften) {
  TimedDevice device;
  std::vector<int> used(7);
  const Timing t =
      time(device,
           [&](int set) {
             ++used.at(static_cast<std::size_t>(set));
             device.now += 1e-5;
           },
           {.cache = Cache::rotating, .sets = 7, .rounds = 3, .sample_seconds = 1e-3, .settle_seconds = 0});
  EXPECT_EQ(t.calls, 105);   // the first multiple of 7 from 100 on
  EXPECT_EQ(used[6], 3 * 15);
  EXPECT_EQ(used[0], 3 * 15 + 2);   // the first call, and that which finds out how long one takes
}

TEST(Bench, ColdCallsAreTimedAlone) {
  TimedDevice device;
  const Timing t = time(device, [&](int) { device.now += 2e-5; }, {.cache = Cache::cold, .rounds = 4});
  EXPECT_EQ(t.calls, 1);
  EXPECT_THAT(t.samples, Each(::testing::DoubleNear(2e-5, 1e-12)));
}

TEST(Bench, TheyTakeTurnsAndEverySecondRoundIsTheOtherWayRound) {
  TimedDevice device;
  std::string order;
  const auto call = [&](char name) {
    return [&device, &order, name](int) {
      order += name;
      device.now += 1;
    };
  };
  const std::vector<Call> calls{call('a'), call('b'), call('c')};
  const auto timings = compare(device, calls, {.rounds = 3, .settle_seconds = 0});
  EXPECT_THAT(timings, SizeIs(3));
  EXPECT_EQ(order.substr(order.size() - 9), "abccbaabc");
}

TEST(Bench, ClocksSettleBeforeTheFirstSample) {
  TimedDevice device;
  double seconds = 2e-3;   // a clock that rises: calls get faster until they no longer do
  const Timing t = time(device,
                        [&](int) {
                          device.now += seconds;
                          seconds = std::max(1e-3, seconds * 0.98);
                        },
                        {.rounds = 5, .sample_seconds = 1e-3});
  EXPECT_NEAR(t.samples.front(), 1e-3, 1e-9);
  EXPECT_LT(device.now, 0.5);
  // One that never settles is not waited for longer than was said.
  TimedDevice restless;
  int calls = 0;
  time(restless, [&](int) { restless.now += ++calls % 2 ? 1e-3 : 2e-3; },
       {.rounds = 1, .sample_seconds = 1e-4, .settle_seconds = 0.5});
  EXPECT_GE(restless.now, 0.5);
  EXPECT_LT(restless.now, 0.6);
}

TEST(Bench, OneThatFailsDoesNotEndTheOthers) {
  TimedDevice device;
  int before = 20;
  const std::vector<Call> calls{[&](int) { device.now += 1e-3; },
                                [](int) { throw Error("no such kernel", {}); },
                                [&](int) {
                                  if (--before == 0)
                                    throw Error("it broke later", {});
                                  device.now += 1e-3;
                                }};
  const auto timings = compare(device, calls, {.rounds = 9});
  EXPECT_EQ(timings[0].samples.size(), 9u);
  EXPECT_EQ(timings[1].failure, "no such kernel");
  EXPECT_EQ(timings[2].failure, "it broke later");
  EXPECT_TRUE(timings[2].samples.empty());
  EXPECT_THROW(time(device, calls[1]), Error);
}

TEST(Bench, StopsWithWhatIsThere) {
  TimedDevice device;
  int rounds_done = 0;
  const Timing t = time(device, [&](int) { device.now += 1e-3; },
                        {.rounds = 100,
                         .stop = [&] { return rounds_done == 3; },
                         .told = [&](int done, int) { rounds_done = done; }});
  EXPECT_THAT(t.samples, SizeIs(3));
  EXPECT_NEAR(t.median, 1e-3, 1e-9);
}

TEST(Bench, ADeviceWithoutAClockSaysSo) {
  struct Still : TimedDevice {
    std::unique_ptr<Stopwatch> stopwatch() override { return nullptr; }
  } device;
  try {
    time(device, [](int) {});
    FAIL();
  } catch (const Error &error) {
    EXPECT_THAT(error.message(), HasSubstr("the timed has no clock"));
  }
}

}   // namespace
}   // namespace tile::bench
