// SPDX-License-Identifier: MIT
// Which CTAs of a launch a trace stamps.
#include "runtime/stamps.h"

#include <gmock/gmock.h>

#include <numeric>

namespace tile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Ctas = std::vector<std::int64_t>;

LoweredKernel with_clusters(std::array<unsigned, 3> cluster) {
  LoweredKernel kernel;
  kernel.name = "traced";
  kernel.cluster = cluster;
  return kernel;
}
Ctas traced(const Grid &started, const Ctas &asked = {}, std::array<unsigned, 3> cluster = {1, 1, 1}) {
  return traced_ctas(with_clusters(cluster), started, asked, 16);
}

TEST(Stamps, OneCtaOfSixteenIsTraced) {
  EXPECT_THAT(traced({132, 1, 1}), ElementsAre(0, 15, 30, 45, 60, 75, 90, 105, 120));
  EXPECT_THAT(traced({3, 1, 1}), ElementsAre(0));
}

// Of a large grid fewer, because the memory for stamps is limited.
TEST(Stamps, AtMostSixteenAreSpreadOverTheGrid) {
  const Ctas ctas = traced({100, 100, 1});
  EXPECT_EQ(ctas.size(), 16u);
  EXPECT_EQ(ctas[1], 625);
  EXPECT_EQ(ctas.back(), 15 * 625);
}

TEST(Stamps, TheCtasOfAClusterAreTracedTogether) {
  EXPECT_THAT(traced({8, 4, 1}, {11}, {2, 2, 1}), ElementsAre(2, 3, 10, 11));
  EXPECT_THAT(traced({64, 1, 1}, {}, {2, 1, 1}), ElementsAre(0, 1, 32, 33));
}

TEST(Stamps, WhatIsAskedForComesFirst) {
  EXPECT_THAT(traced({132, 1, 1}, {17, 0, 17}), ElementsAre(17, 0));
  EXPECT_THAT(traced({8, 1, 1}, {17, 3}), ElementsAre(3));
  EXPECT_THAT(traced({8, 1, 1}, {17}), IsEmpty());
}

TEST(Stamps, TooManyAreRefused) {
  Ctas many(9);
  std::iota(many.begin(), many.end(), 0);
  EXPECT_EQ(traced({132, 1, 1}, many).size(), 9u);
  for (std::int64_t &cta : many)
    cta *= 2;
  try {
    traced({132, 1, 1}, many, {2, 1, 1});
    FAIL();
  } catch (const Error &error) {
    EXPECT_THAT(error.what(), HasSubstr("a trace stamps at most 16 CTAs of a launch, and 18 were asked for"));
    EXPECT_THAT(error.what(), HasSubstr("help: of a cluster all CTAs are traced: name fewer clusters"));
  }
}

TEST(Stamps, KindsHaveNames) {
  EXPECT_EQ(stamp_kind_named("mbarrier_wait"), StampKind::mbarrier_wait);
  EXPECT_EQ(stamp_kind_named("global_store"), StampKind::global_store);
  EXPECT_EQ(stamp_kind_named("nothing"), std::nullopt);
}

}   // namespace
}   // namespace tile
