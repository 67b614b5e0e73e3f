// SPDX-License-Identifier: MIT
// batched_gemm on the simulator of an H200: boxes are of one matrix of a stack, results of all in a row.
#include "problem.h"

#include <tile/batched_gemm.h>
#include <tile/buffer.h>

#include <cstdint>
#include <string>

namespace tile::simulator {
namespace {

using kernels::GemmConfig;

struct Sizes {
  std::int64_t batch, m, n, k;
};
enum class Shared { none, a, b };

// Matrices lie one behind the other as `trans` says, with `gap` elements between them that are no result.
void check(Device &device, const GemmConfig &config, const Sizes &s, const std::string &trans, Shared shared,
           std::int64_t gap) {
  SCOPED_TRACE(testing::Message() << s.batch << " x " << s.m << " x " << s.n << " x " << s.k << " " << trans
                                  << " shared " << static_cast<int>(shared) << " gap " << gap);
  auto numbers = [&](std::int64_t count, std::uint64_t which) {
    std::vector<f16> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<f16>(static_cast<float>(smallNumber(i, which)));
    return values;
  };
  const std::int64_t ofA = s.m * s.k + gap, ofB = s.k * s.n + gap, ofC = s.m * s.n + gap;
  const std::vector<f16> a = numbers(s.batch * ofA, 1), b = numbers(s.batch * ofB, 2);
  const Buffer<f16> da(device, a), db(device, b);
  Buffer<f32> dc(device, std::vector<f32>(static_cast<std::size_t>(s.batch * ofC), -1000.f));
  auto view = [&](const Buffer<f16> &of, std::int64_t rows, std::int64_t cols, std::int64_t apart,
                  bool byColumns) {
    const TensorView<const f16, 3> stack(of.data(),
                                         {s.batch, byColumns ? cols : rows, byColumns ? rows : cols},
                                         {apart, byColumns ? rows : cols, 1});
    return byColumns ? stack.transposed() : stack;
  };
  const std::int64_t apartA = shared == Shared::a ? 0 : ofA, apartB = shared == Shared::b ? 0 : ofB;
  kernels::batched_gemm(device, view(da, s.m, s.k, apartA, trans[0] == 't'),
                        view(db, s.k, s.n, apartB, trans[1] == 't'),
                        TensorView<f32, 3>(dc.data(), {s.batch, s.m, s.n}, {ofC, s.n, 1}),
                        {.config = config, .fall_back = false});
  const std::vector<f32> got = dc.to_host();
  for (std::int64_t i = 0; i < s.batch; ++i)
    for (std::int64_t at = 0; at < ofC; ++at) {
      const std::int64_t row = at / s.n, col = at % s.n;
      float expected = row < s.m ? 0.f : -1000.f;
      for (std::int64_t x = 0; x < s.k && row < s.m; ++x)
        expected +=
            static_cast<float>(
                a[static_cast<std::size_t>(i * apartA + (trans[0] == 't' ? x * s.m + row : row * s.k + x))]) *
            static_cast<float>(
                b[static_cast<std::size_t>(i * apartB + (trans[1] == 't' ? col * s.k + x : x * s.n + col))]);
      ASSERT_EQ(got[static_cast<std::size_t>(i * ofC + at)], expected)
          << "row " << row << ", column " << col << " of matrix " << i;
    }
}

GemmConfig blocks(int m, int n, int k, int warps, int stages, int ctas = 1) {
  return {.block_m = m,
          .block_n = n,
          .block_k = k,
          .group_m = 2,
          .launch = {.num_warps = warps, .num_stages = stages, .num_ctas = ctas}};
}

const char *const transpositions[] = {"nn", "nt", "tn", "tt"};

TEST(RolesOfBatched, EveryTranspositionInEveryWay) {
  for (const Way &way : ways) {
    const auto device = hopper(way);
    for (const char *trans : transpositions) {
      check(*device, blocks(64, 64, 32, 4, 3), {3, 128, 72, 104}, trans, Shared::none,
            0);   // stored by boxes
      check(*device, blocks(64, 64, 32, 4, 3), {3, 72, 64, 40}, trans, Shared::none, 0);
      check(*device, blocks(64, 64, 32, 4, 3), {2, 64, 64, 40}, trans, Shared::none, 8);
    }
    EXPECT_TRUE(hasMultipliedInRoles(*device));
  }
}

TEST(RolesOfBatched, SharedMatrices) {
  const auto device = hopper();
  for (const char *trans : transpositions)
    for (Shared shared : {Shared::a, Shared::b})
      for (int gap : {0, 8})
        check(*device, blocks(128, 64, 64, 8, 2), {3, 128, 72, 136}, trans, shared, gap);
  EXPECT_TRUE(hasMultipliedInRoles(*device));
}

// More products than CTAs, so that one goes on from a matrix to the next; and pairs of CTAs.
TEST(RolesOfBatched, ManyProductsAndPairs) {
  const auto device = hopper(ways[4]);
  check(*device, blocks(64, 32, 32, 4, 4), {150, 64, 32, 40}, "nn", Shared::none, 0);
  check(*device, blocks(64, 32, 32, 4, 4), {150, 8, 32, 40}, "tn", Shared::b, 0);
  for (const char *trans : transpositions)
    check(*device, blocks(128, 64, 32, 4, 3, 2), {3, 256, 72, 104}, trans, Shared::none, 0);
  EXPECT_TRUE(hasMultipliedInRoles(*device));
}

}   // namespace
}   // namespace tile::simulator
