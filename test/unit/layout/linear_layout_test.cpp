// SPDX-License-Identifier: MIT
// The algebra against brute force: every law is checked point by point on random maps.
#include "random_layout.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

using namespace tile::layout;

namespace {

constexpr int Rounds = 10000;

std::uint64_t points(const LinearLayout &l) { return std::uint64_t(1) << l.inBits(); }

// The image of a point, by space, so that maps whose spaces are ordered differently compare.
std::map<Dim, std::uint64_t> image(const LinearLayout &l, const std::map<Dim, std::uint64_t> &point) {
  std::vector<Index> in;
  for (auto [dim, value] : point)
    in.push_back({dim, value});
  std::map<Dim, std::uint64_t> out;
  for (const Index &i : l.apply(in))
    out[i.dim] = i.value;
  return out;
}

std::map<Dim, std::uint64_t> split(const LinearLayout &l, std::uint64_t flat) {
  std::map<Dim, std::uint64_t> point;
  for (const Space &s : l.ins()) {
    point[s.dim] = flat & ((std::uint64_t(1) << s.bits) - 1);
    flat >>= s.bits;
  }
  return point;
}

TEST(LinearLayout, IsLinear) {
  RandomLayouts random(1);
  for (int round = 0; round < Rounds; ++round) {
    LinearLayout l = random.any(8);
    for (int i = 0; i < 8; ++i) {
      std::uint64_t a = random.below(static_cast<unsigned>(points(l))),
                    b = random.below(static_cast<unsigned>(points(l)));
      ASSERT_EQ(l.applyFlat(a) ^ l.applyFlat(b), l.applyFlat(a ^ b));
    }
  }
}

TEST(LinearLayout, RankCountsImages) {
  RandomLayouts random(2);
  for (int round = 0; round < Rounds; ++round) {
    LinearLayout l = random.any(7);
    std::set<std::uint64_t> images;
    for (std::uint64_t x = 0; x < points(l); ++x)
      images.insert(l.applyFlat(x));
    ASSERT_EQ(images.size(), std::uint64_t(1) << l.rank());
    ASSERT_EQ(l.isInjective(), images.size() == points(l));
    ASSERT_EQ(l.isSurjective(), images.size() == std::uint64_t(1) << l.outBits());
  }
}

TEST(LinearLayout, ProductPutsTheRightMapOnHigherBits) {
  RandomLayouts random(3);
  for (int round = 0; round < Rounds; ++round) {
    LinearLayout low = random.any(4), high = random.any(4), product = low * high;
    for (int i = 0; i < 4; ++i) {
      std::uint64_t x = random.below(static_cast<unsigned>(points(product)));
      std::map<Dim, std::uint64_t> point = split(product, x), lowPoint, highPoint;
      for (auto [dim, value] : point) {
        lowPoint[dim] = value & ((std::uint64_t(1) << low.inBits(dim)) - 1);
        highPoint[dim] = value >> low.inBits(dim);
      }
      auto lowImage = image(low, lowPoint), highImage = image(high, highPoint);
      for (auto [dim, value] : image(product, point))
        ASSERT_EQ(value, lowImage[dim] | highImage[dim] << low.outBits(dim));
    }
  }
}

TEST(LinearLayout, CompositionAppliesOneAfterTheOther) {
  RandomLayouts random(5);
  for (int round = 0; round < Rounds; ++round) {
    LinearLayout inner = random.any(6);
    std::vector<Space> middle;
    for (const Space &s : inner.outs())   // larger, and in another order
      middle.insert(middle.begin(), {s.dim, s.bits + random.below(2)});
    LinearLayout outer = random.with(middle, {{Dim::Offset, random.below(7)}});
    LinearLayout both = outer.after(inner);
    for (std::uint64_t x = 0; x < points(both); ++x)
      ASSERT_EQ(image(both, split(both, x)), image(outer, image(inner, split(inner, x))));
  }
}

TEST(LinearLayout, RightInverseFindsEveryElementAtItsLowestPlace) {
  RandomLayouts random(6);
  for (int round = 0; round < Rounds; ++round) {
    LinearLayout l = random.surjective(6), inverse = l.rightInverse();
    std::uint64_t redundant = 0;
    unsigned at = 0;
    for (const Index &i : l.redundantBits()) {
      redundant |= i.value << at;
      at += l.inBits(i.dim);
    }
    for (std::uint64_t y = 0; y < points(inverse); ++y) {
      ASSERT_EQ(l.applyFlat(inverse.applyFlat(y)), y);
      ASSERT_EQ(inverse.applyFlat(y) & redundant, 0u);
    }
    ASSERT_EQ(static_cast<unsigned>(__builtin_popcountll(redundant)), l.inBits() - l.rank());
  }
}

TEST(LinearLayout, ConversionSendsEachElementToItself) {
  RandomLayouts random(7);
  for (int round = 0; round < Rounds; ++round) {
    LinearLayout dst = random.surjective(6);
    LinearLayout src =
        random.with({{Dim::Register, random.below(3)}, {Dim::Lane, random.below(3)}}, dst.outs());
    LinearLayout convert = conversion(src, dst);
    for (std::uint64_t x = 0; x < points(src); ++x)
      ASSERT_EQ(dst.applyFlat(convert.applyFlat(x)), src.applyFlat(x));
  }
}

TEST(LinearLayout, TextListsTheBases) {
  LinearLayout l = LinearLayout::identity(Dim::Register, axis(1), 1) *
                   LinearLayout::identity(Dim::Lane, axis(1), 1) *
                   LinearLayout::identity(Dim::Lane, axis(0), 1);
  EXPECT_EQ(l.ordered({Dim::Register, Dim::Lane}, {axis(0), axis(1)}).text(), "register 1 -> (0, 1)\n"
                                                                              "lane 1 -> (0, 2)\n"
                                                                              "lane 2 -> (1, 0)\n");
}

}   // namespace
