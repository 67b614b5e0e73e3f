// SPDX-License-Identifier: MIT
// Lowered kernels give what a loop on the host gives.
#include "corpus.h"

#include <gtest/gtest.h>

namespace tile::simulator {
namespace {

template <class T> T at(const std::vector<std::byte> &bytes, std::size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

TEST(SimulatedKernels, MultiplyMatricesOnEveryTarget) {
  const Case c = product_case<f16, f32>("product", {}, 160);
  for (const char *target : {"sm_80", "sm_90", "sm_120"}) {
    const std::vector<std::byte> result = run(c, *compileForHost(c.kernel, *Target::parse(target)), {});
    for (std::size_t i = 0; i < 32; ++i)
      for (std::size_t j = 0; j < 32; ++j) {
        float sum = 0;
        for (std::size_t k = 0; k < 160; ++k)
          sum += static_cast<float>(at<f16>(c.buffers[0], i * 160 + k)) *
                 static_cast<float>(at<f16>(c.buffers[1], k * 32 + j));
        ASSERT_EQ(at<float>(result, i * 32 + j), sum) << target << " " << i << " " << j;
      }
  }
}

TEST(SimulatedKernels, Scan) {
  const Case c = tile_case<&running, i32>("running", {.rows = 16});
  const std::vector<std::byte> result = run(c, *compileForHost(c.kernel, *Target::parse("sm_90")), {});
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < 16 * 32; ++i)
    ASSERT_EQ(at<std::int32_t>(result, i), sum += at<std::int32_t>(c.buffers[0], i)) << i;
}

}   // namespace
}   // namespace tile::simulator
