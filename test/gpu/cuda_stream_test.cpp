// SPDX-License-Identifier: MIT
// Launches and copies on other streams than the device's own; without a GPU each case is skipped and counted.
#include "runtime/cuda/device.h"
#include "vector_add_ptx.h"

#include <tile/buffer.h>
#include <tile/launch_stream.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

namespace tile::cuda {
namespace {

#define NEEDS_GPU()                                                                                          \
  if (std::string reason; !Driver::find(&reason))                                                            \
  GTEST_SKIP() << reason

Argument argument(const void *p) { return {element_type<float *>, reinterpret_cast<std::uintptr_t>(p)}; }

class CudaStreams : public ::testing::Test {
 protected:
  void SetUp() override {
    NEEDS_GPU();
    device = std::make_unique<CudaDevice>();
    add = std::make_unique<CudaExecutable>(*device, vectorAdd());
  }
  // c = a + b
  void launch(const Buffer<float> &a, const Buffer<float> &b, const Buffer<float> &c) {
    const int n = static_cast<int>(c.size());
    Argument arguments[] = {argument(a.data()),
                            argument(b.data()),
                            argument(c.data()),
                            {element_type<int>, static_cast<std::uint32_t>(n)}};
    add->launch({(n + 127) / 128, 1, 1}, arguments);
  }
  Buffer<float> filled(float value, std::size_t n = 1 << 20) {
    return {*device, std::vector<float>(n, value), "values"};
  }

  std::unique_ptr<CudaDevice> device;
  std::unique_ptr<CudaExecutable> add;
};

// A stream that is recorded runs nothing: so what does not run was on it.
TEST_F(CudaStreams, LaunchesGoToTheStreamOfTheirBlock) {
  Buffer<float> one = filled(1), zero = filled(0);
  tile::Stream stream(*device);
  ASSERT_NE(stream.handle(), nullptr);
  ASSERT_NE(stream.handle(), device->ownStream()->handle());
  RecordedGraph graph(device->context(), static_cast<Stream>(stream.handle()), [&] {
    const OnStream on(stream);
    EXPECT_TRUE(device->is_recording());
    launch(one, one, zero);
  });
  EXPECT_FALSE(device->is_recording());
  device->synchronize();
  EXPECT_EQ(zero.to_host()[77], 0.0f);
  graph.replay(static_cast<Stream>(stream.handle()));
  stream.synchronize();
  EXPECT_EQ(zero.to_host()[77], 2.0f);
}

TEST_F(CudaStreams, AStreamOfTheApplicationIsUsedAndLeftAlone) {
  Buffer<float> one = filled(1), sum = filled(0);
  const Driver &driver = Driver::get();
  const Current current(*device->context());
  Stream theirs = nullptr;
  check(driver.streamCreate(&theirs, 0), "make a stream as an application does");
  {
    const tile::Stream wrapped = tile::Stream::wrap(*device, theirs);
    const OnStream on(wrapped);
    launch(one, one, sum);
  }
  check(driver.streamSynchronize(theirs), "wait for the application's stream");
  EXPECT_EQ(sum.to_host()[0], 2.0f);
  check(driver.streamDestroy(theirs), "end the application's stream");
}

TEST_F(CudaStreams, TheDefaultStreamOfCudaIsAStream) {
  Buffer<float> one = filled(1), sum = filled(0);
  const tile::Stream legacy = tile::Stream::wrap(*device, nullptr);
  {
    const OnStream on(legacy);
    launch(one, one, sum);
  }
  legacy.synchronize();
  EXPECT_EQ(sum.to_host()[5], 2.0f);
}

// Doubles a number 64 times by turns on two streams: any step too early gives another number.
TEST_F(CudaStreams, OneStreamWaitsForTheOther) {
  Buffer<float> x = filled(1.0f), y = filled(0.0f);
  tile::Stream streams[2] = {tile::Stream(*device), tile::Stream(*device)};
  for (int step = 0; step < 64; ++step) {
    const tile::Stream &here = streams[step % 2], &before = streams[1 - step % 2];
    here.wait_for(before);
    const OnStream on(here);
    if (step % 2)
      launch(y, y, x);
    else
      launch(x, x, y);
  }
  streams[1].synchronize();
  EXPECT_EQ(x.to_host()[1 << 19], 0x1p64f);
}

TEST_F(CudaStreams, CopiesFollowTheStream) {
  Buffer<float> one = filled(1), sum = filled(0);
  const tile::Stream stream(*device);
  const OnStream on(stream);
  for (int i = 0; i < 20; ++i)
    launch(sum, one, sum);
  EXPECT_EQ(sum.to_host()[3], 20.0f);   // no wait in between: the copy is behind the launches
}

// Each launch reads what the one before wrote at the other end: one that came too early gives another number.
class EarlyStarts : public CudaStreams {
 protected:
  void SetUp() override {
    CudaStreams::SetUp();
    if (IsSkipped())
      return;
    if (device->capability().major < 9)
      GTEST_SKIP() << "no kernel starts early on " << device->description();
    add = std::make_unique<CudaExecutable>(*device, mirroredAdd());
  }
  void begin(std::size_t n) { x.emplace(filled(0, n)), y.emplace(filled(0, n)), ones.emplace(filled(1, n)); }
  // Adds so many ones to x, an even number.
  void addOnes(int times) {
    for (int i = 0; i < times; i += 2) {
      launch(*x, *ones, *y);
      launch(*y, *ones, *x);
    }
  }
  void expectEverywhere(const Buffer<float> &values, float value) {
    const std::vector<float> host = values.to_host();
    EXPECT_EQ(std::count(host.begin(), host.end(), value), static_cast<std::ptrdiff_t>(host.size()))
        << value << ", first " << host.front();
  }
  std::optional<Buffer<float>> x, y, ones;
};

TEST_F(EarlyStarts, SeeWhatTheLaunchBeforeWrote) {
  for (const std::size_t n : {128, 4096, 1 << 20}) {
    begin(n);
    addOnes(400);
    expectEverywhere(*x, 400);
  }
}

// Recorded between what is no kernel: a fill before, a copy behind, and what another stream did.
TEST_F(EarlyStarts, AreRecordedBesideOtherWork) {
  begin(1 << 20);
  Buffer<float> copy = filled(0);
  tile::Stream stream(*device), other(*device);
  RecordedGraph graph(device->context(), static_cast<Stream>(stream.handle()), [&] {
    {
      const OnStream on(stream);
      device->fill(x->data(), 0, x->size() * sizeof(float));
      addOnes(20);
    }
    other.wait_for(stream);
    {
      const OnStream on(other);
      addOnes(20);
    }
    stream.wait_for(other);
    const OnStream on(stream);
    addOnes(20);
    device->copy(copy.data(), x->data(), x->size() * sizeof(float));
    addOnes(2);
  });
  for (int i = 0; i < 5; ++i) {
    graph.replay(static_cast<Stream>(stream.handle()));
    stream.synchronize();
    expectEverywhere(copy, 60);
    expectEverywhere(*x, 62);
  }
}

// Between launches that are started when all is done, and wait for nothing by themselves.
TEST_F(EarlyStarts, MixWithOthers) {
  auto other = std::make_unique<CudaExecutable>(*device, vectorAdd());
  begin(1 << 20);
  for (int i = 0; i < 100; ++i) {
    launch(*x, *ones, *y);
    std::swap(add, other);
    launch(*y, *ones, *x);
    std::swap(add, other);
  }
  expectEverywhere(*x, 200);
}

}   // namespace
}   // namespace tile::cuda
