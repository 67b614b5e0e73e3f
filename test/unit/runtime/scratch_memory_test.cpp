// SPDX-License-Identifier: MIT
// Copies of what a launch writes: arguments that share memory share the copy, pointers in memory lead to
// copies.
#include "runtime/tuning/scratch.h"

#include "test/unit/runtime/timed_device.h"

#include <tile/buffer.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tile::tuning {
namespace {

using ::testing::Each;
using testing::TimedDevice;

template <class T> Argument argument(T *p) {
  return {element_type<T *>, reinterpret_cast<std::uintptr_t>(p)};
}
template <class T> T *pointer(const Argument &a) { return reinterpret_cast<T *>(a.bits); }

TEST(Scratch, SharedMemoryStaysShared) {
  TimedDevice device;
  Buffer<float> both(device, std::vector<float>(64, 1.0f)), alone(device, std::vector<float>(8, 2.0f));
  const Argument arguments[] = {argument(both.data()), argument(both.data() + 32), argument(alone.data()),
                                argument<float>(nullptr)};
  const Access access[] = {Access::reads, Access::writes, Access::reads, Access::writes};
  Scratch scratch(device, arguments, access);
  const std::span<const Argument> copies = scratch.arguments();
  EXPECT_NE(copies[0].bits, arguments[0].bits);
  EXPECT_EQ(copies[1].bits - copies[0].bits, 32 * sizeof(float));
  EXPECT_EQ(copies[2].bits, arguments[2].bits);   // nothing writes there
  EXPECT_EQ(copies[3].bits, 0u);
  scratch.restore();
  EXPECT_EQ(pointer<float>(copies[0])[0], 1.0f);
  pointer<float>(copies[1])[0] = 5;
  scratch.restore();
  EXPECT_EQ(pointer<float>(copies[1])[0], 1.0f);
  EXPECT_THAT(both.to_host(), Each(1.0f));
}

// A device that gives all its memory out of one allocation, as frameworks do.
struct Arena : TimedDevice {
  MemoryExtent extent_of(const void *address) const override {
    const MemoryExtent own = TimedDevice::extent_of(address);
    return own.bytes ? MemoryExtent{own.begin, std::size_t{4} << 30} : own;
  }
  void *allocate(std::size_t bytes, std::string_view name) override {
    allocated += bytes;
    return TimedDevice::allocate(bytes, name);
  }
  void copy(void *to, const void *from, std::size_t bytes) override {
    copied += bytes;
    TimedDevice::copy(to, from, bytes);
  }
  void copy_out(void *to, const void *from, std::size_t bytes) override {
    copied += bytes;
    TimedDevice::copy_out(to, from, bytes);
  }
  std::size_t allocated = 0, copied = 0;
};

TEST(Scratch, OfAnArenaOnlyTheViewIsCopied) {
  constexpr std::size_t mib = std::size_t{1} << 20;
  Arena device;
  Buffer<float> arena(device, std::vector<float>(mib, 1.0f));   // 4 MiB, and said to be 4 GiB
  float *const x = arena.data(), *const y = x + mib / 4 + 5;
  const Argument arguments[] = {argument<const float>(x), argument(y)};
  const Access access[] = {Access::reads, Access::writes};
  const MemoryExtent memory[] = {{x, mib}, {y, mib}};
  device.allocated = device.copied = 0;
  Scratch scratch(device, arguments, access, memory);
  scratch.restore();
  EXPECT_LE(device.allocated, 2 * mib);
  EXPECT_LE(device.copied, 2 * mib);
  const std::span<const Argument> copies = scratch.arguments();
  EXPECT_EQ(copies[0].bits, arguments[0].bits);
  EXPECT_NE(copies[1].bits, arguments[1].bits);
  EXPECT_EQ(copies[1].bits % 256, arguments[1].bits % 256) << "what is known of the alignment holds";
  EXPECT_EQ(scratch.result_of([&] { pointer<float>(copies[1])[mib / 4 - 1] = 2; }).overrun, "");
  EXPECT_EQ(scratch.result_of([&] { pointer<float>(copies[1])[mib / 4] = 2; }).overrun,
            "it writes behind the memory of argument 1");
  EXPECT_EQ(scratch.result_of([&] { pointer<float>(copies[1])[-1] = 2; }).overrun,
            "it writes before the memory of argument 1");
}

TEST(Scratch, ViewsThatOverlapShareTheirCopy) {
  Arena device;
  Buffer<float> arena(device, std::vector<float>(256, 1.0f));
  float *const at = arena.data();
  // Reads 0..39, writes 32..63 and 60..99, reads 100..119 and, of no known size, from 0 on.
  const Argument arguments[] = {argument<const float>(at), argument(at + 32), argument(at + 99),
                                argument<const float>(at + 100)};
  const Access access[] = {Access::reads, Access::writes, Access::writes, Access::reads};
  const MemoryExtent memory[] = {{at, 160}, {at + 32, 128}, {at + 60, 160}, {at + 100, 80}};
  {
    Scratch scratch(device, arguments, access, memory);
    const std::span<const Argument> copies = scratch.arguments();
    EXPECT_NE(copies[0].bits, arguments[0].bits);
    EXPECT_EQ(copies[1].bits - copies[0].bits, 128u);
    EXPECT_EQ(copies[2].bits - copies[0].bits, 396u) << "element 0 of a view from its last to its first";
    EXPECT_EQ(copies[3].bits, arguments[3].bits);
    const Scratch::Result nothing = scratch.result_of([] {});
    EXPECT_EQ(nothing.of_originals[0].size(), 400u);
    EXPECT_EQ(scratch.difference(scratch.result_of([&] { pointer<float>(copies[2])[0] = 7; }), nothing),
              "argument 2: element 39 is 7, not 1");
  }
  const std::vector<Argument> more{arguments[1], argument<const float>(at)};
  const Access also[] = {Access::writes, Access::reads};
  const MemoryExtent unknown[] = {{at + 32, 128}, {}};
  device.largest = std::size_t{1} << 30;
  EXPECT_THROW(Scratch(device, more, also, unknown), Error) << "the whole allocation";
}

TEST(Scratch, AViewOfNothingIsGuarded) {
  TimedDevice device;
  Buffer<float> y(device, std::vector<float>(8, 1.0f));
  const Argument arguments[] = {argument(y.data())};
  const Access access[] = {Access::writes};
  const MemoryExtent memory[] = {{y.data(), 0}};
  Scratch scratch(device, arguments, access, memory);
  EXPECT_EQ(scratch.result_of([] {}).overrun, "");
  EXPECT_EQ(scratch.result_of([&] { pointer<float>(scratch.arguments()[0])[0] = 2; }).overrun,
            "it writes behind the memory of argument 0");
  EXPECT_THAT(y.to_host(), Each(1.0f));
}

TEST(Scratch, PointersInMemoryLeadToCopies) {
  TimedDevice device;
  Buffer<float> one(device, std::vector<float>(8, 1.0f)), two(device, std::vector<float>(8, 2.0f));
  Buffer<float *> table(device, std::vector<float *>{one.data() + 2, two.data(), nullptr});
  const Argument arguments[] = {argument(table.data())};
  const Access access[] = {Access::reaches};
  Scratch scratch(device, arguments, access);
  scratch.restore();
  float **copied = pointer<float *>(scratch.arguments()[0]);
  EXPECT_NE(copied[0], one.data() + 2);
  EXPECT_EQ(copied[0][0], 1.0f);
  EXPECT_EQ(copied[1][7], 2.0f);
  EXPECT_EQ(copied[2], nullptr);
  EXPECT_EQ(scratch.arguments()[0].bits % 256, arguments[0].bits % 256);
  const Scratch::Result nothing = scratch.result_of([] {});
  const Scratch::Result changed = scratch.result_of([&] { copied[1][7] = 9; });
  EXPECT_EQ(scratch.difference(changed, nothing), "argument 0: element 7 is 9, not 2");
  EXPECT_THAT(two.to_host(), Each(2.0f));
}

// Of outputs that are not read it is also compared what NaN in them becomes, by which it is seen who writes
// nothing. What is read takes part in the result: there only the caller's data count.
TEST(Scratch, ResultsAreThoseOfTheDataAndOfNaN) {
  TimedDevice device;
  Buffer<float> written(device, std::vector<float>(8, 3.0f)), updated(device, std::vector<float>(8, 2.0f));
  Buffer<int> lock(device, std::vector<int>(8, 0));
  const Argument arguments[] = {argument(written.data()), argument(updated.data()), argument(lock.data())};
  const Access access[] = {Access::writes, Access::writes, Access::writes};
  Scratch scratch(device, arguments, access);
  int nans = 0;
  const auto run = [&](int elements, float times) {
    return scratch.result_of([&, elements, times] {
      EXPECT_EQ(pointer<int>(scratch.arguments()[2])[0], 0);   // integers stay what they are
      float *w = pointer<float>(scratch.arguments()[0]), *u = pointer<float>(scratch.arguments()[1]);
      nans += w[0] != w[0];
      for (int i = 0; i < elements; ++i) {
        w[i] = 3;
        u[i] = times != 0 && u[i] != u[i] ? times : u[i] + 1;   // it makes something of its own of NaN
      }
    });
  };
  const Scratch::Result right = run(4, 0);   // half of both stays what it was
  EXPECT_EQ(nans, 1);
  EXPECT_EQ(scratch.difference(run(4, 0), right), "");
  EXPECT_EQ(scratch.difference(run(4, 5), right), "");
  // It leaves what is there already.
  EXPECT_EQ(scratch.difference(scratch.result_of([&] {
    for (int i = 0; i < 4; ++i)
      pointer<float>(scratch.arguments()[1])[i] += 1;
  }),
                               right),
            "argument 0: element 0 is nan, not 3");
}

TEST(Scratch, MemoryThatTheDeviceDoesNotKnowIsRefused) {
  TimedDevice device;
  float here[4] = {};
  const Argument arguments[] = {argument(here)};
  const Access access[] = {Access::writes};
  try {
    Scratch scratch(device, arguments, access);
    FAIL();
  } catch (const Error &e) {
    EXPECT_EQ(e.message(), "argument 0 points to memory whose size is not known");
  }
}

}   // namespace
}   // namespace tile::tuning
