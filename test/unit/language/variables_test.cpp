// SPDX-License-Identifier: MIT
// Tensors are C++ values: copies, swaps, arrays and structs of them mean what they mean for int.
#include "test/unit/language/run_kernel.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

namespace tile::test {
namespace {

using testing::ElementsAre;

void copies(Ptr<i32> out, Int n, const Config &) {
  Int a = n;
  Int b = a, c(a), d{a};
  const Int before = a;
  a += 1;
  b = a;
  b += 10;
  store(out, a);
  store(out + 1, b);
  store(out + 2, c + d);
  store(out + 3, before);
  store(out + 4, n);
}
TEST(Variables, ACopyIsAVariableOfItsOwn) {
  EXPECT_THAT(run_first<&copies>(5, 7), ElementsAre(8, 18, 14, 7, 7));
}

void self_assignment(Ptr<i32> out, Int n, const Config &) {
  Int &same = n;
  n = same;
  n = n + 0 * n;
  store(out, n);
}
TEST(Variables, SelfAssignmentKeepsTheValue) {
  EXPECT_THAT(run_first<&self_assignment>(1, 7), ElementsAre(7));
}

void chained(Ptr<i32> out, Int n, const Config &) {
  Int a = 0, b = 0;
  a = b = n;
  (a += 1) *= 2;
  store(out, a);
  store(out + 1, b);
}
TEST(Variables, AssignmentsChain) { EXPECT_THAT(run_first<&chained>(2, 7), ElementsAre(16, 7)); }

void swaps(Ptr<i32> out, Int n, const Config &) {
  Int a = n, b = 2 * n;
  std::swap(a, b);
  store(out, a);
  store(out + 1, b);
  for ([[maybe_unused]] auto i : range(n))
    std::swap(a, b);
  store(out + 2, a);
  store(out + 3, b);
}
TEST(Variables, SwapSwaps) { EXPECT_THAT(run_first<&swaps>(4, 7), ElementsAre(14, 7, 7, 14)); }

void fibonacci(Ptr<i32> out, Int n, const Config &) {
  Int a = 0, b = 1;
  for ([[maybe_unused]] auto i : range(n)) {
    Int next = a + b;
    a = b;
    b = next;
  }
  store(out, a);
}
TEST(Variables, TwoCarriedVariablesDependOnEachOther) {
  EXPECT_THAT(run_first<&fibonacci>(1, 10), ElementsAre(55));
}

void moves(Ptr<i32> out, Int n, const Config &) {
  Int a = n;
  Int b = std::move(a);   // as for int: a copy
  b += 1;
  store(out, a);
  store(out + 1, b);
}
TEST(Variables, AMoveIsACopy) { EXPECT_THAT(run_first<&moves>(2, 7), ElementsAre(7, 8)); }

struct Pair {
  Int a, b;
};
struct Nested {
  Pair pair;
  std::array<Int, 2> more;
};
void structs(Ptr<i32> out, Int n, const Config &) {
  Pair even{0, 1}, odd{2, 3};
  for (auto i : range(n)) {
    Pair saved = even;
    even = odd;
    odd = saved;
    odd.a += i;
    std::swap(even.b, odd.b);
  }
  Nested x{even, {odd.a, odd.b}}, y = x;
  x.more[0] = 100;
  x.pair.a = 200;
  store(out, y.pair.a);
  store(out + 1, y.pair.b);
  store(out + 2, y.more[0]);
  store(out + 3, y.more[1]);
  store(out + 4, x.more[0] + x.pair.a);
}
TEST(Variables, StructsAreCopiedMemberByMember) {
  int ea = 0, eb = 1, oa = 2, ob = 3;
  for (int i = 0; i < 5; ++i) {
    std::swap(ea, oa);
    oa += i;   // the exchange of b happens twice
  }
  EXPECT_THAT(run_first<&structs>(5, 5), ElementsAre(ea, eb, oa, ob, 300));
}

void arrays(Ptr<i32> out, Int n, const Config &) {
  std::array<Int, 4> acc{0, 1, 2, 3};
  for (auto i : range(n))
    for (int u = 0; u < 4; ++u)
      acc[u] += i * (u + 1);
  std::array<Int, 4> copy = acc;
  std::reverse(copy.begin(), copy.end());
  for (int u = 0; u < 4; ++u) {
    store(out + u, acc[u]);
    store(out + 4 + u, copy[u]);
  }
}
TEST(Variables, ArraysUnroll) {
  EXPECT_THAT(run_first<&arrays>(8, 5), ElementsAre(10, 21, 32, 43, 43, 32, 21, 10));
}

void vectors(Ptr<i32> out, Int n, const Config &) {
  std::vector<Int> v;
  for (int i = 0; i < 9; ++i)   // grows: the library copies the elements
    v.push_back(n * i);
  v.erase(v.begin());
  for (int i = 0; i < 8; ++i)
    store(out + i, v[static_cast<std::size_t>(i)]);
}
TEST(Variables, VectorsGrow) {
  EXPECT_THAT(run_first<&vectors>(8, 2), ElementsAre(2, 4, 6, 8, 10, 12, 14, 16));
}

void optionals_and_tuples(Ptr<i32> out, Int n, const Config &cfg) {
  std::optional<Int> bias;
  if (cfg.twice)
    bias = n * 2;
  auto [a, b] = std::pair<Int, Int>{n, n + 1};
  std::tuple<Int, Bool> t{a * b, n > 3};
  store(out, bias ? *bias : Int(-5));
  store(out + 1, where(std::get<1>(t), std::get<0>(t), 0));
}
TEST(Variables, OptionalsAndTuplesHoldTensors) {
  EXPECT_THAT(run_first<&optionals_and_tuples>(2, 7), ElementsAre(-5, 56));
  EXPECT_THAT(run_first<&optionals_and_tuples>(2, 7, {.twice = true}), ElementsAre(14, 56));
}

Int by_value(Int x) {
  x += 1;
  return x;
}
void by_reference(Int &x) { x += 10; }
Int by_const_reference(const Int &x) { return x * 2; }
void parameters(Ptr<i32> out, Int n, const Config &) {
  store(out, by_value(n));
  store(out + 1, n);
  by_reference(n);
  store(out + 2, n);
  store(out + 3, by_const_reference(n));
}
TEST(Variables, ParametersPassAsInCpp) {
  EXPECT_THAT(run_first<&parameters>(4, 7), ElementsAre(8, 7, 17, 34));
}

void lambdas(Ptr<i32> out, Int n, const Config &) {
  Int x = n;
  auto by_copy = [x] { return x + 1; };
  auto by_name = [&] { x += 1; };
  by_name();
  by_name();
  store(out, x);
  store(out + 1, by_copy());
}
TEST(Variables, LambdasCapture) { EXPECT_THAT(run_first<&lambdas>(2, 7), ElementsAre(9, 8)); }

struct MinMax {
  Int low, high;
};
MinMax extremes(const Int &a, const Int &b) { return {minimum(a, b), maximum(a, b)}; }
template <int N> Int power(const Int &x) {
  if constexpr (N == 0)
    return 1;
  else
    return x * power<N - 1>(x);
}
void results(Ptr<i32> out, Int n, const Config &) {
  auto [low, high] = extremes(30 * n, 1 - n);
  store(out, low);
  store(out + 1, high);
  store(out + 2, power<3>(n));
}
TEST(Variables, FunctionsReturnSeveralAndRecurseOverTemplates) {
  EXPECT_THAT(run_first<&results>(3, 2), ElementsAre(-1, 60, 8));
}

void tiles(Ptr<i32> out, Int n, const Config &cfg) {
  auto i = arange(0, cfg.block);
  auto acc = i, kept = acc;
  for ([[maybe_unused]] auto k : range(n))
    acc = acc + i;
  acc -= kept;
  store(out + i, acc);
}
TEST(Variables, TilesAreVariablesToo) { EXPECT_THAT(run_first<&tiles>(4, 7), ElementsAre(0, 7, 14, 21)); }

void pointers(Ptr<i32> out, Int n, const Config &) {
  Ptr<i32> p = out, end = out + n;
  Ptr<const i32> reader = out;   // a promise not to write
  while_([&] { return p != end; },
         [&] {
           store(p, n);
           p += 1;
         });
  store(end, load(reader) * 2);
}
TEST(Variables, PointersAreCarried) { EXPECT_THAT(run_first<&pointers>(5, 3), ElementsAre(3, 3, 3, 6, -1)); }

}   // namespace
}   // namespace tile::test
