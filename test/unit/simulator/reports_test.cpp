// SPDX-License-Identifier: MIT
// What a user reads when a lowered kernel does what it must not.
#include "completions.h"
#include "corpus.h"
#include "mutation.h"

#include <tile/simulator.h>

#include <gmock/gmock.h>

namespace tile::simulator {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const Target sm_90 = *Target::parse("sm_90");

template <class Run> std::string message(Run &&run) {
  try {
    run();
  } catch (const Error &error) {
    return error.what();
  }
  return "nothing";
}

// The first report about a mistake of this kind that has these words in it, else the last one.
std::string report(const Case &c, const std::string &wanted, const std::string &words,
                   Completion completion = Completion::latest) {
  std::string last = "nothing";
  for (unsigned number = 0;; ++number) {
    Mistake made;
    const auto program = compileForHost(c.kernel, sm_90, mistake(number, made, wanted));
    if (made.kind.empty())
      return last;
    if (std::string text = message([&] { run(c, *program, {.completion = completion}); }); text != "nothing")
      last = std::move(text);
    if (last.find(words) != last.npos)
      return last;
  }
}

TEST(SimulatorReports, ARaceNamesBothLines) {
  const std::string text = report(tile_case<&sums, f32>("sums", {}), "barrier one access too late", "a race");
  EXPECT_THAT(text, AllOf(HasSubstr("of shared memory, which another thread has"), HasSubstr("a race"),
                          HasSubstr("corpus.h:"), HasSubstr("note: thread"), HasSubstr("program (0, 0, 0)"),
                          HasSubstr("kernel corpus, config rows=32")));
}

TEST(SimulatorReports, AMissingWait) {
  for (Completion completion : completions)
    EXPECT_THAT(report(product_case<f16, f32>("product", {}, 160), "waits for one group less",
                       "a wait is missing", completion),
                AllOf(HasSubstr("while an asynchronous copy may still write it; a wait is missing"),
                      HasSubstr("began the copy here"), HasSubstr("corpus.h:")));
}

void beyond(Ptr<const f32> x, Ptr<f32> y, const Shape &cfg) {
  auto i = arange(0, cfg.rows);
  store(y + i, load(x + i));
}
void promised(Ptr<f32> x, Int n, const Shape &) {
  device_assert(n < 10, "n is small");
  store(x, cast<f32>(n));
}

TEST(SimulatorReports, AnAccessOutsideOfItsBuffer) {
  Case c{"beyond", traced<&beyond>({}, ""), {std::vector<std::byte>(64), std::vector<std::byte>(128)}, 0};
  EXPECT_THAT(message([&] { run(c, *compileForHost(c.kernel, sm_90), {}); }),
              AllOf(HasSubstr("load reads element 16 of `arg0`, which has 16"), HasSubstr("reports_test.cpp"),
                    HasSubstr("program (0, 0, 0), thread")));
}

TEST(SimulatorReports, AFailedAssert) {
  Case c{"promised", traced<&promised>({}, ""), {std::vector<std::byte>(64)}, 16};
  EXPECT_THAT(message([&] { run(c, *compileForHost(c.kernel, sm_90), {}); }),
              AllOf(HasSubstr("error: assertion failed: n is small"), HasSubstr("reports_test.cpp"),
                    HasSubstr("program (0, 0, 0)")));
}

TEST(SimulatorReports, EveryOneSaysTheConfig) {
  const auto has = AllOf(HasSubstr("kernel corpus, config rows=32"), HasSubstr("num_warps=4"),
                         HasSubstr("num_stages=3"), HasSubstr("num_ctas=1"));
  Case outside{
      "beyond", traced<&beyond>({}, ""), {std::vector<std::byte>(64), std::vector<std::byte>(128)}, 0};
  EXPECT_THAT(message([&] { run(outside, *compileForHost(outside.kernel, sm_90), {}); }), has);
  Case check{"promised", traced<&promised>({}, ""), {std::vector<std::byte>(64)}, 16};
  const auto checked = compileForHost(check.kernel, sm_90);
  EXPECT_THAT(message([&] { run(check, *checked, {}); }), has);
  EXPECT_THAT(report(tile_case<&sums, f32>("sums", {}), "barrier one access too late", "a race"), has);
  EXPECT_THAT(
      report(product_case<f16, f32>("product", {}, 160), "waits for one group less", "a wait is missing"),
      has);
  // Launches that are refused.
  const std::unique_ptr<Device> device = open_simulator({.threads = 1});
  const std::unique_ptr<Executable> loaded = loadProgram(*device, checked);
  EXPECT_THAT(message([&] { loaded->launch(Grid{-1}, {}); }), has);
  EXPECT_THAT(message([&] { loaded->launch(Grid{1}, {}); }), has);
}

// A kernel whose config has no launch is said to have the one by default.
struct Bare {
  int rows = 32;
};
void alone(Ptr<f32> x, const Bare &cfg) { store(x + arange(0, cfg.rows), 1.0f); }
TEST(SimulatorReports, AConfigWithoutALaunch) {
  static const Kernel<&alone> kernel{.name = "alone", .grid = [](auto &, auto...) { return Grid{1}; }};
  Case c{"alone", kernel.trace(Bare{}), {std::vector<std::byte>(64)}, 0};
  EXPECT_THAT(message([&] { run(c, *compileForHost(c.kernel, sm_90), {}); }),
              HasSubstr("kernel alone, config rows=32 num_warps=4 num_stages=3 num_ctas=1"));
}

TEST(SimulatorReports, AnUnknownTarget) {
  EXPECT_THAT(message([] { open_simulator({.target = "sm_42"}); }),
              AllOf(HasSubstr("there is no target `sm_42`; there are: sm_80"), HasSubstr("sm_90a")));
}

}   // namespace
}   // namespace tile::simulator
