// SPDX-License-Identifier: MIT
// When a launch tunes, what it shares with other launches, and when it must not. The device's clock is a
// number.
#include "test/unit/dsl/doubling.h"
#include "test/unit/runtime/scratch_folder.h"
#include "test/unit/runtime/timed_device.h"

#include <tile/dsl.h>
#include <tile/tuning.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

using namespace tile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tile::testing::TimedDevice;

namespace {

struct Config {
  int block = 64;
};
void double_kernel(Ptr<const f32> x, Ptr<f32> y, Int n, const Config &cfg) {
  auto i = program_id(0) * cfg.block + arange(0, cfg.block);
  store(y + i, load(x + i, i < n) * 2, i < n);
}
Kernel<&double_kernel> make_kernel() {
  return {.name = "double",
          .parameters = {"x", "y", "n"},
          .grid = [](auto &cfg, auto, auto, int n) { return Grid{cdiv(n, cfg.block)}; },
          .configs = {{.block = 32}, {.block = 64}, {.block = 128}},
          .key = [](auto, auto, int n) { return Key{n}; },
          .keep = [](auto &cfg, auto, auto, int n) { return n >= cfg.block; },
          .work = [](auto, auto, int n) { return Work{.bytes = 8.0 * n}; }};
}

// Takes 1 us a block of 64, 2 us one of 32, 3 us one of 128, and notes what was launched on the caller's
// memory.
class Tuned : public ::testing::Test, public tuning::Observer {
 protected:
  Tuned() : x(device, std::vector<f32>(1024, 1.0f)), y(device, std::vector<f32>(1024, 0.0f)) {
    guard.set("TILE_TUNE", nullptr);
    guard.set("TILE_TUNE_LOG", nullptr);
    device.loader = [this](const KernelIR &kernel) {
      ++loads;
      const std::string config = kernel.config();
      if (config == refused)
        throw Error("needs more than there is", {});
      const double us = config == "block=64" ? 1 : config == "block=32" ? 2 : 3;
      return tile::testing::doubling(device, us * 1e-6, config, y, launched);
    };
  }
  void finished(const tuning::Sweep &sweep) override { sweeps.push_back(sweep); }

  tile::testing::EnvironmentGuard guard;
  TimedDevice device;
  Buffer<f32> x, y;
  std::atomic<int> loads = 0;
  std::string refused;
  std::vector<std::string> launched;
  std::vector<tuning::Sweep> sweeps;
  Kernel<&double_kernel> kernel = make_kernel();
};

TEST_F(Tuned, TheFirstLaunchOfAKeyTunes) {
  kernel(device, x, y, 500);
  const int measured = device.measurements;
  EXPECT_GT(measured, 0);
  EXPECT_EQ(loads, 3);
  kernel(device, x, y, 500);
  EXPECT_EQ(device.measurements, measured);
  kernel(device, x, y, 500 + 2);   // another key, the same classes: nothing to compile
  EXPECT_GT(device.measurements, measured);
  EXPECT_EQ(loads, 3);
  EXPECT_THAT(launched, ElementsAre("block=64", "block=64", "block=64"));
  EXPECT_EQ(y.to_host()[499], 2.0f);
}

// Memory of a framework, which gives many tensors out of one allocation: what a view says is all that is
// copied. A pointer says nothing.
TEST_F(Tuned, ViewsSayWhatIsCopied) {
  Buffer<f32> arena(device, std::vector<f32>(1 << 20, 1.0f));
  device.largest = 1 << 16;
  kernel(device, VectorView<const f32>(arena.data(), 500), VectorView(arena.data() + 4096, 500), 500);
  EXPECT_GT(device.measurements, 0);
  EXPECT_EQ(arena.to_host()[4096 + 499], 2.0f);
  device.measurements = 0;
  ::testing::internal::CaptureStderr();
  kernel(device, arena, arena.data() + 4096, 501);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "note: kernel double is not tuned: no memory for a tuner's copy\n");
  EXPECT_EQ(device.measurements, 0);
}

TEST_F(Tuned, KeepPrunesFirst) {
  kernel(device, x, y, 40);   // one is left: nothing to time
  EXPECT_THAT(launched, ElementsAre("block=32"));
  EXPECT_EQ(device.measurements, 0);
  EXPECT_EQ(loads, 1);
}

TEST_F(Tuned, OneConfigIsNotTimed) {
  kernel.with({.block = 128})(device, x, y, 500);
  EXPECT_THAT(launched, ElementsAre("block=128"));
  EXPECT_EQ(device.measurements, 0);
}

// Blocks no longer than 32, of up to so many elements, or than 64.
Config no_longer_than_needed(Config cfg, const float *, float *, int n) {
  cfg.block = std::min(cfg.block, n <= 32 ? 32 : 64);
  return cfg;
}

TEST_F(Tuned, FieldsMayFollowFromTheArguments) {
  kernel.complete = no_longer_than_needed;
  kernel.keep = nullptr;
  const tuning::Observing observing(*this);
  kernel(device, x, y, 500);
  ASSERT_EQ(sweeps.size(), 1u);   // of blocks of 32 and 64: that of 128 has become the same as the second one
  EXPECT_EQ(sweeps[0].records[2].config, "block=64");
  EXPECT_EQ(sweeps[0].records[2].outcome, tuning::Record::Outcome::pruned);
  EXPECT_EQ(loads, 2);
  kernel(device, x, y, 20);   // one is left: nothing to time, and it is compiled already
  EXPECT_EQ(sweeps.size(), 1u);
  EXPECT_EQ(loads, 2);
  EXPECT_THAT(launched, ElementsAre("block=64", "block=32"));
}

// The result of a key is that of a config, not of its number.
TEST_F(Tuned, WhatFollowsFromTheArgumentsNeedNotBeInTheKey) {
  kernel.complete = no_longer_than_needed;
  kernel.keep = nullptr;
  kernel.key = nullptr;
  for (int n : {500, 20, 500, 20})
    kernel(device, x, y, n);
  EXPECT_THAT(launched, ElementsAre("block=64", "block=32", "block=64", "block=32"));
}

TEST_F(Tuned, AConfigThatIsGivenIsComplete) {
  kernel.complete = no_longer_than_needed;
  kernel.with({.block = 128})(device, x, y, 20);
  EXPECT_THAT(launched, ElementsAre("block=128"));
}

// Whose result is believed is completed, too.
TEST_F(Tuned, TheReferenceFollowsFromTheArguments) {
  kernel.complete = no_longer_than_needed;
  kernel.keep = nullptr;
  kernel.reference = Config{.block = 128};
  kernel(device, x, y, 500);
  EXPECT_THAT(launched, ElementsAre("block=64"));
}

TEST_F(Tuned, NothingToDoIsNothingToTune) {
  kernel.keep = nullptr;
  kernel(device, x, y, 0);
  EXPECT_EQ(loads, 0);
}

TEST_F(Tuned, WhoObservesSeesTheSweep) {
  const tuning::Observing observing(*this);
  kernel(device, x, y, 100);
  ASSERT_EQ(sweeps.size(), 1u);
  const tuning::Sweep &sweep = sweeps[0];
  EXPECT_EQ(sweep.kernel, "double");
  EXPECT_EQ(sweep.key, "100");
  EXPECT_EQ(sweep.work.bytes, 800);
  EXPECT_EQ(sweep.records[sweep.winner].config, "block=64");
  EXPECT_EQ(sweep.records[2].outcome, tuning::Record::Outcome::pruned);
  EXPECT_EQ(sweep.records[0].outcome, tuning::Record::Outcome::timed);
}

TEST_F(Tuned, NeverTakesTheFirstThatFits) {
  guard.set("TILE_TUNE", "never");
  refused = "block=32";
  kernel(device, x, y, 500);
  kernel(device, x, y, 500);
  EXPECT_THAT(launched, ElementsAre("block=64", "block=64"));
  EXPECT_EQ(device.measurements, 0);
  EXPECT_EQ(loads, 2);
}

TEST_F(Tuned, WhoAsksAndObservesSeesWhatNeverTakes) {
  guard.set("TILE_TUNE", "never");
  const tuning::Observing observing(*this);
  kernel(device, x, y, 400);
  EXPECT_EQ(sweeps.size(), 0u) << "nobody asked";
  const tuning::Asking asking;
  kernel(device, x, y, 500);
  ASSERT_EQ(sweeps.size(), 1u);
  EXPECT_EQ(sweeps[0].records[sweeps[0].winner].config, "block=32");
  EXPECT_EQ(sweeps[0].not_timed, "TILE_TUNE=never");
}

TEST_F(Tuned, NotWhileLaunchesAreRecorded) {
  device.recording = true;
  ::testing::internal::CaptureStderr();
  kernel(device, x, y, 500);
  kernel(device, x, y, 500);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(said, "note: kernel double is not tuned: its first launch is recorded into a graph; launch it "
                  "once before recording\n");
  EXPECT_EQ(device.measurements, 0);
  device.recording = false;
  kernel(device, x, y, 500);   // nothing was settled by it
  EXPECT_GT(device.measurements, 0);
  device.recording = true;
  kernel(device, x, y, 500);
  EXPECT_THAT(launched, ElementsAre("block=32", "block=32", "block=64", "block=64"));
}

TEST_F(Tuned, AllFailingIsAnErrorAtTheLaunch) {
  kernel.configs = {{.block = 32}, {.block = 32}};
  refused = "block=32";
  try {
    kernel(device, x, y, 500);
    FAIL();
  } catch (const Error &e) {
    EXPECT_EQ(e.message(), "needs more than there is");
    EXPECT_THAT(e.what(), HasSubstr("= all configs of kernel double fail in this way"));
    EXPECT_THAT(e.where().file, HasSubstr("tuned_launch_test.cpp"));
  }
}

TEST_F(Tuned, ListsOfConfigsShareTheirRecords) {
  kernel(device, x, y, 500);
  const int measured = device.measurements;
  Kernel<&double_kernel> fewer = kernel;
  fewer.configs = {{.block = 32}, {.block = 128}};
  fewer(device, x, y, 500);
  EXPECT_EQ(device.measurements, measured);
  EXPECT_THAT(launched, ElementsAre("block=64", "block=32"));
  // The same address and length, another content.
  fewer.configs[0] = {.block = 16};
  fewer(device, x, y, 500);
  EXPECT_GT(device.measurements, measured);
}

TEST_F(Tuned, KeepIsAskedAgain) {
  kernel.key = nullptr;   // all launches share a result, whatever `keep` says about them
  kernel(device, x, y, 500);
  kernel(device, x, y, 50);
  EXPECT_THAT(launched, ElementsAre("block=64", "block=32"));
}

TEST_F(Tuned, TwoThreadsTuneOnce) {
  device.loader = [&, load = device.loader](const KernelIR &k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return load(k);
  };
  guard.set("TILE_TUNE_LOG", "1");
  ::testing::internal::CaptureStderr();
  std::thread other([&] { kernel(device, x, y, 500); });
  kernel(device, x, y, 500);
  other.join();
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(loads, 3);
  EXPECT_THAT(said, HasSubstr("tuned in"));
  EXPECT_EQ(said.find("tuned in"), said.rfind("tuned in"));
  EXPECT_THAT(said, HasSubstr("tune double key 500"));
  EXPECT_THAT(said, HasSubstr("GB/s"));
}

// What a GPU does: code that was compiled once is loaded as often as wanted.
class GpuLike : public TimedDevice {
 public:
  explicit GpuLike(const std::string &model) {
    is_of_model(model);
    loader = [this](const KernelIR &kernel) {
      ++compiled;
      LoweredKernel code;
      code.config = kernel.config();
      return load_lowered(std::move(code));
    };
    lowered_loader = [this](LoweredKernel code) {
      struct Module : Program {
        Module(GpuLike &d, double s) : Program(d, s, nullptr), own(d) { ++own.modules; }
        ~Module() override { --own.modules; }
        void launch(const Grid &grid, std::span<const Argument> arguments) override {
          own.last = code->config;
          Program::launch(grid, arguments);
        }
        GpuLike &own;
      };
      auto made = std::make_unique<Module>(*this, code.config == "block=64" ? 1e-4 : 2e-4);
      made->code = std::move(code);
      return made;
    };
  }
  std::atomic<int> compiled = 0, modules = 0;
  std::string last;
};

TEST_F(Tuned, LosersAreUnloadedAndTheirCodeIsKept) {
  static GpuLike gpu("of losers");   // its executables live as long as the kernel's function
  Buffer<f32> u(gpu, 1024), v(gpu, 1024);
  kernel(gpu, u, v, 500);
  EXPECT_EQ(gpu.compiled, 3);
  EXPECT_EQ(gpu.modules, 1);
  EXPECT_EQ(gpu.last, "block=64");
  kernel.with({.block = 32})(gpu, u, v, 500);
  EXPECT_EQ(gpu.last, "block=32");
  EXPECT_EQ(gpu.modules, 2);
  const int measured = gpu.measurements;
  kernel(gpu, u, v, 502);   // another key: all are tried again
  EXPECT_GT(gpu.measurements, measured);
  EXPECT_EQ(gpu.compiled, 3);
  EXPECT_EQ(gpu.modules, 2) << "what was launched stays, who loses or not";
  kernel(gpu, u, v, 500);
  EXPECT_EQ(gpu.last, "block=64");
}

TEST_F(Tuned, DevicesOfAModelShareWhatIsKnown) {
  static GpuLike one("of two"), two("of two"), other("another");
  const auto launch = [&](GpuLike &gpu) {
    Buffer<f32> u(gpu, 1024), v(gpu, 1024);
    kernel(gpu, u, v, 500);
    EXPECT_EQ(gpu.last, "block=64");
  };
  launch(one);
  EXPECT_EQ(one.compiled, 3);
  launch(two);
  EXPECT_EQ(two.compiled, 0);
  EXPECT_EQ(two.measurements, 0);
  EXPECT_EQ(two.modules, 1);
  launch(other);
  EXPECT_EQ(other.compiled, 3);
  EXPECT_GT(other.measurements, 0);
}

// A device that cannot time: as before.
TEST(Untimed, TheFirstConfigThatIsKept) {
  struct Plain : TimedDevice {
    bool can_time() const override { return false; }
  } device;
  std::string launched;
  device.loader = [&](const KernelIR &kernel) {
    launched = kernel.config();
    return std::make_unique<TimedDevice::Program>(device, 1e-6, nullptr);
  };
  Buffer<f32> x(device, 1024), y(device, 1024);
  make_kernel()(device, x, y, 500);
  EXPECT_EQ(launched, "block=32");
  EXPECT_EQ(device.measurements, 0);
}

// A device that cannot time, and has not memory for everything.
TEST(Untimed, TheFirstConfigThatFits) {
  struct Small : TimedDevice {
    bool can_time() const override { return false; }
    bool has_limits() const override { return true; }
  } device;
  std::vector<std::string> loaded;
  device.loader = [&](const KernelIR &kernel) {
    loaded.push_back(kernel.config());
    if (loaded.size() == 1)
      throw Error("too large", {});
    return std::make_unique<TimedDevice::Program>(device, 1e-6, nullptr);
  };
  Buffer<f32> x(device, 1024), y(device, 1024);
  auto kernel = make_kernel();
  kernel(device, x, y, 500);
  kernel(device, x, y, 500);   // known by now
  ASSERT_EQ(loaded.size(), 2u);
  EXPECT_EQ(loaded[0], "block=32");
  EXPECT_NE(loaded[1], "block=32");
  EXPECT_EQ(device.measurements, 0);
}

TEST_F(Tuned, TheReferenceIsBelievedWhereAsManyDisagree) {
  device.loader = [load = device.loader](const KernelIR &kernel) {
    auto made = load(kernel);
    if (std::string(kernel.config()) == "block=32")
      static_cast<TimedDevice::Program &>(*made).body = [](const Grid &, std::span<const Argument> a) {
        reinterpret_cast<f32 *>(a[1].bits)[0] = 7;   // wrong
      };
    return made;
  };
  kernel.configs = {{.block = 32}, {.block = 128}};
  kernel.reference = Config{.block = 128};
  kernel(device, x, y, 500);
  EXPECT_THAT(launched, ElementsAre("block=128"));
  kernel.reference = Config{.block = 16};
  try {
    kernel(device, x, y, 501);
    FAIL();
  } catch (const Error &e) {
    EXPECT_EQ(e.message(), "the reference of kernel double is not one of its configs");
    EXPECT_THAT(e.where().file, HasSubstr("tuned_launch_test.cpp"));
  }
}

TEST_F(Tuned, KeysHaveALimit) {
  kernel.key = [](auto, auto, int n) {
    return Key{n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17};
  };
  try {
    kernel(device, x, y, 500);
    FAIL();
  } catch (const Error &e) {
    EXPECT_EQ(e.message(), "a tuning key has 17 numbers; it takes at most 16");
    EXPECT_THAT(e.where().file, HasSubstr("tuned_launch_test.cpp"));
    EXPECT_THAT(e.what(), HasSubstr("= kernel double"));
  }
}

}   // namespace
