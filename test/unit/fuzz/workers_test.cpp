// SPDX-License-Identifier: MIT
// A check that ends its process, or never ends, costs one seed and nothing more.
#include "tools/fuzz/workers.h"

#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace tile::fuzz {
namespace {

std::map<std::uint64_t, Outcome> outcomes(int jobs) {
  std::map<std::uint64_t, Outcome> all;
  check_seeds(
      10, 12, {.jobs = jobs, .seconds = 1},
      [](std::uint64_t seed) -> Outcome {
        if (seed == 13)
          ::raise(SIGKILL);
        if (seed == 16)
          for (volatile bool goes_on = true; goes_on;) {
          }
        if (seed == 17)
          throw std::runtime_error("thrown");
        if (seed == 18)
          ::_exit(3);
        return {.verdict = seed % 2 ? Verdict::agree : Verdict::refused,
                .detail = std::to_string(seed),
                .ways = static_cast<std::uint8_t>(seed)};
      },
      [&](std::uint64_t seed, const Outcome &outcome) { return all.emplace(seed, outcome).second; });
  return all;
}

TEST(Workers, SurviveCrashesAndHangs) {
  for (int jobs : {1, 3}) {
    const auto all = outcomes(jobs);
    ASSERT_EQ(all.size(), 12U);
    EXPECT_EQ(all.at(13).verdict, Verdict::crashed);
    EXPECT_NE(all.at(13).detail.find("signal 9"), std::string::npos) << all.at(13).detail;
    EXPECT_EQ(all.at(16).verdict, Verdict::hung);
    EXPECT_EQ(all.at(16).detail, "it did not end in 1 s of the processor");
    EXPECT_EQ(all.at(17).verdict, Verdict::failed);
    EXPECT_EQ(all.at(17).detail, "thrown");
    EXPECT_EQ(all.at(18).detail, "the process ended with exit code 3");
    EXPECT_EQ(all.at(19).verdict, Verdict::agree);
    EXPECT_EQ(all.at(20).verdict, Verdict::refused);
    EXPECT_EQ(all.at(20).detail, "20");
    EXPECT_EQ(all.at(20).ways, 20);
  }
}

// A crash that does not come again is found by its stack alone, which stderr gets.
TEST(Workers, PrintTheStackOfACrash) {
  testing::internal::CaptureStderr();
  const Outcome outcome = isolated(
      []() -> Outcome {
        ::raise(SIGSEGV);
        return {};
      },
      10);
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_EQ(outcome.verdict, Verdict::crashed);
  EXPECT_NE(outcome.detail.find("signal 11"), std::string::npos) << outcome.detail;
#ifndef __SANITIZE_ADDRESS__   // which prints it in its own way
  const std::size_t title = printed.find("the process crashed here:\n");
  ASSERT_NE(title, std::string::npos) << printed;
  EXPECT_NE(printed.find("tile_fuzz", title), std::string::npos) << printed;
#endif
}

// A second of the processor is not a second by the clock: what is kept from working does not hang.
TEST(Workers, CountTheTimeInWhichTheyWork) {
  std::map<std::uint64_t, Outcome> all;
  check_seeds(
      1, 2, {.jobs = 2, .seconds = 1, .idle_seconds = 4},
      [](std::uint64_t seed) -> Outcome {
        seed == 1 ? ::usleep(2'000'000) : ::pause();
        return {};
      },
      [&](std::uint64_t seed, const Outcome &outcome) { return all.emplace(seed, outcome).second; });
  EXPECT_EQ(all.at(1).verdict, Verdict::agree) << all.at(1).detail;
  EXPECT_EQ(all.at(2).verdict, Verdict::hung);
  EXPECT_EQ(all.at(2).detail, "it did not end in 4 s");
}

TEST(Workers, StopWhenAsked) {
  int reported = 0;
  check_seeds(
      0, 1000, {.jobs = 2}, [](std::uint64_t) { return Outcome{}; },
      [&](std::uint64_t, const Outcome &) { return ++reported < 5; });
  EXPECT_EQ(reported, 5);
}

}   // namespace
}   // namespace tile::fuzz
