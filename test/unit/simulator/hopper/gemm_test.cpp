// SPDX-License-Identifier: MIT
// A warp-specialised GEMM gives what a loop gives, whenever copies and matrix operations are done; and with a
// mistake in how its threads wait for each other it does not, or is reported.
#include "../mutation.h"
#include "gemm_problem.h"

#include <gtest/gtest.h>

namespace tile::simulator {
namespace {

TEST(HopperGemm, IsExactUnderAllPolicies) {
  for (const int inFlight : {0, 1})
    for (const int slots : {1, 3}) {
      if (inFlight && slots == 1)
        continue;   // the slot of a product in flight is not refilled
      const auto program = compileForHost(HandWritten{gemmText({.slots = slots, .inFlight = inFlight})});
      for (const GemmProblem &problem : {GemmProblem{256, 256, 320, 2}, GemmProblem{200, 136, 72, 1},
                                         GemmProblem{128, 128, 0, 1}, GemmProblem{4, 8, 8, 1}}) {
        const std::vector<float> expected = problem.expected();
        for (const std::uint32_t seed : {1u, 2u, 3u})
          for (const SimulatorOptions &options : policies(seed)) {
            EXPECT_EQ(problem.run(*program, options), expected)
                << "slots " << slots << ", in flight " << inFlight << ", seed " << seed << ", " << problem.m
                << "x" << problem.n << "x" << problem.k;
            if (seed > 1 && options.completion != Completion::random)
              continue;
          }
      }
    }
}

TEST(HopperGemm, IsExactInPairsOfCtas) {
  for (const int inFlight : {0, 1}) {
    const auto program = compileForHost(HandWritten{gemmText({.inPairs = true, .inFlight = inFlight})});
    for (const GemmProblem &problem :
         {GemmProblem{256, 256, 448, 2, true}, GemmProblem{500, 136, 72, 4, true},
          GemmProblem{256, 128, 0, 2, true}}) {
      const std::vector<float> expected = problem.expected();
      for (const std::uint32_t seed : {1u, 2u, 3u})
        for (const SimulatorOptions &options : policies(seed))
          EXPECT_EQ(problem.run(*program, options), expected) << problem.m << ", seed " << seed;
    }
  }
}

// What finds the mistake, under each policy.
std::vector<std::string> findings(const GemmProblem &problem, const GemmText &text,
                                  const Alteration &alter = {}) {
  const std::vector<float> expected = problem.expected();
  const auto program = compileForHost(HandWritten{gemmText(text)}, alter);
  std::vector<std::string> result;
  bool isFound = false;
  const auto look = [&](const SimulatorOptions &options) {
    std::vector<float> values;
    const std::string report = complaint([&] { values = problem.run(*program, options); });
    result.push_back(!report.empty()      ? report.substr(0, report.find('\n'))
                     : values != expected ? "wrong result"
                                          : "");
    isFound = isFound || !result.back().empty();
  };
  for (const SimulatorOptions &options : policies())
    look(options);
  // A wait for a slot too far along can only go wrong when one side is a lap ahead.
  for (std::uint32_t seed = 2; seed < 20 && !isFound; ++seed)
    look({.completion = Completion::random, .matrix_completion = Completion::random, .seed = seed});
  return result;
}

TEST(HopperGemm, MistakesAreFound) {
  const GemmProblem problem{128, 256, 448, 1};   // two tiles, and enough steps for parities to come round
  const bool lists = std::getenv("TILE_LIST_MISTAKES") != nullptr;
  unsigned made = 0;
  for (const auto &[mistake, meaning] : gemmMistakes())
    for (const int inFlight : {0, 1}) {
      const GemmText text{.inFlight = inFlight, .mistake = mistake};
      if (gemmText(text) == gemmText({.inFlight = inFlight}))
        continue;   // no place for it
      if (mistake == "accumulators read early" && inFlight == 0)
        continue;   // the loop's own wait has covered them
      ++made;
      const std::vector<std::string> found = findings(problem, text);
      EXPECT_NE(found, std::vector<std::string>(found.size())) << mistake << ", " << inFlight << " in flight";
      if (lists) {
        std::printf("%s, %d in flight\n", mistake.c_str(), inFlight);
        for (const std::string &how : found)
          std::printf("    %s\n", how.empty() ? "-" : how.c_str());
      }
    }
  EXPECT_GE(made, 60u);
}
TEST(HopperGemm, MistakesInPairsAreFound) {
  const GemmProblem problem{256, 256, 448, 2, true};
  for (const char *mistake :
       {"no barrier of the pair at the end", "the pair does not meet after init", "half of B goes to one",
        "the peer is not told", "empty for three", "no init fence", "half of the bytes announced",
        "slot released before its products"}) {
    const std::vector<std::string> found = findings(problem, {.inPairs = true, .mistake = mistake});
    EXPECT_NE(found, std::vector<std::string>(found.size())) << mistake;
    if (std::getenv("TILE_LIST_MISTAKES"))
      for (const std::string &how : found)
        std::printf("%s\n    %s\n", mistake, how.c_str());
  }
}

// Those that any code generator could make, as for kernels that are compiled.
TEST(HopperGemm, MistakesOfCodeGeneratorsAreFound) {
  const GemmProblem problem{128, 256, 448, 1};   // two tiles, and enough steps for parities to come round
  unsigned made = 0;
  std::vector<std::string> harmless;
  for (const int inFlight : {0, 1})
    for (unsigned number = 0;; ++number) {
      Mistake mistaken;
      const Alteration alter = mistake(number, mistaken);
      const std::vector<std::string> found = findings(problem, {.inFlight = inFlight}, alter);
      if (mistaken.kind.empty())
        break;
      ++made;
      if (found == std::vector<std::string>(found.size()))
        harmless.push_back(std::to_string(inFlight) + " in flight: " + mistaken.kind);
      if (std::getenv("TILE_LIST_MISTAKES"))
        std::printf("%s\n    %s\n", mistaken.kind.c_str(), found[0].c_str());
    }
  // The wait behind a loop that has waited for all is one more than needed.
  EXPECT_EQ(harmless, std::vector<std::string>{"0 in flight: waits for one product less"});
  EXPECT_GE(made, 40u);
}

// With a product in flight its accumulators stay with the warpgroup, which spares two copies a step.
TEST(HopperGemm, Speed) {
  const GemmProblem problem{256, 256, 8192, 1};
  for (const int inFlight : {0, 1}) {
    const auto program = compileForHost(HandWritten{gemmText({.inFlight = inFlight})});
    Counters counters;
    double seconds = 0;
    problem.run(*program, {}, &counters, &seconds);
    std::printf("%d in flight: %.2f GFLOP/s\n", inFlight, 2e-9 * problem.m * problem.n * problem.k / seconds);
    EXPECT_EQ(counters.warpgroupOps, 2u * 4u * 128u * 4u);
  }
}

}   // namespace
}   // namespace tile::simulator
