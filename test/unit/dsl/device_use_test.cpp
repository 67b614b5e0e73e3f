// SPDX-License-Identifier: MIT
// Devices that are used where they cannot work: in a fork, in the callback that takes what they print, after
// their end, with memory that is not theirs. Each is an error, and none is waited for.
#include "test/unit/runtime/forked.h"

#include <tile/buffer.h>
#include <tile/dsl.h>
#include <tile/interpreter.h>
#include <tile/launch_stream.h>
#include <tile/simulator.h>
#include <tile/workspace.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>

using namespace tile;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using tile::testing::said_by_fork;

namespace {

constexpr int load_line = 35, print_line = 43;   // of those operations below

struct Config {
  int block = 64;
};
void doubling_kernel(Ptr<const f32> x, Ptr<f32> y, Int n, const Config &cfg) {
  auto i = program_id(0) * cfg.block + arange(0, cfg.block);
  static_assert(__LINE__ + 1 == load_line);
  store(y + i, load(x + i, i < n) * 2.0f, i < n);
}
const Kernel<&doubling_kernel> doubling{
    .name = "doubling", .parameters = {"x", "y", "n"}, .grid = [](auto &cfg, auto, auto, int n) {
      return Grid{cdiv(n, cfg.block)};
    }};

static_assert(__LINE__ + 1 == print_line);
void printing_kernel(Ptr<const f32> x, const Config &) { print("saw", load(x)); }
const Kernel<&printing_kernel> printing{
    .name = "printing", .parameters = {"x"}, .grid = [](auto &, auto) { return Grid{3}; }};

std::string place(int line) { return "device_use_test.cpp:" + std::to_string(line); }

template <class Step> std::string said_by(Step &&step) {
  try {
    step();
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

// On both devices of the CPU.
class DeviceUse : public ::testing::TestWithParam<std::string> {
 protected:
  static std::unique_ptr<Device> open(std::function<void(std::string_view)> print = nullptr) {
    return GetParam() == "interpreter" ? open_interpreter({.threads = 4, .print = std::move(print)})
                                       : open_simulator({.threads = 4, .print = std::move(print)});
  }
};
INSTANTIATE_TEST_SUITE_P(OfTheCpu, DeviceUse, ::testing::Values("interpreter", "simulator"),
                         [](const auto &about) { return about.param; });

// ---- in the callback that takes printed lines

TEST_P(DeviceUse, ACallbackThatLaunchesIsAnError) {
  std::function<void(std::string_view)> take;
  const auto device = open([&](std::string_view line) { take(line); });
  Buffer<f32> x(*device, std::vector<f32>(64, 3.0f), "x"), y(*device, 64, "y");
  take = [&](std::string_view) { doubling(*device, x, y, 64); };
  EXPECT_THAT(
      said_by([&] { printing(*device, x); }),
      AllOf(HasSubstr("error: a launch in the callback that takes printed lines, on the device that prints "
                      "them: the device waits for the callback"),
            HasSubstr("device_use_test.cpp"), HasSubstr("= kernel doubling"),
            HasSubstr("= program (0, 0, 0)"), HasSubstr("= kernel printing"),
            HasSubstr("help: store the lines in the callback")));
  take = [&](std::string_view) { device->synchronize(); };
  EXPECT_THAT(said_by([&] { printing(*device, x); }),
              AllOf(HasSubstr("error: a wait for kernels in the callback that takes printed lines"),
                    HasSubstr(place(print_line))))
      << "the place is that of print()";
  std::vector<std::string> refused;
  take = [&](std::string_view) { refused.push_back(said_by([&] { doubling(*device, x, y, 64); })); };
  EXPECT_EQ(said_by([&] { printing(*device, x); }), "") << "the callback may catch it";
  EXPECT_THAT(refused, ::testing::SizeIs(3));
  take = [&](std::string_view) { EXPECT_EQ(x.to_host()[0], 3.0f) << "it may look"; };
  EXPECT_EQ(said_by([&] { printing(*device, x); }), "");
  const auto other = open();
  Buffer<f32> u(*other, std::vector<f32>(64, 3.0f)), v(*other, 64);
  take = [&](std::string_view) { doubling(*other, u, v, 64); };
  EXPECT_EQ(said_by([&] { printing(*device, x); }), "") << "another device is free";
  EXPECT_EQ(v.to_host()[63], 6.0f);
}

TEST_P(DeviceUse, ACallbackThatThrowsIsAnError) {
  std::function<void(std::string_view)> take = [](std::string_view) { throw std::runtime_error("boom"); };
  const auto device = open([&](std::string_view line) { take(line); });
  Buffer<f32> x(*device, std::vector<f32>(64, 3.0f), "x"), y(*device, 64, "y");
  const std::string said = said_by([&] { printing(*device, x); });
  EXPECT_THAT(said, AllOf(HasSubstr("error: the callback that takes printed lines threw: boom"),
                          HasSubstr(place(print_line)), HasSubstr("it was given the line `saw"),
                          HasSubstr("= program (0, 0, 0)"), HasSubstr("= kernel printing"),
                          HasSubstr("help: catch exceptions inside the callback")));
  take = [](std::string_view) { throw 7; };
  EXPECT_THAT(said_by([&] { printing(*device, x); }),
              HasSubstr("threw an object that is not a std::exception"));
  doubling(*device, x, y, 64);
  EXPECT_EQ(y.to_host()[63], 6.0f) << "the device goes on";
}

// ---- in a fork

TEST_P(DeviceUse, AForkHasADeviceOfItsOwn) {
  const auto device = open();
  Buffer<f32> x(*device, std::vector<f32>(4096, 3.0f), "x"), y(*device, 4096, "y");
  doubling(*device, x, y, 4096);   // which starts the threads
  EXPECT_THAT(
      said_by_fork([&] { return said_by([&] { doubling(*device, x, y, 4096); }); }),
      AllOf(
          HasSubstr("error: a launch on a device of the parent process: this process was forked after the " +
                    GetParam() + " was opened, and its threads run only in the parent"),
          HasSubstr("device_use_test.cpp"), HasSubstr("= kernel doubling"),
          HasSubstr("help: open a device in the child, after fork()")));
  EXPECT_THAT(said_by_fork([&] { return said_by([&] { device->synchronize(); }); }),
              HasSubstr("a wait for kernels on a device of the parent process"));
  EXPECT_EQ(said_by_fork([&] {
              const auto own = open();
              Buffer<f32> u(*own, std::vector<f32>(4096, 3.0f)), v(*own, 4096);
              doubling(*own, u, v, 4096);
              return std::to_string(v.to_host()[4095]) + " beside " + std::to_string(y.to_host()[4095]);
            }),
            "6.000000 beside 6.000000");
  EXPECT_EQ(said_by_fork([&] {
              auto mine = open();
              return said_by_fork([&] {   // of a fork, the same
                return said_by([&] { mine->synchronize(); }).substr(0, 27);
              });
            }),
            "error: a wait for kernels o");
  doubling(*device, x, y, 4096);
}

// The parent's device is destroyed in the child, too: nobody is waited for.
TEST_P(DeviceUse, AForkEndsWithoutTheThreadsOfItsParent) {
  auto device = open();
  {
    Buffer<f32> x(*device, std::vector<f32>(4096, 3.0f)), y(*device, 4096);
    doubling(*device, x, y, 4096);
  }
  EXPECT_EQ(said_by_fork([&] {
              device.reset();
              return std::string("gone");
            }),
            "gone");
}

// ---- after the end of the device

TEST_P(DeviceUse, WhatLivesLongerThanItsDeviceSaysSo) {
  auto device = open();
  std::optional<Buffer<f32>> x(std::in_place, *device, 64, "x");
  std::optional<Workspace<f32>> workspace(std::in_place, *device, 64);
  Stream stream(*device), own = Stream::own(*device), moved_to(*device);
  const std::unique_ptr<Executable> executable = device->load(doubling.trace(Config{}));
  std::optional<OnStream> on(std::in_place, stream);
  device.reset();
  const auto is_gone = [](const char *what) {
    return AllOf(HasSubstr(std::string("error: ") + what + " is used after its device is gone"),
                 HasSubstr("help: let the device live longer: declare it before"));
  };
  EXPECT_THAT(said_by([&] { stream.synchronize(); }), is_gone("a stream"));
  EXPECT_THAT(said_by([&] { own.wait_for(stream); }), is_gone("a stream"));
  EXPECT_THAT(said_by([&] { (void)stream.device(); }), is_gone("a stream"));
  EXPECT_THAT(said_by([&] { (void)static_cast<OnDevice>(*on); }), is_gone("a stream"));
  EXPECT_THAT(said_by([&] { OnStream late(stream); }), is_gone("a stream"));
  EXPECT_THAT(said_by([&] { executable->launch({1}, {}); }), is_gone("a kernel"));
  EXPECT_THAT(said_by([&] { (void)workspace->device(); }), is_gone("a workspace"));
  EXPECT_THAT(said_by([&] { x->to_host(); }),
              HasSubstr("a buffer of 64 elements is used after its device is gone"));
  moved_to = std::move(stream);
  EXPECT_THAT(said_by([&] { moved_to.synchronize(); }), is_gone("a stream"));
  const auto next = open();   // perhaps where the first one was
  EXPECT_THAT(said_by([&] { moved_to.synchronize(); }), is_gone("a stream"));
}

// ---- memory of nobody

TEST_P(DeviceUse, MemoryThatIsNotTheDevicesIsNamed) {
  const auto device = open();
  Buffer<f32> y(*device, 64, "y");
  const std::vector<f32> of_the_host(64, 3.0f);
  EXPECT_THAT(
      said_by([&] { doubling(*device, of_the_host.data(), y, 64); }),
      AllOf(HasSubstr("argument `x` is not memory of this device"), HasSubstr(place(load_line)),
            HasSubstr("help: pass a tile::Buffer of the device, or a std::span for memory of the host"),
            Not(HasSubstr("past the end")), Not(HasSubstr("before buffer"))));
  EXPECT_EQ(said_by([&] { doubling(*device, of_the_host.data(), y, 0); }), "") << "nobody looks";
  doubling(*device, std::span<const f32>(of_the_host), y, 64);
  EXPECT_EQ(y.to_host()[63], 6.0f);
  const f32 *released = nullptr;
  {
    const Buffer<f32> old(*device, 64, "old");
    released = old.data();
  }
  EXPECT_THAT(
      said_by([&] { doubling(*device, released, y, 64); }),
      AllOf(
          HasSubstr("argument `x` is not memory of this device, but was in buffer `old`, which was released"),
          HasSubstr("help: keep the buffer for as long as launches use it")));
  EXPECT_THAT(said_by([&] { doubling(*device, static_cast<const f32 *>(nullptr), y, 64); }),
              HasSubstr("a null pointer"));
}

// A pointer that only leads to a buffer, by way of what is added to it, may be used there.
void far_kernel(Ptr<const f32> p, Ptr<f32> q, const Config &cfg) {
  auto i = arange(0, cfg.block);
  store(q + i, load(p + ((1 << 20) + i)));
}
TEST_P(DeviceUse, APointerOutsideMayLeadInside) {
  const Kernel<&far_kernel> far{
      .name = "far", .parameters = {"p", "q"}, .grid = [](auto &, auto...) { return Grid{1}; }};
  const auto device = open();
  Buffer<f32> x(*device, std::vector<f32>(64, 3.0f), "x"), y(*device, 64, "y");
  const auto before = reinterpret_cast<std::uintptr_t>(x.data()) - (std::uintptr_t{4} << 20);
  far(*device, reinterpret_cast<const f32 *>(before), y);
  EXPECT_EQ(y.to_host()[63], 3.0f);
}

}   // namespace
