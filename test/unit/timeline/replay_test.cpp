// SPDX-License-Identifier: MIT
// The model of time on recordings written by hand.
#include "test/unit/timeline/written_record.h"

#include <gtest/gtest.h>

namespace tile::timeline {
namespace {

double cycles(const WrittenRecord &written, const Conditions &conditions = {}) {
  return written.run(conditions).cycles;
}

TEST(Replay, WorkTakesTheUnitThatIsBusyTheLongest) {
  WrittenRecord special;
  special.warps(1, {work(special.place(1, {.issued = 10, .fma = 10, .special = 400}))});
  EXPECT_NEAR(cycles(special), 400, 1);
  WrittenRecord chain;
  chain.warps(1, {work(chain.place(1, {.issued = 10, .fma = 10, .depth = 500}))});
  EXPECT_NEAR(cycles(chain), 500, 1);
}

TEST(Replay, AWarpAloneDoesNotIssueInEachCycle) {
  WrittenRecord one;
  one.warps(1, {work(one.place(1, {.issued = 100, .fma = 100}))});
  EXPECT_NEAR(cycles(one), 100 * one.model.instruction_interval, 1);
}

// Warps 0 and 4 share a quarter of the multiprocessor, warps 0 and 1 do not.
TEST(Replay, WarpsOfOneQuarterShareItsUnits) {
  const auto take = [](unsigned warps) {
    WrittenRecord r;
    r.warps(warps, {work(r.place(1, {.issued = 100, .special = 960}))});
    return cycles(r);
  };
  EXPECT_NEAR(take(4), take(1), 1);
  EXPECT_NEAR(take(5), 2 * take(1), 60);
  EXPECT_NEAR(take(8), 2 * take(1), 60);
}

TEST(Replay, OtherCtasOfTheMultiprocessorTakePart) {
  WrittenRecord r;
  r.warps(4, {work(r.place(1, {.issued = 100, .special = 960}))});
  EXPECT_NEAR(cycles(r, {.resident_ctas = 3}), 3 * cycles(r), 100);
}

TEST(Replay, AResultIsAwaitedWhereItIsNeeded) {
  WrittenRecord r;
  const std::uint32_t load = r.place(1), other = r.place(2, {.issued = 10}),
                      use = r.place(3, {.issued = 1}, {load});
  r.warps(1, {work(load), {load, Act::globalLoad, 0, 4, 4}, work(other), work(use)});
  const Timeline t = r.run();
  ASSERT_EQ(t.warps[0].spans.size(), 3u);
  EXPECT_EQ(t.warps[0].spans[0].state, State::computing);   // before the result is there
  EXPECT_EQ(t.warps[0].spans[1].state, State::results);
  EXPECT_EQ(t.warps[0].spans[1].place, load);
  EXPECT_GT(t.cycles, r.model.miss_latency);
  EXPECT_LT(cycles(r, {.miss_share = 0}), t.cycles - 100);   // the L2 cache is nearer
}

TEST(Replay, MoreSlotsHideTheLatencyOfCopies) {
  const double one = cycles(Ring{.slots = 1}.written()), two = cycles(Ring{.slots = 2}.written()),
               four = cycles(Ring{.slots = 4}.written());
  EXPECT_GT(one, 1.3 * two);
  EXPECT_GT(1.01 * two, four);
}

// 32 rounds of four products of 64 x 256 x 16 are 32 * 4 * 128 cycles, whoever multiplies.
TEST(Replay, TheMatrixUnitDoesOneProductAfterTheOther) {
  const Timeline t = Ring{.slots = 6}.written().run({.miss_share = 0});
  EXPECT_NEAR(t.matrix_busy, 32 * 4 * 128, 1);
  EXPECT_GT(t.cycles, t.matrix_busy);
  EXPECT_EQ(t.products.size(), 32u * 4);
  for (std::size_t i = 1; i < t.products.size(); ++i)
    EXPECT_GE(t.products[i].begin, t.products[i - 1].end);
}

TEST(Replay, NarrowProductsAreAsSlowAsTheirOperands) {
  EXPECT_EQ(GpuModel::product(256, false), 128);
  EXPECT_EQ(GpuModel::product(64, false), 32);
  EXPECT_EQ(GpuModel::product(16, false), 20);
  EXPECT_EQ(GpuModel::product(16, true), 8);
}

TEST(Replay, LoadsShareTheBandwidthOfTheMultiprocessor) {
  const auto take = [](double miss) {
    return Ring{.slots = 8, .rounds = 64, .columns = 8}.written().run({.miss_share = miss});
  };
  const Timeline hits = take(0), misses = take(1);
  const GpuModel model;
  EXPECT_NEAR(hits.memory_busy, 64 * 32768 / model.bytes_from_l2, 1);
  EXPECT_NEAR(misses.memory_busy, 64 * 32768 / model.bytes_from_memory, 1);
  EXPECT_GT(misses.memory_busy, 0.95 * misses.cycles);
}

TEST(Replay, BarriersWaitForAllWarpsOfTheirs) {
  WrittenRecord r;
  const std::uint32_t slow = r.place(1, {.issued = 1, .depth = 1000}), meet = r.place(2);
  const Step barrier{meet, Act::barrier, 3, 64, true};
  r.warps(1, {work(slow), barrier});
  r.warps(1, {barrier});
  r.warps(1, {});   // does not take part
  const Timeline t = r.run();
  EXPECT_GT(t.warps[1].end, 1000);
  EXPECT_EQ(t.warps[1].spans.back().state, State::barrier);
  EXPECT_LT(t.warps[2].end, 10);
}

TEST(Replay, CtasOfAClusterWaitForEachOther) {
  WrittenRecord r(2);
  const std::uint32_t slow = r.place(1, {.issued = 1, .depth = 1000}), meet = r.place(2);
  r.warps(1, {work(slow), {meet, Act::clusterArrive}, {meet, Act::clusterWait}}, 0);
  r.warps(1, {{meet, Act::clusterArrive}, {meet, Act::clusterWait}}, 1);
  EXPECT_GT(r.run().warps[1].end, 1000);
}

TEST(Replay, WordsOfOtherCtasAreAwaited) {
  WrittenRecord r(2);
  const std::uint32_t slow = r.place(1, {.issued = 1, .depth = 1000}), exchange = r.place(2);
  constexpr std::uint32_t mbarrier = 1, bytes = 4;
  r.warps(1, {work(slow), {exchange, Act::mbarrierExpect, mbarrier, -bytes}}, 0);
  r.warps(1,
          {{exchange, Act::mbarrierInit, mbarrier, 1},
           {exchange, Act::mbarrierArrive, mbarrier, 1, bytes},
           {exchange, Act::mbarrierWait, mbarrier, 1}},
          1);
  const Timeline t = r.run();
  EXPECT_GT(t.warps[1].end, 1000);
  EXPECT_EQ(t.warps[1].spans.back().state, State::cluster);
}

TEST(Replay, StoresAreAwaitedUntilTheyAreRead) {
  const auto take = [](bool readOnly) {
    WrittenRecord r;
    const std::uint32_t store = r.place(1);
    r.warps(
        1,
        {{store, Act::store, 0, 16384}, {store, Act::storeCommit}, {store, Act::storeWait, 0, 0, readOnly}});
    return r.run().warps[0].end;
  };
  EXPECT_GT(take(false), take(true) + 400);
}

// What is recorded of a kernel that was stopped ends in the middle: nobody waits for ever.
TEST(Replay, ARecordThatEndsInTheMiddleHasATimeline) {
  WrittenRecord r;
  const std::uint32_t place = r.place(1);
  r.warps(1, {{place, Act::mbarrierInit, 0, 1}, {place, Act::mbarrierWait, 0, 1}});
  r.warps(1, {work(r.place(2, {.issued = 100}))});
  EXPECT_GT(r.run().cycles, 100);
}

}   // namespace
}   // namespace tile::timeline
