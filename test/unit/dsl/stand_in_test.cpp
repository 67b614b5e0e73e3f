// SPDX-License-Identifier: MIT
// A launch whose config is not compiled takes one that is, and its own later: who stands in for whom, who
// does not, and what becomes of failures. The device here compiles when the test lets it.
#include "test/unit/dsl/doubling.h"
#include "test/unit/runtime/scratch_folder.h"
#include "test/unit/runtime/timed_device.h"

#include <tile/dsl.h>
#include <tile/launch_plan.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <thread>

using namespace tile;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using tile::testing::double_kernel;
using tile::testing::TimedDevice;
using Config = tile::testing::DoublingConfig;
using namespace std::chrono_literals;

namespace {

// Compiles in other threads only while they may.
class Gpu : public TimedDevice {
 public:
  ~Gpu() override {
    let_compile();
    finish_background();
  }
  bool loads_in_background() const override { return true; }
  void hold() {
    const std::lock_guard lock(mutex_);
    is_held_ = true;
  }
  void let_compile() {
    const std::lock_guard lock(mutex_);
    is_held_ = false;
    wake_.notify_all();
  }
  // Of a compilation: whether it is a launch that waits for it.
  bool is_waited_for() {
    if (std::this_thread::get_id() == launching_)
      return true;
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, 10min, [&] { return !is_held_; });   // rather than for ever
    return false;
  }

 private:
  const std::thread::id launching_ = std::this_thread::get_id();
  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_held_ = false;
};

// Up to 600 elements a block of 128 is expected to be the fastest, for more one of 32; next comes 64.
class StandIns : public ::testing::Test {
 protected:
  StandIns() : x(device, std::vector<f32>(4096, 1.0f)), y(device, std::vector<f32>(4096, 0.0f)) {
    for (const char *name : {"TILE_TUNE", "TILE_TUNE_LOG", "TILE_STAND_INS"})
      guard.set(name, nullptr);
    guard.set("TILE_CACHE", "off");
    prepare(device);
  }
  void prepare(Gpu &gpu) {
    gpu.is = {.name = "a GPU", .multiprocessors = 132};
    gpu.loader = [this, &gpu](const KernelIR &kernel) {
      const std::string config = kernel.config();
      const bool is_waited_for = gpu.is_waited_for();
      const std::lock_guard lock(mutex);
      (is_waited_for ? waited_for : meanwhile).push_back(config);
      if (config == refused ||
          (refuses_sixteens && kernel.parameters()[2].argument_class != ArgClass::generic))
        throw Error(config + " needs more than there is", {});
      return tile::testing::doubling(gpu, config == "block=64" ? 1e-6 : 2e-6, config, y, launched);
    };
  }

  struct Errors {
    std::string said;   // the last
    int count = 0;
    std::size_t launches = 0;
  };
  // Of launches while the background goes on: until one fails, and of fifty behind it.
  template <class Launch> static Errors errors_of(const Launch &launch) {
    Errors errors;
    for (int behind = 0; behind < 50 && errors.launches < 600'000; ++errors.launches) {
      behind += errors.count > 0;
      try {
        launch();
      } catch (const Error &error) {
        errors.said = error.what();
        ++errors.count;
      }
      std::this_thread::sleep_for(1ms);
    }
    return errors;
  }
  template <int Test> static Kernel<&double_kernel<Test>> kernel_of() {
    return {.name = "twice",
            .parameters = {"x", "y", "n"},
            .grid = [](auto &cfg, auto, auto, int n) { return Grid{cdiv(n, cfg.block)}; },
            .configs = {{.block = 32}, {.block = 64}, {.block = 128}},
            .key = [](auto, auto, int n) { return Key{n}; },
            .cost = [](auto &cfg, const Machine &, auto, auto,
                       int n) { return 1e-6 * std::abs(cfg.block - (n > 600 ? 32 : 128)) + 1e-6; },
            .tunes = Tunes::when_asked};
  }
  // Launches until something has come of what is compiled in the background.
  template <class Launch> void until(const char *config, const Launch &launch) {
    device.let_compile();
    for (int i = 0; i < 120'000; ++i) {   // ten minutes
      launch();
      if (launched.back() == config)
        return;
      std::this_thread::sleep_for(5ms);
    }
    ADD_FAILURE() << "never taken: " << config;
  }

  tile::testing::EnvironmentGuard guard;
  std::mutex mutex;
  std::vector<std::string> waited_for, meanwhile, launched;
  std::string refused;
  bool refuses_sixteens = false;
  Gpu device;
  Buffer<f32> x, y;
};

// What a plan decides stays.
TEST_F(StandIns, APlanWaitsForItsConfig) {
  const auto kernel = kernel_of<90>();
  kernel(device, x, y, 500);
  device.hold();
  kernel(device, x, y, 700);
  EXPECT_THAT(launched, ElementsAre("block=128", "block=128"));
  LaunchPlan plan(device);
  const auto step = [&](OnDevice on) { kernel(on, x, y, 700); };
  plan.prepare(step);
  EXPECT_THAT(waited_for, ElementsAre("block=128", "block=32"));
  EXPECT_TRUE(plan.run(device, step).is_ok());
  EXPECT_EQ(launched.back(), "block=32");
}

TEST_F(StandIns, ANewSizeWaitsForNothing) {
  const auto kernel = kernel_of<0>();
  kernel(device, x, y, 500);
  EXPECT_THAT(waited_for, ElementsAre("block=128")) << "nothing is there that could stand in";
  device.hold();
  for (int n : {700, 700, 701})
    kernel(device, x, y, n);
  EXPECT_THAT(launched, Each(std::string("block=128")));
  EXPECT_EQ(y.to_host()[700], 2.0f) << "and computes the same";
  until("block=32", [&] { kernel(device, x, y, 700); });
  kernel(device, x, y, 701);
  EXPECT_EQ(launched.back(), "block=32") << "what was compiled for one size is for all that want it";
  EXPECT_THAT(waited_for, ElementsAre("block=128"));
  EXPECT_THAT(meanwhile, ElementsAre("block=32")) << "once";
  EXPECT_EQ(device.measurements, 0);
}

// Code that relies on less takes more.
TEST_F(StandIns, CodeForAnyNumberStandsInForCodeForMultiples) {
  const auto kernel = kernel_of<1>();
  kernel(device, x, y, 500);
  device.hold();
  kernel(device, x, y, 512);
  EXPECT_THAT(waited_for, ElementsAre("block=128"));
  until("block=32", [&] { kernel(device, x, y, 704); });   // behind it in the queue
  EXPECT_THAT(meanwhile, ElementsAre("block=128", "block=32"));
}
TEST_F(StandIns, AndNotTheOtherWayRound) {
  const auto kernel = kernel_of<2>();
  kernel(device, x, y, 512);
  kernel(device, x, y, 500);
  EXPECT_THAT(waited_for, ElementsAre("block=128", "block=128"));
  EXPECT_THAT(meanwhile, IsEmpty());
}

TEST_F(StandIns, NobodyStandsInWhereItIsNotWanted) {
  const auto launch_two = [&](const auto &kernel, bool is_recorded) {
    waited_for.clear();
    kernel(device, x, y, 500);
    device.recording = is_recorded;
    kernel(device, x, y, 700);
    device.recording = false;
    EXPECT_THAT(waited_for, ElementsAre("block=128", "block=32"));
    EXPECT_EQ(launched.back(), "block=32");
  };
  guard.set("TILE_STAND_INS", "never");
  launch_two(kernel_of<3>(), false);
  guard.set("TILE_STAND_INS", nullptr);
  guard.set("TILE_TUNE", "never");
  launch_two(kernel_of<4>(), false);
  guard.set("TILE_TUNE", "stored");   // which is for kernels that would tune at their first launch
  auto kernel = kernel_of<5>();
  kernel.tunes = Tunes::at_first_launch;
  launch_two(kernel, false);
  guard.set("TILE_TUNE", nullptr);
  launch_two(kernel_of<6>(), true);   // what is recorded is replayed for ever
  EXPECT_THAT(meanwhile, IsEmpty());
}

TEST_F(StandIns, WhatIsRecordedMeanwhileWaits) {
  const auto kernel = kernel_of<7>();
  kernel(device, x, y, 500);
  device.hold();
  kernel(device, x, y, 700);
  EXPECT_EQ(launched.back(), "block=128");
  device.recording = true;
  kernel(device, x, y, 700);
  EXPECT_EQ(launched.back(), "block=32");
  EXPECT_THAT(waited_for, ElementsAre("block=128", "block=32"));
}

// As in a launch: the next one is tried.
TEST_F(StandIns, WhatDoesNotCompileIsPassedOver) {
  const auto kernel = kernel_of<8>();
  refused = "block=32";
  kernel(device, x, y, 500);
  until("block=64", [&] { kernel(device, x, y, 700); });
  EXPECT_THAT(meanwhile, ElementsAre("block=32", "block=64"));
  EXPECT_THAT(waited_for, ElementsAre("block=128"));
}

TEST_F(StandIns, ThatNothingCompilesIsSaidOnce) {
  const auto kernel = kernel_of<9>();
  kernel(device, x, y, 500);
  refuses_sixteens = true;
  const auto [said, errors, launches] = errors_of([&] { kernel(device, x, y, 704); });
  EXPECT_EQ(errors, 1);
  EXPECT_THAT(said, AllOf(HasSubstr("no config of kernel twice works for these arguments"),
                          HasSubstr("block=32: block=32 needs more than there is"),
                          HasSubstr("block=128: block=128 needs more than there is"),
                          HasSubstr("stand_in_test.cpp")));
  EXPECT_THAT(meanwhile, ElementsAre("block=32", "block=64", "block=128"));
  EXPECT_THAT(launched, Each(std::string("block=128")));
  EXPECT_EQ(launched.size(), launches) << "one launch has failed, and the first was before";
}

// The fastest that another device of the model has found out.
TEST_F(StandIns, ThatTheFastestDoesNotCompileIsSaidOnce) {
  static Gpu other;   // its executables live as long as the kernel's function
  prepare(other);
  for (Gpu *gpu : {&device, &other})
    gpu->is_of_model("of stand-ins");
  Buffer<f32> u(other, std::vector<f32>(4096, 1.0f)), v(other, std::vector<f32>(4096, 0.0f));
  const auto kernel = kernel_of<10>();
  const tuning::Sweep sweep = kernel.tune(other, u, v, 500);
  EXPECT_EQ(sweep.records.at(sweep.winner).config, "block=64");
  meanwhile.clear();   // by the sweep's threads
  kernel(device, x, y, 501);
  refused = "block=64";
  const auto [said, errors, launches] = errors_of([&] { kernel(device, x, y, 500); });
  EXPECT_GE(launches, 50u);
  EXPECT_EQ(errors, 1);
  EXPECT_THAT(said, AllOf(HasSubstr("block=64 needs more than there is"), HasSubstr("stand_in_test.cpp")));
  EXPECT_THAT(meanwhile, ElementsAre("block=64"));
  EXPECT_THAT(launched, Each(std::string("block=128")));
}

TEST_F(StandIns, WhatIsNotWorthATryStandsInForNobody) {
  auto kernel = kernel_of<11>();
  kernel.cost = [](auto &cfg, const Machine &, auto, auto, int n) {
    const bool is_meant = n > 600 ? cfg.block != 128 : cfg.block == 128;
    return is_meant ? 1.0 : std::numeric_limits<double>::infinity();
  };
  kernel(device, x, y, 500);
  kernel(device, x, y, 700);
  EXPECT_THAT(waited_for, ElementsAre("block=128", "block=32"));
}

// An engine that never stops meeting new sizes.
TEST_F(StandIns, OfAThousandSizesOnlyTheFirstWaits) {
  const auto kernel = kernel_of<12>();
  kernel(device, x, y, 1);
  kernel(device, x, y, 3);
  waited_for.clear();
  for (int n = 2; n <= 1000; ++n)
    kernel(device, x, y, n);
  EXPECT_THAT(waited_for, IsEmpty());
  EXPECT_EQ(device.measurements, 0);
  until("block=32", [&] { kernel(device, x, y, 1000); });
}

// Stand-ins are asked for by several threads at once, one of which ends with what it has begun.
TEST_F(StandIns, ThreadsAskForTheSame) {
  const auto kernel = kernel_of<13>();
  kernel(device, x, y, 500);
  device.hold();
  std::vector<std::thread> threads;
  std::vector<Buffer<f32>> results;
  for (int t = 0; t < 4; ++t)
    results.emplace_back(device, std::vector<f32>(4096, 0.0f));
  std::atomic<int> under_way = 4;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i)
        kernel(device, x, results[static_cast<std::size_t>(t)], 700 + i);
      --under_way;
    });
  while (under_way > 0)
    std::this_thread::sleep_for(1ms);
  device.let_compile();
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_THAT(waited_for, ElementsAre("block=128"));
  until("block=32", [&] { kernel(device, x, y, 700); });
}

}   // namespace
