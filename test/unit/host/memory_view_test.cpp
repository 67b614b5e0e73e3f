// SPDX-License-Identifier: MIT
// Where pointers lead, and what reports say of those that lead nowhere.
#include "runtime/host/memory_view.h"

#include "runtime/host/stray.h"

#include <gtest/gtest.h>

namespace tile::host {
namespace {

class MemoryViews : public ::testing::Test {
 protected:
  MemoryViews() { view_.begin(allocations_, true); }
  std::uintptr_t allocate(std::size_t bytes, const char *name) {
    return reinterpret_cast<std::uintptr_t>(allocations_.allocate(bytes, name));
  }
  Pointer tagged(std::uintptr_t address, std::uintptr_t of) {
    return pointer_to(address, allocations_.find(of)->tag);
  }
  std::string why(Pointer pointer, std::size_t count, std::size_t size) {
    return stray(allocations_, pointer, count, size, "f32").text;
  }

  Allocations allocations_{Allocations::Track::written_bytes};
  MemoryView view_;
};

TEST_F(MemoryViews, PointersStayInTheirBuffer) {
  const std::uintptr_t x = allocate(64, "x"), y = allocate(64, "y");
  EXPECT_NE(view_.reach(tagged(x, x), 64, 4), nullptr);
  EXPECT_EQ(view_.reach(tagged(x, x), 65, 1), nullptr);
  EXPECT_EQ(view_.reach(tagged(x + 2, x), 4, 4), nullptr);
  // A good address, but of another buffer; nothing is known of a plain one.
  EXPECT_EQ(view_.reach(tagged(y, x), 4, 4), nullptr);
  EXPECT_NE(view_.reach(untagged(y), 4, 4), nullptr);
  EXPECT_EQ(view_.reached()->name, "y");
  EXPECT_EQ(view_.reach(untagged(y + 64), 4, 4), nullptr);
  EXPECT_EQ(view_.recognise(x + 8), tagged(x + 8, x));

  std::uint32_t own[2];
  EXPECT_EQ(view_.reach(untagged(reinterpret_cast<std::uintptr_t>(own)), 8, 4), nullptr);
  view_.own(own, sizeof own);
  EXPECT_NE(view_.reach(untagged(reinterpret_cast<std::uintptr_t>(own)), 8, 4), nullptr);
}

TEST_F(MemoryViews, UnlessNobodyChecks) {
  const std::uintptr_t x = allocate(64, "x");
  view_.begin(allocations_, false);
  EXPECT_NE(view_.reach(untagged(x + 64), 4, 4), nullptr);
  EXPECT_EQ(view_.reached(), nullptr);
  EXPECT_EQ(view_.recognise(x), untagged(x));
}

TEST_F(MemoryViews, KnowWhatWasWritten) {
  const std::uintptr_t x = allocate(64, "x");
  const std::byte *at = view_.reach(tagged(x + 16, x), 16, 4);
  EXPECT_EQ(view_.first_unwritten(at, 16), 0u);
  view_.mark_written(at, 8);
  EXPECT_EQ(view_.first_unwritten(at, 16), 8u);
  EXPECT_EQ(view_.first_unwritten(at, 8), std::nullopt);
}

TEST_F(MemoryViews, StraysAreExplained) {
  const std::uintptr_t x = allocate(4098 * 4, "x");
  EXPECT_EQ(why(tagged(x + 4098 * 4, x), 1, 4), "element 4,098 of `x`, which has 4,098");
  EXPECT_EQ(why(tagged(x - 1000 * 4, x), 1, 4), "element -1,000 of `x`, which has 4,098");
  // Four elements of which the last two are outside.
  EXPECT_EQ(why(tagged(x + 4096 * 4, x), 4, 4), "element 4,098 of `x`, which has 4,098");
  EXPECT_EQ(why(tagged(x + 6, x), 1, 4), "f32 at byte 6 of `x`: not aligned to 4 bytes");
  EXPECT_EQ(why(tagged(x + 4, x), 4, 4), "f32 at byte 4 of `x`: not aligned to 16 bytes");
  EXPECT_EQ(why(untagged(0), 1, 4), "f32 at address 0x0: a null pointer");
  EXPECT_EQ(why(advance<4>(tagged(x, x), std::int64_t{1} << 47), 1, 4),
            "an element more than 2^48 bytes away from where its pointer started");
  EXPECT_TRUE(stray(allocations_, tagged(x - 4, x), 1, 4, "f32").is_outside);
  EXPECT_FALSE(stray(allocations_, tagged(x + 2, x), 1, 4, "f32").is_outside);
  EXPECT_EQ(element_text(*allocations_.find(x), x + 8, 4), "element 2 of `x`");
}

}   // namespace
}   // namespace tile::host
