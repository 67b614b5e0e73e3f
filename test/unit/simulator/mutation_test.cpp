// SPDX-License-Identifier: MIT
// Whether mistakes of a code generator are found. Each is made in turn, and has to be reported or to change
// the result, whenever copies arrive.
#include "mutation.h"
#include "completions.h"
#include "corpus.h"

#include <gtest/gtest.h>

namespace tile::simulator {
namespace {

const Target sm_90 = *Target::parse("sm_90");

// What finds the mistake; empty if nothing does.
std::string finding(const Case &c, const Program &program, const std::vector<std::byte> &expected) {
  for (Completion completion : completions) {
    try {
      if (run(c, program, {.completion = completion}) != expected)
        return "wrong result";
    } catch (const Error &error) {
      return error.message();
    }
  }
  return "";
}

// Every `stride`th mistake of each kernel. What may be harmless is a barrier: some are one more than needed.
void makeMistakes(unsigned stride, unsigned least) {
  unsigned made = 0, found = 0;
  for (const Case &c : corpus()) {
    const std::vector<std::byte> expected = run(c, *compileForHost(c.kernel, sm_90), {});
    for (unsigned number = 0;; number += stride) {
      std::string what;
      const auto program = compileForHost(c.kernel, sm_90, mistake(number, what));
      if (what.empty())
        break;
      ++made;
      const std::string how = finding(c, *program, expected);
      found += !how.empty();
      const bool mayBeHarmless =
          what.find("barrier") != std::string::npos || what == "waits for one group less";
      EXPECT_TRUE(!how.empty() || mayBeHarmless) << c.name << " " << number << ": " << what;
    }
  }
  std::printf("%u mistakes made, %u found, the others harmless\n", made, found);
  EXPECT_GE(found, least);
}

TEST(Mutation, MistakesAreFound) { makeMistakes(8, 70); }
TEST(Mutation, DISABLED_AllMistakesAreFound) { makeMistakes(1, 750); }   // minutes

TEST(Mutation, RightProgramsAreLeftAlone) {
  for (const Case &c : corpus()) {
    const auto program = compileForHost(c.kernel, sm_90);
    const std::vector<std::byte> expected = run(c, *program, {});
    EXPECT_EQ(finding(c, *program, expected), "") << c.name;
    for (std::uint32_t seed = 2; seed < 10; ++seed)
      EXPECT_EQ(run(c, *program, {.completion = Completion::random, .seed = seed}), expected) << c.name;
  }
}

}   // namespace
}   // namespace tile::simulator
