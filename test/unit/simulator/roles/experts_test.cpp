// SPDX-License-Identifier: MIT
// expert_gemm on the simulator of an H200: the launch makes all maps, and the store of an expert's last rows
// leaves those of the next one alone.
#include "problem.h"

#include <tile/buffer.h>
#include <tile/expert_gemm.h>

#include <vector>

namespace tile::simulator {
namespace {

using kernels::ExpertGemmConfig;

// `isShared`: all experts have the first one's matrix.
void check(const ExpertGemmConfig &config, bool byColumns, const Way &way, bool isShared = false) {
  constexpr int n = 136, k = 96, rows = 333, stored = 330;   // some rows are nobody's
  const std::vector<i32> ends = {5, 105, 105, 234, stored};
  const auto device = hopper(way);
  const auto numbers = [](std::size_t count, std::size_t which) {
    std::vector<f16> values(count);
    for (std::size_t i = 0; i < count; ++i)
      values[i] = static_cast<f16>(static_cast<float>(smallNumber(i, which)));
    return values;
  };
  const std::vector<f16> a = numbers(std::size_t{rows} * k, 0), b = numbers(ends.size() * k * n, 1);
  const Buffer<f16> left(*device, a), right(*device, b);
  Buffer<f32> result(*device, std::vector<f32>(std::size_t{rows} * n, -1000.f));
  const Buffer<i32> last(*device, ends);
  const auto experts = static_cast<std::int64_t>(ends.size());
  const TensorView<const f16, 3> byRows(right.data(), {experts, k, n}, {isShared ? 0 : k * n, n, 1}),
      transposed(right.data(), {experts, n, k});
  kernels::expert_gemm(*device, MatrixView<const f16>(left.data(), rows, k),
                       byColumns ? transposed.transposed() : byRows, MatrixView<f32>(result.data(), rows, n),
                       last, {.config = config});
  EXPECT_EQ(hasMultipliedInRoles(*device), !isShared);
  const std::vector<float> got = result.to_host();
  std::size_t e = 0;
  for (int i = 0; i < rows; ++i) {
    while (e < ends.size() && i >= ends[e])
      ++e;
    for (int j = 0; j < n; ++j) {
      float expected = i < stored ? 0.f : -1000.f;
      for (int x = 0; x < k && i < stored; ++x) {
        const std::size_t of_b =
            (isShared ? 0 : e) * k * n + static_cast<std::size_t>(byColumns ? j * k + x : x * n + j);
        expected += static_cast<float>(a[static_cast<std::size_t>(i * k + x)]) * static_cast<float>(b[of_b]);
      }
      ASSERT_EQ(got[static_cast<std::size_t>(i * n + j)], expected) << "row " << i << ", column " << j;
    }
  }
}

TEST(RolesOfExperts, UnevenExperts) {
  for (const Way &way : ways)
    for (bool byColumns : {false, true})
      for (int programs : {1, 3, 7}) {
        SCOPED_TRACE(testing::Message() << programs << " programs, by columns " << byColumns);
        check({.block_m = 64,
               .block_n = 64,
               .block_k = 32,
               .programs = programs,
               .launch = {.num_warps = 4, .num_stages = 3}},
              byColumns, way);
      }
}

// No map has a stride of 0 between matrices: pointers reach them.
TEST(RolesOfExperts, OneMatrixForAll) {
  check({.block_m = 64,
         .block_n = 64,
         .block_k = 32,
         .programs = 3,
         .launch = {.num_warps = 4, .num_stages = 3}},
        /*byColumns=*/false, {}, /*isShared=*/true);
}

TEST(RolesOfExperts, InTurnAndByTwoCtas) {
  for (const Way &way : ways) {
    check({.block_m = 64,
           .block_n = 64,
           .block_k = 32,
           .programs = 2,
           .launch = {.num_warps = 4, .num_stages = 3, .ping_pong = true}},
          true, way);
    check({.block_m = 128,
           .block_n = 64,
           .block_k = 32,
           .programs = 3,
           .launch = {.num_warps = 4, .num_stages = 3, .num_ctas = 2}},
          false, way);
  }
}

}   // namespace
}   // namespace tile::simulator
