// SPDX-License-Identifier: MIT
#include "runtime/tuning/compilers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace tile::tuning {
namespace {

using ::testing::ElementsAre;

std::vector<std::size_t> all_of(Compilers &compilers) {
  std::vector<std::size_t> all;
  while (const auto n = compilers.next())
    all.push_back(*n);
  return all;
}

TEST(Compilers, WithOneJobEachIsCompiledWhenItIsAskedFor) {
  std::vector<std::size_t> compiled;
  const std::thread::id here = std::this_thread::get_id();
  Compilers compilers(3, 1, [&](std::size_t n) {
    EXPECT_EQ(std::this_thread::get_id(), here);
    compiled.push_back(n);
  });
  EXPECT_TRUE(compilers.is_ready());
  EXPECT_THAT(compiled, ElementsAre());
  EXPECT_EQ(compilers.next(), 0u);
  EXPECT_THAT(compiled, ElementsAre(0));
  EXPECT_THAT(all_of(compilers), ElementsAre(1, 2));
  EXPECT_TRUE(compilers.is_ready());
}

TEST(Compilers, WhoIsDoneFirstIsGivenFirst) {
  std::atomic<bool> may_end = false;
  Compilers compilers(3, 2, [&](std::size_t n) {
    if (n == 0)
      may_end.wait(false);
  });
  EXPECT_EQ(compilers.next(), 1u);
  EXPECT_EQ(compilers.next(), 2u);
  EXPECT_FALSE(compilers.is_ready());
  may_end = true;
  may_end.notify_all();
  EXPECT_EQ(compilers.next(), 0u);
  EXPECT_EQ(compilers.next(), std::nullopt);
  EXPECT_TRUE(compilers.is_ready());
}

TEST(Compilers, AllAreGivenOnce) {
  for (const int jobs : {1, 2, 7, 100}) {
    Compilers compilers(20, jobs, [](std::size_t) {});
    EXPECT_EQ(all_of(compilers).size(), 20u);
  }
  Compilers none(0, 4, [](std::size_t) {});
  EXPECT_EQ(none.next(), std::nullopt);
}

// Who leaves begins nothing more, and uses nothing that is gone.
TEST(Compilers, TheEndWaitsForWhatHasBegunAndBeginsNoMore) {
  constexpr int many = 250'000;   // more than ten minutes' work
  std::atomic<int> begun = 0, ended = 0;
  {
    Compilers compilers(many, 2, [&](std::size_t) {
      ++begun;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ++ended;
    });
    compilers.next();
  }
  EXPECT_EQ(begun, ended);
  EXPECT_LT(begun, many);
}

}   // namespace
}   // namespace tile::tuning
