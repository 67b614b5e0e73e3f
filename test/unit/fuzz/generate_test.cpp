// SPDX-License-Identifier: MIT
// Programs are the same for the same seed, verify, stay inside their buffers, and use what they are for.
#include "tools/fuzz/generate.h"

#include "tools/fuzz/check.h"
#include "tools/fuzz/print.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>

namespace tile::fuzz {
namespace {

TEST(Generate, GivesTheSameProgramForTheSameSeed) {
  EXPECT_EQ(print(generate(42)), print(generate(42)));
  EXPECT_NE(print(generate(42)), print(generate(43)));
}

// The interpreter checks every access and every promise.
TEST(Generate, ProgramsAreRightByConstruction) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const std::string text = print(generate(seed, seed % 2 ? Floats::small : Floats::ring));
    const Outcome outcome = check(read_case(text), "interpreter", *Target::parse("sm_90"));
    ASSERT_TRUE(outcome.verdict == Verdict::agree || outcome.verdict == Verdict::refused)
        << "seed " << seed << ": " << outcome.detail;
  }
}

// The first seed whose program has all of `texts`.
std::uint64_t seed_with(std::initializer_list<const char *> texts, Floats floats) {
  for (std::uint64_t seed = 1;; ++seed) {
    const std::string text = print(generate(seed, floats));
    if (std::ranges::all_of(texts, [&](const char *part) { return text.find(part) != std::string::npos; }))
      return seed;
  }
}

TEST(Generate, IsTheSameOnTheSimulatorWhateverTheFloats) {
  for (Floats floats : {Floats::small, Floats::ring})
    for (const auto texts : {std::initializer_list<const char *>{"scf.while"},
                             {"tile.dot", "f8E4M3FN"},
                             {"tile.atomic_cas"},
                             {"= tile.atomic_rmw xchg"},
                             {"tile.descriptor_reduce"},
                             {"tile.num_programs y", "scf.for", "tile.dot"}}) {
      const std::uint64_t seed = seed_with(texts, floats);
      const std::string text = print(generate(seed, floats));
      const Outcome outcome = check(read_case(text), "simulator", *Target::parse("sm_90"));
      EXPECT_TRUE(outcome.verdict == Verdict::agree || outcome.verdict == Verdict::refused)
          << *texts.begin() << ", " << name(floats) << ", seed " << seed << ": " << outcome.detail;
    }
}

TEST(Generate, UsesEveryFamily) {
  std::string all;
  for (std::uint64_t seed = 1; seed <= 300; ++seed)
    all += print(generate(seed)) + print(generate(seed, Floats::ring));
  for (const char *operation : {"arith.muli",
                                "tile.divsi",
                                "arith.addf",
                                "arith.cmpf",
                                "arith.select",
                                "tile.fp_cast",
                                "tile.fptosi",
                                "tile.broadcast",
                                "tile.permute",
                                "tile.reshape",
                                "tile.join",
                                "tile.split",
                                "tile.gather",
                                "tile.reduce",
                                "tile.scan",
                                " reverse",
                                "tile.histogram",
                                "tile.dot",
                                "scf.for",
                                "scf.for unsigned",
                                "scf.if",
                                "tile.num_stages = 5",
                                "tile.unroll = 4",
                                "tile.atomic_rmw",
                                "tile.barrier",
                                "tile.descriptor_load",
                                "tile.descriptor_store",
                                "tile.philox",
                                "unsigned_a",
                                "precision = ieee",
                                "!tile.ptr<bf16>",
                                "!tile.ptr<f64>",
                                "!tile.ptr<i8>",
                                "wild_f32",
                                "ring_f32",
                                "scf.while",
                                "scf.condition",
                                "math.fma",
                                "tile.clamp",
                                "math.exp",
                                "arith.divf",
                                "tile.atomic_cas",
                                "tile.atomic_rmw xchg",
                                "tile.descriptor_reduce fadd",
                                "f8E4M3FN",
                                "f8E5M2",
                                "num_warps = 16"})
    EXPECT_NE(all.find(operation), std::string::npos) << operation;
}

TEST(Case, ReadsItsFirstLine) {
  const Case read = read_case(
      "// a note\n// fuzz: seed 7 floats ring grid 2 1 elements 32 64 scalars 5 -1\nfunc.func @f() {}\n");
  EXPECT_EQ(read.seed, 7U);
  EXPECT_EQ(read.floats, Floats::ring);
  EXPECT_EQ(read_case("// fuzz: seed 7\n").floats, Floats::small);
  EXPECT_THROW(read_case("// fuzz: floats wild\n"), Error);
  EXPECT_EQ(read.grid.x, 2);
  EXPECT_EQ(read.grid.y, 1);
  EXPECT_EQ(read.elements, (std::vector<std::int64_t>{32, 64}));
  EXPECT_EQ(read.scalars, (std::vector<std::int32_t>{5, -1}));
  EXPECT_THROW(read_case("func.func @f() {}\n"), Error);
  EXPECT_THROW(read_case("// fuzz: sed 7\n"), Error);
}

}   // namespace
}   // namespace tile::fuzz
