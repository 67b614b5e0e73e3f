// SPDX-License-Identifier: MIT
// What accesses of a warp cost, for patterns whose cost is known.
#include "runtime/simulator/access_log.h"

#include <gtest/gtest.h>

#include <functional>

namespace tile::simulator {

void PrintTo(const AccessCost &cost, std::ostream *out) { *out << cost.parts << " of " << cost.least; }

namespace {

WarpAccess warp(std::uint32_t bytes, const std::function<std::uint64_t(unsigned)> &place,
                std::uint32_t active = ~0u) {
  WarpAccess access{.active = active, .bytes = bytes};
  for (unsigned lane = 0; lane < 32; ++lane)
    access.at[lane] = place(lane);
  return access;
}
AccessCost shared(std::uint32_t bytes, const std::function<std::uint64_t(unsigned)> &place,
                  std::uint32_t active = ~0u) {
  return sharedCost(warp(bytes, place, active));
}
AccessCost global(std::uint32_t bytes, const std::function<std::uint64_t(unsigned)> &place,
                  std::uint32_t active = ~0u) {
  return globalCost(warp(bytes, place, active));
}
using Cost = AccessCost;

TEST(SharedAccess, WordsAtAStride) {
  EXPECT_EQ(shared(4, [](auto lane) { return 4 * lane; }), (Cost{1, 1}));
  EXPECT_EQ(shared(4, [](auto lane) { return 8 * lane; }), (Cost{2, 1}));
  EXPECT_EQ(shared(4, [](auto lane) { return 12 * lane; }), (Cost{1, 1}));   // odd strides reach all banks
  EXPECT_EQ(shared(4, [](auto lane) { return 16 * lane; }), (Cost{4, 1}));
  EXPECT_EQ(shared(4, [](auto lane) { return 128 * lane; }), (Cost{32, 1}));
}
TEST(SharedAccess, AColumnOfAPaddedTile) {
  EXPECT_EQ(shared(4, [](auto lane) { return (128 + 4) * lane; }), (Cost{1, 1}));
  EXPECT_EQ(shared(4, [](auto lane) { return (128 + 16) * lane; }), (Cost{4, 1}));
}
TEST(SharedAccess, AColumnOfASwizzledTile) {
  // 16 bytes of each of 8 rows of 128: a quarter of the warp.
  const auto row = [](auto lane) { return 128 * (lane % 8) + 1024 * (lane / 8); };
  EXPECT_EQ(shared(16, row), (Cost{32, 4}));
  EXPECT_EQ(shared(16, [&](auto lane) { return row(lane) ^ (lane % 8 << 4); }), (Cost{4, 4}));
}
TEST(SharedAccess, VectorsAreServedInParts) {
  EXPECT_EQ(shared(8, [](auto lane) { return 8 * lane; }), (Cost{2, 2}));
  EXPECT_EQ(shared(8, [](auto lane) { return 16 * lane; }), (Cost{4, 2}));
  EXPECT_EQ(shared(16, [](auto lane) { return 16 * lane; }), (Cost{4, 4}));
  EXPECT_EQ(shared(16, [](auto lane) { return 32 * lane; }), (Cost{8, 4}));
  EXPECT_EQ(shared(32, [](auto lane) { return 32 * lane; }), (Cost{16, 8}));   // two instructions
}
TEST(SharedAccess, SmallElementsShareWords) {
  EXPECT_EQ(shared(1, [](auto lane) { return lane; }), (Cost{1, 1}));
  EXPECT_EQ(shared(2, [](auto lane) { return 2 * lane; }), (Cost{1, 1}));
  EXPECT_EQ(shared(2, [](auto lane) { return 64 * lane; }), (Cost{16, 1}));
}
TEST(SharedAccess, TheSameWordIsReadOnceAndUpdatedOneByOne) {
  const auto same = [](auto) { return 400; };
  EXPECT_EQ(shared(4, same), (Cost{1, 1}));
  EXPECT_EQ(shared(16, same), (Cost{4, 4}));
  EXPECT_EQ(sharedCost(warp(4, same), true), (Cost{32, 1}));
  EXPECT_EQ(sharedCost(warp(4, [](auto lane) { return 4 * lane; }), true), (Cost{1, 1}));
}
TEST(SharedAccess, LanesThatAskForNothingDoNotCount) {
  const auto column = [](auto lane) { return 128 * lane; };
  EXPECT_EQ(shared(4, column, 0x1), (Cost{1, 1}));
  EXPECT_EQ(shared(4, column, 0xF0F), (Cost{8, 1}));
  EXPECT_EQ(shared(16, column, 0xFF), (Cost{8, 1}));   // one quarter of the warp
  EXPECT_EQ(shared(4, column, 0), (Cost{0, 0}));
}

TEST(GlobalAccess, Sectors) {
  EXPECT_EQ(global(4, [](auto lane) { return 4 * lane; }), (Cost{4, 4}));
  EXPECT_EQ(global(4, [](auto lane) { return 4 + 4 * lane; }), (Cost{5, 4}));   // not aligned
  EXPECT_EQ(global(4, [](auto lane) { return 4 * (31 - lane); }), (Cost{4, 4}));
  EXPECT_EQ(global(4, [](auto lane) { return 8 * lane; }), (Cost{8, 4}));
  EXPECT_EQ(global(4, [](auto lane) { return 4096 * lane; }), (Cost{32, 4}));
  EXPECT_EQ(global(16, [](auto lane) { return 16 * lane; }), (Cost{16, 16}));
  EXPECT_EQ(global(4, [](auto) { return 64; }), (Cost{1, 1}));
  EXPECT_EQ(global(2, [](auto lane) { return 2 * lane; }), (Cost{2, 2}));
  EXPECT_EQ(global(4, [](auto lane) { return 128 * lane; }, 0x3), (Cost{2, 1}));
  EXPECT_EQ(global(64, [](auto lane) { return 64 * lane; }), (Cost{64, 64}));
  EXPECT_EQ(global(4, [](auto) { return 0; }, 0), (Cost{0, 0}));
}

// ---- lanes that come one after the other

AccessCounts counted(AccessLog &log) {
  AccessCounts sum;
  log.take([&](unsigned, AccessKind, const AccessCounts &counts) { sum.add(counts); });
  return sum;
}

TEST(AccessLog, PutsTogetherWhatLanesDoInTurn) {
  AccessLog log(2, 3);
  for (unsigned warp = 0; warp < 2; ++warp)
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned time = 0; time < 10; ++time)
        log.add(warp, lane, 2, AccessKind::sharedLoad, time % 2 ? 4 * lane : 128 * lane, 4);
  const AccessCounts counts = counted(log);
  EXPECT_EQ(counts.accesses, 20u);
  EXPECT_EQ(counts.parts, 10u + 10 * 32u);
  EXPECT_EQ(counts.excess(), 10u * 31);
  EXPECT_EQ(counted(log).accesses, 0u);
}
TEST(AccessLog, LanesThatAskForNothingKeepStep) {
  AccessLog log(1, 1);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned time = 0; time < 4; ++time)
      log.add(0, lane, 0, AccessKind::globalLoad, 4 * lane, 4, time != 1 && (time != 2 || lane < 8));
  const AccessCounts counts = counted(log);
  EXPECT_EQ(counts.accesses, 3u);
  EXPECT_EQ(counts.parts, 4u + 1 + 4);
}
TEST(AccessLog, AWarpThatMeetsIsInStepAgain) {
  AccessLog log(1, 1);
  const auto all = [&] {
    for (unsigned lane = 0; lane < 32; ++lane)
      log.add(0, lane, 0, AccessKind::sharedLoad, 4 * lane, 4);
  };
  log.add(0, 5, 0, AccessKind::sharedLoad, 0, 4);   // a branch that one lane takes
  log.realign(0);
  all();
  log.realign(0);
  all();
  EXPECT_EQ(counted(log).accesses, 3u);
}
TEST(AccessLog, ALaneThatRunsFarAheadIsCounted) {
  AccessLog log(1, 1);
  for (unsigned time = 0; time < 200000; ++time)
    log.add(0, 0, 0, AccessKind::sharedLoad, 0, 4);
  for (unsigned lane = 1; lane < 32; ++lane)
    log.add(0, lane, 0, AccessKind::sharedLoad, 4 * lane, 4);
  EXPECT_EQ(counted(log).accesses, 200000u + 31);
}

}   // namespace
}   // namespace tile::simulator
