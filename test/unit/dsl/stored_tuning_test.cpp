// SPDX-License-Identifier: MIT
// What one process has tuned, the next one knows: here a second device, for which nothing is remembered in
// this process.
#include "runtime/tuning/stored.h"
#include "test/unit/runtime/scratch_folder.h"
#include "test/unit/runtime/timed_device.h"

#include <tile/dsl.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <thread>

using namespace tile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using tile::testing::TimedDevice;
namespace fs = std::filesystem;

namespace {

struct Config {
  int block = 64;
};
float added = 1;   // that a kernel records, as if its source had changed
int edited = 0;    // the block whose code is another one

template <int> void kernel_of(Ptr<f32> y, Int n, const Config &cfg) {
  auto i = program_id(0) * cfg.block + arange(0, cfg.block);
  store(y + i, full<f32>({cfg.block}, edited == cfg.block ? 7.f : added), i < n);
}

// Blocks of 64 are fast, those of 16 more so, others are not.
class Gpu : public TimedDevice {
 public:
  explicit Gpu(std::string toolchain) : toolchain_(std::move(toolchain)) {
    loader = [this](const KernelIR &kernel) {
      const std::string config = kernel.config();
      if (loads)
        loads(config);
      return std::make_unique<Program>(
          *this,
          config == "block=16"   ? 0.5e-6
          : config == "block=64" ? 1e-6
                                 : 2e-6,
          [this, config](const Grid &, std::span<const Argument>) { last = config; });
    };
  }
  std::string toolchain() const override { return toolchain_; }
  std::string place() const override { return "GPU 7"; }
  std::string last;
  std::function<void(const std::string &)> loads;

 private:
  std::string toolchain_;
};

class StoredTuning : public ::testing::Test {
 protected:
  StoredTuning() {
    for (const char *name : {"TILE_TUNE", "TILE_TUNE_LOG"})
      guard.set(name, nullptr);
    guard.set("TILE_CACHE", "on");
    guard.set("TILE_CACHE_DIR", folder().c_str());
    added = 1;
    edited = 0;
  }
  std::string folder() const { return (scratch.path() / "kept").string(); }
  std::vector<fs::path> files() const {
    std::vector<fs::path> files;
    if (fs::exists(folder() + "/tuned"))
      for (const auto &file : fs::directory_iterator(folder() + "/tuned"))
        if (file.path().extension() == ".json")   // beside locks
          files.push_back(file.path());
    return files;
  }
  // Measurements that a launch in a new process makes; `last` is what it launched.
  template <int Which = 0>
  int measured(int n = 500, const std::string &toolchain = "compiler 1", bool records = false,
               std::vector<Config> configs = {{32}, {64}, {128}}) {
    Gpu machine(toolchain);
    machine.recording = records;
    machine.loads = [this](const std::string &config) {
      const std::lock_guard lock(mutex);
      loaded.push_back(config);
      if (on_load)
        on_load();
    };
    const Kernel<&kernel_of<Which>> kernel{
        .name = "fill",
        .grid = [](auto &cfg, auto, int size) { return Grid{cdiv(size, cfg.block)}; },
        .configs = configs,
        .key = [](auto, int size) { return Key{size}; }};
    Buffer<f32> y(machine, std::vector<f32>(1024, 0.f));
    kernel(machine, y, n);
    last = machine.last;
    return machine.measurements;
  }
  tile::testing::ScratchFolder scratch;
  tile::testing::EnvironmentGuard guard;
  std::string last;
  std::mutex mutex;
  std::vector<std::string> loaded;
  std::function<void()> on_load;
};

TEST_F(StoredTuning, IsFoundByTheNextProcess) {
  EXPECT_GT(measured(), 0);
  EXPECT_EQ(last, "block=64");
  EXPECT_EQ(files().size(), 1u);
  EXPECT_EQ(measured(), 0);
  EXPECT_EQ(last, "block=64");
}

TEST_F(StoredTuning, IsOfOneKeyDeviceAndKernel) {
  EXPECT_GT(measured(), 0);
  EXPECT_GT(measured(501), 0);
  EXPECT_GT(measured(500, "compiler 2"), 0);
  added = 2;   // the function was edited
  EXPECT_GT(measured(), 0);
  added = 1;
  EXPECT_EQ(measured(), 0);
  EXPECT_EQ(measured(501), 0);
  EXPECT_EQ(measured(500, "compiler 2"), 0);
}

// Code that only the fastest config has.
TEST_F(StoredTuning, AnEditOfTheFastestIsSeen) {
  EXPECT_GT(measured(), 0);
  edited = 64;
  EXPECT_GT(measured(), 0);
  EXPECT_EQ(measured(), 0);
}

// ... beside the best of those that are known, and wherever it stands in the list.
TEST_F(StoredTuning, OfAListThatHasGrownOnlyTheNewOnesAreMeasured) {
  EXPECT_GT(measured(), 0);
  loaded.clear();
  EXPECT_GT(measured(500, "compiler 1", false, {{256}, {32}, {64}, {128}}), 0);
  EXPECT_THAT(loaded, UnorderedElementsAre("block=64", "block=256"));
  EXPECT_EQ(last, "block=64");
  EXPECT_EQ(files().size(), 2u);
  EXPECT_EQ(measured(500, "compiler 1", false, {{256}, {32}, {64}, {128}}), 0);
  EXPECT_EQ(measured(500, "compiler 1", false, {{32}, {64}, {256}}), 0);   // one less
  EXPECT_EQ(last, "block=64");
  loaded.clear();
  EXPECT_GT(measured(500, "compiler 1", false, {{32}, {64}, {16}, {128}}), 0);   // the fastest of all
  EXPECT_THAT(loaded, UnorderedElementsAre("block=64", "block=16"));
  EXPECT_EQ(last, "block=16");
  EXPECT_EQ(measured(500, "compiler 1", false, {{16}, {32}, {64}, {128}, {256}}), 0);
  EXPECT_EQ(last, "block=16") << "three sweeps are one";
}

TEST_F(StoredTuning, AnEditOfAnotherConfigCostsThatOne) {
  EXPECT_GT(measured(), 0);
  edited = 128;
  EXPECT_EQ(measured(), 0) << "the fastest is what it was";
  edited = 64;
  loaded.clear();
  EXPECT_GT(measured(), 0);
  EXPECT_THAT(loaded, UnorderedElementsAre("block=64", "block=32")) << "beside the best of the others";
}

// Kernels of one name and one kind of arguments, as those for other activations are.
TEST_F(StoredTuning, KernelsOfOneNameDoNotTakeEachOthers) {
  EXPECT_GT(measured<0>(), 0);
  added = 2;
  EXPECT_GT(measured<1>(), 0);
  EXPECT_EQ(measured<1>(), 0);
  added = 1;
  EXPECT_EQ(measured<0>(), 0);
  EXPECT_EQ(files().size(), 2u);
}

TEST_F(StoredTuning, OldSweepsOfAKeyGo) {
  guard.set("TILE_TUNE", "always");
  for (std::size_t i = 0; i < tuning::StoredTunings::most_sweeps + 3; ++i)
    EXPECT_GT(measured(), 0);
  EXPECT_EQ(files().size(), tuning::StoredTunings::most_sweeps);
  guard.set("TILE_TUNE", "auto");
  EXPECT_EQ(measured(), 0);
}

// Another process that is faster with the same sweep, while this one is compiling.
TEST_F(StoredTuning, WhatAnotherProcessHasFoundOutMeanwhileIsNotMeasuredAgain) {
  EXPECT_GT(measured(), 0);
  const fs::path file = files().at(0), aside = scratch.path() / "aside";
  fs::rename(file, aside);
  on_load = [&] {
    if (fs::exists(aside))
      fs::rename(aside, file);
  };
  EXPECT_EQ(measured(), 0);
  EXPECT_EQ(last, "block=64");
  EXPECT_FALSE(fs::exists(aside));
  EXPECT_EQ(files().size(), 1u);
}

// A launch that may not tune takes the best of what is known, though there are new configs.
TEST_F(StoredTuning, WithoutASweepTheBestOfWhatIsKnownIsTaken) {
  EXPECT_GT(measured(), 0);
  guard.set("TILE_TUNE", "stored");
  EXPECT_EQ(measured(500, "compiler 1", false, {{256}, {32}, {64}, {128}}), 0);
  EXPECT_EQ(last, "block=64");
}

TEST_F(StoredTuning, TravelsToOtherFolders) {
  EXPECT_GT(measured(), 0);
  EXPECT_GT(measured(501), 0);
  tuning::StoredTunings own(folder() + "/tuned", true), other((scratch.path() / "other").string(), true);
  EXPECT_EQ(other.take_from(own), 2u);
  EXPECT_EQ(other.take_from(own), 0u) << "they are there";
  EXPECT_EQ(own.remove_all(), 2u);
  scratch.write("other/" + other.entries().at(0).name.substr(0, 32) + "-0.json", "{}");
  EXPECT_EQ(own.take_from(other), 2u) << "what is damaged stays behind";
  EXPECT_EQ(measured(), 0);
  EXPECT_EQ(measured(501), 0);
}

TEST_F(StoredTuning, NothingIsKeptOfADeviceThatDoesNotSayWhatItIs) {
  EXPECT_GT(measured(500, ""), 0);
  EXPECT_TRUE(files().empty());
  EXPECT_GT(measured(500, ""), 0);
}

TEST_F(StoredTuning, IsAsTheVariablesSay) {
  guard.set("TILE_CACHE", "off");
  EXPECT_GT(measured(), 0);
  EXPECT_TRUE(files().empty());
  guard.set("TILE_CACHE", "on");
  guard.set("TILE_TUNE", "stored");
  EXPECT_EQ(measured(), 0);
  EXPECT_EQ(last, "block=32");   // the first
  guard.set("TILE_TUNE", "auto");
  EXPECT_GT(measured(), 0);
  guard.set("TILE_TUNE", "stored");
  EXPECT_EQ(measured(), 0);
  EXPECT_EQ(last, "block=64");
  guard.set("TILE_TUNE", "never");
  EXPECT_EQ(measured(), 0);
  EXPECT_EQ(last, "block=32");
  guard.set("TILE_TUNE", "always");
  EXPECT_GT(measured(), 0);
  guard.set("TILE_TUNE", "auto");
  guard.set("TILE_CACHE", "readonly");
  EXPECT_EQ(measured(), 0);
  EXPECT_GT(measured(777), 0);
  EXPECT_EQ(files().size(), 2u) << "a file for each sweep, and none of the last one";
}

// A launch that is being recorded cannot be tuned, but knows what was stored.
TEST_F(StoredTuning, ServesLaunchesThatAreRecorded) {
  EXPECT_GT(measured(), 0);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(measured(500, "compiler 1", /*records=*/true), 0);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(last, "block=64");
}

// Another process, which is timing on the same GPU: here a lock that this test takes.
TEST_F(StoredTuning, ProcessesTimeOneAfterTheOtherButNotForEver) {
  using State = CacheFolder::Lock::State;
  tuning::StoredTunings others(folder() + "/tuned", true);
  const auto said = [&](int n) {
    ::testing::internal::CaptureStderr();
    EXPECT_GT(measured(n), 0);
    return ::testing::internal::GetCapturedStderr();
  };
  guard.set("TILE_TUNE_LIMIT", "1");
  {
    const CacheFolder::Lock other_gpu = others.reserve("GPU 8", 0);
    EXPECT_EQ(other_gpu.state(), State::held);
    EXPECT_EQ(said(500), "");
  }
  {
    const CacheFolder::Lock lock = others.reserve("GPU 7", 0);
    EXPECT_EQ(said(501),
              "note: kernel fill is tuned although another process has been timing on GPU 7 for 1 s: "
              "the times of both may be wrong\n");
  }
  guard.set("TILE_TUNE_LIMIT", "600");
  auto lock = std::make_unique<CacheFolder::Lock>(others.reserve("GPU 7", 0));
  std::atomic<bool> is_free = false;
  std::thread process([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    is_free = true;
    lock.reset();
  });
  EXPECT_EQ(said(502), "");
  EXPECT_TRUE(is_free) << "it has waited";
  process.join();
  EXPECT_EQ(others.reserve("GPU 7", 0).state(), State::held) << "and given it back";
  EXPECT_EQ(others.count(), 3u) << "locks are no tunings";
  guard.set("TILE_CACHE", "off");
  EXPECT_EQ(said(503), "");
  EXPECT_EQ(tuning::StoredTunings(folder() + "/tuned", false).reserve("GPU 7", 0).state(), State::nowhere);
}

TEST_F(StoredTuning, DamageIsNamedAndNotUsed) {
  EXPECT_GT(measured(), 0);
  const fs::path file = files().at(0);
  std::ifstream in(file);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  const auto with = [&](const std::string &text) {
    std::ofstream(file, std::ios::trunc) << text;
    ::testing::internal::CaptureStderr();
    EXPECT_GT(measured(), 0);
    EXPECT_EQ(last, "block=64");
    for (const fs::path &other : files())
      if (other != file)
        fs::remove(other);   // the sweep that was made
    return ::testing::internal::GetCapturedStderr();
  };
  const auto changed = [&](const std::string &from, const std::string &to) {
    std::string text = whole;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    return with(text.replace(at, from.size(), to));
  };
  EXPECT_THAT(with(""), HasSubstr(file.string() + " is not used: line 1, column 1"));
  EXPECT_THAT(with(whole.substr(0, whole.size() / 2)), HasSubstr("is not used: line 1, column"));
  EXPECT_THAT(changed("\"version\":", "\"version\":9,\"other\":"),
              HasSubstr("`version` is not a number from 3"));
  EXPECT_THAT(changed("\"median\":", "\"median\":-1,\"other\":"),
              HasSubstr("`median` is not a number from 1e-09 to 86400"));
  EXPECT_THAT(changed("\"median\":", "\"median\":null,\"other\":"),
              HasSubstr("`median` is not a number from 1e-09 to 86400"));
  EXPECT_THAT(changed("\"rounds\": [", "\"rounds\": [-1,"),
              HasSubstr("`rounds` contains a value that is not a time"));
  EXPECT_THAT(changed("\"outcome\": \"timed\"", "\"outcome\": \"best\""),
              HasSubstr("neither timed, failed nor left out"));
  EXPECT_THAT(changed("\"samples\":", "\"samples\":1.5,\"other\":"),
              HasSubstr("`samples` is not a whole number"));
  EXPECT_THAT(changed("\"records\":", "\"tables\":"), HasSubstr("has no `records`"));
  EXPECT_EQ(changed("\"kernel\": \"fill\"", "\"kernel\": \"other\""), "");   // of another kernel: no mistake
}

}   // namespace
