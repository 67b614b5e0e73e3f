// SPDX-License-Identifier: MIT
// Products by a plan have the bits of products without one; how the buckets of rows are covered.
#include <tile/devices.h>
#include <tile/gemm_plan.h>
#include <tile/size_bucket.h>

#include <gtest/gtest.h>

#include <map>
#include <memory>

namespace tile::kernels {
namespace {

TEST(GemmPlan, PreparesOneNumberOfEachBucket) {
  for (const auto &[least, most] :
       {std::pair{1, 5000}, std::pair{100, 128}, std::pair{16, 16}, std::pair{1, 1}, std::pair{33, 90}}) {
    std::map<std::int64_t, std::int64_t> prepared;   // by bucket
    for (const std::int64_t m : detail::rows_to_prepare(least, most)) {
      EXPECT_GE(m, least);
      EXPECT_LE(m, most);
      EXPECT_TRUE(prepared.emplace(detail::row_bucket(m), m).second) << m;
    }
    for (std::int64_t m = least; m <= most; ++m) {
      const auto found = prepared.find(detail::row_bucket(m));
      ASSERT_NE(found, prepared.end()) << m;
      EXPECT_TRUE(found->second % 16 != 0 || m % 16 == 0) << "code for " << found->second << " serves " << m;
    }
  }
  EXPECT_TRUE(detail::rows_to_prepare(1, 0).empty());
}

void expect_same_bits(const char *name, const GemmOptions &options, StoredBy b_by) {
  const std::unique_ptr<Device> device = open_device(name);
  constexpr std::int64_t most = 40, n = 24, k = 512;
  const auto values = [](std::int64_t count, int step) {
    std::vector<f16> all;
    for (std::int64_t i = 0; i < count; ++i)
      all.push_back(f16(static_cast<float>(i * step % 19) / 8 - 1));
    return all;
  };
  Buffer<f16> a(*device, values(most * k, 7)), b(*device, values(k * n, 5));
  Buffer<f32> c(*device, most * n), d(*device, most * n);
  const MatrixView<const f16> factor =
      b_by == StoredBy::rows ? MatrixView<const f16>(MatrixView(b, k, n)) : MatrixView(b, n, k).transposed();
  GemmPlan<f16, f32, relu<f32>> plan(*device, {.most_m = most, .n = n, .k = k, .b = b_by}, options);
  plan.prepare();
  Buffer<std::byte> memory(*device, plan.workspace_bytes());
  for (const std::int64_t m : {1, 3, 16, 39, 40}) {
    for (Buffer<f32> *each : {&c, &d})
      each->fill_bytes(0x5a);
    const Status status =
        plan.run(*device, MatrixView(a, m, k), factor, MatrixView(c, m, n), {memory.data(), memory.size()});
    ASSERT_TRUE(status.is_ok()) << status.text();
    gemm<relu<f32>>(*device, MatrixView(a, m, k), factor, MatrixView(d, m, n), options);
    EXPECT_EQ(c.to_host(), d.to_host()) << name << ", " << m << " rows";
  }
}

TEST(GemmPlan, ComputesAsGemm) {
  for (const char *device : {"interpreter", "simulator"}) {
    expect_same_bits(device, {}, StoredBy::rows);
    expect_same_bits(device, {}, StoredBy::columns);
    expect_same_bits(device,
                     {.config = GemmConfig{.block_m = 16, .block_n = 32, .block_k = 32, .split_k = 3}},
                     StoredBy::rows);
  }
}

}   // namespace
}   // namespace tile::kernels
