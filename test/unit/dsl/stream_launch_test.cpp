// SPDX-License-Identifier: MIT
// Which stream a launch is on: the one it names, or the one of the block it is in. The device here notes what
// a GPU would be asked for.
#include "runtime/cuda/stream.h"
#include "test/unit/runtime/timed_device.h"

#include <tile/dsl.h>
#include <tile/interpreter.h>
#include <tile/launch_stream.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

using namespace tile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tile::testing::TimedDevice;

namespace {

struct Config {
  int block = 64;
};
void copy_kernel(Ptr<const f32> x, Ptr<f32> y, Int n, const Config &cfg) {
  auto i = program_id(0) * cfg.block + arange(0, cfg.block);
  store(y + i, load(x + i, i < n), i < n);
}
const Kernel<&copy_kernel> copying{
    .name = "copy", .parameters = {"x", "y", "n"}, .grid = [](auto &cfg, auto, auto, int n) {
      return Grid{cdiv(n, cfg.block)};
    }};

void *const own = reinterpret_cast<void *>(1), *const first = reinterpret_cast<void *>(2),
            *const second = reinterpret_cast<void *>(3);

void *chosen(const Device &device) {
  return cuda::streamOfThread(device.id(), static_cast<cuda::Stream>(own));
}

class OnStreams : public ::testing::Test {
 protected:
  OnStreams() {
    device.loader = [this](const KernelIR &) {
      return std::make_unique<TimedDevice::Program>(
          device, 1e-6, [this](const Grid &, std::span<const Argument>) { asked.push_back(chosen(device)); });
    };
  }
  TimedDevice device, other;
  std::vector<void *> asked;
};

TEST_F(OnStreams, ALaunchNamesItsStream) {
  Buffer<f32> x(device, 64), y(device, 64);
  const Stream a = Stream::wrap(device, first);
  copying(OnStream(a), x, y, 64);
  copying(device, x, y, 64);
  EXPECT_THAT(asked, ElementsAre(first, own));
}

TEST_F(OnStreams, ABlockOfLaunchesHasAStream) {
  Buffer<f32> x(device, 64), y(device, 64);
  const Stream a = Stream::wrap(device, first), b = Stream::wrap(device, second);
  {
    const OnStream all(a);
    copying(device, x, y, 64);
    copying(OnStream(b), x, y, 64);
    copying(device, x, y, 64);
  }
  copying(device, x, y, 64);
  EXPECT_THAT(asked, ElementsAre(first, second, first, own));
}

TEST_F(OnStreams, OtherThreadsAndOtherDevicesAreNotMeant) {
  const Stream a = Stream::wrap(device, first), there = Stream::wrap(other, second);
  const OnStream here(a), inner(there);
  void *elsewhere = nullptr;
  std::thread([&] { elsewhere = chosen(device); }).join();
  EXPECT_EQ(elsewhere, own);
  EXPECT_EQ(chosen(device), first);
  EXPECT_EQ(chosen(other), second);
}

TEST_F(OnStreams, CudasDefaultStreamIsAStream) {
  const Stream legacy = Stream::wrap(device, nullptr);
  const OnStream here(legacy);
  EXPECT_EQ(chosen(device), nullptr);
}

TEST_F(OnStreams, AnErrorEndsTheLaunchAndItsStream) {
  Buffer<f32> x(device, 64), y(other, 64);
  const Stream a = Stream::wrap(device, first);
  try {
    copying(OnStream(a), x, y, 64);
    FAIL() << "a buffer of another device is accepted";
  } catch (const Error &e) {
    EXPECT_THAT(e.what(), HasSubstr("argument y is a buffer of another device"));
    EXPECT_THAT(e.where().file, HasSubstr("stream_launch_test.cpp"));
  }
  EXPECT_EQ(chosen(device), own);
}

TEST_F(OnStreams, OfTwoDevicesDoNotWaitForEachOther) {
  try {
    Stream::wrap(device, first).wait_for(Stream::wrap(other, second));
    FAIL() << "accepted";
  } catch (const Error &e) {
    EXPECT_THAT(e.what(), HasSubstr("a stream can wait only for a stream of the same device"));
  }
}

// Without queues all is done in place; programs need not ask what device they have.
TEST(StreamsOfTheCpu, LaunchesAreOverWhenTheyReturn) {
  const std::unique_ptr<Device> device = open_interpreter();
  Buffer<f32> x(*device, std::vector<f32>(100, 3.0f)), y(*device, std::vector<f32>(100, 0.0f));
  const Stream a(*device), b = Stream::own(*device);
  EXPECT_EQ(a.handle(), nullptr);
  copying(OnStream(a), x, y, 100);
  EXPECT_EQ(y.to_host()[99], 3.0f);
  b.wait_for(a);
  a.synchronize();
}

}   // namespace
