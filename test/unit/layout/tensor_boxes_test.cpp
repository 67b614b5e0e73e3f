// SPDX-License-Identifier: MIT
// Boxes of the copy engine and accumulators of groups of warps: what lies where.
#include "compiler/layout/tensor_boxes.h"
#include "compiler/layout/constructors.h"

#include <gtest/gtest.h>

#include <set>

using namespace tile::layout;

namespace {

constexpr unsigned MostExtent = 256;

// Where the engine puts an element of a box: rows follow each other, and in each row units of 16 bytes
// change places with the number of the row (PTX ISA, "Tensor-copies", swizzling modes).
std::int64_t placeInBox(std::int64_t row, std::int64_t column, unsigned bits, unsigned swizzle) {
  const std::int64_t byte = row * swizzle + column * bits / 8;
  const std::int64_t units = swizzle / 16 - 1;
  return (byte ^ ((byte >> 7 & units) << 4)) * 8 / bits;
}

TEST(TensorBoxes, FillTheTileAsItLies) {
  for (unsigned bits : {8u, 16u, 32u})
    for (std::int64_t rows : {8, 16, 64, 96, 128, 192, 256, 320, 384, 512, 768})
      for (std::int64_t columns : {16, 32, 40, 48, 64, 80, 96, 128, 192, 256}) {
        SCOPED_TRACE(testing::Message() << rows << " x " << columns << " of " << bits << " bits");
        const Shape shape = {rows, columns};
        const TileLayout tile = sharedRows(shape, bits, 1);
        const auto boxes = TensorBoxes::of(tile, bits, MostExtent);
        const unsigned swizzle = sharedSwizzle(shape, bits, 1);
        ASSERT_EQ(boxes.has_value(), swizzle != 0);
        if (!boxes)
          continue;
        ASSERT_EQ(boxes->swizzle, swizzle);
        ASSERT_EQ(boxes->box.size(), 2u);
        ASSERT_EQ(boxes->box[1] * bits / 8, swizzle);
        ASSERT_LE(boxes->box[0], MostExtent);
        std::set<std::int64_t> filled;
        for (const TensorBoxes::Part &part : boxes->parts) {
          ASSERT_EQ(part.offset * bits / 8 % 128, 0) << "a box begins at multiples of 128 bytes";
          for (std::int64_t r = 0; r < boxes->box[0]; ++r)
            for (std::int64_t c = 0; c < boxes->box[1]; ++c) {
              const std::int64_t there = part.offset + placeInBox(r, c, bits, swizzle);
              ASSERT_EQ(tile.place({part.at[0] + r, part.at[1] + c}).reg, there) << r << " " << c;
              ASSERT_TRUE(filled.insert(there).second);
            }
        }
        ASSERT_EQ(static_cast<std::int64_t>(filled.size()), rows * columns);
      }
}

// A single row lies as it does in memory: there are no rows to exchange units with.
TEST(TensorBoxes, OfOneRow) {
  for (const auto &[bits, columns, parts] :
       {std::tuple{32u, 64, 1u}, {32u, 4, 1u}, {16u, 256, 1u}, {32u, 512, 2u}}) {
    SCOPED_TRACE(testing::Message() << columns << " of " << bits << " bits");
    const TileLayout tile = sharedRows({1, columns}, bits, 1);
    EXPECT_EQ(sharedSwizzle({1, columns}, bits, 1), 0u);
    const auto boxes = TensorBoxes::of(tile, bits, MostExtent);
    ASSERT_TRUE(boxes);
    EXPECT_EQ(boxes->swizzle, 0u);
    EXPECT_EQ(boxes->box, (std::vector<std::int64_t>{1, columns / parts}));
    ASSERT_EQ(boxes->parts.size(), parts);
    for (const TensorBoxes::Part &part : boxes->parts)
      EXPECT_EQ(part.offset, part.at[1]);
    for (std::int64_t column = 0; column < columns; ++column)
      ASSERT_EQ(tile.place({0, column}).reg, column);
  }
  EXPECT_FALSE(TensorBoxes::of(sharedRows({1, 2}, 32, 1), 32, MostExtent)) << "no whole unit of 16 bytes";
  EXPECT_FALSE(TensorBoxes::of(sharedRows({1, 8}, 32, 1), 32, 4)) << "the second box would begin at 16 bytes";
}

// Two CTAs that share a tile each copy one half of it.
TEST(TensorBoxes, HalveWhatOneBoxWouldHold) {
  for (std::int64_t rows : {16, 32, 80, 96, 112, 160, 176, 192, 208, 224, 256}) {
    const auto boxes = TensorBoxes::of(sharedRows({rows, 64}, 16, 1), 16, static_cast<unsigned>(rows / 2));
    ASSERT_TRUE(boxes) << rows;
    EXPECT_EQ(boxes->parts.size(), 2u) << rows;
  }
  const auto boxes = TensorBoxes::of(sharedRows({296, 64}, 16, 1), 16, MostExtent);   // 8 x 37
  ASSERT_TRUE(boxes);
  EXPECT_EQ(boxes->box[0], 8);
}

// The pattern of a swizzle repeats every 8 rows: boxes begin where it begins.
TEST(TensorBoxes, BeginWithThePattern) {
  for (std::int64_t rows : {64, 192, 320, 512}) {
    const auto boxes = TensorBoxes::of(sharedRows({rows, 128}, 16, 1), 16, MostExtent);
    ASSERT_TRUE(boxes);
    for (const TensorBoxes::Part &part : boxes->parts)
      EXPECT_EQ(part.offset * 2 % 1024, 0);
  }
  EXPECT_TRUE(TensorBoxes::of(sharedRows({8, 64}, 8, 1), 8, MostExtent));
  EXPECT_FALSE(TensorBoxes::of(sharedRows({8, 64}, 8, 1), 8, 4)) << "half of the pattern";
  EXPECT_TRUE(TensorBoxes::of(sharedRows({16, 64}, 8, 1), 8, 8));
}

TEST(TensorBoxes, AsFewAsCanBe) {
  auto count = [](std::int64_t rows, std::int64_t columns) {
    return TensorBoxes::of(sharedRows({rows, columns}, 16, 1), 16, MostExtent)->parts.size();
  };
  EXPECT_EQ(count(128, 64), 1u);
  EXPECT_EQ(count(64, 128), 2u);
  EXPECT_EQ(count(96, 64), 1u);    // rows that are repeated follow each other
  EXPECT_EQ(count(96, 128), 6u);   // but for those of two boxes beside each other
  EXPECT_EQ(count(512, 64), 2u);   // a box has 256 rows
  EXPECT_EQ(count(320, 64), 2u);   // and all have as many: 160
  EXPECT_EQ(count(64, 96), 3u);    // of 32 columns
}

TEST(TensorBoxes, AreNotOfOtherTiles) {
  EXPECT_FALSE(TensorBoxes::of(sharedRows({64, 64}, 16, 0), 16, MostExtent)) << "columns are contiguous";
  EXPECT_FALSE(TensorBoxes::of(sharedPlain({64, 64}, {1, 0}), 16, MostExtent)) << "not swizzled";
  EXPECT_FALSE(TensorBoxes::of(sharedRows({64, 8}, 16, 1), 16, MostExtent)) << "rows of 16 bytes";
  EXPECT_FALSE(TensorBoxes::of(sharedSwizzled({64, 64}, 16, 64, {1, 0}), 16, MostExtent))
      << "another swizzle";
  EXPECT_FALSE(TensorBoxes::of(wgmmaAccumulator({64, 64}, 4, 1), 16, MostExtent)) << "in registers";
}

// PTX ISA, wgmma, "Register Fragments": thread t of the group has of its warp's 16 rows t / 4 and t / 4 + 8,
// of each eight columns 2 (t % 4) and the next.
TEST(WgmmaAccumulator, IsThatOfTheManual) {
  for (const Shape &shape : {Shape{64, 8}, Shape{64, 64}, Shape{64, 96}, Shape{64, 256}, Shape{64, 40}}) {
    const TileLayout sums = wgmmaAccumulator(shape, 4, 1);
    ASSERT_EQ(sums.shape(), shape);
    ASSERT_EQ(sums.places(), shape[1] / 2);
    for (std::uint64_t warp = 0; warp < 4; ++warp)
      for (std::uint64_t lane = 0; lane < 32; ++lane) {
        std::set<Coordinates> own;
        for (std::int64_t reg = 0; reg < sums.places(); ++reg)
          own.insert(sums.coordinates({reg, lane, warp, 0}));
        std::set<Coordinates> expected;
        const auto w = static_cast<std::int64_t>(warp), l = static_cast<std::int64_t>(lane);
        for (std::int64_t eight = 0; eight < shape[1]; eight += 8)
          for (std::int64_t down : {0, 8})
            for (std::int64_t right : {0, 1})
              expected.insert({16 * w + l / 4 + down, eight + 2 * (l % 4) + right});
        ASSERT_EQ(own, expected) << "warp " << warp << ", lane " << lane;
      }
  }
}

// Groups are below each other or beside each other: each has neighbouring rows, and neighbouring columns.
TEST(WgmmaAccumulator, GroupsHaveBlocksOfTheirOwn) {
  const TileLayout below = wgmmaAccumulator({128, 64}, 8, 1), beside = wgmmaAccumulator({64, 128}, 4, 2);
  for (std::uint64_t warp = 0; warp < 8; ++warp)
    for (std::uint64_t lane = 0; lane < 32; ++lane)
      for (std::int64_t reg = 0; reg < below.places(); ++reg) {
        const Coordinates x = below.coordinates({reg, lane, warp, 0}),
                          y = beside.coordinates({reg, lane, warp, 0});
        ASSERT_EQ(x[0] / 64, static_cast<std::int64_t>(warp / 4));
        ASSERT_EQ(x[0] % 64 / 16, static_cast<std::int64_t>(warp % 4));
        ASSERT_EQ(y[1] / 64, static_cast<std::int64_t>(warp / 4));
        ASSERT_EQ(y[0] / 16, static_cast<std::int64_t>(warp % 4));
      }
}

}   // namespace
