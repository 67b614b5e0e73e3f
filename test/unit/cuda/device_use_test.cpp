// SPDX-License-Identifier: MIT
// A GPU that is used where it cannot work: in the callback that takes what it prints, after its end, in a
// fork. The driver is a stub.
#include "runtime/bench/stopwatch.h"
#include "runtime/cuda/device.h"
#include "test/unit/cuda/loaded_stub.h"
#include "test/unit/runtime/forked.h"
#include "test/unit/runtime/scratch_folder.h"

#include <tile/launch_stream.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

namespace tile::cuda {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class Step> std::string said_by(Step &&step) {
  try {
    step();
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

class DeviceUse : public ::testing::Test {
 protected:
  DeviceUse() {
    stub() = {};
    device = std::make_unique<CudaDevice>(0, [this](std::string_view line) { take(line); });
  }
  std::unique_ptr<Executable> loaded() const {
    LoweredKernel kernel;
    kernel.name = kernel.symbol = "scale";
    kernel.target = "sm_90a";
    kernel.kind = LoweredKernel::Code::cubin;
    kernel.threads = 128;
    kernel.set_text("code");
    return device->load_lowered(std::move(kernel));
  }
  // As kernels do that have run.
  void print(std::initializer_list<std::uint32_t> numbers) const {
    const Current current(*device->context());
    const Prints::Variable variable = device->prints()->add({"saw %d"});
    auto *used = reinterpret_cast<std::uint64_t *>(variable.memory);
    auto *words = reinterpret_cast<std::uint32_t *>(used + 1);
    for (const std::uint32_t number : numbers)
      for (const std::uint32_t word : {static_cast<std::uint32_t>(variable.first_format), 1U, number})
        words[(*used)++] = word;
  }

  std::function<void(std::string_view)> take = [](std::string_view) {};
  std::unique_ptr<CudaDevice> device;
};

TEST_F(DeviceUse, TheCallbackGetsTheLines) {
  std::vector<std::string> lines;
  take = [&](std::string_view line) { lines.emplace_back(line); };
  print({5, 6});
  device->synchronize();
  device->synchronize();
  EXPECT_THAT(lines, ElementsAre("saw 5", "saw 6"));
}

TEST_F(DeviceUse, ACallbackThatLaunchesIsAnError) {
  const auto executable = loaded();
  take = [&](std::string_view) { executable->launch({1}, {}); };
  print({5, 6});
  EXPECT_THAT(
      said_by([&] { device->synchronize(); }),
      AllOf(HasSubstr("error: a launch in the callback that takes printed lines, on the device that prints "
                      "them: the device waits for the callback"),
            HasSubstr("help: store the lines in the callback")));
  EXPECT_TRUE(stub().launches.empty());
  take = [&](std::string_view) { device->synchronize(); };
  print({5});
  EXPECT_THAT(said_by([&] { device->synchronize(); }),
              HasSubstr("error: a wait for kernels in the callback"));
  take = [&](std::string_view) { tile::Stream::own(*device).synchronize(); };
  print({5});
  EXPECT_THAT(said_by([&] { device->synchronize(); }),
              HasSubstr("error: a wait for kernels in the callback"));
  // It may look at memory, and load what prints.
  std::array<int, 4> memory{1, 2, 3, 4}, seen{};
  take = [&](std::string_view) {
    device->copy_out(seen.data(), memory.data(), sizeof memory);
    device->prints()->add({"more"});
  };
  print({5});
  EXPECT_EQ(said_by([&] { device->synchronize(); }), "");
  EXPECT_EQ(seen, memory);
}

TEST_F(DeviceUse, ACallbackThatThrowsIsAnError) {
  int calls = 0;
  take = [&](std::string_view) {
    ++calls;
    throw std::runtime_error("boom");
  };
  print({5, 6});
  EXPECT_THAT(said_by([&] { device->synchronize(); }),
              AllOf(HasSubstr("error: the callback that takes printed lines threw: boom"),
                    HasSubstr("it was given the line `saw 5`"),
                    HasSubstr("help: catch exceptions inside the callback")));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(said_by([&] { device->synchronize(); }), "") << "the lines behind it are lost";
  print({7});
  int from = 1, to = 0;
  EXPECT_THAT(said_by([&] { device->copy_out(&to, &from, sizeof to); }), HasSubstr("threw: boom"));
  EXPECT_EQ(to, 1);
  print({8});
  device.reset();   // nobody is left to hear of it
  EXPECT_EQ(calls, 3);
}

TEST_F(DeviceUse, WhatLivesLongerThanTheDeviceSaysSo) {
  const auto executable = loaded();
  const std::unique_ptr<Stopwatch> stopwatch = device->stopwatch();
  tile::Stream stream(*device);
  const tile::Stream own = tile::Stream::own(*device);
  const std::shared_ptr<void> workspace = device->take_workspace(64);
  device.reset();
  EXPECT_EQ(stub().destroyedStreams, 1) << "the one for copies: the others are somebody's yet";
  EXPECT_THAT(said_by([&] { executable->launch({1}, {}); }),
              HasSubstr("a kernel is used after its device is gone"));
  EXPECT_THAT(said_by([&] { stream.synchronize(); }), HasSubstr("a stream is used after its device is gone"));
  EXPECT_THAT(said_by([&] { own.synchronize(); }), HasSubstr("a stream is used after its device is gone"));
  EXPECT_EQ(stopwatch->time([] {}, 1, 1).size(), 1u) << "it holds the stream";
}

TEST_F(DeviceUse, AForkIsToldThatTheDriverDoesNotWorkThere) {
  const auto executable = loaded();
  EXPECT_THAT(testing::said_by_fork([&] { return said_by([&] { executable->launch({1}, {}); }); }),
              AllOf(HasSubstr("error: a launch on a device of the parent process: this process was forked "
                              "after the cuda was opened"),
                    HasSubstr("a GPU works in the child only if the parent has opened no GPU")));
  EXPECT_THAT(testing::said_by_fork([&] { return said_by([&] { device->synchronize(); }); }),
              HasSubstr("error: a wait for kernels on a device of the parent process"));
  EXPECT_THAT(testing::said_by_fork([&] {
                stub().retained = Result{3};
                return said_by([] { const CudaDevice another; });
              }),
              AllOf(HasSubstr("could not make a context on GPU 0: CUDA_ERROR_OF_THE_STUB (3)"),
                    HasSubstr("this process was forked after NVIDIA's driver was started"),
                    HasSubstr("help: fork before the first use of a GPU")));
}

// Programs tell failures apart by their codes.
TEST_F(DeviceUse, AnswersOfTheDriverHaveCodes) {
  const auto code_of = [&](int result) {
    stub().retained = Result{result};
    try {
      const CudaDevice another;
    } catch (const Error &error) {
      stub().retained = Result::Success;
      return error.code();
    }
    ADD_FAILURE() << "no error of result " << result;
    return ErrorCode::invalid_argument;
  };
  EXPECT_EQ(code_of(2), ErrorCode::out_of_memory);
  EXPECT_EQ(code_of(100), ErrorCode::unsupported);
  EXPECT_EQ(code_of(700), ErrorCode::device_lost);
  EXPECT_EQ(code_of(3), ErrorCode::internal);
}

}   // namespace
}   // namespace tile::cuda
