// SPDX-License-Identifier: MIT
// The named layouts against the formulas of NVIDIA's manual, and odd extents.
#include "compiler/layout/constructors.h"
#include "compiler/layout/conversion.h"

#include "random_layout.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

using namespace tile::layout;

namespace {

// Every element has a place, places give back the element, and all places hold elements of the tile.
void expectCovers(const TileLayout &l, const Shape &shape) {
  ASSERT_EQ(l.shape(), shape);
  std::map<std::vector<std::int64_t>, int> held;
  for (std::uint64_t w = 0; w < l.warps(); ++w)
    for (std::uint64_t lane = 0; lane < l.lanes(); ++lane)
      for (std::int64_t r = 0; r < l.places(); ++r) {
        std::vector<std::int64_t> c = l.coordinates({r, lane, w, 0});
        for (std::size_t i = 0; i < shape.size(); ++i)
          ASSERT_TRUE(c[i] >= 0 && c[i] < shape[i]);
        held[c] += l.place(c) == Place{r, lane, w, 0};
        ASSERT_EQ(l.coordinates(l.place(c)), c);
      }
  std::int64_t elements = 1;
  for (std::int64_t extent : shape)
    elements *= extent;
  ASSERT_EQ(static_cast<std::int64_t>(held.size()), elements);
  for (auto &[c, owners] : held)
    ASSERT_EQ(owners, 1);   // replicas, but one owner
}

const std::vector<Shape> Shapes = {{16, 8},   {16, 16},  {64, 64}, {128, 32}, {8, 8},    {1, 1},
                                   {1, 1024}, {96, 144}, {48, 8},  {192, 16}, {16, 200}, {2, 4}};

TEST(TileLayout, BlockedCoversEveryShape) {
  for (const Shape &shape : Shapes)
    for (unsigned vector : {1u, 2u, 8u})
      for (bool rowMajor : {true, false}) {
        Blocking b = rowMajor ? Blocking{{1, vector}, {4, 8}, {4, 1}, {1, 0}}
                              : Blocking{{vector, 1}, {8, 4}, {1, 4}, {0, 1}};
        expectCovers(blocked(shape, b), shape);
      }
}

TEST(TileLayout, MatrixUnitLayoutsCoverEveryShape) {
  for (const Shape &shape : Shapes) {
    expectCovers(mmaAccumulator(shape, 2, 2), shape);
    expectCovers(mmaAccumulator(shape, 8, 1), shape);
    for (unsigned bits : {8u, 16u, 32u}) {
      expectCovers(mmaOperandA(shape, bits, 4, 1), shape);
      expectCovers(mmaOperandB(shape, bits, 2, 4), shape);
    }
  }
}

// PTX ISA, mma.m16n8k16: c_i of lane l is at row l / 4 (+ 8 for i >= 2), column 2 (l mod 4) + (i mod 2).
TEST(TileLayout, MmaAccumulatorIsTheManuals) {
  TileLayout l = mmaAccumulator({16, 8}, 1, 1);
  ASSERT_EQ(l.places(), 4);
  for (std::int64_t i = 0; i < 4; ++i)
    for (std::int64_t lane = 0; lane < 32; ++lane)
      EXPECT_EQ(l.coordinates({i, static_cast<std::uint64_t>(lane), 0, 0}),
                (std::vector<std::int64_t>{lane / 4 + (i < 2 ? 0 : 8), lane % 4 * 2 + i % 2}));
}

// a_i: row l / 4 (+ 8 for i in 2, 3, 6, 7), column 2 (l mod 4) + (i mod 2) (+ 8 for i >= 4).
// b_i: row 2 (l mod 4) + (i mod 2) (+ 8 for i >= 2), column l / 4.
TEST(TileLayout, MmaOperandsAreTheManuals) {
  TileLayout a = mmaOperandA({16, 16}, 16, 1, 1), b = mmaOperandB({16, 8}, 16, 1, 1);
  ASSERT_EQ(a.places(), 8);
  ASSERT_EQ(b.places(), 4);
  for (std::int64_t lane = 0; lane < 32; ++lane) {
    std::uint64_t l = static_cast<std::uint64_t>(lane);
    for (std::int64_t i = 0; i < 8; ++i)
      EXPECT_EQ(a.coordinates({i, l, 0, 0}),
                (std::vector<std::int64_t>{lane / 4 + (i / 2 % 2 ? 8 : 0),
                                           lane % 4 * 2 + i % 2 + (i >= 4 ? 8 : 0)}));
    for (std::int64_t i = 0; i < 4; ++i)
      EXPECT_EQ(b.coordinates({i, l, 0, 0}),
                (std::vector<std::int64_t>{lane % 4 * 2 + i % 2 + (i >= 2 ? 8 : 0), lane / 4}));
  }
}

// wgmma m64nN: row = 16 w + l / 4 + 8 ((r >> 1) & 1), column = 8 (r >> 2) + 2 (l mod 4) + (r & 1); also for
// an N that is no power of two, whose registers are the repetitions one after the other.
TEST(TileLayout, WgmmaAccumulatorIsTheManuals) {
  for (std::int64_t n : {8, 64, 96, 144, 200, 256}) {
    TileLayout l = mmaAccumulator({64, n}, 4, 1);
    ASSERT_EQ(l.places(), n / 2);
    for (std::int64_t r = 0; r < n / 2; ++r)
      for (std::int64_t w = 0; w < 4; ++w)
        for (std::int64_t lane = 0; lane < 32; ++lane)
          ASSERT_EQ(l.coordinates({r, static_cast<std::uint64_t>(lane), static_cast<std::uint64_t>(w), 0}),
                    (std::vector<std::int64_t>{16 * w + lane / 4 + 8 * (r >> 1 & 1),
                                               8 * (r >> 2) + 2 * (lane % 4) + (r & 1)}));
  }
}

TEST(TileLayout, SliceForgetsAnAxis) {
  for (const Shape &shape : Shapes)
    for (unsigned removed : {0u, 1u}) {
      TileLayout parent = mmaAccumulator(shape, 2, 2), rest = slice(parent, removed);
      expectCovers(rest, {shape[1 - removed]});
      // A thread that holds an element of the tile holds its remaining coordinate.
      for (std::uint64_t w = 0; w < 4; ++w)
        for (std::uint64_t lane = 0; lane < 32; ++lane) {
          std::set<std::int64_t> kept, had;
          for (std::int64_t r = 0; r < rest.places(); ++r)
            kept.insert(rest.coordinates({r, lane, w, 0})[0]);
          for (std::int64_t r = 0; r < parent.places(); ++r)
            had.insert(parent.coordinates({r, lane, w, 0})[1 - removed]);
          ASSERT_EQ(kept, had);
        }
    }
}

// The copy engine XORs address bits 4 .. 4 + b with bits 7 .. 7 + b.
TEST(TileLayout, SwizzleIsAnExclusiveOrOfAddressBits) {
  for (unsigned bytes : {32u, 64u, 128u})
    for (unsigned bits : {8u, 16u, 32u})
      for (bool rowMajor : {true, false}) {
        std::int64_t columns = bytes * 8 / bits, rows = 64;
        Shape shape = rowMajor ? Shape{rows, columns} : Shape{columns, rows};
        std::vector<unsigned> order = rowMajor ? std::vector<unsigned>{1, 0} : std::vector<unsigned>{0, 1};
        TileLayout l = sharedSwizzled(shape, bits, bytes, order);
        ASSERT_TRUE(l.linear().isSurjective() && !l.isReplicated());
        std::int64_t mask = bytes / 16 - 1, size = bits / 8;
        for (std::int64_t i = 0; i < rows; ++i)
          for (std::int64_t j = 0; j < columns; ++j) {
            std::int64_t address = (i * columns + j) * size;
            address ^= (address >> 7 & mask) << 4;
            ASSERT_EQ(l.place(rowMajor ? std::vector{i, j} : std::vector{j, i}).reg, address / size);
          }
      }
}

TEST(TileLayout, WideSwizzledTilesAreAPanelAfterTheOther) {
  TileLayout l = sharedSwizzled({64, 192}, 16, 128, {1, 0});
  ASSERT_EQ(l.places(), 64 * 192);
  EXPECT_EQ(l.place({0, 64}).reg, 64 * 64);   // the third repetition starts behind 64 rows of 64
  EXPECT_EQ(l.place({0, 128}).reg, 2 * 64 * 64);
  EXPECT_EQ(l.place({1, 0}).reg, 64 + 8);   // row 1 exchanges chunks 0 and 1
}

TEST(TileLayout, TableShowsTheHolder) {
  TileLayout l = blocked({2, 4}, {{1, 2}, {2, 2}, {1, 1}, {1, 0}});
  EXPECT_EQ(l.table(), "w0:l0:r0 w0:l0:r1 w0:l1:r0 w0:l1:r1\n"
                       "w0:l2:r0 w0:l2:r1 w0:l3:r0 w0:l3:r1\n");
}

// -------------------------------------------------------------------------------- conversions

// Registers only: simulate the renaming and look whether every thread holds its elements.
void expectRenames(const TileLayout &src, const TileLayout &dst, const Conversion &plan) {
  ASSERT_EQ(static_cast<std::int64_t>(plan.source.size()), dst.places());
  for (std::uint64_t w = 0; w < dst.warps(); ++w)
    for (std::uint64_t lane = 0; lane < dst.lanes(); ++lane)
      for (std::int64_t r = 0; r < dst.places(); ++r) {
        // A replica of the same element will do.
        ASSERT_EQ(src.coordinates({plan.source[static_cast<std::size_t>(r)], lane, w, 0}),
                  dst.coordinates({r, lane, w, 0}));
      }
}

// The least exchange by brute force: does each thread, warp, CTA hold what it will hold?
Exchange least(const TileLayout &src, const TileLayout &dst) {
  bool lanes = true, warps = true;
  for (std::uint64_t w = 0; w < dst.warps(); ++w) {
    std::set<std::vector<std::int64_t>> inWarp;
    for (std::uint64_t lane = 0; lane < src.lanes(); ++lane)
      for (std::int64_t r = 0; r < src.places(); ++r)
        inWarp.insert(src.coordinates({r, lane, w, 0}));
    for (std::uint64_t lane = 0; lane < dst.lanes(); ++lane) {
      std::set<std::vector<std::int64_t>> inLane;
      for (std::int64_t r = 0; r < src.places(); ++r)
        inLane.insert(src.coordinates({r, lane, w, 0}));
      for (std::int64_t r = 0; r < dst.places(); ++r) {
        lanes &= inLane.contains(dst.coordinates({r, lane, w, 0}));
        warps &= inWarp.contains(dst.coordinates({r, lane, w, 0}));
      }
    }
  }
  return !warps ? Exchange::Shared : lanes ? Exchange::Registers : Exchange::Lanes;
}

TEST(Conversion, TakesTheLeastExchangeBetweenEveryPair) {
  int renamed = 0, selected = 0, shuffled = 0, shared = 0;
  for (const Shape &shape : {Shape{16, 16}, Shape{64, 64}, Shape{32, 48}, Shape{8, 8}, Shape{128, 16}}) {
    std::vector<TileLayout> layouts = {blocked(shape, {{1, 1}, {4, 8}, {4, 1}, {1, 0}}),
                                       blocked(shape, {{1, 8}, {8, 4}, {4, 1}, {1, 0}}),
                                       blocked(shape, {{8, 1}, {4, 8}, {1, 4}, {0, 1}}),
                                       blocked(shape, {{1, 2}, {8, 4}, {4, 1}, {1, 0}}),
                                       mmaAccumulator(shape, 4, 1),
                                       mmaAccumulator(shape, 2, 2),
                                       mmaOperandA(shape, 16, 4, 1),
                                       mmaOperandB(shape, 16, 2, 2),
                                       mmaOperandA(shape, 8, 4, 1)};
    for (const TileLayout &src : layouts)
      for (const TileLayout &dst : layouts) {
        Conversion plan = planConversion(src, dst);
        Exchange expected = least(src, dst);
        if (plan.exchange == Exchange::None || plan.exchange == Exchange::Registers) {
          ASSERT_EQ(expected, Exchange::Registers);
          expectRenames(src, dst, plan);
          ++renamed;
        } else if (plan.exchange == Exchange::Selects) {
          ASSERT_EQ(expected, Exchange::Registers);
          ++selected;
        } else {
          ASSERT_EQ(plan.exchange, expected);
          (plan.exchange == Exchange::Lanes ? shuffled : shared) += 1;
        }
        if (src == dst) {
          ASSERT_EQ(plan.exchange, Exchange::None);
        }
      }
  }
  EXPECT_GT(renamed, 50);
  EXPECT_GT(selected, 0);
  EXPECT_GT(shuffled, 20);
  EXPECT_GT(shared, 100);
}

// Whatever the maps: replicas on either side, in registers, lanes or warps.
TEST(Conversion, TakesTheLeastExchangeBetweenRandomLayouts) {
  RandomLayouts random(7);
  int renamed = 0;
  for (int i = 0; i < 20000; ++i) {
    auto layout = [&] {
      for (;;)
        if (LinearLayout l = random.with({{Dim::Register, random.below(4)}, {Dim::Lane, 2}, {Dim::Warp, 1}},
                                         {{axis(0), 2}, {axis(1), 1}});
            l.isSurjective())
          return TileLayout(l);
    };
    TileLayout src = layout(), dst = layout();
    Conversion plan = planConversion(src, dst);
    Exchange expected = least(src, dst);
    if (plan.exchange == Exchange::None || plan.exchange == Exchange::Registers) {
      ASSERT_EQ(expected, Exchange::Registers);
      expectRenames(src, dst, plan);
      ++renamed;
    } else {
      ASSERT_EQ(plan.exchange == Exchange::Selects ? Exchange::Registers : plan.exchange, expected);
    }
  }
  EXPECT_GT(renamed, 10);
}

// The accumulator of one product, packed in pairs, is operand A of the next: no instruction.
TEST(Conversion, ChainedProductsNeedNoMovement) {
  for (std::int64_t k : {16, 64, 128})
    EXPECT_EQ(planConversion(mmaAccumulator({64, k}, 4, 1), mmaOperandA({64, k}, 16, 4, 1)).exchange,
              Exchange::None);
}

}   // namespace
