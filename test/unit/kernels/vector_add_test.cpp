// SPDX-License-Identifier: MIT
// The smallest kernel: element types, tails, blocks that are no powers of two.
#include "on_device.h"

#include <tile/vector_add.h>

namespace tile {
namespace {

template <class T> void check(std::int64_t n, const kernels::VectorAddOptions &options,
                              std::int64_t shift = 0) {
  SCOPED_TRACE(element_type<T>.name() + " " + std::to_string(n));
  std::mt19937_64 source(static_cast<std::uint64_t>(n));
  const reference::Placement at{.shift = shift};
  reference::Placed<T> x(device(), "x", 1, n, at), y(device(), "y", 1, n, at), sum(device(), "sum", 1, n, at);
  reference::Matrix expected = x.fill(reference::random_matrix(1, n, element_type<T>, source));
  const auto b = y.fill(reference::random_matrix(1, n, element_type<T>, source));
  sum.poison();
  kernels::vector_add(device(), x.row(0), y.row(0), sum.row(0), options);
  device().synchronize();
  for (std::size_t i = 0; i < expected.values.size(); ++i)
    expected.values[i] += b.values[i];
  expect_result(sum, expected, {});   // one rounding on either side
}

template <class T> class VectorAdd : public ::testing::Test {};
using Types = ::testing::Types<f16, bf16, f32, f64, i32, i64>;
TYPED_TEST_SUITE(VectorAdd, Types);

TYPED_TEST(VectorAdd, Sizes) {
  for (std::int64_t n : {0, 1, 63, 64, 65, 1000})
    check<TypeParam>(n, {.config = kernels::VectorAddConfig{.block = 64}});
}
TYPED_TEST(VectorAdd, OffAlignment) {
  check<TypeParam>(100, {.config = kernels::VectorAddConfig{.block = 32}}, 1);
}
TYPED_TEST(VectorAdd, ItsOwnConfig) { check<TypeParam>(5000, {}); }

// r * 2^k with an odd r up to 31
TEST(VectorAddBlocks, NoPowersOfTwo) {
  for (int block : {1, 3, 96, 144, 31 * 8})
    check<f32>(500, {.config = kernels::VectorAddConfig{.block = block}});
}

TEST(VectorAddBlocks, InPlace) {
  reference::Placed<f32> x(device(), "x", 1, 300);
  reference::Matrix ones(1, 300);
  ones.values.assign(300, 1.0);
  x.fill(ones);
  kernels::vector_add(device(), x.row(0), x.row(0), x.row(0));
  for (double value : x.download().values)
    ASSERT_EQ(value, 2.0);
}

}   // namespace
}   // namespace tile
