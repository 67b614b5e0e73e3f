// SPDX-License-Identifier: MIT
// Grids of programs that are functions of the test: who runs, and which failure a launch ends with.
#include "runtime/host/grid.h"

#include "runtime/host/pointers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>

namespace tile::host {
namespace {

using ::testing::HasSubstr;

using Work = std::function<void(Launched &, std::int64_t index)>;

class Machine final : public Runner {
 public:
  Machine(Work work, std::atomic<int> &finished) : work_(std::move(work)), finished_(finished) {}
  void run(Launched &launch, std::int64_t index) override { work_(launch, index); }
  void finish() override { ++finished_; }

 private:
  Work work_;
  std::atomic<int> &finished_;
};

class Grids : public ::testing::Test {
 protected:
  std::unique_ptr<Executable> executable(const KernelSignature &kernel, Work work,
                                         ExecutableOptions options = {}) {
    return make_executable(
        engine_, std::make_shared<KernelSignature>(kernel),
        [this, work = std::move(work)](unsigned) { return std::make_unique<Machine>(work, finished_); },
        options);
  }
  // What the launch says, or "".
  static std::string launch(Executable &kernel, const Grid &grid, std::vector<Argument> arguments = {}) {
    try {
      kernel.launch(grid, arguments);
    } catch (const Error &error) {
      return error.what();
    }
    return "";
  }

  Engine engine_{{.threads = 4}};
  std::atomic<int> finished_ = 0;
};

TEST_F(Grids, EveryProgramRunsOnce) {
  for (const std::int64_t portion : {1, 64}) {
    std::vector<std::atomic<int>> runs(3 * 70 * 2);
    const auto kernel =
        executable({}, [&](Launched &, std::int64_t index) { ++runs[index]; }, {.portion = portion});
    EXPECT_EQ(launch(*kernel, {3, 70, 2}), "");
    EXPECT_EQ(launch(*kernel, {3, 0, 2}), "");
    for (const std::atomic<int> &count : runs)
      ASSERT_EQ(count, 1);
  }
  EXPECT_EQ(finished_, 8);
}

TEST_F(Grids, ClustersAreRunAsOne) {
  std::atomic<int> runs = 0;
  const auto kernel = executable({.cluster = {2, 1, 3}}, [&](Launched &, std::int64_t) { ++runs; });
  EXPECT_EQ(launch(*kernel, {4, 5, 6}), "");
  EXPECT_EQ(runs, 4 * 5 * 6 / 6);
  EXPECT_THAT(launch(*kernel, {4, 5, 4}),
              HasSubstr("the grid has 4 programs along z, which is not a multiple of the cluster size 3"));
}

// The code finds its programs itself, from the extents that it takes.
TEST_F(Grids, FewOfPersistentCodeAreStarted) {
  KernelSignature kernel{
      .parameters = {GridExtent{0}, GridExtent{2}}, .persistent = true, .cluster = {2, 1, 1}};
  std::vector<std::vector<std::uint64_t>> seen;
  std::mutex mutex;
  const auto started = executable(
      kernel,
      [&](Launched &launch, std::int64_t) {
        const std::lock_guard lock(mutex);
        seen.emplace_back(launch.arguments.begin(), launch.arguments.end()).push_back(launch.grid.x);
      },
      {.resident = 3});
  EXPECT_EQ(launch(*started, {4, 5, 7}), "");
  EXPECT_EQ(seen, (std::vector<std::vector<std::uint64_t>>(3, {4, 7, 6})));
  seen.clear();
  EXPECT_EQ(launch(*started, {2, 1, 2}), "");
  EXPECT_EQ(seen, (std::vector<std::vector<std::uint64_t>>(3, {2, 2, 6})));   // a cluster for each program
  seen.clear();
  EXPECT_EQ(launch(*started, {4, 0, 7}), "");
  EXPECT_TRUE(seen.empty());
  EXPECT_EQ(launch(*started, {3, 2, 1}), "");
}

TEST_F(Grids, EachStartedCtaHasAWorkspace) {
  KernelSignature kernel{.parameters = {WorkspaceParameter{256}}, .persistent = true};
  std::mutex mutex;
  std::set<Pointer> begins;
  const auto started =
      executable(kernel,
                 [&](Launched &launch, std::int64_t index) {
                   const std::lock_guard lock(mutex);
                   const Pointer begin = launch.arguments[0];
                   begins.insert(begin);
                   EXPECT_EQ(begin % 128, 0u);
                   std::memset(reinterpret_cast<std::byte *>(address_of(begin)) + 256 * index, 1, 256);
                 },
                 {.resident = 3});
  EXPECT_EQ(launch(*started, {4, 5, 7}), "");
  EXPECT_EQ(begins.size(), 1u);
}

TEST_F(Grids, AllThatIsStartedOfPersistentCodeRunsAtOnce) {
  Engine engine({.threads = 1, .limit_seconds = 600});
  std::atomic<int> begun = 0;
  const auto kernel =
      make_executable(engine, std::make_shared<KernelSignature>(KernelSignature{.persistent = true}),
                      [&](unsigned) {
                        return std::make_unique<Machine>(
                            [&](Launched &launched, std::int64_t) {
                              ++begun;
                              while (begun < 3)
                                ASSERT_FALSE(launched.limit.is_up());
                            },
                            finished_);
                      },
                      {.resident = 3});
  EXPECT_EQ(launch(*kernel, {100}), "");
  EXPECT_EQ(begun, 3);
}

// A grid that would take years is not waited for.
TEST(TimeLimits, LookAtThePace) {
  using Clock = TimeLimit::Clock;
  const auto looks = [](int seconds, std::int64_t programs, std::chrono::milliseconds after) {
    const Clock::time_point start = Clock::now();
    TimeLimit limit(seconds, programs, "k", false, start);
    limit.ended(1000);
    limit.check_pace(start + after);
  };
  using std::chrono::milliseconds;
  EXPECT_NO_THROW(looks(300, std::int64_t{1} << 40, milliseconds(4900)));
  EXPECT_NO_THROW(looks(300, 4'900'000, milliseconds(6000)));
  EXPECT_NO_THROW(looks(0, std::int64_t{1} << 60, milliseconds(6000)));
  const auto says = [](const auto &text) { return ::testing::ThrowsMessage<Error>(HasSubstr(text)); };
  EXPECT_THAT(
      [&] { looks(300, std::int64_t{1} << 40, milliseconds(6000)); },
      says("the launch has run 1,000 of its 1,099,511,627,776 programs in 6 s; all of them would take 209 "
           "years, and the limit is 300 s"));
  EXPECT_THAT([&] { looks(5, 2000, milliseconds(6000)); },
              says("the launch has run 1,000 of its 2,000 programs in 5 s, the limit of a launch\n  = help: "
                   "set TILE_LIMIT to more seconds, or to none"));
}

TEST(TimeLimits, ShowThatALongLaunchGoesOn) {
  const auto asked = [](bool shows, std::chrono::seconds after) {
    const TimeLimit::Clock::time_point start = TimeLimit::Clock::now();
    auto limit = std::make_unique<TimeLimit>(0, 10, "k", shows, start);
    limit->is_up(start + after);
    return limit;
  };
  using std::chrono::seconds;
  ASSERT_FALSE(Progress::is_shown());
  const auto young = asked(true, seconds(1)), hidden = asked(false, seconds(3));
  EXPECT_FALSE(Progress::is_shown());
  {
    const auto old = asked(true, seconds(3));
    EXPECT_TRUE(Progress::is_shown());
  }
  EXPECT_FALSE(Progress::is_shown());
}

TEST_F(Grids, HaveLimits) {
  const auto kernel = executable({.name = "k", .config = "n=1"}, [](Launched &, std::int64_t) {});
  EXPECT_THAT(launch(*kernel, {-1}), HasSubstr("the grid has -1 programs along x; a grid has none or more\n"
                                               "  = kernel k, config n=1"));
  EXPECT_THAT(launch(*kernel, {std::int64_t{1} << 31}), HasSubstr("along x; the limit is 2,147,483,647"));
  EXPECT_THAT(launch(*kernel, {1, 1, 65536}), HasSubstr("along z; the limit is 65,535"));
}

// By the clock, program 7 fails after a later one.
TEST_F(Grids, TheFirstFailureInOrderIsReported) {
  std::atomic<bool> failed = false;
  const auto kernel = executable({}, [&](Launched &, std::int64_t index) {
    if (index < 7)
      return;
    while (index == 7 && !failed)
      std::this_thread::yield();
    failed = true;
    throw Error("program " + std::to_string(index), {});
  });
  EXPECT_THAT(launch(*kernel, {400}), HasSubstr("program 7"));
}

TEST_F(Grids, NothingBeginsBehindAFailure) {
  std::atomic<std::int64_t> begun = 0;
  const auto kernel = executable({}, [&](Launched &launched, std::int64_t index) {
    ++begun;
    if (index == 3)
      throw Error("failed", {});
    while (index > 3 && !launched.failure.is_before(index))   // each of the other threads waits in one
      std::this_thread::yield();
  });
  EXPECT_THAT(launch(*kernel, {10000}), HasSubstr("failed"));
  EXPECT_LE(begun, 4 + 3);
}

// Those behind a failure leave when they ask, and those before it after a while.
TEST_F(Grids, RunningProgramsAreAbandoned) {
  const auto kernel = executable({}, [&](Launched &launched, std::int64_t index) {
    if (index == 1)
      throw Error("failed", {});
    for (;;) {
      std::this_thread::yield();
      if (launched.failure.ends(index))
        throw Abandoned{};
    }
  });
  EXPECT_THAT(launch(*kernel, {3}), HasSubstr("failed"));
}

TEST_F(Grids, ArgumentsAreBound) {
  std::vector<std::uint64_t> values;
  const ElementType number = element_type<i32>, pointer = element_type<i32>.pointer_to();
  const KernelSignature description{
      .name = "k",
      .arguments = {{"x", pointer}, {"one", number}, {"n", number}, {"any", pointer}},
      .parameters = {PassedArgument{0}, PassedArgument{2}, PassedArgument{3}}};
  const auto kernel = executable(description, [&](Launched &launched, std::int64_t) {
    values.assign(launched.arguments.begin(), launched.arguments.end());
  });
  const auto x = reinterpret_cast<std::uint64_t>(engine_.allocations.allocate(64, "x"));
  std::vector<std::byte> mine(16);
  const Argument host{.type = pointer,
                      .bits = reinterpret_cast<std::uint64_t>(mine.data()),
                      .host_bytes = mine.size(),
                      .is_host = true};
  EXPECT_EQ(launch(*kernel, {1}, {{pointer, x}, {number, 1}, {number, 5}, host}), "");
  ASSERT_EQ(values.size(), 3u);
  EXPECT_EQ(address_of(values[0]), x);
  EXPECT_EQ(buffer_of(values[0]), engine_.allocations.find(x)->tag);
  EXPECT_EQ(values[1], 5u);
  EXPECT_EQ(address_of(values[2]), host.bits);
  EXPECT_NE(buffer_of(values[2]), 0);

  EXPECT_THAT(launch(*kernel, {1}, {}), HasSubstr("kernel k takes 4 arguments, not 0"));
  EXPECT_THAT(launch(*kernel, {1}, {{number, x}, {number, 1}, {number, 5}, host}),
              HasSubstr("argument `x` of kernel k is an address, not i32"));
  EXPECT_THAT(launch(*kernel, {1}, {{pointer, x}, {number, 1}, {pointer, 5}, host}),
              HasSubstr("argument `n` of kernel k is a number, not i32*"));
}

}   // namespace
}   // namespace tile::host
