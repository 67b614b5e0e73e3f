// SPDX-License-Identifier: MIT
// What happens in one order of threads only: the fixed one does not show it, some random one does.
#include "../corpus.h"
#include "bench.h"
#include "gemm_problem.h"
#include "kernel_text.h"

#include <gmock/gmock.h>

namespace tile::simulator {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string complaintOf(const std::string &body, int threads, std::optional<unsigned> seed) {
  const auto program = compileForHost(HandWritten{moduleText({"", body + "llvm.return", threads})});
  return complaint([&] { Bench({.schedule_seed = seed}).run(*program, {}); });
}

// Warp 2 ends two phases, and warp 1 lets it go on to the second; warp 0 waits for the first, and nobody
// waits for warp 0. When it is late, the parity that it waits for has come round again.
const std::string late =
    at("bar", 1024) +
    "%w = nvvm.read.ptx.sreg.warpid : i32\n%is0 = llvm.icmp \"eq\" %tid, %c0 : i32\n"
    "llvm.cond_br %is0, ^i, ^m\n^i:\nnvvm.mbarrier.init %bar, %c32 : !llvm.ptr<3>, i32\n"
    "nvvm.fence.mbarrier.init\nllvm.br ^m\n^m:\nnvvm.barrier0\n"
    "%first = llvm.icmp \"eq\" %w, %c2 : i32\n%second = llvm.icmp \"eq\" %w, %c0 : i32\n"
    "llvm.cond_br %first, ^a, ^o\n^o:\nllvm.cond_br %second, ^b, ^c\n^a:\n"
    "%s = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64\n"
    "nvvm.barrier id = %c2 number_of_threads = %c64\n"
    "%s2 = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64\nllvm.br ^end\n^b:\n"
    "nvvm.mbarrier.try_wait.parity %bar, %c0, %c1000 : !llvm.ptr<3>, i32, i32\nllvm.br ^end\n^c:\n"
    "nvvm.barrier id = %c2 number_of_threads = %c64\nllvm.br ^end\n^end:\n";

TEST(Schedules, FindADeadlockOfAnotherOrder) {
  EXPECT_EQ(complaintOf(late, 96, std::nullopt), "");
  unsigned found = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const std::string text = complaintOf(late, 96, seed);
    found += !text.empty();
    if (!text.empty()) {
      EXPECT_THAT(text,
                  AllOf(HasSubstr("deadlock"), HasSubstr("at this mbarrier wait, for the end of parity 0")));
    }
    EXPECT_EQ(complaintOf(late, 96, seed), text) << "a seed stands for one order";
  }
  EXPECT_GE(found, 5u);
  EXPECT_LT(found, 20u);
}

// Four warps are told that a phase is over. The first lane of each says that it knows, for all lanes, without
// having met them, and says so again whenever it is asked; then the next phase ends. One lane that is late is
// enough for a deadlock.
std::string lateLane() {
  constexpr int rounds = 12;
  const std::string init = "nvvm.mbarrier.init ", type = " : !llvm.ptr<3>, i32\n",
                    wait = "nvvm.mbarrier.try_wait.parity ",
                    once = ", %c0, %c1000 : !llvm.ptr<3>, i32, i32\n";
  std::string text = at("bar", 1024), inits = init + "%bar, %c1" + type, asks, says;
  const auto arrive = [](const std::string &name) {
    return "nvvm.mbarrier.arrive %" + name + " : !llvm.ptr<3>\n";
  };
  for (int i = 0; i < rounds; ++i) {
    const std::string asked = "asked" + std::to_string(i), known = "known" + std::to_string(i);
    text += at(asked, 1032 + 16 * i) + at(known, 1040 + 16 * i);
    inits += init + "%" + asked + ", %c1" + type + init + "%" + known + ", %c4" + type;
    asks += arrive(asked) + wait + "%" + known + once;
    says += wait + "%" + asked + once + arrive(known);
  }
  return text +
         "%w = nvvm.read.ptx.sreg.warpid : i32\n%l = nvvm.read.ptx.sreg.laneid : i32\n"
         "%is0 = llvm.icmp \"eq\" %tid, %c0 : i32\n%tells = llvm.icmp \"eq\" %w, %c4 : i32\n"
         "%speaks = llvm.icmp \"eq\" %l, %c0 : i32\nllvm.cond_br %is0, ^i, ^m\n^i:\n" +
         inits +
         "llvm.br ^m\n^m:\nnvvm.barrier0\n"
         "llvm.cond_br %tells, ^t, ^h\n^t:\nllvm.cond_br %speaks, ^a, ^end\n^a:\n" +
         arrive("bar") + asks + arrive("bar") + "llvm.br ^end\n^h:\n" + wait + "%bar" + once +
         "llvm.cond_br %speaks, ^k, ^end\n^k:\n" + says + "llvm.br ^end\n^end:\n";
}

TEST(Schedules, FindALaneThatIsLate) {
  EXPECT_EQ(complaintOf(lateLane(), 160, std::nullopt), "");
  unsigned found = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const std::string text = complaintOf(lateLane(), 160, seed);
    found += !text.empty();
    if (!text.empty()) {
      EXPECT_THAT(text, HasSubstr("deadlock"));
    }
  }
  EXPECT_GE(found, 3u);
}

TEST(Schedules, LeaveRightProgramsAlone) {
  for (const Case &c : corpus()) {
    const auto program = compileForHost(c.kernel, *Target::parse(c.target));
    const std::vector<std::byte> expected = run(c, *program, {});
    for (unsigned seed = 0; seed < 6; ++seed)
      for (const Completion completion : completions)
        EXPECT_EQ(run(c, *program, {.completion = completion, .seed = seed + 1, .schedule_seed = seed}),
                  expected)
            << c.name << ", seed " << seed;
  }
}

TEST(Schedules, LeaveTheGemmAlone) {
  for (const bool inPairs : {false, true})
    for (const int inFlight : {0, 1}) {
      const auto program = compileForHost(HandWritten{gemmText({.inPairs = inPairs, .inFlight = inFlight})});
      const GemmProblem problem{256, 256, 448, 2, inPairs};
      const std::vector<float> expected = problem.expected();
      for (unsigned seed = 0; seed < 4; ++seed)
        for (SimulatorOptions options : policies(seed + 1)) {
          options.schedule_seed = seed;
          EXPECT_EQ(problem.run(*program, options), expected) << "seed " << seed;
        }
    }
}

}   // namespace
}   // namespace tile::simulator
