// SPDX-License-Identifier: MIT
// What each variable accepts and refuses, in words.
#include <tile/environment.h>

#include "test/unit/runtime/scratch_folder.h"

#include <tile/error.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tile {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

class Environment : public ::testing::Test {
 protected:
  Environment() {
    for (const environment::Variable &variable : environment::variables())
      guard.set(std::string(variable.name), nullptr);
  }
  testing::EnvironmentGuard guard;
};

TEST_F(Environment, Defaults) {
  EXPECT_EQ(environment::check(), environment::Checks());
  EXPECT_EQ(environment::color(), environment::Color::automatic);
  EXPECT_EQ(environment::device(), "auto");
  EXPECT_EQ(environment::jobs(), 0);
  EXPECT_EQ(environment::source_root(), "");
  for (const environment::Variable &variable : environment::variables())
    EXPECT_EQ(variable.effective(), variable.default_value) << variable.name;
}

TEST_F(Environment, EmptyIsNotSet) {
  for (const environment::Variable &variable : environment::variables()) {
    guard.set(std::string(variable.name), "");
    EXPECT_EQ(variable.effective(), variable.default_value) << variable.name;
  }
}

TEST_F(Environment, ChecksAreAList) {
  guard.set("TILE_CHECK", "none");
  EXPECT_EQ(environment::check(), (environment::Checks{false, false, false, false}));
  guard.set("TILE_CHECK", "all");
  EXPECT_EQ(environment::check(), (environment::Checks{true, true, true, true, true, true}));
  guard.set("TILE_CHECK", "uninitialized,bounds");
  EXPECT_EQ(environment::check(), (environment::Checks{false, true, false, true}));
  EXPECT_THAT(environment::report(), HasSubstr("TILE_CHECK=bounds,uninitialized   set in the environment"));
  guard.set("TILE_CHECK", "trace");
  EXPECT_EQ(environment::check(), (environment::Checks{false, false, false, false, true}));
  guard.set("TILE_CHECK", "races");
  EXPECT_EQ(environment::check(), (environment::Checks{false, false, false, false, false, true}));
}

TEST_F(Environment, BadChecks) {
  const auto check = [] { environment::check(); };
  guard.set("TILE_CHECK", "asserts,bonds");
  EXPECT_THAT(
      check, ThrowsMessage<Error>(
                 "error: TILE_CHECK=asserts,bonds: `bonds` is not a check; accepted: none, all, or a list of "
                 "asserts, bounds, overflow, uninitialized, trace, races\n  = help: did you mean `bounds`?"));
  guard.set("TILE_CHECK", "bounds,none");
  EXPECT_THAT(check,
              ThrowsMessage<Error>(AllOf(HasSubstr("`none` cannot be combined"), Not(HasSubstr("help")))));
  guard.set("TILE_CHECK", "bounds,");
  EXPECT_THAT(check, ThrowsMessage<Error>(HasSubstr("`` is not a check")));
  guard.set("TILE_CHECK", "1");
  EXPECT_THAT(check, ThrowsMessage<Error>(AllOf(HasSubstr("`1` is not a check"), Not(HasSubstr("help")))));
}

TEST_F(Environment, Jobs) {
  guard.set("TILE_JOBS", "8");
  EXPECT_EQ(environment::jobs(), 8);
  guard.set("TILE_JOBS", "auto");
  EXPECT_EQ(environment::jobs(), 0);
  for (const char *bad : {"0", "-1", "1025", "4x", "x", "99999999999999999999", " 4"}) {
    guard.set("TILE_JOBS", bad);
    EXPECT_THAT([] { environment::jobs(); },
                ThrowsMessage<Error>(
                    HasSubstr("not a number of threads; accepted: a number of threads from 1 to 1024")))
        << bad;
  }
}

TEST_F(Environment, SimulatedCopies) {
  EXPECT_EQ(environment::simulated_copies().when, Completion::latest);
  guard.set("TILE_SIMULATED_COPIES", "eager");
  EXPECT_EQ(environment::simulated_copies().when, Completion::eager);
  guard.set("TILE_SIMULATED_COPIES", "17");
  EXPECT_EQ(environment::simulated_copies().when, Completion::random);
  EXPECT_EQ(environment::simulated_copies().seed, 17u);
  guard.set("TILE_SIMULATED_COPIES", "late");
  EXPECT_THAT(
      [] { environment::simulated_copies(); },
      ThrowsMessage<Error>(HasSubstr("neither a choice nor a seed; accepted: latest, eager, or a number")));
}

TEST_F(Environment, Limit) {
  EXPECT_EQ(environment::limit(), 300);
  guard.set("TILE_LIMIT", "7");
  EXPECT_EQ(environment::limit(), 7);
  guard.set("TILE_LIMIT", "none");
  EXPECT_EQ(environment::limit(), 0);
  for (const char *bad : {"0", "-1", "86401", "7s", "never"}) {
    guard.set("TILE_LIMIT", bad);
    EXPECT_THAT(
        [] { environment::limit(); },
        ThrowsMessage<Error>(HasSubstr("not a number of seconds; accepted: a number of seconds from 1")))
        << bad;
  }
}

TEST_F(Environment, Schedule) {
  EXPECT_EQ(environment::schedule(), std::nullopt);
  guard.set("TILE_SCHEDULE", "fixed");
  EXPECT_EQ(environment::schedule(), std::nullopt);
  guard.set("TILE_SCHEDULE", "random:17");
  EXPECT_EQ(environment::schedule(), 17u);
  for (const char *bad : {"random", "random:", "random:x", "random:1x", "17", "any"}) {
    guard.set("TILE_SCHEDULE", bad);
    EXPECT_THAT([] { environment::schedule(); },
                ThrowsMessage<Error>(
                    HasSubstr("neither a choice nor a seed; accepted: fixed, or random:SEED with a number")))
        << bad;
  }
}

TEST_F(Environment, SimulatedGpu) {
  EXPECT_EQ(environment::simulated_gpu(), "sm_90a");
  guard.set("TILE_SIMULATED_GPU", "sm_80");
  EXPECT_EQ(environment::simulated_gpu(), "sm_80");
}

TEST_F(Environment, Color) {
  guard.set("TILE_COLOR", "always");
  EXPECT_EQ(environment::color(), environment::Color::always);
  guard.set("TILE_COLOR", "never");
  EXPECT_EQ(environment::color(), environment::Color::never);
  guard.set("TILE_COLOR", "alway");
  EXPECT_THAT(
      [] { environment::color(); },
      ThrowsMessage<Error>(AllOf(HasSubstr("TILE_COLOR=alway: no such choice; accepted: auto, always, never"),
                                 HasSubstr("did you mean `always`?"))));
}

TEST_F(Environment, Assembler) {
  EXPECT_EQ(environment::ptxas(), "auto");
  guard.set("TILE_PTXAS", "/opt/ptxas");
  EXPECT_EQ(environment::ptxas(), "/opt/ptxas");
  EXPECT_EQ(environment::lost_speed(), environment::LostSpeed::error);
  guard.set("TILE_LOST_SPEED", "warning");
  EXPECT_EQ(environment::lost_speed(), environment::LostSpeed::warning);
  guard.set("TILE_LOST_SPEED", "none");
  EXPECT_THAT(
      [] { environment::lost_speed(); },
      ThrowsMessage<Error>(HasSubstr("TILE_LOST_SPEED=none: no such choice; accepted: error, warning")));
}

TEST_F(Environment, CheckValuesFindsABadOne) {
  EXPECT_NO_THROW(environment::check_values());
  guard.set("TILE_JOBS", "many");
  EXPECT_THROW(environment::check_values(), Error);
}

TEST_F(Environment, UnknownNamesGetAWarning) {
  const std::size_t before = environment::warnings().size();
  guard.set("TILE_DEVCIE", "x");
  guard.set("TILE_UNRELATED_THING", "x");
  const std::vector<std::string> warnings = environment::warnings();
  EXPECT_EQ(warnings.size(), before + 2);
  EXPECT_THAT(warnings, ::testing::Contains(
                            "the environment sets TILE_DEVCIE, which is not a variable of tile; did you mean "
                            "TILE_DEVICE?"));
  EXPECT_THAT(warnings, ::testing::Contains(
                            "the environment sets TILE_UNRELATED_THING, which is not a variable of tile"));
}

TEST_F(Environment, EveryVariableIsInHelpAndReport) {
  guard.set("TILE_DEVICE", "interpreter");
  const std::string help = environment::help(), report = environment::report();
  for (const environment::Variable &variable : environment::variables()) {
    EXPECT_THAT(help, HasSubstr(std::string(variable.name) + "=" + std::string(variable.values)));
    EXPECT_THAT(help, HasSubstr(variable.help));
    EXPECT_THAT(report, HasSubstr(std::string(variable.name) + "=" + variable.effective()));
  }
  EXPECT_THAT(report, AllOf(HasSubstr("TILE_DEVICE=interpreter"), HasSubstr("set in the environment\n"),
                            HasSubstr("TILE_JOBS=auto"), HasSubstr("default\n")));
}

}   // namespace
}   // namespace tile
