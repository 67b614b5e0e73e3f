// SPDX-License-Identifier: MIT
// Loops and branches of the device: the table "traced once" of docs/language.md row by row, and
// what is carried into, through and out of them. The rows that are errors are in test/errors.
#include "test/unit/language/run_kernel.h"

#include <gmock/gmock.h>

#include <limits>

namespace tile::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// ---- the table

void assigned_outside(Ptr<i32> out, Int n, const Config &) {
  Int sum = 0;
  for (auto i : range(n))
    sum += i;
  store(out, sum);
}
TEST(TracedOnce, AnOuterVariableIsCarried) {
  EXPECT_THAT(run_first<&assigned_outside>(1, 7), ElementsAre(21));
}

void declared_inside(Ptr<i32> out, Int n, const Config &) {
  for (auto i : range(n)) {
    Int fresh = 5;
    fresh += i;
    store(out + i, fresh);
  }
}
TEST(TracedOnce, AnInnerVariableIsFreshEachTime) {
  EXPECT_THAT(run_first<&declared_inside>(4, 3), ElementsAre(5, 6, 7, -1));
}

void loop_variable(Ptr<i32> out, Int n, const Config &) {
  Int trips = 0;
  for (auto i : range(n)) {
    store(out + i, i);
    i += 100;
    trips += 1;
  }
  store(out + 20, trips);
}
TEST(TracedOnce, AssignmentToTheLoopVariableStaysInTheIteration) {
  std::vector<i32> out = run<&loop_variable>(3);
  EXPECT_EQ(out[0], 0);
  EXPECT_EQ(out[2], 2);
  EXPECT_EQ(out[20], 3);
}

void host_counter(Ptr<i32> out, Int n, const Config &) {
  int traces = 0;
  for (auto i : range(n)) {
    ++traces;
    store(out + 1, i);
  }
  store(out, traces);
}
TEST(TracedOnce, AHostVariableCountsTraces) {
  EXPECT_THAT(run_first<&host_counter>(2, 7), ElementsAre(1, 6));
}

void host_loop(Ptr<i32> out, Int n, const Config &) {
  Int sum = 0;
  for (auto i : range(n))
    for (int u = 0; u < 3; ++u)
      sum += i * u;
  store(out, sum);
}
TEST(TracedOnce, AHostLoopIsUnrolled) {
  EXPECT_THAT(run_first<&host_loop>(1, 4), ElementsAre(18));
  EXPECT_EQ(count(text<&host_loop>(), "scf.for"), 1u);
}

void host_if(Ptr<i32> out, Int n, const Config &cfg) {
  Int sum = 0;
  for (auto i : range(n)) {
    sum += i;
    if (cfg.twice)
      sum += i;
  }
  store(out, sum);
}
TEST(TracedOnce, AHostIfKeepsOrDropsCode) {
  EXPECT_THAT(run_first<&host_if>(1, 4), ElementsAre(6));
  EXPECT_THAT(run_first<&host_if>(1, 4, {.twice = true}), ElementsAre(12));
  EXPECT_THAT(text<&host_if>(), Not(HasSubstr("scf.if")));
  EXPECT_EQ(count(text<&host_if>(), "arith.addi"), 1u);
  EXPECT_EQ(count(text<&host_if>({.twice = true}), "arith.addi"), 2u);
}

void host_continue(Ptr<i32> out, Int n, const Config &cfg) {
  for (auto i : range(n)) {
    store(out + i, i);
    if (!cfg.twice)
      continue;
    store(out + 10 + i, i);
  }
}
TEST(TracedOnce, ContinueUnderAHostIfDropsTheRest) {
  EXPECT_EQ(run<&host_continue>(3)[10], -1);
  EXPECT_EQ(run<&host_continue>(3, {.twice = true})[12], 2);
}

// ---- loops

void zero_trips(Ptr<i32> out, Int n, const Config &) {
  Int kept = 5;
  for (auto i : range(n, 0))
    kept = i;
  store(out, kept);
}
TEST(Loops, ZeroTripsLeaveVariablesAsTheyWere) { EXPECT_THAT(run_first<&zero_trips>(1, 7), ElementsAre(5)); }

void downwards(Ptr<i32> out, Int n, const Config &) {
  Int position = 0;
  for (auto i : range(n, 0, -2)) {
    store(out + position, i);
    position += 1;
  }
}
TEST(Loops, ANegativeStepCountsDown) {
  EXPECT_THAT(run_first<&downwards>(5, 7), ElementsAre(7, 5, 3, 1, -1));
  EXPECT_THAT(run_first<&downwards>(2, 0), ElementsAre(-1, -1));
}

void near_the_end(Ptr<i32> out, Int n, const Config &) {
  constexpr int top = std::numeric_limits<int>::max();
  Int trips = 0;
  for ([[maybe_unused]] auto i : range(top - n, top, 3))   // i + 3 would wrap
    trips += 1;
  store(out, trips);
  Tensor<u32> up = 0;
  for ([[maybe_unused]] auto i : range(cast<u32>(n) + 0xfffffff0u, constant<u32>(0xffffffffu), 7u))
    up += 1;
  store(out + 1, cast<i32>(up));
  Int64 wide = 0;
  for (auto i : range(cast<i64>(n) + (i64{1} << 35), (i64{1} << 35) + 20, i64{4}))
    wide += i - (i64{1} << 35);
  store(out + 2, cast<i32>(wide));
}
TEST(Loops, TripCountsDoNotOverflow) {
  // 7 below the top in steps of 3; 0xfffffff7 to 0xffffffff in steps of 7; 7, 11, 15, 19 past 2^35.
  EXPECT_THAT(run_first<&near_the_end>(3, 7), ElementsAre(3, 2, 52));
}

void device_step(Ptr<i32> out, Int n, const Config &) {
  Int sum = 0;
  for (auto i : range(1, 20, n))
    sum += i;
  store(out, sum);
}
TEST(Loops, TheStepMayBeADeviceValue) { EXPECT_THAT(run_first<&device_step>(1, 7), ElementsAre(1 + 8 + 15)); }

void nested(Ptr<i32> out, Int n, const Config &) {
  Int inner_trips = 0, last = -3;
  for (auto i : range(n)) {
    for (auto j : range(i)) {
      inner_trips += 1;
      last = i * 10 + j;
    }
  }
  store(out, inner_trips);
  store(out + 1, last);
}
TEST(Loops, NestedLoopsCarryThroughBoth) { EXPECT_THAT(run_first<&nested>(2, 4), ElementsAre(6, 32)); }

void options(Ptr<i32> out, Int n, const Config &) {
  for (auto i : range(n).stages(3).unroll(2))
    store(out + i, i);
}
TEST(Loops, OptionsAreAttributesOfTheLoop) {
  std::string ir = text<&options>();
  EXPECT_THAT(ir, HasSubstr("tile.num_stages = 3"));
  EXPECT_THAT(ir, HasSubstr("tile.unroll = 2"));
  EXPECT_THAT(run_first<&options>(4, 3), ElementsAre(0, 1, 2, -1));
}

// Loops of every type and direction, also to the ends of types; `block` is how often they are unrolled.
void unrolled(Ptr<i32> out, Int n, const Config &cfg) {
  constexpr int top = std::numeric_limits<int>::max(), bottom = std::numeric_limits<int>::min();
  constexpr i64 far = i64{1} << 35;
  const int times = cfg.block;
  Int at = 0;
  auto put = [&](const Int &value) {
    store(out + at, value);
    at += 1;
  };
  for (auto i : range(n).unroll(times))
    put(i);
  for (auto i : range(-n, n, 2).unroll(times))
    put(i);
  for (auto i : range(n, -n, -3).unroll(times))
    put(i);
  for (auto i : range(top - n, top, 3).unroll(times))
    put(i);
  for (auto i : range(bottom, bottom + n * 1000000000, 1500000000).unroll(times))
    put(i);
  for (auto i : range(cast<u32>(n) + 0xfffffff0u, constant<u32>(0xffffffffu), 7u).unroll(times))
    put(cast<i32>(i));
  for (auto i : range(cast<i64>(n) + far, far + 20, i64{4}).unroll(times))
    put(cast<i32>(i - far));
  for (auto i : range(n, 0).unroll(times))   // never
    put(i);
  for (auto i : range(3, 20, maximum(n, 1) * 3).unroll(times))
    put(i);
  for (auto i : range(3).unroll(times))
    for (auto j : range(i, 3).unroll(times))
      put(i * 10 + j);
}
TEST(Loops, UnrollingChangesNoResult) {
  for (int n : {0, 1, 2, 5, 7}) {
    const std::vector<i32> expected = run<&unrolled>(n, {.block = 1});
    EXPECT_EQ(expected.back(), -1) << "more than fits";
    for (int times : {2, 3, 4, 16})
      EXPECT_EQ(run<&unrolled>(n, {.block = times}, "simulator"), expected) << n << " by " << times;
  }
}

void dead_after(Ptr<i32> out, Int n, const Config &) {
  Int scratch = 0;
  for (auto i : range(n)) {
    scratch = i * 2;   // assigned before it is read in each iteration
    store(out + i, scratch);
  }
}
TEST(Loops, AScratchVariableWorks) { EXPECT_THAT(run_first<&dead_after>(3, 3), ElementsAre(0, 2, 4)); }

// ---- branches

void merged(Ptr<i32> out, Int n, const Config &) {
  Int a = 0, b = 1, c = 2;
  TILE_IF (n > 5) {
    a = 10;
    b += n;
  } else {
    b = -1;
  }
  store(out, a);
  store(out + 1, b);
  store(out + 2, c);
}
TEST(Branches, VariablesAreMerged) {
  EXPECT_THAT(run_first<&merged>(3, 7), ElementsAre(10, 8, 2));
  EXPECT_THAT(run_first<&merged>(3, 3), ElementsAre(0, -1, 2));
}

void nested_branches(Ptr<i32> out, Int n, const Config &) {
  Int bits = 0;
  TILE_IF ((n & 1) != 0) {
    bits += 1;
    TILE_IF ((n & 2) != 0) {
      bits += 2;
    }
  } else {
    TILE_IF ((n & 4) != 0) {
      bits += 4;
    } else {
      bits += 8;
    }
  }
  store(out, bits);
}
TEST(Branches, Nest) {
  const int expected[8] = {8, 1, 8, 3, 4, 1, 4, 3};
  for (int n = 0; n < 8; ++n)
    EXPECT_THAT(run_first<&nested_branches>(1, n), ElementsAre(expected[n])) << n;
}

void lambdas(Ptr<i32> out, Int n, const Config &) {
  Int x = 0;
  if_(n > 5, [&] { x = 1; }, [&] { x = 2; });
  if_(n > 6, [&] { x += 10; });
  store(out, x);
}
TEST(Branches, LambdasDoTheSame) {
  EXPECT_THAT(run_first<&lambdas>(1, 5), ElementsAre(2));
  EXPECT_THAT(run_first<&lambdas>(1, 6), ElementsAre(1));
  EXPECT_THAT(run_first<&lambdas>(1, 7), ElementsAre(11));
}

void tiles_from_arms(Ptr<i32> out, Int n, const Config &cfg) {
  auto i = arange(0, cfg.block);
  auto x = i * 0;
  TILE_IF (n > 3) {
    x = i + n;
  } else {
    x = i - n;
  }
  store(out + i, x);
}
TEST(Branches, ArmsYieldTiles) {
  EXPECT_THAT(run_first<&tiles_from_arms>(2, 7), ElementsAre(7, 8));
  EXPECT_THAT(run_first<&tiles_from_arms>(2, 2), ElementsAre(-2, -1));
}

void effects(Ptr<i32> out, Int n, const Config &) {
  TILE_IF (n > 3) {
    store(out, 1);
  } else {
    store(out + 1, 1);
  }
}
TEST(Branches, OnlyTheTakenArmWrites) {
  EXPECT_THAT(run_first<&effects>(2, 7), ElementsAre(1, -1));
  EXPECT_THAT(run_first<&effects>(2, 2), ElementsAre(-1, 1));
}

void branch_in_loop(Ptr<i32> out, Int n, const Config &) {
  Int even = 0, odd = 0;
  for (auto i : range(n)) {
    TILE_IF (i % 2 == 0) {
      even += i;
    } else {
      odd += i;
    }
  }
  store(out, even);
  store(out + 1, odd);
}
TEST(Branches, InALoop) { EXPECT_THAT(run_first<&branch_in_loop>(2, 7), ElementsAre(12, 9)); }

void loop_in_branch(Ptr<i32> out, Int n, const Config &) {
  Int sum = 0;
  TILE_IF (n > 3) {
    for (auto i : range(n))
      sum += i;
  }
  store(out, sum);
}
TEST(Branches, WithALoopInside) {
  EXPECT_THAT(run_first<&loop_in_branch>(1, 5), ElementsAre(10));
  EXPECT_THAT(run_first<&loop_in_branch>(1, 3), ElementsAre(0));
}

// ---- while

void collatz(Ptr<i32> out, Int n, const Config &) {
  Int steps = 0, x = n;
  while_([&] { return x > 1; },
         [&] {
           TILE_IF (x % 2 == 0) {
             x = x / 2;
           } else {
             x = 3 * x + 1;
           }
           steps += 1;
         });
  store(out, steps);
}
TEST(While, RunsUntilTheConditionFails) {
  EXPECT_THAT(run_first<&collatz>(1, 7), ElementsAre(16));
  EXPECT_THAT(run_first<&collatz>(1, 1), ElementsAre(0));
}

void condition_that_assigns(Ptr<i32> out, Int n, const Config &) {
  Int checks = 0, i = 0;
  while_(
      [&] {
        checks += 1;
        return i < n;
      },
      [&] { i += 1; });
  store(out, checks);
  store(out + 1, i);
}
TEST(While, TheConditionMayAssign) {
  EXPECT_THAT(run_first<&condition_that_assigns>(2, 7), ElementsAre(8, 7));
}

void flag_instead_of_break(Ptr<i32> out, Int n, const Config &) {
  Int i = 0;
  Bool searching = true;
  while_([&] { return searching & (i < 50); },
         [&] {
           searching = i * i < n;
           i = where(searching, i + 1, i);
         });
  store(out, i);
}
TEST(While, AFlagStandsForBreak) { EXPECT_THAT(run_first<&flag_instead_of_break>(1, 17), ElementsAre(5)); }

}   // namespace
}   // namespace tile::test
