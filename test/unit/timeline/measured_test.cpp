// SPDX-License-Identifier: MIT
// Lists as a GPU fills them, as timelines.
#include "runtime/timeline/measured.h"
#include "runtime/timeline/summary.h"
#include "test/unit/timeline/written_lists.h"

#include <gmock/gmock.h>

namespace tile::timeline {
namespace {

using enum StampKind;
using testing::ElementsAre;
using testing::HasSubstr;

// A span as text: "10-30 copied data at line 7".
std::vector<std::string> spans_of(const Measured &measured, unsigned warp) {
  std::vector<std::string> all;
  for (const Span &span : measured.timeline.warps[warp].spans)
    all.push_back(std::to_string(static_cast<int>(span.begin)) + "-" +
                  std::to_string(static_cast<int>(span.end)) + " " + std::string(waited_for(span.state)) +
                  " at line " + std::to_string(measured.program.places[span.place].where.line));
  return all;
}

constexpr double hertz = 1e9;

// One warp copies under the mbarrier at 0x400, another waits there and multiplies.
class List : public testing::Test {
 protected:
  List() {
    copies_ = lists_.site(load, 10);
    wait_ = lists_.site(mbarrier_wait, 20);
    product_ = lists_.site(product, 21);
    done_ = lists_.site(product_wait, 22, 0);
    lists_.begin(0, 0).at(50, copies_, 0x400).end(1000);
    lists_.begin(0, 1)
        .at(100, wait_, 0x400)
        .ends(400, wait_)
        .at(450, product_)
        .at(500, done_)
        .ends(900, done_)
        .end(1000);
  }
  WrittenLists lists_{2};
  unsigned copies_, wait_, product_, done_;
};

TEST_F(List, WaitsAreSpansAndTheRestIsComputed) {
  const Measured m = measured(lists_.launch(), std::vector<std::int64_t>{0}, hertz);
  EXPECT_THAT(spans_of(m, 1), ElementsAre("0-100 nothing at line 20", "100-400 copied data at line 20",
                                          "400-450 nothing at line 21", "450-500 nothing at line 22",
                                          "500-900 products at line 22", "900-1000 nothing at line 22"));
  EXPECT_EQ(m.timeline.cycles, 1000);
  EXPECT_EQ(m.stamps, 4u);
  EXPECT_EQ(m.least_cycles, 50);
  EXPECT_EQ(m.lost, 0u);
  ASSERT_EQ(m.timeline.warps.size(), 2u);
  EXPECT_EQ(m.record.warps[1].steps.size(), 3u);
}

TEST_F(List, RolesAreNamedAsThoseOfTheSimulator) {
  const Measured m = measured(lists_.launch(), std::vector<std::int64_t>{0}, hertz);
  const std::vector<Role> all = roles(m.program, m.record, m.timeline);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].title(), "copies, warp 0");
  EXPECT_EQ(all[1].title(), "products, warp 1");
  EXPECT_EQ(all[1].waits.front().state, State::products);
}

// What nobody copies to is waited for until readers have left it.
TEST_F(List, AnMbarrierWithoutCopiesIsAnEmptySlot) {
  const unsigned empty = lists_.site(mbarrier_wait, 30);
  lists_.begin(0, 0).at(50, empty, 0x408).ends(250, empty).at(300, copies_, 0x400).end(1000);
  const Measured m = measured(lists_.launch(), std::vector<std::int64_t>{0}, hertz);
  EXPECT_EQ(spans_of(m, 0)[1], "50-250 an empty slot at line 30");
}

TEST(Measured, ResultsOfLoadsAreAwaited) {
  WrittenLists lists(1);
  const unsigned load_site = lists.site(global_load, 1), results_site = lists.site(results, 2),
                 store_site = lists.site(global_store, 3);
  lists.begin(0, 0)
      .at(100, load_site)
      .at(120, results_site)
      .ends(6000, results_site)
      .at(6200, store_site)
      .end(6300);
  const Measured m = measured(lists.launch(), std::vector<std::int64_t>{0}, hertz);
  EXPECT_THAT(spans_of(m, 0), testing::Contains("120-6000 loads from global memory at line 2"));
  EXPECT_EQ(roles(m.program, m.record, m.timeline)[0].title(), "threads, warp 0");
}

// Products that begin where a wait for their operands ends have no stamp of their own.
TEST(Measured, ProductsMayBeginWhereAWaitEnds) {
  WrittenLists lists(4);
  const unsigned product_site = lists.site(product, 1), data = lists.site(mbarrier_wait, 2, product_site),
                 all = lists.site(product_wait, 3, 0);
  for (unsigned warp = 0; warp < 4; ++warp)
    lists.begin(0, warp).at(100, data, 0x400).ends(300, data).at(500, all).ends(900, all).end(1000);
  const Measured m = measured(lists.launch(), std::vector<std::int64_t>{0}, hertz);
  ASSERT_EQ(m.timeline.products.size(), 1u);
  EXPECT_EQ(m.timeline.products[0].begin, 300);
  EXPECT_EQ(m.timeline.products[0].end, 900);
  EXPECT_EQ(m.program.places[m.timeline.products[0].place].where.line, 1u);
  EXPECT_EQ(roles(m.program, m.record, m.timeline)[0].title(), "products, warps 0 to 3");
}

// In ping-pong a group waits for an mbarrier that no copy fills, and copies nothing itself.
TEST_F(List, AWarpWithoutCopiesWaitsForItsTurn) {
  const unsigned turn = lists_.site(mbarrier_wait, 30);
  lists_.begin(0, 1).at(50, turn, 0x410).ends(250, turn).end(1000);
  const Measured m = measured(lists_.launch(), std::vector<std::int64_t>{0}, hertz);
  EXPECT_EQ(spans_of(m, 1)[1], "50-250 its turn at line 30");
}

// Rows in a cluster: words of other CTAs come, and no copies.
TEST(Measured, WithoutProductsAWarpWaitsForTheCluster) {
  WrittenLists lists(1);
  const unsigned words = lists.site(mbarrier_wait, 30);
  lists.begin(0, 0).at(50, words, 0x410).ends(250, words).end(1000);
  const Measured m = measured(lists.launch(), std::vector<std::int64_t>{0}, hertz);
  EXPECT_EQ(spans_of(m, 0)[1], "50-250 the cluster at line 30");
}

// Products run from their begin until a wait has seen them; those of a group one after the other.
TEST(Measured, ProductsAreUnderWayUntilAWaitSawThem) {
  WrittenLists lists(4);
  const unsigned product_site = lists.site(product, 1), one = lists.site(product_wait, 2, 1),
                 all = lists.site(product_wait, 3, 0);
  for (unsigned warp = 0; warp < 4; ++warp)
    lists.begin(0, warp)
        .at(100, product_site)
        .at(120, one)
        .ends(140, one)
        .at(200, product_site)
        .at(220, one)
        .ends(600, one)
        .ends(1100, all)   // without a begin: the assembler takes no stamp there
        .end(2000);
  const Measured m = measured(lists.launch(), std::vector<std::int64_t>{0}, hertz);
  ASSERT_EQ(m.timeline.products.size(), 2u);
  EXPECT_EQ(m.timeline.products[0].begin, 100);
  EXPECT_EQ(m.timeline.products[0].end, 600);
  EXPECT_EQ(m.timeline.products[1].begin, 600);
  EXPECT_EQ(m.timeline.products[1].end, 1100);
  EXPECT_THAT(spans_of(m, 0), testing::Contains("600-1100 products at line 3"));
}

// What is over before it is waited for is no wait.
TEST(Measured, ShortWaitsAreComputed) {
  WrittenLists lists(1);
  const unsigned wait = lists.site(barrier, 1);
  lists.begin(0, 0).at(100, wait).ends(139, wait).at(200, wait).ends(240, wait).end(300);
  const Measured m = measured(lists.launch(), std::vector<std::int64_t>{0}, hertz);
  EXPECT_THAT(spans_of(m, 0),
              ElementsAre("0-100 nothing at line 1", "100-139 nothing at line 1", "139-200 nothing at line 1",
                          "200-240 a barrier at line 1", "240-300 nothing at line 1"));
}

// The clock's low word comes round.
TEST(Measured, TheClockMayComeRound) {
  WrittenLists lists(1, 0xFFFFFFF0);
  const unsigned wait = lists.site(barrier, 1);
  lists.begin(0, 0).at(100, wait).ends(300, wait).end(400);
  const Measured m = measured(lists.launch(), std::vector<std::int64_t>{0}, hertz);
  EXPECT_THAT(spans_of(m, 0), ElementsAre("0-100 nothing at line 1", "100-300 a barrier at line 1",
                                          "300-400 nothing at line 1"));
}

// Multiprocessors count for themselves: the time of the whole GPU says when a CTA began, and how fast its
// clock is.
TEST(Measured, CtasAreAlignedByTheTimeOfTheGpu) {
  WrittenLists lists(1);
  lists.ctas({0, 5});
  lists.begin(0, 0, {.nanoseconds = 1000}).end(44'000, {.nanoseconds = 1000 + 25'000});
  lists.begin(5, 0, {.clock = 777'000, .nanoseconds = 2000, .multiprocessor = 9})
      .end(44'000, {.nanoseconds = 2000 + 25'000});
  const Measured m = measured(lists.launch(), std::vector<std::int64_t>{0, 5}, hertz);
  EXPECT_TRUE(m.is_clock_known);
  EXPECT_NEAR(m.hertz, 44'000 / 25e-6, 1);
  ASSERT_EQ(m.ctas.size(), 2u);
  EXPECT_EQ(m.ctas[1].multiprocessor, 9u);
  EXPECT_NEAR(m.ctas[1].begin_seconds, 1e-6, 1e-9);
  EXPECT_NEAR(m.ctas[1].seconds, 25e-6, 1e-9);
  EXPECT_NEAR(m.timeline.warps[1].spans[0].begin, 1e-6 * m.hertz, 1);
  EXPECT_EQ(m.record.ctas[1], (std::array<std::int32_t, 3>{1, 1, 0}));
  // One of them alone begins at 0.
  const Measured one = measured(lists.launch(), std::vector<std::int64_t>{5}, hertz);
  EXPECT_EQ(one.timeline.warps[0].spans[0].begin, 0);
}

TEST(Measured, AShortLaunchTakesTheClockOfTheMachine) {
  WrittenLists lists(1);
  lists.begin(0, 0, {.nanoseconds = 0}).end(4000, {.nanoseconds = 1024});
  const Measured m = measured(lists.launch(), std::vector<std::int64_t>{0}, 1.98e9);
  EXPECT_FALSE(m.is_clock_known);
  EXPECT_EQ(m.hertz, 1.98e9);
}

// What a full list lost is counted, and the warp's line ends where it was full.
TEST(Measured, AFullListSaysWhatItLost) {
  WrittenLists lists(1);
  const unsigned wait = lists.site(barrier, 1);
  WrittenLists::List &list = lists.begin(0, 0);
  for (unsigned i = 0; i < WrittenLists::stamps_of_list; ++i)
    list.at(10 * i, wait).ends(10 * i + 4, wait);
  list.end(1'000'000, {.lost = 77});
  const Measured m = measured(lists.launch(), std::vector<std::int64_t>{0}, hertz);
  EXPECT_EQ(m.lost, 77u);
  EXPECT_EQ(m.stamps, WrittenLists::stamps_of_list);
  EXPECT_LT(m.timeline.cycles, 1'000'000);
  EXPECT_NEAR(m.ctas[0].seconds, 1e-3, 1e-9);
}

TEST(Measured, ListsThatMakeNoSenseAreErrors) {
  const auto said = [](const WrittenLists &lists) -> std::string {
    try {
      static_cast<void>(measured(lists.launch(), std::vector<std::int64_t>{0}, hertz));
    } catch (const Error &error) {
      return error.what();
    }
    return {};
  };
  WrittenLists empty(1);
  EXPECT_THAT(said(empty), HasSubstr("warp 0 of CTA 0 left no stamps"));
  WrittenLists foreign(1);
  foreign.site(barrier, 1);
  foreign.begin(0, 0).at(3, 99).end(10);
  EXPECT_THAT(said(foreign), HasSubstr("which this kernel does not write"));
  WrittenLists other(1);
  other.begin(0, 0).end(10).head().cta = 3;
  EXPECT_THAT(said(other), HasSubstr("was written by CTA 3, warp 0"));
}

}   // namespace
}   // namespace tile::timeline
