// SPDX-License-Identifier: MIT
// Copies of what a launch writes: arguments that share memory share the copy, pointers in memory lead to
// copies.
#include "runtime/tuning/scratch.h"

#include "test/unit/runtime/timed_device.h"
#include "tile/buffer.h"

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
