// SPDX-License-Identifier: MIT
// What a trace depends on: the config, the argument classes, and nothing else.
#include "test/unit/language/run_kernel.h"

#include <gmock/gmock.h>

#include <span>

namespace tile::test {
namespace {

using testing::HasSubstr;
using testing::Not;

void scale(Ptr<i32> out, Int n, const Config &cfg) {
  auto i = arange(0, cfg.block);
  store(out + i * n, i, i < 64 / 4);
}

TEST(Specialisation, TheSameTraceTwice) { EXPECT_EQ(text<&scale>(), text<&scale>()); }

TEST(Specialisation, AnotherConfigIsAnotherTrace) { EXPECT_NE(text<&scale>(), text<&scale>({.block = 8})); }

TEST(Specialisation, TextWithoutPlacesHasNone) {
  EXPECT_THAT(text<&scale>(), Not(HasSubstr("loc(")));
  Kernel<&scale> kernel{.name = "kernel"};
  EXPECT_THAT(kernel.trace({}).text(), HasSubstr("specialisation_test.cpp"));
}

TEST(Specialisation, AnArgumentThatIsOneLeavesTheSignature) {
  std::string ir = text<&scale>({}, {ArgClass::generic, ArgClass::one});
  EXPECT_EQ(count(ir, "%arg1"), 0u);
  EXPECT_THAT(text<&scale>(), HasSubstr("%arg1"));
}

TEST(Specialisation, DivisibilityIsAnAttribute) {
  std::string ir = text<&scale>({}, {ArgClass::divisible_by_16, ArgClass::divisible_by_16});
  EXPECT_EQ(count(ir, "tile.divisibility = 16"), 2u);
  EXPECT_THAT(text<&scale>(), Not(HasSubstr("tile.divisibility")));
}

TEST(Specialisation, ClassesDoNotChangeResults) {
  for (int n : {1, 2, 3})
    EXPECT_EQ(run<&scale>(n)[static_cast<std::size_t>(3 * n)], 3) << n;
}

void dynamic(Ptr<i32> out, Dynamic<Int> n, const Config &) {
  n += 1;
  store(out, n);
}
TEST(Specialisation, ADynamicParameterTakesNoPart) {
  std::vector<i32> out(4, -1);
  auto device = open_device("interpreter");
  Kernel<&dynamic> kernel{.name = "dynamic", .grid = [](auto &, auto...) { return Grid{}; }};
  for (int n : {1, 16, 5}) {
    kernel(*device, std::span<i32>(out), n);
    device->synchronize();
    EXPECT_EQ(out[0], n + 1);
  }
}

void folds(Ptr<i32> out, Int n, const Config &cfg) {
  const auto [block, twice] = cfg;
  Int x = n;
  if (twice)
    x *= 2;
  for (int i = 0; i < block; ++i)
    x += i;
  store(out, x);
}
TEST(Specialisation, HostControlFlowLeavesNoTrace) {
  std::string ir = text<&folds>({.block = 3, .twice = true});
  EXPECT_THAT(ir, Not(HasSubstr("scf.")));
  EXPECT_EQ(count(ir, "arith.muli"), 1u);
}

struct Counters {
  int grids = 0, keeps = 0;
} counters;
TEST(Specialisation, KeepChoosesAmongConfigs) {
  auto device = open_device("interpreter");
  std::vector<i32> out(64, -1);
  Kernel<&scale> kernel{.name = "scale",
                        .grid =
                            [](auto &cfg, auto, auto) {
                              ++counters.grids;
                              return Grid{cfg.block == 8 ? 1 : 0};   // another config would launch nothing
                            },
                        .configs = {{.block = 16}, {.block = 8}, {.block = 4}},
                        .keep =
                            [](auto &cfg, auto, auto) {
                              ++counters.keeps;
                              return cfg.block < 16;
                            }};
  kernel(*device, std::span<i32>(out), 2);
  device->synchronize();
  EXPECT_EQ(out[14], 7);
  EXPECT_EQ(out[16], -1);
  EXPECT_GE(counters.keeps, 2);
  EXPECT_EQ(counters.grids, 1);
}

}   // namespace
}   // namespace tile::test
