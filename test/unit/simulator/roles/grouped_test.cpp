// SPDX-License-Identifier: MIT
// grouped_gemm on the simulator of an H200: every program makes the maps of the tensors that it works on.
#include "problem.h"

#include <tile/buffer.h>
#include <tile/grouped_gemm.h>

#include <deque>

namespace tile::simulator {
namespace {

using kernels::GroupedGemmConfig;
using kernels::GroupedProblems;

struct Extents {
  int m, n, k;
};

// Rows begin at multiples of 16 bytes, and nothing is written behind one.
template <class In> void check(const std::vector<Extents> &groups, const GroupedGemmConfig &config,
                               const Way &way) {
  const auto device = hopper(way);
  const auto up = [](int extent) { return std::max(extent + 7, 8) / 8 * 8; };
  std::deque<Buffer<In>> as, bs;
  std::deque<Buffer<f32>> cs;
  std::vector<typename GroupedProblems<In, f32>::Problem> problems;
  auto numbers = [&](int rows, int row, std::size_t which) {
    std::vector<In> values(static_cast<std::size_t>(std::max(rows, 1) * row));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<In>(static_cast<float>(smallNumber(i, which)));
    return values;
  };
  for (const auto &[m, n, k] : groups) {
    as.emplace_back(*device, numbers(m, up(k), 2 * as.size()));
    bs.emplace_back(*device, numbers(k, up(n), 2 * bs.size() + 1));
    cs.emplace_back(*device, std::vector<f32>(static_cast<std::size_t>(std::max(m, 1) * up(n)), -1000.f));
    problems.push_back({MatrixView<const In>(as.back().data(), m, k, up(k), 1),
                        MatrixView<const In>(bs.back().data(), k, n, up(n), 1),
                        MatrixView<f32>(cs.back().data(), m, n, up(n), 1)});
  }
  const GroupedProblems<In, f32> list(*device, problems);
  ASSERT_EQ(list.alignment(), 16);
  kernels::grouped_gemm(*device, list, {.config = config});
  EXPECT_TRUE(hasMultipliedInRoles(*device));
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto [m, n, k] = groups[g];
    const auto a = numbers(m, up(k), 2 * g), b = numbers(k, up(n), 2 * g + 1);
    const std::vector<float> got = cs[g].to_host();
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < up(n); ++j) {
        float expected = j < n ? 0.f : -1000.f;
        for (int x = 0; x < k && j < n; ++x)
          expected += static_cast<float>(a[static_cast<std::size_t>(i * up(k) + x)]) *
                      static_cast<float>(b[static_cast<std::size_t>(x * up(n) + j)]);
        ASSERT_EQ(got[static_cast<std::size_t>(i * up(n) + j)], expected)
            << "row " << i << ", column " << j << " of group " << g;
      }
  }
}

const std::vector<Extents> ragged = {{200, 130, 100}, {0, 64, 32},  {64, 0, 32},  {64, 64, 0},  {1, 1, 1},
                                     {129, 72, 257},  {64, 64, 64}, {7, 200, 33}, {256, 128, 8}};

TEST(RolesOfGrouped, RaggedGroups) {
  for (const Way &way : ways)
    for (int programs : {1, 3, 7}) {
      SCOPED_TRACE(programs);
      check<f16>(ragged,
                 {.block_m = 64,
                  .block_n = 64,
                  .block_k = 32,
                  .programs = programs,
                  .launch = {.num_warps = 4, .num_stages = 3}},
                 way);
    }
  check<bf16>(ragged,
              {.block_m = 128,
               .block_n = 96,
               .block_k = 64,
               .programs = 2,
               .launch = {.num_warps = 8, .num_stages = 4}},
              ways[2]);
}

TEST(RolesOfGrouped, OneStage) {
  check<f16>(ragged,
             {.block_m = 64,
              .block_n = 128,
              .block_k = 64,
              .programs = 2,
              .launch = {.num_warps = 4, .num_stages = 1}},
             ways[3]);
}

// The groups of warps take turns through all problems, whose numbers of tiles and iterations are odd and
// even.
TEST(RolesOfGrouped, GroupsInTurn) {
  for (const Way &way : ways)
    for (int programs : {1, 2, 3, 7})
      for (int stages : {1, 2, 3}) {
        SCOPED_TRACE(testing::Message() << programs << " programs, " << stages << " stages");
        check<f16>(ragged,
                   {.block_m = 64,
                    .block_n = 64,
                    .block_k = 32,
                    .programs = programs,
                    .launch = {.num_warps = 4, .num_stages = stages, .ping_pong = true}},
                   way);
      }
}

}   // namespace
}   // namespace tile::simulator
