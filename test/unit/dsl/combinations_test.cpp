// SPDX-License-Identifier: MIT
// Lists of configs from lists of values.
#include <tile/combinations.h>
#include <tile/dsl.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tile;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

enum class Order { rows, columns };
struct Config {
  int m = 1, n = 2;
  Order order = Order::rows;
  Launch launch{};
};

std::vector<std::string> texts(const std::vector<Config> &configs) {
  std::vector<std::string> all;
  for (const Config &c : configs)
    all.push_back(std::to_string(c.m) + " " + std::to_string(c.n) + (c.order == Order::rows ? " r " : " c ") +
                  std::to_string(c.launch.num_warps));
  return all;
}

TEST(Combinations, AsNestedLoops) {
  EXPECT_THAT(texts(combinations(Config{.n = 7})), ElementsAre("1 7 r 4"));
  EXPECT_THAT(texts(combinations(Config{}, each(&Config::m, {64, 128}),
                                 each(&Config::order, {Order::rows, Order::columns}))),
              ElementsAre("64 2 r 4", "64 2 c 4", "128 2 r 4", "128 2 c 4"));
  EXPECT_THAT(
      texts(combinations(Config{}, each(&Config::launch, &Launch::num_warps, {8, 4}), each(&Config::n, {5}))),
      ElementsAre("1 5 r 8", "1 5 r 4"));
}

TEST(Combinations, ConditionsAreOfWhatIsThereUntilThen) {
  const auto small = only([](const Config &c) { return c.m * c.n <= 128; });
  EXPECT_THAT(texts(combinations(Config{}, each(&Config::m, {64, 128}), each(&Config::n, {1, 2}), small)),
              ElementsAre("64 1 r 4", "64 2 r 4", "128 1 r 4"));
  EXPECT_THAT(texts(combinations(Config{}, each(&Config::m, {64, 128}), small, each(&Config::n, {1, 2}))),
              ElementsAre("64 1 r 4", "64 2 r 4"));
  EXPECT_THAT(texts(combinations(Config{}, only([](const Config &) { return false; }))), IsEmpty());
}

}   // namespace
