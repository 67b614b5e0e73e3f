// SPDX-License-Identifier: MIT
// What is said first of kernels that are slow for one reason.
#include "test/unit/timeline/written_record.h"

#include <gmock/gmock.h>

namespace tile::timeline {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Advice, NamesTheLineThatWaitsForCopiesAndTheRing) {
  EXPECT_THAT((Ring{.slots = 1}.written().said().front()),
              AllOf(StartsWith("kernel.cpp:20: warps 4 to 7 wait"), HasSubstr("for copied data"),
                    HasSubstr("there are 1 slots"), HasSubstr("More stages")));
}

TEST(Advice, SaysWhenTheMatrixUnitIsTheLimit) {
  Ring ring{.slots = 6};
  WrittenRecord written = ring.written();
  // Products are begun before the ones before them are awaited.
  for (simulator::WarpRecord &warp : written.record.warps)
    for (Step &step : warp.steps)
      if (step.act == Act::productWait)
        step.amount = 1;
  written.model.bytes_from_l2 = written.model.bytes_from_memory = written.model.most_bytes = 1000;
  EXPECT_THAT(written.said().front(), StartsWith("The matrix unit is busy"));
}

TEST(Advice, SaysWhenLoadsAreTheLimit) {
  EXPECT_THAT((Ring{.slots = 8, .columns = 8}.written().said().front()),
              AllOf(StartsWith("Loads take"), HasSubstr("larger blocks")));
}

TEST(Advice, NamesProductsThatAreAwaitedAtOnce) {
  WrittenRecord written = Ring{.slots = 6, .bytes = 256, .columns = 64}.written();
  written.model.product_latency = 300;
  EXPECT_THAT(written.said().front(), AllOf(StartsWith("kernel.cpp:21:"), HasSubstr("for products")));
}

TEST(Advice, NamesBankConflicts) {
  WrittenRecord r;
  const std::uint32_t access = r.place(30), use = r.place(31, {.issued = 1}, {access});
  std::vector<Step> steps;
  for (int i = 0; i < 20; ++i) {
    steps.push_back({access, Act::shared, 0, 32, 1});
    steps.push_back(work(use));
  }
  r.warps(4, steps);
  EXPECT_THAT(r.said().front(), StartsWith("kernel.cpp:30: bank conflicts take"));
}

TEST(Advice, NamesScatteredStores) {
  WrittenRecord r;
  const std::uint32_t store = r.place(40, {.issued = 4});
  std::vector<Step> steps;
  for (int i = 0; i < 50; ++i) {
    steps.push_back(work(store));
    steps.push_back({store, Act::globalStore, 0, 32, 4});
  }
  r.warps(8, steps);
  EXPECT_THAT(r.said().front(),
              AllOf(StartsWith("kernel.cpp:40: scattered accesses"), HasSubstr("descriptor")));
}

TEST(Advice, NamesTheLineOfMostArithmetic) {
  WrittenRecord r;
  r.warps(4,
          {work(r.place(50, {.issued = 100, .fma = 100})), work(r.place(51, {.issued = 300, .fma = 300}))});
  EXPECT_THAT(r.said().front(),
              AllOf(StartsWith("kernel.cpp:51: warps 0 to 3 compute"), HasSubstr("75% of it at this line")));
}

TEST(Roles, AreWarpsThatDoTheSame) {
  const WrittenRecord written = Ring{}.written();
  const Timeline timeline = written.run();
  const std::vector<Role> all = roles(written.program, written.record, timeline);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].title(), "copies, warp 0");
  EXPECT_EQ(all[1].title(), "threads, warps 1 to 3");
  EXPECT_EQ(all[2].title(), "products, warps 4 to 7");
}

}   // namespace
}   // namespace tile::timeline
