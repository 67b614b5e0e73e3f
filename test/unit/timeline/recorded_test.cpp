// SPDX-License-Identifier: MIT
// What the simulator records of kernels of the DSL.
#include "runtime/simulator/simulation.h"
#include "runtime/timeline/launch_time.h"

#include <tile/buffer.h>
#include <tile/dsl.h>
#include <tile/simulator.h>

#include <gmock/gmock.h>

#include <algorithm>

namespace tile::timeline {
namespace {

using simulator::Act;
using simulator::Recording;
using simulator::Step;
using simulator::WarpRecord;

struct Config {
  int block = 1024;
  Launch launch{.num_warps = 4};
};

void scale(Ptr<f32> x, Ptr<f32> y, const Config &cfg) {
  auto at = program_id(0) * cfg.block + arange(0, cfg.block);
  store(y + at, load(x + at) * 2.0f);
}
void add_up(Ptr<f32> x, Ptr<f32> y, const Config &cfg) {
  auto at = program_id(0) * cfg.block + arange(0, cfg.block);
  store(y + program_id(0), sum(load(x + at), all_axes));
}
// How often it goes round, the program's number says.
void loop(Ptr<f32> x, Ptr<f32> y, const Config &cfg) {
  auto at = arange(0, cfg.block);
  auto all = zeros<f32>({cfg.block});
  for (auto i : range(program_id(0) + 1))
    all += load(x + i * cfg.block + at);
  store(y + program_id(0) * cfg.block + at, all);
}

template <auto body> std::vector<Recording> record(std::vector<std::int64_t> ctas,
                                                   const Config &config = {}) {
  static const Kernel<body> kernel{.name = "recorded", .grid = [](auto &, auto...) { return Grid{8}; }};
  SimulatorOptions options;
  options.recorded_ctas = std::move(ctas);
  const std::unique_ptr<Device> device = open_simulator(options);
  const std::size_t count = 8 * static_cast<std::size_t>(config.block);
  Buffer<f32> x(*device, count, "x"), y(*device, count, "y");
  x.copy_from(std::vector<float>(count, 1.0f));
  kernel.launch_with(config, *device, x, y);
  device->synchronize();
  return simulator::simulationOf(*device).recordings;
}

std::vector<Step> steps(const WarpRecord &warp, Act act) {
  std::vector<Step> found;
  std::ranges::copy_if(warp.steps, std::back_inserter(found),
                       [&](const Step &step) { return step.act == act; });
  return found;
}

TEST(Recorded, AccessesOfAWarpAreOneStep) {
  const std::vector<Recording> recordings = record<scale>({3});
  ASSERT_EQ(recordings.size(), 1u);
  ASSERT_EQ(recordings[0].clusters.size(), 1u);
  EXPECT_EQ(recordings[0].clusters[0].ctas[0][0], 3);
  EXPECT_EQ(recordings[0].started.x, 8);
  ASSERT_EQ(recordings[0].clusters[0].warps.size(), 4u);
  for (const WarpRecord &warp : recordings[0].clusters[0].warps) {
    // 256 elements of a warp, 4 for each lane and access: 512 bytes are 16 sectors.
    const std::vector<Step> loads = steps(warp, Act::globalLoad), stores = steps(warp, Act::globalStore);
    EXPECT_EQ(loads.size(), 2u);
    EXPECT_EQ(stores.size(), 2u);
    for (const Step &step : loads)
      EXPECT_EQ(std::pair(step.amount, step.more), std::pair(16u, 16u));
  }
}

TEST(Recorded, EachPlaceHasTheLineOfItsKernel) {
  const Recording recording = record<scale>({0}).front();
  const WarpRecord &warp = recording.clusters[0].warps[0];
  const Step load = steps(warp, Act::globalLoad).front(), store = steps(warp, Act::globalStore).front();
  const auto &places = recording.program->places;
  EXPECT_THAT(places[load.place].where.file, testing::EndsWith("recorded_test.cpp"));
  // The products need what was loaded.
  bool isNeeded = false;
  for (const simulator::Place &place : places)
    isNeeded |= std::ranges::find(place.needed, load.place) != place.needed.end() && place.work.fma > 0;
  EXPECT_TRUE(isNeeded);
  EXPECT_LT(load.place, store.place);
}

// One thread of the program stores the sum: the warp takes that step once, and the others do not.
TEST(Recorded, LanesThatGoTheirOwnWayComeTogetherAgain) {
  const Recording recording = record<add_up>({0}).front();
  const std::vector<WarpRecord> &warps = recording.clusters[0].warps;
  std::size_t stores = 0;
  for (const WarpRecord &warp : warps)
    stores += steps(warp, Act::globalStore).size();
  EXPECT_EQ(stores, 1u);
  const auto barriers = steps(warps[0], Act::barrier).size();
  EXPECT_GT(barriers, 0u);
  for (const WarpRecord &warp : warps) {
    EXPECT_EQ(steps(warp, Act::barrier).size(), barriers);
    EXPECT_EQ(steps(warp, Act::shuffle).size(), steps(warps[1], Act::shuffle).size()) << warp.warp;
  }
}

TEST(Recorded, ALoopIsAsLongAsItRuns) {
  const auto loads = [](std::int64_t cta) {
    return steps(record<loop>({cta}).front().clusters[0].warps[0], Act::globalLoad).size();
  };
  EXPECT_EQ(loads(7), 8 * loads(0));
}

TEST(Recorded, SeveralCtasAreSeveralRecords) {
  const Recording recording = record<scale>({1, 5}).front();
  ASSERT_EQ(recording.clusters.size(), 2u);
  std::vector<int> ids{recording.clusters[0].ctas[0][0], recording.clusters[1].ctas[0][0]};
  std::ranges::sort(ids);
  EXPECT_EQ(ids, (std::vector<int>{1, 5}));
}

TEST(Recorded, NothingIsRecordedWhereNobodyAsks) {
  EXPECT_TRUE(record<scale>({}).empty());
  EXPECT_TRUE(record<scale>({8}).empty());   // there is no such CTA
}

TEST(LaunchTime, CountsRoundsOfCtas) {
  const Recording recording = record<scale>({0}).front();
  const GpuModel model;
  const auto time = [&](std::int64_t ctas) {
    return replay_launch(*recording.program, recording.clusters, model, {.ctas = ctas, .resident_ctas = 2})
        .second;
  };
  EXPECT_EQ(time(132).waves, 1);
  EXPECT_EQ(time(2 * 132).waves, 1);
  EXPECT_EQ(time(3 * 132).waves, 1.5);
  EXPECT_GT(time(3 * 132).seconds, time(2 * 132).seconds);
  EXPECT_GT(time(40 * 132).seconds - model.launch_seconds,
            15 * (time(2 * 132).seconds - model.launch_seconds));
}

// Products take power.
TEST(LaunchTime, TheClockFallsWithProducts) {
  const GpuModel model;
  EXPECT_EQ(model.clock(0), model.machine.clock_hertz);
  EXPECT_EQ(model.clock(1), model.hertz_of_products);
  EXPECT_LT(model.clock(0.8), model.clock(0.6));
}

}   // namespace
}   // namespace tile::timeline
