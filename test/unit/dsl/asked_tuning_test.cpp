// SPDX-License-Identifier: MIT
// Configs that nobody has measured: who is expected to be fast is taken and comes first, kernels that are
// tuned when asked do not hold a launch up, and whoever asks says how long it may take. The clock is a
// number.
#include "test/unit/dsl/doubling.h"
#include "test/unit/runtime/scratch_folder.h"
#include "test/unit/runtime/timed_device.h"

#include <tile/dsl.h>
#include <tile/launch_plan.h>
#include <tile/workspace.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <future>
#include <limits>
#include <thread>

using namespace tile;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using tile::testing::double_kernel;
using tile::testing::TimedDevice;
using Config = tile::testing::DoublingConfig;
using Outcome = tuning::Record::Outcome;

namespace {

constexpr std::string_view table =
    R"({"device": "a GPU", "kernel": "twice", "arguments": "f32* f32*", "key": "700", "config": "block=32"}
{"device": "another", "kernel": "twice", "arguments": "f32* f32*", "key": "701", "config": "block=32"}
{"device": "a GPU", "kernel": "twice", "arguments": "f32* f32*", "key": "702", "config": "block=48"}
)";

struct Gpu : TimedDevice {
  std::string description() const override { return "a GPU, sm_1, 132 multiprocessors"; }
};

// Blocks of 32, 64, 128 and 256 take 2, 1, 3 and 4 us; 128 is expected to be the fastest, then 64.
class Asked : public ::testing::Test, public tuning::Observer {
 protected:
  Asked() : x(device, std::vector<f32>(1024, 1.0f)), y(device, std::vector<f32>(1024, 0.0f)) {
    for (const char *name : {"TILE_TUNE", "TILE_TUNE_LOG"})
      guard.set(name, nullptr);
    guard.set("TILE_CACHE", "off");
    guard.set("TILE_JOBS", "1");
    device.is = {.name = "a GPU", .multiprocessors = 132};
    device.loader = [this](const KernelIR &kernel) {
      const std::string config = kernel.config();
      loaded.push_back(config);
      if (config == refused)
        throw Error("needs more than there is", {});
      const double us = config == "block=64" ? 1 : config == "block=32" ? 2 : config == "block=128" ? 3 : 4;
      return tile::testing::doubling(device, us * 1e-6, config, y, launched);
    };
  }
  void finished(const tuning::Sweep &sweep) override { sweeps.push_back(sweep); }

  // Each test has functions of its own, of which nothing is known yet.
  template <int Test> static Kernel<&double_kernel<Test>> kernel_of() {
    return {.name = "twice",
            .parameters = {"x", "y", "n"},
            .grid = [](auto &cfg, auto, auto, int n) { return Grid{cdiv(n, cfg.block)}; },
            .configs = {{.block = 32}, {.block = 64}, {.block = 128}, {.block = 256}},
            .key = [](auto, auto, int n) { return Key{n}; },
            .cost = [](auto &cfg, const Machine &machine, auto, auto,
                       int n) { return n * 1e-9 * std::abs(100.0 - cfg.block) / machine.multiprocessors; },
            .tunes = Tunes::when_asked};
  }

  tile::testing::EnvironmentGuard guard;
  Gpu device;
  Buffer<f32> x, y;
  std::string refused;
  std::vector<std::string> loaded, launched;
  std::vector<tuning::Sweep> sweeps;
};

TEST_F(Asked, NoLaunchWaitsForASweep) {
  const auto kernel = kernel_of<0>();
  kernel(device, x, y, 500);
  kernel(device, x, y, 500);
  EXPECT_EQ(device.measurements, 0);
  EXPECT_THAT(loaded, ElementsAre("block=128")) << "the others are not even compiled";
  EXPECT_THAT(launched, ElementsAre("block=128", "block=128"));
  const tuning::Sweep sweep = kernel.tune(device, x, y, 500);
  EXPECT_GT(device.measurements, 0);
  EXPECT_EQ(sweep.records.at(sweep.winner).config, "block=64");
  EXPECT_EQ(sweep.not_timed, "");
  EXPECT_THAT(launched, SizeIs(2)) << "to tune is not to launch";
  kernel(device, x, y, 500);
  EXPECT_EQ(launched.back(), "block=64");
}

TEST_F(Asked, AKernelThatTunesAtItsFirstLaunchDoes) {
  auto kernel = kernel_of<1>();
  kernel.tunes = Tunes::at_first_launch;
  kernel(device, x, y, 500);
  EXPECT_GT(device.measurements, 0);
  EXPECT_THAT(launched, ElementsAre("block=64"));
}

TEST_F(Asked, WhoDoesNotFitIsPassedOver) {
  refused = "block=128";
  kernel_of<2>()(device, x, y, 500);
  EXPECT_THAT(loaded, ElementsAre("block=128", "block=64"));
  EXPECT_THAT(launched, ElementsAre("block=64"));
}

// For a device that does not say what it is, and for kernels that say nothing: the first, as ever.
TEST_F(Asked, WithoutACostTheFirstIsTaken) {
  device.is.multiprocessors = 0;
  auto kernel = kernel_of<3>();
  kernel(device, x, y, 500);
  device.is.multiprocessors = 132;
  kernel.cost = nullptr;
  kernel(device, x, y, 501);
  EXPECT_THAT(launched, ElementsAre("block=32", "block=32"));
}

TEST_F(Asked, TheCostCountsWhereverNothingWasMeasured) {
  auto kernel = kernel_of<4>();
  kernel.tunes = Tunes::at_first_launch;
  for (const char *tune : {"never", "stored"}) {
    guard.set("TILE_TUNE", tune);
    kernel(device, x, y, tune[0]);
    EXPECT_EQ(launched.back(), "block=128") << tune;
  }
  guard.set("TILE_TUNE", nullptr);
  ::testing::internal::CaptureStderr();
  device.recording = true;
  kernel(device, x, y, 502);
  EXPECT_EQ(launched.back(), "block=128");
  device.recording = false;
  device.largest = 16;   // no memory for copies
  kernel(device, x, y, 503);
  EXPECT_EQ(launched.back(), "block=128");
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("no memory for a tuner's copy"));
  EXPECT_EQ(device.measurements, 0);
}

TEST_F(Asked, AKernelThatIsTunedWhenAskedIsRecordedAsItIsLaunched) {
  ::testing::internal::CaptureStderr();
  device.recording = true;
  kernel_of<5>()(device, x, y, 500);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "") << "nothing is lost by it";
  EXPECT_THAT(launched, ElementsAre("block=128"));
}

TEST_F(Asked, ALaunchDoesNotWaitForTheSweepOfAnotherThread) {
  const auto kernel = kernel_of<16>();
  std::promise<void> tuning, go_on;
  device.loader = [&, load = device.loader](const KernelIR &ir) {
    if (std::string(ir.config()) == "block=64") {
      tuning.set_value();
      go_on.get_future().wait_for(std::chrono::minutes(10));   // rather than for ever, where it does
    }
    return load(ir);
  };
  std::thread other([&] { kernel.tune(device, x, y, 500); });
  tuning.get_future().wait();
  kernel(device, x, y, 500);
  EXPECT_THAT(launched, ElementsAre("block=128"));
  go_on.set_value();
  other.join();
  kernel(device, x, y, 500);
  EXPECT_THAT(launched, ElementsAre("block=128", "block=64")) << "and what was found out counts";
}

TEST_F(Asked, AlwaysIsForAllKernels) {
  guard.set("TILE_TUNE", "always");
  kernel_of<6>()(device, x, y, 500);
  EXPECT_GT(device.measurements, 0);
  EXPECT_THAT(launched, ElementsAre("block=64"));
}

// Host functions, which make their launches themselves.
TEST_F(Asked, LaunchesOfAThreadThatAsksTune) {
  const auto kernel = kernel_of<7>();
  {
    const tuning::Asking asking;
    kernel(device, x, y, 500);
    EXPECT_GT(device.measurements, 0);
    const int measured = device.measurements;
    kernel(device, x, y, 500);
    EXPECT_EQ(device.measurements, measured) << "once";
    const tuning::Asking anew({.force = true});
    kernel(device, x, y, 500);
    EXPECT_GT(device.measurements, measured);
  }
  const int measured = device.measurements;
  kernel(device, x, y, 501);
  EXPECT_EQ(device.measurements, measured);
  EXPECT_THAT(launched, ElementsAre("block=64", "block=64", "block=64", "block=128"));
}

TEST_F(Asked, WhatWasMeasuredIsMeasuredAnewByForceOnly) {
  const auto kernel = kernel_of<8>();
  kernel.tune(device, x, y, 500);
  const int measured = device.measurements;
  const tuning::Sweep again = kernel.tune(device, x, y, 500);
  EXPECT_EQ(device.measurements, measured);
  EXPECT_EQ(again.records.at(again.winner).config, "block=64");
  EXPECT_EQ(again.records.at(0).outcome, Outcome::timed);
  kernel.tune(device, {.force = true}, x, y, 500);
  EXPECT_GT(device.measurements, measured);
}

TEST_F(Asked, OfManyTheFewThatAreExpectedToBeFast) {
  auto kernel = kernel_of<9>();
  const tuning::Sweep two = kernel.tune(device, {.at_most = 2}, x, y, 500);
  EXPECT_THAT(loaded, ElementsAre("block=128", "block=64")) << "the most promising first";
  EXPECT_EQ(two.records.at(two.winner).config, "block=64");
  EXPECT_EQ(two.records.at(0).outcome, Outcome::left_out);
  EXPECT_EQ(two.records.at(0).reason, "others are expected to be faster");
  EXPECT_GT(two.records.at(1).expected, two.records.at(2).expected);
  // Who asks for more gets more: those that were left out, beside the best.
  const tuning::Sweep all = kernel.tune(device, x, y, 500);
  EXPECT_THAT(loaded, ElementsAre("block=128", "block=64", "block=32", "block=256"));
  EXPECT_EQ(all.records.at(0).outcome, Outcome::timed);
  EXPECT_EQ(all.records.at(2).reason, "was measured before");
  kernel.tune_at_most = 1;
  kernel.tunes = Tunes::at_first_launch;
  loaded.clear();
  kernel.configs.push_back({.block = 100});   // which is expected to be the best of all
  kernel.cost = [](auto &cfg, const Machine &, auto, auto, int) { return 1 + std::abs(100.0 - cfg.block); };
  kernel(device, x, y, 777);
  EXPECT_THAT(loaded, ElementsAre("block=100"));
  const int measured = device.measurements;
  kernel(device, x, y, 777);
  EXPECT_EQ(device.measurements, measured) << "what the kernel leaves out is not missing";
}

TEST_F(Asked, InfiniteCostsAreNotTried) {
  auto kernel = kernel_of<10>();
  kernel.cost = [](auto &cfg, const Machine &, auto, auto, int) {
    return cfg.block == 64 ? std::numeric_limits<double>::infinity() : 1.0;
  };
  const tuning::Sweep sweep = kernel.tune(device, x, y, 500);
  EXPECT_EQ(sweep.records.at(1).outcome, Outcome::left_out);
  EXPECT_EQ(sweep.records.at(1).reason, "its cost is infinite");
  EXPECT_EQ(sweep.records.at(sweep.winner).config, "block=32");
}

TEST_F(Asked, WhatIsNoCostIsNamed) {
  auto kernel = kernel_of<11>();
  kernel.cost = [](auto &cfg, const Machine &, auto, auto, int) {
    return cfg.block == 64 ? std::nan("") : 1.0;
  };
  try {
    kernel(device, x, y, 500);
    FAIL();
  } catch (const Error &e) {
    EXPECT_EQ(e.message(), "the cost of a launch of kernel twice with config block=64 is nan s");
    EXPECT_THAT(e.where().file, HasSubstr("asked_tuning_test.cpp"));
    EXPECT_THAT(e.what(), HasSubstr("`.cost` must return the expected seconds of a launch"));
  }
}

// What a kernel brings along comes behind what was measured and before what is expected.
TEST_F(Asked, ATableThatShipsWithTheKernel) {
  auto kernel = kernel_of<12>();
  kernel.shipped_tunings = [] { return table; };
  kernel(device, x, y, 700);
  kernel(device, x, y, 701);   // that is of another GPU
  kernel(device, x, y, 702);   // a config that the kernel does not have any more
  EXPECT_THAT(launched, ElementsAre("block=32", "block=128", "block=128"));
  EXPECT_EQ(device.measurements, 0);
  const tuning::Sweep sweep = kernel.tune(device, x, y, 700);
  EXPECT_GT(device.measurements, 0) << "a table is no measurement of this GPU";
  EXPECT_EQ(sweep.records.at(sweep.winner).config, "block=64");
  EXPECT_EQ(sweep.arguments, "f32* f32*");
}

TEST_F(Asked, ADamagedTableIsAnError) {
  auto kernel = kernel_of<13>();
  kernel.shipped_tunings = []() -> std::string_view {
    return "{\"device\": \"a GPU\", \"kernel\": \"twice\"}\n";
  };
  try {
    kernel(device, x, y, 500);
    FAIL();
  } catch (const Error &e) {
    EXPECT_EQ(e.message(), "line 1 of the tunings that ship with a kernel: has no string `arguments`");
  }
}

TEST_F(Asked, WithoutAClockNothingIsTuned) {
  struct Plain : TimedDevice {
    bool can_time() const override { return false; }
  } plain;
  plain.is.multiprocessors = 132;
  plain.loader = device.loader;
  Buffer<f32> u(plain, 1024), v(plain, 1024);
  const tuning::Sweep sweep = kernel_of<14>().tune(plain, u, v, 500);
  EXPECT_EQ(sweep.not_timed, "the timed has no clock");
  EXPECT_EQ(sweep.records.at(sweep.winner).config, "block=128");
  guard.set("TILE_TUNE", "never");
  EXPECT_EQ(kernel_of<14>().tune(device, x, y, 500).not_timed, "TILE_TUNE=never");
  EXPECT_EQ(kernel_of<14>().tune(device, x, y, 0).not_timed, "there is nothing to launch");
}

// The launches of a sweep run while a plan is prepared, with workspaces of their own.
TEST_F(Asked, APlanTakesWhatASweepFinds) {
  auto kernel = kernel_of<16>();
  kernel.around = [](auto &, OnDevice on, auto &launch, auto from, auto to, int n) {
    const Workspace<f32> between(on.device, static_cast<std::size_t>(n));
    launch(from, between.data(), n);
    launch(from, to, n);
  };
  LaunchPlan plan(device);
  const auto step = [&](OnDevice on) { kernel(on, x, y, 500); };
  {
    const tuning::Asking asking;
    plan.prepare(step);
  }
  EXPECT_GT(device.measurements, 0);
  EXPECT_THAT(launched, SizeIs(0)) << "nothing on the caller's memory";
  EXPECT_EQ(plan.workspace_bytes(), 2000u);
  std::vector<f32> memory(1000);
  void *const begin =
      reinterpret_cast<void *>((reinterpret_cast<std::uintptr_t>(memory.data()) + 127) / 128 * 128);
  const Status status = plan.run(device, {begin, 2000}, step);
  EXPECT_TRUE(status.is_ok()) << status.text();
  EXPECT_THAT(launched, ElementsAre("block=64"));
}

// An engine that never stops meeting new sizes: none of them costs more than a lookup and its kernel's code.
TEST_F(Asked, OfAThousandSizesNoneIsMeasured) {
  const auto kernel = kernel_of<15>();
  for (int n = 1; n <= 1000; ++n)
    kernel(device, x, y, n);
  EXPECT_EQ(device.measurements, 0);
  EXPECT_THAT(launched, SizeIs(1000));
  EXPECT_THAT(launched, Each(std::string("block=128")));
  EXPECT_LE(loaded.size(), 4u) << "one for each class of the argument";
}

}   // namespace
