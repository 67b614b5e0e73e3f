// SPDX-License-Identifier: MIT
// Rows have the same bits alone and among others, where that is asked for.
#include <tile/attention.h>
#include <tile/batched_gemm.h>
#include <tile/devices.h>
#include <tile/grouped_gemm.h>
#include <tile/layer_norm.h>
#include <tile/softmax.h>

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace tile::kernels {
namespace {

constexpr Numerics invariant = Numerics::batch_invariant;

// Numbers whose sums depend on their order.
template <class T> std::vector<T> uneven(std::int64_t count, std::uint32_t seed) {
  std::vector<T> all;
  for (std::int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525 + 1013904223;
    all.push_back(T(std::ldexp(static_cast<float>(seed >> 9) / (1 << 22) - 1, static_cast<int>(seed % 5))));
  }
  return all;
}

template <class T> std::vector<T> first(const Buffer<T> &buffer, std::int64_t count) {
  std::vector<T> all = buffer.to_host();
  all.resize(static_cast<std::size_t>(count));
  return all;
}
template <class T> bool same_bits(const std::vector<T> &a, const std::vector<T> &b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

class Invariant : public ::testing::TestWithParam<const char *> {
 protected:
  std::unique_ptr<Device> device = open_device(GetParam());
};

TEST_P(Invariant, RowsOfProducts) {
  constexpr std::int64_t most = 70, n = 24, k = 520;   // whose rows do not begin at 128 bytes
  for (const std::int64_t inner : {k, k - 1}) {        // and that no descriptor takes
    Buffer<f16> a(*device, uneven<f16>(most * inner, 1)), b(*device, uneven<f16>(inner * n, 2));
    Buffer<f32> c(*device, most * n);
    const auto rows_of = [&](std::int64_t m) {
      gemm(*device, MatrixView(a, m, inner), MatrixView(b, inner, n), MatrixView(c, m, n),
           {.numerics = invariant});
      return first(c, n);
    };
    const std::vector<f32> of_all = rows_of(most);
    for (const std::int64_t m : {1, 2, 16, 33})
      EXPECT_TRUE(same_bits(rows_of(m), of_all)) << m << " rows, K " << inner;
    const TensorView<f16, 3> alone(a.data(), {1, 1, inner}, {inner, inner, 1}),
        factor(b.data(), {1, inner, n}, {inner * n, n, 1});
    batched_gemm(*device, alone, factor, TensorView<f32, 3>(c.data(), {1, 1, n}, {n, n, 1}),
                 {.numerics = invariant});
    EXPECT_TRUE(same_bits(first(c, n), of_all)) << "a stack of one, K " << inner;
  }
}

TEST_P(Invariant, GroupsOfProducts) {
  constexpr std::int64_t most = 70, n = 24, k = 512;
  Buffer<f16> a(*device, uneven<f16>(most * k, 1)), b(*device, uneven<f16>(k * n, 2));
  Buffer<f32> c(*device, most * n);
  const MatrixView x(a, most, k), y(b, k, n);
  const MatrixView z(c, most, n);
  const auto of = [&](std::vector<std::int64_t> groups) {
    std::vector<GroupedProblems<f16, f32>::Problem> problems;
    std::int64_t from = 0;
    for (const std::int64_t rows : groups) {
      problems.push_back({x.block(from, 0, rows, k), y, z.block(from, 0, rows, n)});
      from += rows;
    }
    grouped_gemm(*device, GroupedProblems<f16, f32>(*device, problems), {.numerics = invariant});
    return first(c, n);
  };
  const std::vector<f32> of_all = of({most});
  EXPECT_TRUE(same_bits(of({1}), of_all));
  EXPECT_TRUE(same_bits(of({1, 30, 39}), of_all));
}

// A device of the CPU takes the first config that is kept, whatever the number of rows. So the results are
// compared with those of the config that is to be taken.
TEST_P(Invariant, RowsThatAreNormed) {
  for (const std::int64_t cols : {5, 100, 1000, 9000}) {
    constexpr std::int64_t most = 40;
    Buffer<f32> x(*device, uneven<f32>(most * cols, 3)), w(*device, uneven<f32>(cols, 4)),
        y(*device, most * cols);
    const auto softmax_of = [&](std::int64_t m) {
      softmax(*device, MatrixView(x, m, cols), MatrixView(y, m, cols), {.numerics = invariant});
      return first(y, cols);
    };
    const std::vector<f32> of_one = softmax_of(1);
    EXPECT_TRUE(same_bits(of_one, softmax_of(most))) << cols;
    const SoftmaxConfig config = detail::row_config<SoftmaxConfig>(cols);
    EXPECT_EQ(config.whole_row, cols <= 8192);
    softmax(*device, MatrixView(x, most, cols), MatrixView(y, most, cols), {.config = config});
    EXPECT_TRUE(same_bits(of_one, first(y, cols))) << cols;
    const auto norm_of = [&](std::int64_t m) {
      layer_norm(*device, MatrixView(x, m, cols), VectorView<f32>(w), VectorView<f32>(w),
                 MatrixView(y, m, cols), {.numerics = invariant});
      return first(y, cols);
    };
    EXPECT_TRUE(same_bits(norm_of(1), norm_of(most))) << cols;
  }
}

TEST_P(Invariant, QueriesOfAttention) {
  constexpr std::int64_t most = 70, keys = 100, length = 32;
  Buffer<f16> q(*device, uneven<f16>(3 * most * length, 5)), k(*device, uneven<f16>(3 * keys * length, 6)),
      v(*device, uneven<f16>(3 * keys * length, 7)), o(*device, 3 * most * length);
  const auto view = [](const Buffer<f16> &of, std::int64_t heads, std::int64_t rows) {
    return TensorView<f16, 3>(of.data(), {heads, rows, length}, {rows * length, length, 1});
  };
  const auto of = [&](std::int64_t heads, std::int64_t queries) {
    attention(*device, view(q, heads, queries), view(k, heads, keys), view(v, heads, keys),
              view(o, heads, queries), {.numerics = invariant});
    return first(o, length);
  };
  const std::vector<f16> of_all = of(3, most);
  EXPECT_TRUE(same_bits(of(1, 1), of_all));
  EXPECT_TRUE(same_bits(of(1, 33), of_all));
  attention(*device, view(q, 3, most), view(k, 3, keys), view(v, 3, keys), view(o, 3, most),
            {.config = AttentionConfig()});
  EXPECT_TRUE(same_bits(first(o, length), of_all));
}

// Of configs that a product may take, each gives the bits of the first one. One that splits K does not.
TEST_P(Invariant, ConfigsInOrderSumAlike) {
  constexpr std::int64_t m = 40, n = 72, k = 1040;
  Buffer<f16> a(*device, uneven<f16>(m * k, 1)), b(*device, uneven<f16>(n * k, 2));
  Buffer<f32> c(*device, m * n);
  const auto bits_of = [&](const GemmConfig &config) {
    gemm(*device, MatrixView(a, m, k), MatrixView(b, n, k).transposed(), MatrixView(c, m, n),
         {.config = config});
    return c.to_host();
  };
  std::vector<f32> expected;
  int compared = 0;
  for (const GemmConfig &config : detail::with_numerics<gemm_kernel<f16, f32>>(invariant).configs) {
    if (config.a != StoredBy::rows || config.b != StoredBy::columns || !config.store_by_descriptor ||
        config.block_m * config.block_n > 128 * 128)
      continue;
    const std::vector<f32> bits = bits_of(config);
    if (expected.empty())
      expected = bits;
    EXPECT_TRUE(same_bits(bits, expected)) << config.block_m << " x " << config.block_n;
    ++compared;
  }
  EXPECT_GT(compared, 15);
  EXPECT_FALSE(
      same_bits(bits_of({.block_m = 64, .block_n = 64, .split_k = 4, .launch = {.num_warps = 4}}), expected));
}

INSTANTIATE_TEST_SUITE_P(Numerics, Invariant, ::testing::Values("interpreter", "simulator"),
                         [](const auto &device) { return std::string(device.param); });

// Configs of one list use one matrix unit: wgmma and mma.sync may sum within an instruction in another way.
template <class K, class Config> void expect_wgmma(const K &kernel, const Config &config) {
  const CompiledKernel compiled = kernel.compile(config, {}, "sm_90a");
  const std::string ptx(compiled.ptx());
  EXPECT_NE(ptx.find("wgmma.mma_async"), std::string::npos) << ptx.substr(0, 300);
  EXPECT_EQ(ptx.find("mma.sync"), std::string::npos);
}

TEST(Numerics, ProductsInOrderUseOneUnit) {
  const auto &kernel = detail::with_numerics<gemm_kernel<bf16>>(invariant);
  EXPECT_GT(kernel.configs.size(), 100u);
  EXPECT_LT(kernel.configs.size(), gemm_kernel<bf16>.configs.size());
  EXPECT_EQ(&detail::with_numerics<gemm_kernel<bf16>>(Numerics::any), &gemm_kernel<bf16>);
  std::size_t compiled = 0;
  for (const GemmConfig &config : kernel.configs) {
    EXPECT_EQ(config.split_k, 1);
    if (config.a == StoredBy::rows && config.b == StoredBy::columns && config.store_by_descriptor &&
        compiled++ % 4 == 0)
      expect_wgmma(kernel, config);
  }
}

}   // namespace
}   // namespace tile::kernels
