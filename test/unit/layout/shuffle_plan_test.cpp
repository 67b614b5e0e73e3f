// SPDX-License-Identifier: MIT
// Plans of shuffles and selects are carried out on numbered elements and compared with what the destination
// layout says each thread holds.
#include "compiler/layout/shuffle_plan.h"
#include "compiler/layout/constructors.h"
#include "compiler/layout/conversion.h"
#include "random_layout.h"

#include <gtest/gtest.h>

#include <bit>

namespace tile::layout {
namespace {

using Kind = ShufflePlan::Step::Kind;

// One repetition on a machine of lanes and warps: an element is its coordinates, a word a list of them.
void expectConverts(const TileLayout &src, const TileLayout &dst, const ShufflePlan &plan) {
  using Word = std::vector<Coordinates>;
  ASSERT_EQ(static_cast<std::int64_t>(plan.results.size()) * dst.repetitions(), dst.places());
  auto parity = [](std::uint64_t bits) { return std::popcount(bits) % 2; };
  for (std::uint64_t warp = 0; warp < dst.warps(); ++warp) {
    std::vector<std::vector<Word>> values(plan.steps.size(), std::vector<Word>(dst.lanes()));
    for (std::size_t i = 0; i < plan.steps.size(); ++i)
      for (std::uint64_t lane = 0; lane < dst.lanes(); ++lane) {
        const ShufflePlan::Step &step = plan.steps[i];
        Word &value = values[i][lane];
        if (step.kind == Kind::Word) {
          for (std::int64_t reg : plan.words[step.word])
            value.push_back(src.coordinates({reg, lane, warp, 0}));
        } else if (step.kind == Kind::Select) {
          ASSERT_TRUE(step.first < i && step.second < i);
          bool holds = parity(lane & step.condition.lanes) != parity(warp & step.condition.warps);
          value = values[holds ? step.first : step.second][lane];
        } else {
          std::uint64_t from = step.lane;
          for (std::size_t bit = 0; bit < plan.fromLane.size(); ++bit)
            from ^= lane >> bit & 1 ? plan.fromLane[bit] : 0;
          for (std::size_t bit = 0; bit < plan.fromWarp.size(); ++bit)
            from ^= warp >> bit & 1 ? plan.fromWarp[bit] : 0;
          ASSERT_TRUE(step.first < i && from < src.lanes());
          value = values[step.first][from];
        }
      }
    for (std::uint64_t lane = 0; lane < dst.lanes(); ++lane)
      for (std::size_t reg = 0; reg < plan.results.size(); ++reg)
        ASSERT_EQ(values[plan.results[reg].step][lane].at(plan.results[reg].element),
                  dst.coordinates({static_cast<std::int64_t>(reg), lane, warp, 0}));
  }
}

// Whatever the maps: replicas on either side, in registers, lanes or warps.
TEST(ShufflePlan, ConvertsBetweenRandomLayouts) {
  RandomLayouts random(11);
  int planned = 0, packed = 0;
  for (int i = 0; i < 20000; ++i) {
    // The destination mixes what the source has in registers and lanes; each warp may do so in its own way.
    unsigned registers = random.below(5), elements = std::min(registers + 3, 1 + random.below(7));
    auto layout = [&](const std::vector<std::uint64_t> &warps) {
      for (;;) {
        unsigned own = random.below(5);
        LinearLayout within = random.with({{Dim::Register, own}, {Dim::Lane, 3}}, {{axis(0), elements}});
        if (!within.isSurjective())
          continue;
        std::vector<std::uint64_t> columns = within.columns();
        columns.insert(columns.end(), warps.begin(), warps.end());
        return TileLayout(
            LinearLayout({{Dim::Register, own}, {Dim::Lane, 3}, {Dim::Warp, 1}, {Dim::Block, 0}},
                         {{axis(0), elements}}, std::move(columns)));
      }
    };
    auto warp = [&] { return std::vector<std::uint64_t>{random.below(1u << elements)}; };
    TileLayout src = layout(warp()), dst = layout(warp());
    unsigned perWord = 1u << random.below(3);
    std::optional<ShufflePlan> plan = planShuffles(src, dst, perWord);
    if (!plan)
      continue;
    ASSERT_LE(plan->elementsPerWord(), perWord);
    expectConverts(src, dst, *plan);
    if (testing::Test::HasFatalFailure())
      return;
    ++planned;
    packed += plan->elementsPerWord() > 1;
  }
  EXPECT_EQ(planned, 20000);   // whatever the layouts, some choice of rounds is free of conflicts
  EXPECT_GT(packed, 1000);
}

TileLayout threads(std::vector<std::uint64_t> registers, std::vector<std::uint64_t> lanes,
                   std::vector<std::uint64_t> warps, unsigned elements) {
  auto count = [](const auto &columns) { return static_cast<unsigned>(columns.size()); };
  std::vector<Space> ins = {{Dim::Register, count(registers)},
                            {Dim::Lane, count(lanes)},
                            {Dim::Warp, count(warps)},
                            {Dim::Block, 0}};
  registers.insert(registers.end(), lanes.begin(), lanes.end());
  registers.insert(registers.end(), warps.begin(), warps.end());
  return TileLayout(LinearLayout(std::move(ins), {{axis(0), elements}}, std::move(registers)));
}

// A row of eight registers as a column of eight lanes: three bits change places.
TEST(ShufflePlan, TransposesSquares) {
  TileLayout rows = threads({1, 2, 4}, {8, 16, 32}, {}, 6), columns = threads({8, 16, 32}, {1, 2, 4}, {}, 6);
  std::optional<ShufflePlan> plan = planShuffles(rows, columns, 1);
  ASSERT_TRUE(plan);
  expectConverts(rows, columns, *plan);
  EXPECT_TRUE(plan->keepsLanes);
  EXPECT_EQ(plan->count(Kind::Shuffle), 7u);   // the diagonal stays
  EXPECT_LE(plan->count(Kind::Select), 48u);   // three turns of eight registers, twice
}

TEST(ShufflePlan, RefusesWhatWarpsExchange) {
  TileLayout a = threads({1}, {2, 4}, {8}, 4), b = threads({8}, {2, 4}, {1}, 4);
  EXPECT_FALSE(planShuffles(a, b, 1));
  // The same elements in other registers and lanes of each warp.
  TileLayout reversed = threads({1}, {4, 2}, {8 ^ 1 ^ 4}, 4);
  std::optional<ShufflePlan> plan = planShuffles(a, reversed, 1);
  ASSERT_TRUE(plan);
  expectConverts(a, reversed, *plan);
}

// Four elements of 8 bits go together unless the lanes part them.
TEST(ShufflePlan, PacksWhatTravelsTogether) {
  TileLayout a = threads({1, 2, 4}, {8, 16}, {}, 5);
  EXPECT_EQ(planShuffles(a, threads({1, 2, 4}, {16, 8}, {}, 5), 4)->elementsPerWord(), 4u);
  EXPECT_EQ(planShuffles(a, threads({4, 2, 1}, {16, 8}, {}, 5), 2)->elementsPerWord(), 2u);
  EXPECT_EQ(planShuffles(a, threads({8, 2, 4}, {1, 16}, {}, 5), 4)->elementsPerWord(), 4u);
  EXPECT_EQ(planShuffles(a, threads({8, 16, 4}, {1, 2}, {}, 5), 4)->elementsPerWord(), 2u);
}

}   // namespace
}   // namespace tile::layout
