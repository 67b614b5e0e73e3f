// SPDX-License-Identifier: MIT
// What two threads may do to a byte of shared memory between two barriers.
#include "runtime/simulator/shared_memory.h"

#include <gtest/gtest.h>

namespace tile::simulator {
namespace {

using Trouble = SharedMemory::Trouble;

struct SharedMemoryTest : testing::Test {
  SharedMemoryTest() { memory.begin(64); }
  auto write(unsigned thread, std::size_t offset, int value) {
    const std::byte byte{static_cast<unsigned char>(value)};
    return memory.write(thread, 7, offset, &byte, 1).trouble;
  }
  auto read(unsigned thread, std::size_t offset) { return memory.read(thread, 8, offset, 1).trouble; }
  SharedMemory memory;
  std::byte source[32] = {};
};

TEST_F(SharedMemoryTest, IsPoisonedAndUnwrittenAtFirst) {
  EXPECT_EQ(std::to_integer<int>(memory.data()[5]), SharedMemory::poison);
  EXPECT_EQ(read(0, 5), Trouble::unwritten);
  EXPECT_EQ(write(0, 5, 1), Trouble::none);
  memory.begin(64);
  EXPECT_EQ(read(0, 5), Trouble::unwritten);
}

TEST_F(SharedMemoryTest, IsUpdatedByAllButSeenAfterABarrierOnly) {
  const auto update = [&](unsigned thread) { return memory.update(thread, 9, 5, 1).trouble; };
  EXPECT_EQ(update(0), Trouble::unwritten);
  EXPECT_EQ(write(0, 5, 1), Trouble::none);
  EXPECT_EQ(update(0), Trouble::none);
  EXPECT_EQ(update(1), Trouble::unorderedWrite);
  memory.barrier();
  EXPECT_EQ(update(0), Trouble::none);
  EXPECT_EQ(read(0, 5), Trouble::none);
  EXPECT_EQ(update(1), Trouble::unorderedRead);
  memory.barrier();
  EXPECT_EQ(update(0), Trouble::none);
  EXPECT_EQ(update(1), Trouble::none);
  EXPECT_EQ(read(1, 5), Trouble::unorderedWrite);
  EXPECT_EQ(write(1, 5, 1), Trouble::unorderedWrite);
  memory.barrier();
  EXPECT_EQ(read(1, 5), Trouble::none);
}

// Threads that know of each other by other means than barriers of all: here of what is released to `moment`.
TEST_F(SharedMemoryTest, IsUpdatedByAllButSeenByThoseWhoKnowOfAllUpdates) {
  Order order;
  ReaderSets readers;
  Moment moment;
  order.begin(4);
  readers.begin();
  memory.begin(64, &order, &readers);
  const auto update = [&](unsigned thread) { return memory.update(thread, 9, 5, 1).trouble; };
  const auto release = [&](unsigned thread) { order.release(thread, moment); };
  const auto acquire = [&](unsigned thread) { order.acquire(thread, moment); };
  EXPECT_EQ(update(0), Trouble::unwritten);
  EXPECT_EQ(write(0, 5, 1), Trouble::none);
  EXPECT_EQ(update(0), Trouble::none);
  EXPECT_EQ(update(1), Trouble::unorderedWrite) << "of the store";
  release(0);
  for (unsigned thread : {1u, 2u, 3u})
    acquire(thread);
  moment.clear();
  EXPECT_EQ(update(1), Trouble::none);
  EXPECT_EQ(update(2), Trouble::none) << "without knowing of the one before";
  release(1);
  acquire(3);
  EXPECT_EQ(read(3, 5), Trouble::unorderedWrite) << "of thread 2";
  EXPECT_EQ(write(3, 5, std::to_integer<int>(memory.data()[5])), Trouble::unorderedWrite) << "no replica";
  release(2);
  acquire(3);
  EXPECT_EQ(read(3, 5), Trouble::none);
  EXPECT_EQ(update(1), Trouble::unorderedRead) << "of thread 3";
  release(3);
  acquire(1);
  EXPECT_EQ(update(1), Trouble::none);
  EXPECT_EQ(write(1, 5, 0), Trouble::none);
  EXPECT_EQ(read(1, 5), Trouble::none) << "the store ends what came before";
}

TEST_F(SharedMemoryTest, IsReadByOthersAfterABarrierOnly) {
  EXPECT_EQ(write(0, 5, 1), Trouble::none);
  EXPECT_EQ(read(0, 5), Trouble::none);
  const SharedMemory::Conflict conflict = memory.read(1, 8, 4, 2);
  EXPECT_EQ(conflict.trouble, Trouble::unwritten);   // byte 4 comes first
  EXPECT_EQ(read(1, 5), Trouble::unorderedWrite);
  EXPECT_EQ(memory.read(1, 8, 5, 1).site, 7u);
  memory.barrier();
  EXPECT_EQ(read(1, 5), Trouble::none);
}

TEST_F(SharedMemoryTest, IsOverwrittenAfterABarrierOnly) {
  write(0, 5, 1);
  memory.barrier();
  read(1, 5);
  read(2, 5);
  EXPECT_EQ(write(2, 5, 2), Trouble::unorderedRead);
  memory.barrier();
  EXPECT_EQ(write(2, 5, 2), Trouble::none);
}

TEST_F(SharedMemoryTest, TakesTheSameValueTwice) {
  EXPECT_EQ(write(0, 5, 1), Trouble::none);
  EXPECT_EQ(write(1, 5, 1), Trouble::none);
  EXPECT_EQ(write(2, 5, 3), Trouble::unorderedWrite);
}

TEST_F(SharedMemoryTest, IsNobodysWhileACopyIsOnItsWay) {
  EXPECT_EQ(memory.depart(0, 9, 16, 16, source).trouble, Trouble::none);
  EXPECT_EQ(read(0, 20), Trouble::inFlight);
  EXPECT_EQ(write(1, 20, 1), Trouble::inFlight);
  memory.arrive(0, 16, 16);
  EXPECT_EQ(read(0, 20), Trouble::none);
  EXPECT_EQ(read(1, 20), Trouble::unorderedWrite);
  memory.barrier();
  EXPECT_EQ(read(1, 20), Trouble::none);
  EXPECT_EQ(memory.depart(0, 9, 16, 16, source).trouble, Trouble::unorderedRead);
}

TEST_F(SharedMemoryTest, TakesTheSameCopyTwice) {
  EXPECT_EQ(memory.depart(0, 9, 16, 16, source).trouble, Trouble::none);
  EXPECT_EQ(memory.depart(1, 9, 16, 16, source).trouble, Trouble::none);
  EXPECT_EQ(memory.depart(2, 9, 16, 16, source + 16).trouble, Trouble::inFlight);
  EXPECT_EQ(memory.depart(0, 9, 32, 16, nullptr).trouble, Trouble::none);
  EXPECT_EQ(memory.depart(1, 9, 32, 16, nullptr).trouble, Trouble::none);
  memory.arrive(0, 16, 16);
  EXPECT_EQ(read(0, 20), Trouble::inFlight);   // the other one may still come
  memory.arrive(1, 16, 16);
  EXPECT_EQ(read(1, 20), Trouble::none);
}

TEST_F(SharedMemoryTest, HasAnEnd) {
  std::size_t offset;
  EXPECT_TRUE(memory.contains(memory.data() + 48, 16, offset));
  EXPECT_EQ(offset, 48u);
  EXPECT_FALSE(memory.contains(memory.data() + 49, 16, offset));
  EXPECT_FALSE(memory.contains(memory.data() - 1, 1, offset));
}

}   // namespace
}   // namespace tile::simulator
