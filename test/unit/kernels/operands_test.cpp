// SPDX-License-Identifier: MIT
// What host functions refuse before they launch: each sentence, at the line of the call.
#include "on_device.h"
#include "tile/gemm.h"
#include "tile/grouped_gemm.h"
#include "tile/layer_norm.h"
#include "tile/matmul.h"
#include "tile/softmax.h"
#include "tile/vector_add.h"

namespace tile {
namespace {

template <class F> void expect_refused(unsigned line, const char *message, F call) {
  try {
    call();
    ADD_FAILURE() << "not refused: " << message;
  } catch (const Error &error) {
    EXPECT_EQ(error.message(), message);
    EXPECT_GE(error.where().line, line);   // the call may stand some lines below
    EXPECT_LE(error.where().line, line + 2);
    EXPECT_NE(error.where().file.find("operands_test.cpp"), std::string::npos) << error.where().file;
  }
}

struct Refused : ::testing::Test {
  Buffer<f32> memory{device(), 4096, "memory"};
  MatrixView<f32> matrix(std::int64_t rows, std::int64_t cols) const { return {memory, rows, cols}; }
  VectorView<f32> vector(std::int64_t size) const { return {memory.data(), size}; }
};

TEST_F(Refused, VectorAdd) {
  expect_refused(__LINE__, "vector_add: y has 4 elements, x 5",
                 [&] { kernels::vector_add(device(), vector(5), vector(4), vector(5)); });
  expect_refused(__LINE__, "vector_add: sum has 6 elements, x 5",
                 [&] { kernels::vector_add(device(), vector(5), vector(5), vector(6)); });
}

TEST_F(Refused, Softmax) {
  expect_refused(__LINE__, "softmax: y has the shape [4, 5], x [5, 4]",
                 [&] { kernels::softmax(device(), matrix(5, 4), matrix(4, 5)); });
}

TEST_F(Refused, LayerNorm) {
  expect_refused(__LINE__, "layer_norm: weight has 5 elements, a row of x 4",
                 [&] { kernels::layer_norm(device(), matrix(5, 4), vector(5), vector(4), matrix(5, 4)); });
  expect_refused(__LINE__, "layer_norm: bias has 3 elements, a row of x 4",
                 [&] { kernels::layer_norm(device(), matrix(5, 4), vector(4), vector(3), matrix(5, 4)); });
  expect_refused(__LINE__, "layer_norm: y has the shape [5, 5], x [5, 4]",
                 [&] { kernels::layer_norm(device(), matrix(5, 4), vector(4), vector(4), matrix(5, 5)); });
  expect_refused(__LINE__, "layer_norm: scale has 4 elements, a column of x 5", [&] {
    kernels::layer_norm(device(), matrix(5, 4), vector(4), vector(4), matrix(5, 4), {},
                        {{vector(5), vector(4)}});
  });
}

TEST_F(Refused, Products) {
  expect_refused(__LINE__, "matmul: a [8, 4] and b [5, 6] do not multiply: a has 4 columns, b 5 rows",
                 [&] { kernels::matmul(device(), matrix(8, 4), matrix(5, 6), matrix(8, 6)); });
  expect_refused(__LINE__, "gemm: a [8, 4] and b [5, 6] do not multiply: a has 4 columns, b 5 rows",
                 [&] { kernels::gemm(device(), matrix(8, 4), matrix(5, 6), matrix(8, 6)); });
  expect_refused(__LINE__, "gemm: c has the shape [6, 8], the product of a [8, 4] and b [4, 6] has [8, 6]",
                 [&] { kernels::gemm(device(), matrix(8, 4), matrix(4, 6), matrix(6, 8)); });
  expect_refused(__LINE__, "matmul: products of f32 are made with tf32 or ieee precision", [&] {
    kernels::matmul(device(), matrix(8, 4), matrix(4, 6), matrix(8, 6), {.precision = Precision::bf16x3});
  });
}

TEST_F(Refused, HintsAtTheTransposedView) {
  try {
    kernels::matmul(device(), matrix(8, 4), matrix(6, 4), matrix(8, 6));
    FAIL() << "not refused";
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("help: a transposed operand is a view, too: b.transposed()"),
              std::string::npos)
        << error.what();
  }
}

TEST_F(Refused, MoreRowsThanKernelsCount) {
  const std::int64_t many = std::int64_t{1} << 31;
  expect_refused(__LINE__, "matmul: m is 2147483648; extents from 0 to 2147418111 are supported", [&] {
    kernels::matmul(device(), MatrixView<f32>(memory.data(), many, 1, 0, 1), matrix(1, 1),
                    MatrixView<f32>(memory.data(), many, 1, 0, 1));
  });
}

TEST_F(Refused, GroupedProducts) {
  expect_refused(
      __LINE__, "grouped_gemm: a [8, 4] and b [5, 6] do not multiply: a has 4 columns, b 5 rows",
      [&] { kernels::GroupedProblems<f32, f32>(device(), {{matrix(8, 4), matrix(5, 6), matrix(8, 6)}}); });
}

}   // namespace
}   // namespace tile
