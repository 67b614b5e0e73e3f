// SPDX-License-Identifier: MIT
// The shipped product in roles: every transposition, size and shape of a block gives what the host computes.
#include "problem.h"
#include "tools/reference/matrix.h"
#include "tools/reference/placed.h"

#include <tile/gemm.h>

#include <random>

namespace tile::simulator {
namespace {

using kernels::GemmConfig;
using kernels::StoredBy;
using reference::Matrix;
using reference::Placed;
using reference::Placement;

struct Sizes {
  std::int64_t m, n, k;
};
struct Orders {
  bool aByColumns = false, bByColumns = false;
};
constexpr Orders allOrders[] = {{false, false}, {false, true}, {true, false}, {true, true}};

template <class T> Placement storedBy(bool columns, std::int64_t rows, std::int64_t cols) {
  return {.by_columns = columns, .padding = reference::padding_to_16_bytes<T>(columns ? rows : cols)};
}

GemmConfig blocks(int m, int n, int k, int warps = 4, int stages = 3) {
  return {.block_m = m,
          .block_n = n,
          .block_k = k,
          .group_m = 2,
          .launch = {.num_warps = warps, .num_stages = stages}};
}

Matrix wholeNumbers(std::int64_t rows, std::int64_t cols, std::uint64_t which) {
  Matrix numbers(rows, cols);
  for (std::size_t i = 0; i < numbers.values.size(); ++i)
    numbers.values[i] = smallNumber(i, which);
  return numbers;
}

template <class In, class Out>
Matrix multiplied(Device &device, const GemmConfig &config, const Sizes &s, Orders orders, const Matrix &x,
                  const Matrix &y) {
  Placed<In> a(device, "a", s.m, s.k, storedBy<In>(orders.aByColumns, s.m, s.k));
  Placed<In> b(device, "b", s.k, s.n, storedBy<In>(orders.bByColumns, s.k, s.n));
  Placed<Out> c(device, "c", s.m, s.n, storedBy<Out>(false, s.m, s.n));
  a.fill(x);
  b.fill(y);
  c.poison();
  kernels::gemm(device, a.view(), b.view(), c.view(), {.config = config, .fall_back = false});
  Matrix result = c.download();
  EXPECT_EQ(c.overwritten_bytes(), 0);
  return result;
}

template <class In, class Out>
void check(Device &device, const GemmConfig &config, const Sizes &s, Orders orders = {}) {
  SCOPED_TRACE(testing::Message() << s.m << " x " << s.n << " x " << s.k << ", blocks of " << config.block_m
                                  << " x " << config.block_n << " x " << config.block_k << ", "
                                  << config.launch.num_warps << " warps, " << config.launch.num_stages
                                  << " stages, " << (orders.aByColumns ? "T" : "N")
                                  << (orders.bByColumns ? "T" : "N"));
  const Matrix x = wholeNumbers(s.m, s.k, 1), y = wholeNumbers(s.k, s.n, 2);
  const Matrix expected = reference::matmul(x, y);
  const Matrix result = multiplied<In, Out>(device, config, s, orders, x, y);
  for (std::size_t i = 0; i < result.values.size(); ++i)
    ASSERT_EQ(result.values[i], numeric::cast<double>(numeric::cast<Out>(expected.values[i])))
        << "row " << i / static_cast<std::size_t>(s.n) << ", column " << i % static_cast<std::size_t>(s.n);
}

TEST(RolesOfGemm, EveryTranspositionInEveryWay) {
  for (const Way &way : ways) {
    const auto device = hopper(way);
    for (Orders orders : allOrders) {
      check<f16, f16>(*device, blocks(128, 128, 64, 8), {200, 264, 328}, orders);
      check<bf16, f32>(*device, blocks(64, 64, 32), {130, 136, 168}, orders);
    }
    EXPECT_TRUE(hasMultipliedInRoles(*device));
  }
}

// Two CTAs for each program: what both want is copied once, and each is told by the other's warps.
TEST(RolesOfGemm, PairsOfCtas) {
  for (const Way &way : ways) {
    const auto device = hopper(way);
    for (Orders orders : allOrders)
      for (GemmConfig config : {blocks(128, 64, 32), blocks(256, 96, 32, 8), blocks(128, 128, 64, 8, 2)}) {
        config.launch.num_ctas = 2;
        check<f16, f16>(*device, config, {300, 200, 168}, orders);
        check<bf16, f32>(*device, config, {8, 520, 40}, orders);
        config.store_by_descriptor = false;
        check<f16, f16>(*device, config, {300, 200, 168}, orders);
      }
  }
}

// Four CTAs: each copies a quarter of what all of them want.
TEST(RolesOfGemm, FourCtas) {
  for (const Way &way : ways) {
    const auto device = hopper(way);
    for (Orders orders : allOrders)
      for (GemmConfig config : {blocks(256, 64, 32), blocks(512, 96, 32, 8), blocks(256, 160, 64, 4, 2)}) {
        config.launch.num_ctas = 4;
        check<f16, f16>(*device, config, {300, 200, 168}, orders);
      }
    GemmConfig transposed = blocks(64, 256, 32);
    transposed.swap_ab = true;
    transposed.launch.num_ctas = 4;
    check<bf16, f32>(*device, transposed, {70, 520, 40});
    transposed.store_by_descriptor = false;   // columns of pointers are divided
    check<bf16, f32>(*device, transposed, {70, 520, 40});
    EXPECT_TRUE(hasMultipliedInRoles(*device));
  }
}

// What both CTAs want is copied in halves, of boxes that are three high or wide, and two the other way.
TEST(RolesOfGemm, PairsShareBoxesThatAreNoPowerOfTwo) {
  const auto device = hopper(ways[1]);
  for (Orders orders : allOrders)
    for (GemmConfig config : {blocks(128, 96, 128), blocks(128, 192, 128, 4, 1), blocks(128, 160, 64, 8)}) {
      config.launch.num_ctas = 2;
      check<f16, f16>(*device, config, {256, 330, 264}, orders);
    }
}

// The transposes are multiplied: fewer rows than the matrix unit takes.
TEST(RolesOfGemm, SwapAb) {
  for (const Way &way : ways) {
    const auto device = hopper(way);
    for (Orders orders : allOrders)
      for (int rows : {8, 16, 64}) {
        GemmConfig config = blocks(rows, 64, 32);
        config.swap_ab = true;
        check<f16, f16>(*device, config, {13, 136, 168}, orders);
        check<bf16, f32>(*device, config, {1, 200, 40}, orders);
        EXPECT_TRUE(hasMultipliedInRoles(*device));
      }
  }
}

// Two groups of warps take the programs in turn, each with a place of its own for results. Rings that go
// round within a program and over several, fewer programs than groups, and pairs of CTAs.
GemmConfig inTurn(int m, int n, int k, int warps = 4, int stages = 3) {
  GemmConfig config = blocks(m, n, k, warps, stages);
  config.launch.ping_pong = true;
  return config;
}
TEST(RolesOfGemm, GroupsInTurn) {
  for (const Way &way : ways) {
    const auto device = hopper(way);
    for (Orders orders : allOrders) {
      check<f16, f16>(*device, inTurn(128, 128, 64), {700, 264, 328}, orders);
      check<bf16, f32>(*device, inTurn(64, 96, 32, 4, 4), {330, 200, 168}, orders);
    }
    for (int stages : {1, 2, 3, 4})
      for (std::int64_t iterations = 0; iterations <= 6; ++iterations)
        check<f16, f32>(*device, inTurn(64, 64, 32, 4, stages), {320, 192, iterations * 32});
    check<f16, f16>(*device, inTurn(128, 64, 32, 8), {300, 200, 168});
    for (const Sizes &s : {Sizes{40, 40, 40}, Sizes{0, 40, 40}, Sizes{65, 129, 1}})
      check<f16, f16>(*device, inTurn(64, 32, 32), s);
    GemmConfig pairs = inTurn(128, 64, 32);
    pairs.launch.num_ctas = 2;
    check<f16, f16>(*device, pairs, {600, 200, 168});
    EXPECT_TRUE(hasMultipliedInRoles(*device));
  }
}

TEST(RolesOfGemm, SizesAroundTheEdgesOfBlocks) {
  const auto device = hopper();
  for (Orders orders : allOrders)
    for (std::int64_t m : {56, 63, 64, 65, 72})
      for (std::int64_t n : {24, 31, 32, 33, 40})
        for (std::int64_t k : {1, 24, 31, 32, 33, 40})
          check<f16, f16>(*device, blocks(64, 32, 32), {m, n, k}, orders);
  EXPECT_TRUE(hasMultipliedInRoles(*device));
}

TEST(RolesOfGemm, NothingToMultiply) {
  const auto device = hopper();
  for (Orders orders : allOrders)
    for (const Sizes &s :
         {Sizes{40, 40, 0}, Sizes{200, 100, 0}, Sizes{0, 40, 40}, Sizes{40, 0, 40}, Sizes{1, 1, 1}})
      check<f16, f32>(*device, blocks(64, 32, 32), s, orders);
}

TEST(RolesOfGemm, FewerIterationsThanStagesAndMore) {
  for (const Way &way : ways) {
    const auto device = hopper(way);
    for (int stages : {1, 2, 3, 4})
      for (std::int64_t iterations = 0; iterations <= 6; ++iterations)
        check<f16, f32>(*device, blocks(64, 64, 32, 4, stages), {64, 192, iterations * 32});
  }
}

// Widths that are no powers of two, over one, two and four groups of warps.
TEST(RolesOfGemm, ShapesOfBlocks) {
  const auto device = hopper();
  for (int n : {16, 32, 40, 48, 80, 96, 104, 192, 256})
    for (int warps : {4, 8, 16})
      for (Orders orders : allOrders)
        for (int k : {16, 32, 64, 128}) {
          if (n * k > 192 * 64 || (n == 256 && warps == 4))
            continue;
          check<f16, f16>(*device, blocks(16 * warps, n, k, warps, 2), {16 * warps + 8, n + 8, 2 * k + 8},
                          orders);
        }
  EXPECT_TRUE(hasMultipliedInRoles(*device));
}

// Fewer rows than groups have, so that groups are beside each other; and several rows of blocks for a group.
TEST(RolesOfGemm, GroupsBesideEachOtherAndBelow) {
  for (const Way &way : {ways[0], ways[4]}) {
    const auto device = hopper(way);
    for (Orders orders : allOrders) {
      check<f16, f16>(*device, blocks(64, 128, 64, 8), {70, 136, 136}, orders);
      check<f16, f32>(*device, blocks(64, 256, 32, 16), {70, 260, 136}, orders);
      check<f16, f16>(*device, blocks(128, 64, 64, 4), {136, 72, 136}, orders);
      check<f16, f16>(*device, blocks(192, 64, 32, 4), {200, 72, 136}, orders);
      check<f16, f16>(*device, blocks(256, 64, 32, 8), {264, 72, 136}, orders);
    }
    EXPECT_TRUE(hasMultipliedInRoles(*device));
  }
}

// How far the copies run ahead changes no bit.
TEST(RolesOfGemm, BitsDoNotDependOnStages) {
  std::mt19937_64 source(5);
  std::uniform_real_distribution<double> any(-1, 1);
  const Sizes s{136, 200, 328};
  Matrix x(s.m, s.k), y(s.k, s.n);
  for (Matrix *numbers : {&x, &y})
    for (double &value : numbers->values)
      value = any(source);
  for (Orders orders : allOrders) {
    std::optional<Matrix> first;
    for (int stages : {1, 2, 3, 4})
      for (const Way &way : {ways[0], ways[3]}) {
        const auto device = hopper(way);
        const Matrix result = multiplied<bf16, f32>(*device, blocks(64, 64, 32, 4, stages), s, orders, x, y);
        if (!first)
          first = result;
        ASSERT_EQ(result.values, first->values) << stages << " stages";
      }
  }
}

// Bytes are multiplied out of shared memory where they lie along K, and as before elsewhere.
TEST(RolesOfGemm, FloatsOfEightBits) {
  const auto device = hopper();
  for (Orders orders : allOrders) {
    check<e4m3, f16>(*device, blocks(64, 64, 64), {72, 80, 144}, orders);
    check<e5m2, f32>(*device, blocks(128, 32, 32, 8), {136, 48, 80}, orders);
  }
  EXPECT_TRUE(hasMultipliedInRoles(*device));
}

TEST(RolesOfGemm, ResultsOfEveryType) {
  const auto device = hopper();
  const Sizes s{136, 72, 40};
  check<f16, bf16>(*device, blocks(64, 32, 32), s);
  check<f16, i32>(*device, blocks(64, 32, 32), s);
  check<f16, i16>(*device, blocks(64, 32, 32), s);
  check<f16, f64>(*device, blocks(64, 32, 32), s);
  EXPECT_TRUE(hasMultipliedInRoles(*device));
}

TEST(RolesOfGemm, TypesThatNoGroupMultiplies) {
  const auto device = hopper();
  for (Orders orders : allOrders) {
    check<f32, f32>(*device, blocks(64, 32, 32), {72, 40, 40}, orders);
    check<i8, i32>(*device, blocks(64, 32, 32), {72, 48, 80}, orders);
  }
}

}   // namespace
}   // namespace tile::simulator
