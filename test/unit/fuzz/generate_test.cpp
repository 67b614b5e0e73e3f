// SPDX-License-Identifier: MIT
// Programs are the same for the same seed, verify, stay inside their buffers, and use what they are for.
#include "tools/fuzz/generate.h"

#include "tools/fuzz/check.h"
#include "tools/fuzz/kernel_calls.h"
#include "tools/fuzz/print.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <regex>
#include <sstream>
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
                                "special_f32",
                                "special_bf16",
                                "{contiguous = ",
                                "{constant = ",
                                "{divisible = ",
                                "{range = array<i64: 0, ",
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

// How many products have one tile as both operands, as it is and transposed.
struct Shared {
  int same = 0, transposed = 0;
};
Shared shared_operands(const std::string &text) {
  static const std::regex transposed("(%v[0-9]+) = tile.permute (%v[0-9]+) \\[1, 0\\]"),
      product("tile.dot (%v[0-9]+), (%v[0-9]+), ");
  Shared found;
  std::map<std::string, std::string> transposes;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (std::smatch match; std::regex_search(line, match, transposed)) {
      transposes[match[1]] = match[2];
    } else if (std::regex_search(line, match, product)) {
      const std::string a = match[1], b = match[2];
      found.same += a == b;
      found.transposed += transposes[a] == b || transposes[b] == a;
    }
  return found;
}

TEST(Generate, ProductsShareOperands) {
  for (const auto make : {+[](std::uint64_t seed) { return generate(seed); },
                          +[](std::uint64_t seed) { return generate_products(seed); }}) {
    Shared all;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
      const Shared found = shared_operands(print(make(seed)));
      all.same += found.same;
      all.transposed += found.transposed;
    }
    EXPECT_GT(all.same, 5);
    EXPECT_GT(all.transposed, 5);
  }
}

// Every way on which the compiler takes such programs, and few that it refuses; code can be made of the
// others.
TEST(GenerateProducts, TakeTheWholePath) {
  constexpr int programs = 60;
  std::map<Way, int> took;
  int refused = 0;
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const std::string text = print(generate_products(seed, seed % 2 ? Floats::small : Floats::ring));
    const Outcome outcome = check(read_case(text), "interpreter", *Target::parse("sm_90a"));
    ASSERT_TRUE(outcome.verdict == Verdict::agree || outcome.verdict == Verdict::refused)
        << "seed " << seed << ": " << outcome.detail;
    refused += outcome.verdict == Verdict::refused;
    for (Way way : all_ways)
      took[way] += (outcome.ways & way) != 0;
  }
  EXPECT_GT(took[in_roles], programs / 2);
  EXPECT_LT(refused, programs / 6);
  for (Way way : {in_turn, by_pairs, stores_boxes, makes_maps})
    EXPECT_GT(took[way], 0) << name(way);
}

TEST(GenerateProducts, GivesTheSameProgramForTheSameSeed) {
  EXPECT_EQ(print(generate_products(42)), print(generate_products(42)));
  EXPECT_NE(print(generate_products(42)), print(generate_products(43)));
}

TEST(GenerateProducts, UsesEveryForm) {
  std::string all;
  for (std::uint64_t seed = 1; seed <= 400; ++seed)
    all += print(generate_products(seed)) + print(generate_products(seed, Floats::ring));
  for (const char *text : {"tile.num_ctas = 2",
                           "tile.ping_pong",
                           "tile.specialize_warps",
                           "tile.num_stages = 5",
                           "tile.unroll = 3",
                           "num_warps = 16",
                           "scf.for unsigned",
                           "scf.if",
                           "scf.while",
                           "tile.permute",
                           "!tile.desc<1x",   // of a stack
                           "tile.atomic_rmw",
                           "tile.store ",
                           "tile.descriptor_store",
                           "tile.reduce",
                           "tile.fp_cast",
                           "unsigned_a",
                           "tile.assume",
                           "tensor<64x208xf32>",
                           "tensor<192x96xf32>",
                           "x64xi8>",
                           "xf8E4M3FN>",
                           "xf8E5M2>",
                           "xbf16>",
                           "tile.maximum",
                           "arith.select"})
    EXPECT_NE(all.find(text), std::string::npos) << text;
}

TEST(Order, IsTheNumbers) {
  EXPECT_FALSE(order_of(0));
  EXPECT_EQ(order_of(1)->copies, Completion::latest);
  EXPECT_EQ(order_of(2)->copies, Completion::eager);
  EXPECT_EQ(order_of(3)->copies, Completion::random);
  EXPECT_EQ(order_of(3)->seed, 3U);
  EXPECT_EQ(order_of(3)->schedule_seed, 3U);
  EXPECT_FALSE(order_of(8)->schedule_seed) << "the fixed one, now and then";
}

TEST(KernelCall, IsTheSameForTheSameSeedAndSaysHowToMakeItAgain) {
  EXPECT_EQ(command(generate_call(7)), command(generate_call(7)));
  EXPECT_NE(command(generate_call(7)), command(generate_call(8)));
  EXPECT_EQ(
      command({.kernel = "gemm",
               .settings = {{"m", "64"}, {"trans", "nt"}},
               .config = "block_m=64",
               .seed = 5,
               .order = 6}),
      "TILE_SCHEDULE=random:6 TILE_SIMULATED_COPIES=6 tile run gemm --device simulator --m 64 --trans nt "
      "--config block_m=64 --seed 5");
  std::string all;
  for (std::uint64_t seed = 1; seed <= 300; ++seed)
    all += command(generate_call(seed));
  for (const char *text : {"ping_pong=true", "num_ctas=2", "swap_ab=true", "store_by_descriptor=false",
                           "grouped_gemm", "batched_gemm", "--dtype e5m2", "--dtype tf32", "--shared a",
                           "COPIES=eager", "programs=1", "--k 0", "num_warps=16"})
    EXPECT_NE(all.find(text), std::string::npos) << text;
}

TEST(Case, ReadsItsFirstLine) {
  const Case read = read_case(
      "// a note\n// fuzz: seed 7 floats ring grid 2 1 elements 32 64 scalars 5 -1\nfunc.func @f() {}\n");
  EXPECT_EQ(read.seed, 7U);
  EXPECT_EQ(read.order, 0U);
  EXPECT_EQ(read_case("// fuzz: seed 7 grid 2 1 order 31 elements 32\n").order, 31U);
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
