// SPDX-License-Identifier: MIT
// Whether mistakes of a code generator are found. Each is made in turn, and has to be reported or to change
// the result, whenever copies arrive.
#include "mutation.h"
#include "corpus.h"

#include <gtest/gtest.h>

namespace tile::simulator {
namespace {

const Target sm_90 = *Target::parse("sm_90");
constexpr Completion completions[] = {Completion::latest, Completion::eager, Completion::random};

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

TEST(Mutation, EveryMistakeIsFoundOrHarmless) {
  unsigned made = 0, found = 0;
  std::string harmless;
  for (const Case &c : corpus()) {
    const std::vector<std::byte> expected = run(c, *compileForHost(c.kernel, sm_90), {});
    for (unsigned number = 0;; ++number) {
      std::string what;
      const auto program = compileForHost(c.kernel, sm_90, mistake(number, what));
      if (what.empty())
        break;
      ++made;
      const std::string how = finding(c, *program, expected);
      found += !how.empty();
      if (how.empty())
        harmless += c.name + " " + std::to_string(number) + ": " + what + "\n";
      if (std::getenv("TILE_TEST_VERBOSE"))
        std::printf("%s %u: %s: %s\n", c.name.c_str(), number, what.c_str(), how.c_str());
    }
  }
  std::printf("%u mistakes made, %u found; harmless:\n%s", made, found, harmless.c_str());
  EXPECT_GE(found, 60u);
}

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
