// SPDX-License-Identifier: MIT
// A fault that an operation shows is made as small as that operation and what it needs.
#include "tools/fuzz/reduce.h"

#include "tools/fuzz/check.h"
#include "tools/fuzz/generate.h"
#include "tools/fuzz/print.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tile::fuzz {
namespace {

std::uint64_t seed_with(const std::string &text) {
  std::uint64_t seed = 1;
  while (print(generate(seed)).find(text) == std::string::npos)
    ++seed;
  return seed;
}

TEST(Reduce, KeepsTheFaultAndLittleElse) {
  for (const std::string fault :
       {"tile.scan", "tile.histogram", "scf.if", "scf.while", "tile.atomic_cas", "tile.descriptor_reduce"}) {
    const Program whole = generate(seed_with(fault));
    const Program small = reduced(
        whole, [&](const Program &program) { return print(program).find(fault) != std::string::npos; });
    const std::string text = print(small);
    EXPECT_NE(text.find(fault), std::string::npos);
    EXPECT_EQ(small.grid.x * small.grid.y, 1);
    EXPECT_EQ(small.launch.num_warps, 1);
    EXPECT_LT(std::ranges::count(text, '\n'), 60) << text;
  }
}

TEST(Reduce, LeavesOutWhatOnlyProductsAskFor) {
  std::uint64_t seed = 1;
  const auto has = [](const Program &program, const char *text) {
    return print(program).find(text) != std::string::npos;
  };
  while (!has(generate_products(seed), "tile.ping_pong") ||
         !has(generate_products(seed), "specialize_warps") || !has(generate_products(seed), " order "))
    ++seed;
  const Program small = reduced(
      generate_products(seed), [&](const Program &program) { return has(program, "tile.dot"); }, 4000);
  for (const char *text : {"tile.ping_pong", "specialize_warps", " order "})
    EXPECT_FALSE(has(small, text)) << print(small);
}

// Smaller programs verify and are right, so that only the fault is left to see.
TEST(Reduce, ProgramsOnTheWayAreRight) {
  int tried = 0, right = 0;
  (void)reduced(
      generate(seed_with("tile.join")),
      [&](const Program &program) {
        const Outcome outcome = check(read_case(print(program)), "interpreter", *Target::parse("sm_90"));
        ++tried;
        right += outcome.verdict == Verdict::agree;
        return outcome.verdict == Verdict::agree && print(program).find("tile.join") != std::string::npos;
      },
      30);
  EXPECT_GT(right, tried * 9 / 10) << right << " of " << tried;
}

TEST(Reduce, GivesUpAfterSoManyTries) {
  int asked = 0;
  (void)reduced(
      generate(5),
      [&](const Program &) {
        ++asked;
        return false;
      },
      10);
  EXPECT_EQ(asked, 10);
}

}   // namespace
}   // namespace tile::fuzz
