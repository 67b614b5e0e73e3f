// SPDX-License-Identifier: MIT
// What host functions refuse before they launch: each sentence, at the line of the call.
#include "on_device.h"

#include <tile/gemm.h>
#include <tile/grouped_gemm.h>
#include <tile/layer_norm.h>
#include <tile/matmul.h>
#include <tile/softmax.h>
#include <tile/vector_add.h>

namespace tile {
namespace {

template <class F> void expect_refused(unsigned line, const char *message, F call) {
  try {
    call();
    ADD_FAILURE() << "not refused: " << message;
  } catch (const Error &error) {
    EXPECT_EQ(error.message(), message);
    EXPECT_GE(error.where().line, line);   // the call may stand some lines below
    EXPECT_LE(error.where().line, line + 4);
    EXPECT_NE(error.where().file.find("operands_test.cpp"), std::string::npos) << error.where().file;
  }
}

struct Refused : ::testing::Test {
  Buffer<f32> memory{device(), 4096, "memory"}, results{device(), 4096, "results"};
  MatrixView<f32> out(std::int64_t rows, std::int64_t cols) const { return {results, rows, cols}; }
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
  expect_refused(__LINE__, "matmul: products of f32 need tf32 or ieee precision", [&] {
    kernels::matmul(device(), matrix(8, 4), matrix(4, 6), out(8, 6), {.precision = Precision::bf16x3});
  });
}

TEST_F(Refused, HintsAtTheTransposedView) {
  try {
    kernels::matmul(device(), matrix(8, 4), matrix(6, 4), matrix(8, 6));
    FAIL() << "not refused";
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("help: for a transposed operand, pass the view b.transposed()"),
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

TEST_F(Refused, ResultsWhoseElementsShareAnAddress) {
  const MatrixView<f32> x = matrix(8, 4), w = matrix(4, 6);
  const char *end = ": its shape is [8, 6], its strides are ";
  auto refused = [&](std::int64_t across_rows, std::int64_t across_cols, bool by_gemm) {
    const MatrixView<f32> c(results.data(), 8, 6, across_rows, across_cols);
    const std::string message = std::string(by_gemm ? "gemm" : "matmul") +
                                ": c is written, but several of its elements share an address" + end +
                                std::to_string(across_rows) + " and " + std::to_string(across_cols);
    expect_refused(__LINE__, message.c_str(),
                   [&] { by_gemm ? kernels::gemm(device(), x, w, c) : kernels::matmul(device(), x, w, c); });
  };
  for (bool by_gemm : {false, true}) {
    refused(0, 1, by_gemm);
    refused(6, 0, by_gemm);
    refused(1, 1, by_gemm);
    refused(4, 2, by_gemm);   // element (1, 0) is element (0, 2)
    refused(-5, 1, by_gemm);
  }
  expect_refused(
      __LINE__,
      "softmax: y is written, but several of its elements share an address: its shape is [5, 4], its "
      "strides are 0 and 1",
      [&] { kernels::softmax(device(), matrix(5, 4), MatrixView<f32>(results.data(), 5, 4, 0, 1)); });
}

TEST_F(Refused, ResultsOverOperands) {
  expect_refused(__LINE__, "matmul: c overlaps a, which is read while c is written",
                 [&] { kernels::matmul(device(), matrix(8, 8), out(8, 8), matrix(8, 8)); });
  expect_refused(__LINE__, "gemm: c overlaps b, which is read while c is written",
                 [&] { kernels::gemm(device(), matrix(8, 8), out(8, 8), out(8, 8)); });
  expect_refused(__LINE__, "gemm: c overlaps b, which is read while c is written",
                 [&] { kernels::gemm(device(), matrix(8, 8), out(8, 8), out(8, 8).transposed()); });
  const MatrixView<f32> wide = out(10, 64);
  expect_refused(__LINE__, "softmax: y overlaps x, which is read while y is written",
                 [&] { kernels::softmax(device(), wide.block(0, 0, 8, 32), wide.block(1, 0, 8, 32)); });
  expect_refused(__LINE__, "layer_norm: y overlaps bias, which is read while y is written", [&] {
    kernels::layer_norm(device(), matrix(5, 4), vector(4), VectorView<f32>(results.data(), 4), out(5, 4));
  });
  expect_refused(__LINE__, "layer_norm: mean overlaps scale, which is read while mean is written", [&] {
    kernels::layer_norm(device(), matrix(5, 4), vector(4), vector(4), out(5, 4), {},
                        {{{results.data() + 100, 5}, {results.data() + 104, 5}}});
  });
  expect_refused(__LINE__, "vector_add: sum overlaps x, which is read while sum is written", [&] {
    kernels::vector_add(device(), vector(50), vector(50), VectorView<f32>(memory.data() + 1, 50));
  });
  using Problems = kernels::GroupedProblems<f32, f32>;
  const MatrixView<f32> other(memory.data() + 2048, 8, 8);
  expect_refused(
      __LINE__,
      "grouped_gemm: c of problem 1 overlaps a of problem 0, which is read while c of problem 1 is written",
      [&] { Problems(device(), {{matrix(8, 8), other, out(8, 8)}, {other, other, matrix(8, 8)}}); });
}

// In place, and side by side in one matrix.
TEST_F(Refused, ButNotWhatIsApart) {
  results.copy_from(std::vector<f32>(4096, 1.0f));
  memory.copy_from(std::vector<f32>(4096, 1.0f));
  const MatrixView<f32> all = out(40, 64), x = matrix(40, 16);
  kernels::gemm(device(), x, all.block(0, 0, 16, 16), all.block(0, 16, 40, 16));
  kernels::matmul(device(), all.block(0, 32, 40, 16), all.block(0, 0, 16, 16),
                  all.block(0, 48, 40, 16).block(0, 0, 40, 16));
  kernels::softmax(device(), all, all);
  kernels::vector_add(device(), vector(50), vector(50), vector(50));
  kernels::GroupedProblems<f32, f32> problems(device(), {{x, matrix(16, 16), all.block(0, 0, 40, 16)},
                                                         {x, matrix(16, 16), all.block(0, 16, 40, 16)}});
  EXPECT_EQ(problems.count(), 2);
}

TEST_F(Refused, ConfigsWithoutAMeaning) {
  expect_refused(
      __LINE__,
      "softmax: options.config: whole_row takes rows of at most block = 64 elements, x has 65 columns", [&] {
        kernels::softmax(device(), matrix(5, 65), out(5, 65), {.config = {{.block = 64, .whole_row = true}}});
      });
  expect_refused(__LINE__, "layer_norm: options.config: block is 0; it must be at least 1", [&] {
    kernels::layer_norm(device(), matrix(5, 4), vector(4), vector(4), out(5, 4), {.config = {{.block = 0}}});
  });
  expect_refused(__LINE__, "vector_add: options.config: block is -1; it must be at least 1", [&] {
    kernels::vector_add(device(), vector(5), vector(5), vector(5), {.config = {{.block = -1}}});
  });
  expect_refused(__LINE__, "matmul: options.config: group_m is 0; it must be at least 1", [&] {
    kernels::matmul(device(), matrix(8, 8), matrix(8, 8), out(8, 8), {.config = {{.group_m = 0}}});
  });
  expect_refused(
      __LINE__, "matmul: options.config: the form `exact` has no masks, so its blocks must divide m, n and k",
      [&] {
        kernels::matmul(device(), matrix(8, 8), matrix(8, 8), out(8, 8),
                        {.config = {{.form = kernels::MatmulForm::exact}}});
      });
  expect_refused(__LINE__, "gemm: options.config: group_m is -3; it must be at least 1", [&] {
    kernels::gemm(device(), matrix(8, 8), matrix(8, 8), out(8, 8), {.config = {{.group_m = -3}}});
  });
  const kernels::GroupedProblems<f32, f32> problems(device(), {{matrix(8, 8), matrix(8, 8), out(8, 8)}});
  expect_refused(__LINE__, "grouped_gemm: options.config: programs is 0; it must be at least 1",
                 [&] { kernels::grouped_gemm(device(), problems, {.config = {{.programs = 0}}}); });
}

TEST_F(Refused, NegativeSizes) {
  VectorView<f32> x = vector(5);
  x.size = -5;
  expect_refused(__LINE__, "vector_add: y has -5 elements: a size cannot be negative",
                 [&] { kernels::vector_add(device(), x, x, x); });
  MatrixView<f32> m = matrix(4, 4);
  m.rows = -4;
  expect_refused(__LINE__, "softmax: y has the shape [-4, 4]: an extent is negative",
                 [&] { kernels::softmax(device(), m, m); });
}

TEST_F(Refused, GroupedProducts) {
  expect_refused(
      __LINE__, "grouped_gemm: a [8, 4] and b [5, 6] do not multiply: a has 4 columns, b 5 rows",
      [&] { kernels::GroupedProblems<f32, f32>(device(), {{matrix(8, 4), matrix(5, 6), matrix(8, 6)}}); });
}

}   // namespace
}   // namespace tile
