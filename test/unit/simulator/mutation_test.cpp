// SPDX-License-Identifier: MIT
// Whether mistakes of a code generator are found. Each is made in turn, and has to be reported or to change
// the result, whenever copies arrive.
#include "mutation.h"
#include "completions.h"
#include "corpus.h"
#include "harmless_mistakes.h"

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <thread>

namespace tile::simulator {
namespace {

Target targetOf(const Case &c) { return *Target::parse(c.target); }

// Every way in which copies may arrive that is tried: three policies, and seven times at random, some of them
// with threads that go on in whatever order.
std::vector<SimulatorOptions> ways() {
  std::vector<SimulatorOptions> result;
  for (Completion completion : completions)
    result.push_back({.completion = completion, .matrix_completion = completion});
  for (std::uint32_t seed = 2; seed < 9; ++seed)
    result.push_back(
        {.completion = Completion::random, .matrix_completion = Completion::random, .seed = seed});
  for (std::uint32_t seed = 1; seed < 25; ++seed)
    result.push_back({.completion = completions[seed % 3],
                      .matrix_completion = completions[seed / 3 % 3],
                      .seed = seed,
                      .schedule_seed = seed});
  return result;
}

bool isFound(const Case &c, const Program &program, const std::vector<std::byte> &expected) {
  for (const SimulatorOptions &options : ways()) {
    try {
      if (run(c, program, options) != expected)
        return true;
    } catch (const Error &) {
      return true;
    }
  }
  return false;
}

// How many mistakes of each kind were made, how many of them found, and how many are known to be harmless.
struct Tally {
  struct Count {
    unsigned made = 0, found = 0, harmless = 0;
  };
  std::map<std::string, Count> kinds;
  Count all;
  std::mutex mutex;

  void add(const Case &c, const Mistake &mistake, bool isFound) {
    const std::lock_guard lock(mutex);
    const HarmlessMistake *listed = harmlessMistake(c.name, mistake);
    Count &kind = kinds[mistake.kind];
    for (Count *count : {&kind, &all}) {
      ++count->made;
      count->found += isFound;
      count->harmless += listed != nullptr;
    }
    EXPECT_EQ(isFound, listed == nullptr)
        << "{\"" << c.name << "\", \"" << mistake.kind << "\", \"" << mistake.place << "\", ...}"
        << (isFound ? " is found, so that it does not belong into harmless_mistakes.h"
                    : ": nothing finds it, and harmless_mistakes.h does not say why that may be");
  }
  void print() const {
    const auto line = [](const char *kind, const Count &count) {
      std::printf("%-34s %5u %5u %8u\n", kind, count.made, count.found, count.harmless);
    };
    std::printf("%-34s %5s %5s %8s\n", "mistake", "made", "found", "harmless");
    for (const auto &[kind, count] : kinds)
      line(kind.c_str(), count);
    line("all", all);
  }
};

// Every `stride`th mistake of each kernel.
void makeMistakes(unsigned stride, Tally &tally) {
  const std::vector<Case> cases = corpus();
  const unsigned workers = std::max(1u, std::thread::hardware_concurrency());
  const auto work = [&](unsigned worker) {
    for (const Case &c : cases) {
      const std::vector<std::byte> expected = run(c, *compileForHost(c.kernel, targetOf(c)), {});
      for (unsigned number = worker * stride;; number += workers * stride) {
        Mistake made;
        const auto program = compileForHost(c.kernel, targetOf(c), mistake(number, made));
        if (made.kind.empty())
          break;
        tally.add(c, made, isFound(c, *program, expected));
      }
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned worker = 0; worker < workers; ++worker)
    threads.emplace_back(work, worker);
  threads.clear();
  tally.print();
}

TEST(Mutation, MistakesAreFound) {
  Tally tally;
  makeMistakes(8, tally);
  EXPECT_GE(tally.all.made, 160u);
}

// A minute or two: test/long/mistakes.test.
TEST(Mutation, DISABLED_AllMistakesAreFound) {
  Tally tally;
  makeMistakes(1, tally);
  EXPECT_GE(tally.all.made, 2000u);
  EXPECT_GE(tally.kinds.size(), 44u)
      << "of some kind, no kernel of the corpus has a mistake to make any more";
  EXPECT_GE(tally.all.found * 100, tally.all.made * 95);   // of which those listed as harmless are not found
  EXPECT_EQ(tally.all.harmless, std::size(harmlessMistakes))
      << "harmless_mistakes.h lists what nobody can make";
  for (const auto &[kind, count] : tally.kinds) {
    EXPECT_GT(count.found, 0u) << kind << ": of which nothing is found, shows nothing";
    EXPECT_GE(count.found * 100, (count.made - count.harmless) * 97) << kind;
  }
}

TEST(Mutation, RightProgramsAreLeftAlone) {
  for (const Case &c : corpus()) {
    const auto program = compileForHost(c.kernel, targetOf(c));
    EXPECT_FALSE(isFound(c, *program, run(c, *program, {}))) << c.name;
  }
}

}   // namespace
}   // namespace tile::simulator
