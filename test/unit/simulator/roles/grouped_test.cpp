// SPDX-License-Identifier: MIT
// grouped_gemm on the simulator of an H200: every program makes the maps of the tensors that it works on, or,
// where the problems are alike, the launch makes those of all of them.
#include "problem.h"

#include <tile/buffer.h>
#include <tile/grouped_gemm.h>

#include <algorithm>
#include <deque>
#include <limits>

namespace tile::simulator {
namespace {

using kernels::GroupedGemmConfig;
using kernels::GroupedProblems;

struct Extents {
  int m, n, k;
};

// Rows begin at multiples of 16 bytes, and nothing is written behind one.
template <class In> void check(const std::vector<Extents> &groups, const GroupedGemmConfig &config,
                               const Way &way, bool alike = false) {
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
  ASSERT_EQ(list.alike(), alike);
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

// Each group has buffers of its own, and its last rows are followed by nothing.
const std::vector<Extents> alike = {{200, 130, 100}, {0, 130, 100}, {1, 130, 100},   {129, 130, 100},
                                    {64, 130, 100},  {7, 130, 100}, {256, 130, 100}, {63, 130, 100}};

TEST(RolesOfGrouped, AlikeGroups) {
  for (const Way &way : ways)
    for (int programs : {1, 3, 7}) {
      SCOPED_TRACE(programs);
      check<f16>(alike,
                 {.block_m = 64,
                  .block_n = 64,
                  .block_k = 32,
                  .programs = programs,
                  .launch = {.num_warps = 4, .num_stages = 3}},
                 way, true);
      check<bf16>(alike,
                  {.block_m = 64,
                   .block_n = 96,
                   .block_k = 32,
                   .programs = programs,
                   .launch = {.num_warps = 4, .num_stages = 3, .ping_pong = true}},
                  way, true);
    }
}

TEST(RolesOfGrouped, AlikeGroupsOfTwoCtas) {
  for (const Way &way : ways)
    check<f16>(alike,
               {.block_m = 128,
                .block_n = 64,
                .block_k = 64,
                .programs = 3,
                .launch = {.num_warps = 4, .num_stages = 3, .num_ctas = 2}},
               way, true);
}

// Groups that follow each other in one buffer, as rows sorted by expert do: the rows of the next group are
// not touched, and are the first group's results right whatever they hold.
TEST(RolesOfGrouped, RowsOfOthersAreNotTouched) {
  constexpr int n = 64, k = 64;
  const std::vector<int> rows = {5, 100, 0, 64, 1};
  const int all = 171;   // one more than there are
  for (const Way &way : ways) {
    const auto device = hopper(way);
    std::vector<f16> a(all * k), b(rows.size() * k * n);
    for (std::size_t i = 0; i < a.size(); ++i)
      a[i] = static_cast<f16>(static_cast<float>(smallNumber(i, 0)));
    for (std::size_t i = 0; i < b.size(); ++i)
      b[i] = static_cast<f16>(static_cast<float>(smallNumber(i, 1)));
    std::fill(a.end() - k, a.end(), static_cast<f16>(std::numeric_limits<float>::quiet_NaN()));
    Buffer<f16> left(*device, a), right(*device, b);
    Buffer<f32> result(*device, std::vector<f32>(all * n, -1000.f));
    std::vector<GroupedProblems<f16, f32>::Problem> problems;
    int row = 0;
    for (std::size_t g = 0; g < rows.size(); ++g) {
      problems.push_back({MatrixView<const f16>(left.data() + row * k, rows[g], k),
                          MatrixView<const f16>(right.data() + g * k * n, k, n),
                          MatrixView<f32>(result.data() + row * n, rows[g], n)});
      row += rows[g];
    }
    const GroupedProblems<f16, f32> list(*device, problems);
    ASSERT_TRUE(list.alike());
    kernels::grouped_gemm(*device, list,
                          {.config = GroupedGemmConfig{.block_m = 64,
                                                       .block_n = 64,
                                                       .block_k = 32,
                                                       .programs = 2,
                                                       .launch = {.num_warps = 4, .num_stages = 3}}});
    EXPECT_TRUE(hasMultipliedInRoles(*device));
    const std::vector<float> got = result.to_host();
    row = 0;
    for (std::size_t g = 0; g < rows.size(); ++g)
      for (int i = 0; i < rows[g]; ++i, ++row)
        for (int j = 0; j < n; ++j) {
          float expected = 0;
          for (int x = 0; x < k; ++x)
            expected += static_cast<float>(a[static_cast<std::size_t>(row * k + x)]) *
                        static_cast<float>(
                            b[(g * k + static_cast<std::size_t>(x)) * n + static_cast<std::size_t>(j)]);
          ASSERT_EQ(got[static_cast<std::size_t>(row * n + j)], expected)
              << "row " << row << ", column " << j;
        }
    for (int j = 0; j < n; ++j)
      ASSERT_EQ(got[static_cast<std::size_t>(row * n + j)], -1000.f);
  }
}

}   // namespace
}   // namespace tile::simulator
