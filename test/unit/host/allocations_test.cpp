// SPDX-License-Identifier: MIT
// The registry of host memory: who owns an address, what strays are near to, and damage.
#include "runtime/host/allocations.h"

#include <tile/error.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <set>
#include <thread>

namespace tile::host {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

std::uintptr_t number(const void *address) { return reinterpret_cast<std::uintptr_t>(address); }

TEST(Allocations, AlignedFreshAndNamed) {
  Allocations memory;
  for (std::size_t bytes : {1, 3, 63, 64, 65, 1000}) {
    auto *data = static_cast<unsigned char *>(memory.allocate(bytes, "x"));
    EXPECT_EQ(number(data) % Allocations::alignment, 0u);
    EXPECT_TRUE(std::all_of(data, data + bytes, [](unsigned char byte) { return byte == 0xFF; }));
    float first = 0;
    if (bytes >= sizeof first) {
      std::memcpy(&first, data, sizeof first);
      EXPECT_TRUE(std::isnan(first));
    }
    const Range *range = memory.find(number(data));
    ASSERT_NE(range, nullptr);
    EXPECT_EQ(range->name, "x");
    EXPECT_EQ(range->bytes, bytes);
    EXPECT_EQ(range->begin, number(data));
    EXPECT_TRUE(range->owned);
    EXPECT_EQ(memory.find(number(data) + bytes - 1), range);
    EXPECT_EQ(memory.find(number(data) + bytes), nullptr);
    EXPECT_EQ(memory.find(number(data) - 1), nullptr);
    EXPECT_EQ(memory.by_tag(range->tag), range);
  }
  EXPECT_EQ(memory.live_buffers(), 6u);
  EXPECT_EQ(memory.live_bytes(), 1196u);
  EXPECT_EQ(memory.by_tag(0), nullptr);
  EXPECT_EQ(memory.by_tag(60000), nullptr);
}

TEST(Allocations, RangesContain) {
  Range range;
  range.begin = 1000;
  range.bytes = 16;
  EXPECT_TRUE(range.contains(1000, 16));
  EXPECT_TRUE(range.contains(1015));
  EXPECT_TRUE(range.contains(1016, 0));
  EXPECT_FALSE(range.contains(1016));
  EXPECT_FALSE(range.contains(1009, 8));
  EXPECT_FALSE(range.contains(999, 1));
  EXPECT_FALSE(range.contains(1008, ~std::size_t{0}));   // an end that wraps around
}

TEST(Allocations, ZeroBytesHaveAnAddress) {
  Allocations memory;
  void *a = memory.allocate(0, "none"), *b = memory.allocate(0, "none");
  EXPECT_NE(a, nullptr);
  EXPECT_NE(a, b);
  EXPECT_EQ(memory.find(number(a)), nullptr);
  EXPECT_NO_THROW(memory.require(a, 0, "copy"));
  EXPECT_EQ(memory.describe(number(a)), "just past the end of buffer `none` (0 bytes)");
  memory.release(a);
  memory.release(b);
  EXPECT_THAT(memory.take_reports(), IsEmpty());
}

TEST(Allocations, EndsBelongToTheirBuffer) {
  Allocations memory;
  const std::uintptr_t empty = number(memory.allocate(0, "empty")), x = number(memory.allocate(8, "x"));
  ASSERT_NE(memory.owner(empty), nullptr);
  EXPECT_EQ(memory.owner(empty)->name, "empty");
  EXPECT_EQ(memory.owner(x), memory.find(x));
  EXPECT_EQ(memory.owner(x + 8), memory.find(x));
  EXPECT_EQ(memory.owner(x + 9), nullptr);
  EXPECT_EQ(memory.owner(x - 1), nullptr);
  EXPECT_EQ(Allocations().owner(x), nullptr);
}

TEST(Allocations, TooMuchIsAnError) {
  Allocations memory;
  EXPECT_THAT([&] { memory.allocate(~std::size_t{0} - 100, "huge"); },
              ThrowsMessage<Error>("error: no memory for buffer `huge` of 18446744073709551515 bytes"));
  EXPECT_EQ(memory.live_buffers(), 0u);
}

TEST(Allocations, StraysAreDescribedByWhatIsNear) {
  Allocations memory;
  const std::uintptr_t x = number(memory.allocate(4096, "x"));
  EXPECT_EQ(memory.describe(0), "a null pointer");
  EXPECT_EQ(memory.describe(8), "a null pointer plus 8 bytes");
  EXPECT_EQ(memory.describe(x + 12), "byte 12 of buffer `x` (4096 bytes)");
  EXPECT_EQ(memory.describe(x + 4096), "just past the end of buffer `x` (4096 bytes)");
  EXPECT_EQ(memory.describe(x + 4104), "8 bytes past the end of buffer `x` (4096 bytes)");
  EXPECT_EQ(memory.describe(x - 1), "1 byte before buffer `x` (4096 bytes)");
  memory.release(reinterpret_cast<void *>(x));
  EXPECT_EQ(memory.describe(x + 12), "in buffer `x`, which was released");
  EXPECT_EQ(memory.describe(x + (1 << 30)), "an address in no buffer: the device has no buffers");
}

TEST(Allocations, ReleasedBuffersDoNotExplainNewOnes) {
  Allocations memory;
  // Allocators give the same memory again, most of them at once.
  for (int i = 0; i < 100; ++i) {
    memory.release(memory.allocate(100, "old"));
    void *fresh = memory.allocate(50, "fresh");
    EXPECT_EQ(memory.describe(number(fresh) + 50), "just past the end of buffer `fresh` (50 bytes)");
    EXPECT_EQ(memory.describe(number(fresh) + 51), "1 byte past the end of buffer `fresh` (50 bytes)");
    memory.release(fresh);
  }
}

TEST(Allocations, DamageIsReportedOnce) {
  Allocations memory;
  auto *x = static_cast<unsigned char *>(memory.allocate(10, "x"));
  auto *y = static_cast<unsigned char *>(memory.allocate(10, "y"));
  x[12] = 1;   // the third byte past the end
  y[-16] = 1;
  memory.check_red_zones();
  memory.check_red_zones();
  EXPECT_THAT(
      memory.take_reports(),
      ::testing::UnorderedElementsAre("memory was overwritten 3 bytes past the end of buffer `x` (10 bytes)",
                                      "memory was overwritten 16 bytes before buffer `y` (10 bytes)"));
  memory.release(x);
  memory.release(y);
  EXPECT_THAT(memory.take_reports(), IsEmpty());
  auto *z = static_cast<unsigned char *>(memory.allocate(1, "z"));
  z[1] = 0;
  memory.release(z);
  EXPECT_THAT(memory.take_reports(),
              ElementsAre("memory was overwritten 1 byte past the end of buffer `z` (1 byte)"));
}

TEST(Allocations, BadReleases) {
  Allocations memory;
  memory.release(nullptr);
  EXPECT_THAT(memory.take_reports(), IsEmpty());
  auto *x = static_cast<unsigned char *>(memory.allocate(10, "x"));
  memory.release(x + 4);
  memory.release(x);
  memory.release(x);
  EXPECT_THAT(
      memory.take_reports(),
      ElementsAre(
          "released an address that is not the start of a buffer: byte 4 of buffer `x` (10 bytes)",
          "released an address that is not the start of a buffer: in buffer `x`, which was released"));
}

TEST(Allocations, OperationsOfTheHostStayInside) {
  Allocations memory;
  auto *x = static_cast<unsigned char *>(memory.allocate(16, "x"));
  EXPECT_EQ(memory.require(x + 8, 8, "copy").name, "x");
  EXPECT_EQ(memory.require(x + 16, 0, "copy").name, "x");
  EXPECT_THAT([&] { memory.require(x + 8, 9, "copy to the device"); },
              ThrowsMessage<Error>(
                  "error: copy to the device: 9 bytes do not fit at byte 8 of buffer `x` (16 bytes)"));
  EXPECT_THAT([&] { memory.require(nullptr, 1, "fill"); },
              ThrowsMessage<Error>("error: fill: 1 byte does not fit at a null pointer"));
}

TEST(Allocations, AdoptedMemoryIsKnownWhileItLives) {
  Allocations memory;
  std::array<int, 4> mine{};
  {
    const Allocations::Adopted outer = memory.adopt(mine.data(), sizeof mine, "mine");
    Allocations::Adopted again = memory.adopt(mine.data(), sizeof mine, "again");   // overlaps
    const Allocations::Adopted moved = std::move(again);
    EXPECT_NE(outer.range().tag, moved.range().tag);
    EXPECT_EQ(memory.by_tag(moved.range().tag), &moved.range());
    EXPECT_EQ(memory.find(number(&mine[3])), &outer.range());
    EXPECT_FALSE(outer.range().owned);
    EXPECT_EQ(memory.describe(number(&mine[1])), "byte 4 of host memory `mine` (16 bytes)");
    EXPECT_EQ(memory.live_buffers(), 0u);
  }
  EXPECT_EQ(memory.find(number(mine.data())), nullptr);
  EXPECT_EQ(memory.by_tag(1), nullptr);
}

TEST(Allocations, WrittenBytes) {
  Allocations memory(Allocations::Track::written_bytes);
  const Range &range = *memory.find(number(memory.allocate(16, "x")));
  EXPECT_EQ(Allocations::first_unwritten(range, 0, 16), 0u);
  Allocations::mark_written(range, 0, 4);
  Allocations::mark_written(range, 8, 8);
  EXPECT_EQ(Allocations::first_unwritten(range, 0, 4), std::nullopt);
  EXPECT_EQ(Allocations::first_unwritten(range, 0, 16), 4u);
  EXPECT_EQ(Allocations::first_unwritten(range, 7, 2), 7u);
  EXPECT_EQ(Allocations::first_unwritten(range, 8, 8), std::nullopt);

  std::array<char, 4> mine{};
  const auto adopted = memory.adopt(mine.data(), sizeof mine, "mine");   // the caller vouches for it
  EXPECT_EQ(Allocations::first_unwritten(adopted.range(), 0, 4), std::nullopt);

  Allocations untracked;
  const Range &other = *untracked.find(number(untracked.allocate(4, "y")));
  EXPECT_EQ(Allocations::first_unwritten(other, 0, 4), std::nullopt);
}

TEST(Allocations, TagsAreReusedWhenAllWereTaken) {
  Allocations memory;
  std::vector<void *> live;
  std::set<std::uint16_t> tags;
  for (int i = 0; i < 65533; ++i) {
    live.push_back(memory.allocate(0, ""));
    memory.release(live.back());
  }
  // All tags have been used once; the oldest comes back first.
  void *x = memory.allocate(8, "x");
  EXPECT_EQ(memory.find(number(x))->tag, 1);
  memory.release(x);
  live.clear();
  for (int i = 0; i < 65533; ++i)
    live.push_back(memory.allocate(1, ""));
  for (void *address : live)
    tags.insert(memory.find(number(address))->tag);
  EXPECT_EQ(tags.size(), 65533u);
  EXPECT_FALSE(tags.contains(0));
  void *untagged = memory.allocate(1, "one too many");
  EXPECT_EQ(memory.find(number(untagged))->tag, 0);
}

TEST(Allocations, ManyThreads) {
  Allocations memory(Allocations::Track::written_bytes);
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const std::string name = "of thread " + std::to_string(t);
      for (int i = 0; i < 500; ++i) {
        void *address = memory.allocate(static_cast<std::size_t>(i), name);
        const Range *range = i ? memory.find(number(address)) : nullptr;
        if (range) {
          Allocations::mark_written(*range, 0, range->bytes);
          failures += range->name != name || memory.by_tag(range->tag) != range;
        }
        failures += (range == nullptr) != (i == 0);
        memory.release(address);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(memory.live_buffers(), 0u);
  EXPECT_THAT(memory.take_reports(), IsEmpty());
}

}   // namespace
}   // namespace tile::host
