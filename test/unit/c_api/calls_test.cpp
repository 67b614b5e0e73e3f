// SPDX-License-Identifier: MIT
// Typed calls of exported functions.
#include "exported_functions.h"

#include <tile/policy.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace tile {
namespace {

using testing::ElementsAre, testing::HasSubstr;

using Calls = OnSimulator;

TEST_F(Calls, AKernelComputes) {
  std::vector<float> x{1, 2, 3}, y{10, 20, 30};
  const Given x_tensor(x), y_tensor(y);
  ASSERT_EQ(test_axpy(stream, x_tensor, y_tensor, 2, 3), TILE_OK) << tile_error_text();
  EXPECT_THAT(y, ElementsAre(12, 24, 36));
}

TEST_F(Calls, AKernelOnMemoryOfTheDeviceComputes) {
  std::vector<float> x{1, 2, 3};
  void *memory = nullptr;
  ASSERT_EQ(tile_allocate(device, 12, &memory), TILE_OK);
  ASSERT_EQ(tile_copy_in(device, memory, x.data(), 12), TILE_OK);
  const Given x_tensor(x);
  Given y_tensor(x);
  y_tensor.tensor.data = memory;
  ASSERT_EQ(test_axpy(stream, x_tensor, y_tensor, 1, 3), TILE_OK) << tile_error_text();
  ASSERT_EQ(tile_copy_out(device, x.data(), memory, 12), TILE_OK);
  EXPECT_THAT(x, ElementsAre(2, 4, 6));
}

TEST_F(Calls, AnAccessBehindATensorIsFound) {
  std::vector<float> x(64, 1), y(64, 1);
  const Given x_tensor(x, {32}), y_tensor(y);
  EXPECT_EQ(test_axpy(stream, x_tensor, y_tensor, 2, 33), TILE_INVALID_ARGUMENT);
  EXPECT_THAT(tile_error_text(), HasSubstr("load reads element 32 of `x`, which has 32"));
  EXPECT_EQ(test_axpy(stream, x_tensor, y_tensor, 2, 32), TILE_OK) << tile_error_text();
}

TEST_F(Calls, MemoryIsKnownForOneCallAlone) {
  std::vector<float> x(4, 1), y(4, 1);
  const Given x_tensor(x), y_tensor(y);
  ASSERT_EQ(test_axpy(stream, x_tensor, y_tensor, 2, 4), TILE_OK);
  EXPECT_EQ(tile_copy_out(device, y.data(), x.data(), 4), TILE_INVALID_ARGUMENT);
}

TEST_F(Calls, AViewHasItsStrides) {
  std::vector<float> x(12), y(3);
  std::iota(x.begin(), x.end(), 0.0F);
  const Given columns(x, {3, 4}, {1, 3}), rows(x, {3, 4}), result(y);
  ASSERT_EQ(test_sum_rows(stream, rows, result), TILE_OK) << tile_error_text();
  EXPECT_THAT(y, ElementsAre(6, 22, 38));
  ASSERT_EQ(test_sum_rows(stream, columns, result), TILE_OK) << tile_error_text();
  EXPECT_THAT(y, ElementsAre(18, 22, 26));
}

TEST_F(Calls, AStackHasItsStrides) {
  std::vector<float> x(24);
  ASSERT_EQ(test_stack(stream, Given(x, {2, 3, 4})), TILE_OK) << tile_error_text();
  EXPECT_EQ(told, "2 3 4 by 12 4 1");
  ASSERT_EQ(test_stack(stream, Given(x, {2, 3, 4}, {1, 2, 6})), TILE_OK) << tile_error_text();
  EXPECT_EQ(told, "2 3 4 by 1 2 6");
}

TEST_F(Calls, AViewThatDoesNotFitItsTensorIsRefused) {
  std::vector<float> x{1, 2, 4, 8}, y(1);
  std::vector<std::int32_t> integers(4);
  const Given sum(y);
  EXPECT_EQ(test_sum(stream, Given(x), sum), TILE_OK) << tile_error_text();
  EXPECT_EQ(y[0], 15);
  EXPECT_EQ(test_sum(stream, Given(x, {2}, {2}), sum), TILE_INVALID_ARGUMENT);
  EXPECT_THAT(tile_error_text(), HasSubstr("a vector has stride 2, and needs contiguous elements"));
  EXPECT_EQ(test_sum(stream, Given(integers), sum), TILE_INVALID_ARGUMENT);
  EXPECT_THAT(tile_error_text(), HasSubstr("a tensor of i32 with 1 axis is taken as one of f32 with 1 axis"));
  EXPECT_EQ(test_sum(stream, Given(x, {2, 2}), sum), TILE_INVALID_ARGUMENT);
  EXPECT_THAT(tile_error_text(), HasSubstr("a tensor of f32 with 2 axes is taken as one of f32 with 1 axis"));
}

TEST_F(Calls, NumbersAndTextsArrive) {
  std::vector<std::int32_t> x(4);
  ASSERT_EQ(
      test_tell(stream, Given(x, {2, 2}), std::numeric_limits<std::int64_t>::min(), -1.5, true, 0.1F, "text"),
      TILE_OK)
      << tile_error_text();
  EXPECT_EQ(told, "i32 2 -9223372036854775808 -1.500000 yes 0.099976 text");
}

TEST_F(Calls, ATextThatIsNullIsNamed) {
  std::vector<float> x(4);
  EXPECT_EQ(test_tell(stream, Given(x), 1, 1, true, 1, nullptr), TILE_INVALID_ARGUMENT);
  EXPECT_THAT(tile_error_text(), HasSubstr("`text` is nothing, and the function takes a text"));
}

TEST_F(Calls, ParametersWithoutNamesHaveNumbers) {
  EXPECT_EQ(test_stack(stream, nullptr), TILE_INVALID_ARGUMENT);
  EXPECT_THAT(tile_error_text(), HasSubstr("`argument0` is null"));
}

TEST_F(Calls, ErrorsNameTheFunction) {
  EXPECT_EQ(test_axpy(stream, nullptr, nullptr, 2, 4), TILE_INVALID_ARGUMENT);
  EXPECT_THAT(tile_error_text(), HasSubstr("function test_axpy"));
}

TEST_F(Calls, NothingIsThrownIntoC) {
  std::vector<float> x(4);
  EXPECT_EQ(test_throw(stream, Given(x)), TILE_INTERNAL);
  EXPECT_THAT(tile_error_text(), HasSubstr("not a std::exception"));
}

TEST_F(Calls, AnEmptyTensorNeedsNoMemory) {
  std::vector<float> none;
  Given x(none), y(none);
  x.tensor.data = y.tensor.data = nullptr;
  EXPECT_EQ(test_axpy(stream, x, y, 2, 0), TILE_OK) << tile_error_text();
}

TEST(Policies, CompilingIsForbiddenAndAllowed) {
  ASSERT_EQ(tile_compile_never(true), TILE_OK);
  EXPECT_EQ(policy().compile, Compile::never);
  ASSERT_EQ(tile_compile_never(false), TILE_OK);
  EXPECT_EQ(policy().compile, Compile::when_needed);
}

}   // namespace
}   // namespace tile
