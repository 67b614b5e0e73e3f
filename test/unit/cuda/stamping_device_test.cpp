// SPDX-License-Identifier: MIT
// What a launch with stamps asks of the driver: where the memory is and which CTAs are traced. The driver is
// a stub; what a kernel would write, the test writes.
#include "compiler/devices/stamping_device.h"
#include "test/unit/cuda/loaded_stub.h"
#include "test/unit/runtime/scratch_folder.h"

#include <tile/buffer.h>
#include <tile/cuda_device.h>
#include <tile/dsl.h>

#include <gmock/gmock.h>

#include <cstring>

namespace tile {
namespace {

using cuda::stub;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

struct Config {
  Launch launch{.num_warps = 1};
};
void fill(Ptr<f32> x, const Config &) {
  store(x + program_id(0) * 128 + arange(0, 128), full<f32>({128}, 1.0f));
}

class StampedLaunches : public ::testing::Test {
 protected:
  StampedLaunches() {
    guard_.set("TILE_PTXAS", "driver");
    guard_.set("TILE_CACHE", "off");
    stub() = {};
    device_ = open_stamping_cuda();
  }
  // The constant of the code: an address, then the CTAs, two to a word.
  static std::uint64_t memory() { return stub().variable[0]; }
  static std::vector<std::uint32_t> ctas() {
    std::vector<std::uint32_t> all(16);
    std::memcpy(all.data(), stub().variable.data() + 1, 64);
    std::erase(all, ~0u);
    return all;
  }
  void launch() {
    Buffer<f32> x(*device_, 128 * 40, "x");
    kernel_(*device_, x);
  }

  testing::EnvironmentGuard guard_;
  std::unique_ptr<Device> device_;
  const Kernel<&fill> kernel_{.name = "fill", .grid = [](auto &, auto) { return Grid{40}; }};
};

TEST_F(StampedLaunches, CompilesWithStampsAndLaunchesWithoutAnyUntilItIsAsked) {
  launch();
  EXPECT_THAT(stub().assembled, HasSubstr("tile_clock"));
  EXPECT_EQ(stub().launches.size(), 1u);
  EXPECT_EQ(memory(), 0u);   // nobody has set it
  EXPECT_TRUE(end_stamping(*device_).empty());
}

TEST_F(StampedLaunches, TellsTheKernelWhichCtasToTraceAndReadsTheirLists) {
  std::vector<std::uint32_t> told;
  stub().runs = [&] {
    told = ctas();
    const std::uint32_t words[4] = {told.at(1), 0, 7, 3};   // the head of the second list
    std::memcpy(reinterpret_cast<std::byte *>(memory()) + (1 << 18), words, sizeof words);
  };
  begin_stamping(*device_, Stamping::read, {});
  launch();
  EXPECT_THAT(told, ElementsAre(0, 14, 28));
  const std::vector<StampedLaunch> launches = end_stamping(*device_);
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_THAT(launches[0].ctas, ElementsAre(0, 14, 28));
  EXPECT_EQ(launches[0].started.x, 40);
  EXPECT_EQ(launches[0].code.list_bytes, 1u << 18);
  ASSERT_EQ(launches[0].lists.size(), 3u << 18);
  std::uint32_t words[4];
  std::memcpy(words, launches[0].lists.data() + (1 << 18), sizeof words);
  EXPECT_THAT(words, ElementsAre(14, 0, 7, 3));
  EXPECT_EQ(launches[0].lists[0], std::byte{0});
  ASSERT_FALSE(launches[0].code.sites.empty());
  EXPECT_EQ(launches[0].code.sites[0].kind, StampKind::global_store);
  EXPECT_THAT(launches[0].code.sites[0].where.file, HasSubstr("stamping_device_test.cpp"));
}

// One kernel object on a GPU and on the same GPU for a trace: the code of one is not that of the other.
TEST_F(StampedLaunches, CodeIsNotSharedWithOtherDevicesOfTheGpu) {
  const std::unique_ptr<Device> plain = open_cuda();
  Buffer<f32> x(*plain, 128 * 40, "x");
  kernel_(*plain, x);
  EXPECT_THAT(stub().assembled, Not(HasSubstr("tile_clock")));
  launch();
  EXPECT_THAT(stub().assembled, HasSubstr("tile_clock"));
}

TEST_F(StampedLaunches, TracesTheCtasThatAreAskedFor) {
  std::vector<std::uint32_t> told;
  stub().runs = [&] { told = ctas(); };
  begin_stamping(*device_, Stamping::read, {17, 3});
  launch();
  EXPECT_THAT(told, ElementsAre(17, 3));
  begin_stamping(*device_, Stamping::read, {40});
  told.clear();
  launch();
  EXPECT_TRUE(told.empty());   // there is no such CTA
  const std::vector<StampedLaunch> launches = end_stamping(*device_);
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_TRUE(launches[1].ctas.empty());
  EXPECT_EQ(launches[1].started.x, 40);
}

// Launches that are timed are not read, and the constant is set once.
TEST_F(StampedLaunches, WhatIsTimedIsNotRead) {
  begin_stamping(*device_, Stamping::timed, {3});
  launch();
  EXPECT_THAT(ctas(), ElementsAre(3));
  stub().variable[1] = 0;
  launch();
  EXPECT_EQ(stub().variable[1], 0u);
  EXPECT_TRUE(end_stamping(*device_).empty());
  launch();
  EXPECT_TRUE(ctas().empty());   // what comes later writes nothing
}

}   // namespace
}   // namespace tile
