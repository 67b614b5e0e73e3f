// SPDX-License-Identifier: MIT
// Quantising by blocks of 128, also transposed, and the products of what comes out.
#include "quantize_operands.h"

#include <tile/scaled_gemm.h>

#include <algorithm>
#include <array>
#include <vector>

namespace tile {
namespace {

using kernels::QuantizeBlocksConfig;
using kernels::QuantizeBlocksExtras;
using kernels::QuantizeBlocksOptions;
using kernels::ScaleOf;
using reference::Matrix;
using reference::QuantizedForm;

static_assert(kernels::detail::quantized_block == kernels::Scales::block);

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr ScaleOf lines = ScaleOf::lines, squares = ScaleOf::squares, nothing = ScaleOf::nothing;

// Which results there are, and where everything lies.
struct Blocks {
  ScaleOf straight = lines, transposed = nothing;
  QuantizeBlocksOptions options = {};
  reference::Placement x = {}, q = {}, scales = {};
};

template <class Q> QuantizedForm form_of(ScaleOf form, const QuantizeBlocksOptions &options) {
  QuantizedForm result = form == squares ? of_squares<Q>() : of_lines<Q>();
  result.powers_of_two = options.powers_of_two;
  result.least_scale = options.least_scale;
  return result;
}

class QuantizeBlocks : public OnDevices {
 protected:
  // What is written, and what was expected.
  template <class Q> struct Result {
    reference::Quantized expected;
    reference::Placed<Q> q;
    reference::Placed<f32> scales;
    Result(Device &device, const Matrix &x, ScaleOf form, const Blocks &of)
        : expected(reference::quantized(x, form_of<Q>(form, of.options))),
          q(device, "q", x.rows, x.cols, of.q),
          scales(device, "scales", expected.scales.rows, expected.scales.cols, of.scales) {
      q.poison();
      scales.poison();
    }
    reference::Quantized check() {
      expect_result(q, expected.q, {});
      expect_result(scales, expected.scales, {});
      return {q.download(), scales.download()};
    }
  };

  template <class T, class Q> std::vector<reference::Quantized> check(const Matrix &values,
                                                                      const Blocks &of) {
    SCOPED_TRACE(std::string(element_type<T>.name()) + " to " + element_type<Q>.name() + " " +
                 shape_of(values) + ", results " +
                 std::to_string(kernels::detail::number_of(of.straight, of.transposed)) +
                 (of.options.config ? " " + describe_config(*of.options.config) : ""));
    reference::Placed<T> x(on(), "x", values.rows, values.cols, of.x);
    const Matrix exact = x.fill(values);
    std::optional<Result<Q>> straight, other;
    if (of.straight != nothing)
      straight.emplace(on(), exact, of.straight, of);
    if (of.transposed != nothing)
      other.emplace(on(), transposed(exact), of.transposed, of);
    if (straight) {
      QuantizeBlocksExtras<Q> extras;
      if (other)
        extras.transposed = {{other->q.view(), other->scales.view()}};
      kernels::quantize_blocks(on(), x.view(), straight->q.view(), straight->scales.view(), of.options,
                               extras);
    } else {
      kernels::quantize_blocks(on(), x.view().transposed(), other->q.view(), other->scales.view(),
                               of.options);
    }
    on().synchronize();
    std::vector<reference::Quantized> results;
    for (auto *result : {&straight, &other})
      if (*result)
        results.push_back((*result)->check());
    return results;
  }
};
INSTANTIATE_TEST_SUITE_P(On, QuantizeBlocks, ::testing::Values("interpreter", "simulator"),
                         [](const auto &device) { return std::string(device.param); });

const std::vector<Blocks> all_results{{lines, nothing},   {squares, nothing}, {nothing, lines},
                                      {nothing, squares}, {lines, lines},     {squares, squares},
                                      {lines, squares},   {squares, lines}};

TEST_P(QuantizeBlocks, AnyTypes) {
  for_all_types([&]<class P>(P) {
    for (const Blocks &of : {Blocks{lines, nothing}, {squares, lines}})
      check<typename P::From, typename P::To>(random_numbers(130, 150), of);
  });
}
TEST_P(QuantizeBlocks, AnySizes) {
  for (const Blocks &of : all_results)
    for (const auto &[rows, cols] :
         {std::pair{1, 1}, {17, 17}, {1, 300}, {300, 1}, {256, 128}, {272, 400}, {0, 5}, {5, 0}, {0, 0}})
      check<bf16, e4m3>(random_numbers(rows, cols), of);
}
TEST_P(QuantizeBlocks, AnyStrides) {
  for (const Blocks &of : {Blocks{lines, nothing}, {nothing, lines}, {lines, lines}, {squares, squares}})
    for (const reference::Placement &at :
         {reference::Placement{.padding = 3}, {.by_columns = true}, {.step = 2, .shift = 1}})
      for (reference::Placement Blocks::*which : {&Blocks::x, &Blocks::q, &Blocks::scales}) {
        Blocks placed = of;
        placed.*which = at;
        check<f16, e5m2>(random_numbers(131, 140), placed);
      }
}
TEST_P(QuantizeBlocks, ConfigsOfTheList) {
  for (Blocks of : all_results) {
    int tried = 0;
    const int results = of.straight == nothing ? kernels::detail::number_of(nothing, of.transposed)
                                               : kernels::detail::number_of(of.straight, of.transposed);
    for (const QuantizeBlocksConfig &config : kernels::quantize_blocks_kernel<bf16, e4m3>.configs)
      if (kernels::detail::keep_quantize_blocks_config(config, 4096, 4096, results)) {
        of.options.config = config;
        check<bf16, e4m3>(random_numbers(144, 270), of);
        ++tried;
      }
    EXPECT_GE(tried, of.straight == nothing && of.transposed == lines ? 3 : 1);
  }
}
TEST_P(QuantizeBlocks, Options) {
  for (Blocks of : all_results) {
    of.options.powers_of_two = true;
    for (const reference::Quantized &got : check<bf16, e4m3>(random_numbers(130, 140), of))
      for (const double scale : got.scales.values) {
        int exponent = 0;
        EXPECT_EQ(std::frexp(scale, &exponent), 0.5);
      }
    of.options = {.least_scale = 0.75f};
    for (const reference::Quantized &got : check<bf16, e4m3>(random_numbers(130, 140), of))
      EXPECT_TRUE(std::ranges::all_of(got.scales.values, [](double scale) { return scale == 0.75; }));
  }
}

// What a block has stays in the block.
TEST_P(QuantizeBlocks, UnusualNumbers) {
  Matrix x = random_numbers(260, 270);
  for (std::int64_t i = 0; i < 128; ++i)
    for (std::int64_t j = 0; j < 128; ++j)
      x.at(i, j) = 0;
  x.at(3, 140) = std::nan("");
  x.at(140, 3) = infinity;
  x.at(259, 269) = -infinity;
  for (const Blocks &of : all_results) {
    check<f32, e4m3>(x, of);
    check<bf16, i8>(x, of);
    const reference::Quantized got = check<bf16, e5m2>(x, of)[0];
    EXPECT_EQ(got.scales.at(0, 0), 0x1p-126);
    EXPECT_EQ(got.q.at(0, 0), 0);
    EXPECT_EQ(std::ranges::count_if(got.q.values, [](double each) { return std::isnan(each); }), 3);
    EXPECT_EQ(std::ranges::count(got.scales.values, infinity), 2);
  }
}

// Each block has a scale of its own: blocks differ by a factor.
TEST_P(QuantizeBlocks, ScalesOfTheirOwn) {
  Matrix x(200, 300);
  for (std::int64_t i = 0; i < x.rows; ++i)
    for (std::int64_t j = 0; j < x.cols; ++j)
      x.at(i, j) = 448.0 * static_cast<double>(1 + i / 128) * std::ldexp(1.0, static_cast<int>(j / 128));
  EXPECT_EQ((check<f32, e4m3>(x, {squares, nothing})[0].scales.values),
            (std::vector<double>{1, 2, 4, 2, 4, 8}));
  EXPECT_EQ((check<f32, e4m3>(x, {nothing, squares})[0].scales.values),
            (std::vector<double>{1, 2, 2, 4, 4, 8}));
  const auto both = check<f32, e4m3>(x, {lines, lines});
  EXPECT_EQ(both[0].scales.at(130, 2), 8);
  EXPECT_EQ(both[1].scales.at(130, 1), 4);
}

// The results are what scaled_gemm reads: c = x * transposed w, of rows and of blocks.
class QuantizedProduct : public OnDevices {
 protected:
  static constexpr std::int64_t m = 140, n = 150, k = 272;   // lines of multiples of 16 bytes
  template <class Q> struct Factor {
    Buffer<Q> q;
    Buffer<f32> scales;
    std::int64_t rows, cols;
    Factor(Device &device, std::int64_t m_, std::int64_t n_)
        : q(device, static_cast<std::size_t>(m_ * n_)), scales(device, static_cast<std::size_t>(m_ * n_)),
          rows(m_), cols(n_) {}
    MatrixView<Q> view() const { return MatrixView<Q>(q, rows, cols); }
    MatrixView<f32> of_rows() const { return MatrixView<f32>(scales, rows, 1); }
    MatrixView<f32> of_lines() const { return MatrixView<f32>(scales, rows, cdiv(cols, std::int64_t{128})); }
    // Those of neighbouring rows lie side by side, which scaled_gemm loads fastest.
    MatrixView<f32> of_lines_by_columns() const {
      return MatrixView<f32>(scales, cdiv(cols, std::int64_t{128}), rows).transposed();
    }
    MatrixView<f32> of_squares() const {
      return MatrixView<f32>(scales, cdiv(rows, std::int64_t{128}), cdiv(cols, std::int64_t{128}));
    }
  };

  reference::Placed<bf16> matrix(const char *name, std::int64_t rows, std::int64_t cols, Matrix &values) {
    reference::Placed<bf16> placed(on(), name, rows, cols);
    values = placed.fill(random_numbers(rows, cols, 0.02 + 0.01 * static_cast<double>(rows % 7)));
    return placed;
  }
  // What a result stands for.
  template <class Q> static Matrix numbers(const Factor<Q> &of, const MatrixView<f32> &scales) {
    const std::vector<Q> q = of.q.to_host();
    const std::vector<f32> all = of.scales.to_host();
    Matrix values(of.rows, of.cols);
    for (std::int64_t i = 0; i < of.rows; ++i)
      for (std::int64_t j = 0; j < of.cols; ++j) {
        const std::int64_t row = scales.rows == of.rows ? i : i / 128, col = scales.cols == 1 ? 0 : j / 128;
        const float scale = all[static_cast<std::size_t>(row * scales.row_stride + col * scales.col_stride)];
        values.at(i, j) =
            static_cast<double>(scale) * numeric::cast<double>(q[static_cast<std::size_t>(i * of.cols + j)]);
      }
    return values;
  }
  // a [rows, k] times transposed b [cols, k]: that of the results, and that of the numbers they were made of.
  template <class Q>
  void expect_product(const Factor<Q> &a, const MatrixView<f32> &a_scales, const Factor<Q> &b,
                      const MatrixView<f32> &b_scales, const Matrix &left, const Matrix &right) {
    reference::Placed<f32> c(on(), "c", a.rows, b.rows);
    c.poison();
    kernels::scaled_gemm(on(), a.view(), b.view().transposed(), c.view(), {a_scales, b_scales.transposed()});
    on().synchronize();
    const Matrix expected = reference::matmul(left, transposed(right));
    double largest = 0;
    for (const double each : expected.values)
      largest = std::max(largest, std::abs(each));
    expect_result(c, reference::matmul(numbers(a, a_scales), transposed(numbers(b, b_scales))),
                  {.absolute = 1e-5 * largest});
    const double tolerance = std::is_same_v<Q, e5m2> ? 0.1 : std::is_same_v<Q, e4m3> ? 0.05 : 0.01;
    expect_result(c, expected, {.absolute = tolerance * largest});
  }
};
INSTANTIATE_TEST_SUITE_P(On, QuantizedProduct, ::testing::Values("interpreter", "simulator"),
                         [](const auto &device) { return std::string(device.param); });

TEST_P(QuantizedProduct, OfRows) {
  for_some_types([&]<class P>(P) {
    using Q = typename P::To;
    Matrix x, w;
    const auto of_x = matrix("x", m, k, x), of_w = matrix("w", n, k, w);
    const Factor<Q> a(on(), m, k), b(on(), n, k);
    kernels::quantize_rows(on(), of_x.view(), a.view(), a.of_rows());
    kernels::quantize_rows(on(), of_w.view(), b.view(), b.of_rows());
    expect_product(a, a.of_rows(), b, b.of_rows(), x, w);
  });
}
TEST_P(QuantizedProduct, OfBlocks) {
  for_some_types([&]<class P>(P) {
    using Q = typename P::To;
    Matrix x, w;
    const auto of_x = matrix("x", m, k, x), of_w = matrix("w", n, k, w);
    const Factor<Q> a(on(), m, k), b(on(), n, k);
    kernels::quantize_blocks(on(), of_x.view(), a.view(), a.of_lines_by_columns());
    kernels::quantize_blocks(on(), of_w.view(), b.view(), b.of_squares());
    expect_product(a, a.of_lines_by_columns(), b, b.of_squares(), x, w);
  });
}
// Weights that lie as [k, n].
TEST_P(QuantizedProduct, OfWeightsByColumns) {
  Matrix x, w;
  const auto of_x = matrix("x", m, k, x), of_w = matrix("w", k, n, w);
  const Factor<e4m3> a(on(), m, k), b(on(), n, k);
  kernels::quantize_blocks(on(), of_x.view(), a.view(), a.of_lines(), {.powers_of_two = true});
  kernels::quantize_blocks(on(), of_w.view().transposed(), b.view(), b.of_squares());
  expect_product(a, a.of_lines(), b, b.of_squares(), x, transposed(w));
}
// The gradient of weights is transposed grad_y times x: both factors are transposed, and so are their blocks.
TEST_P(QuantizedProduct, OfTransposedResults) {
  Matrix grad_y, x;
  const auto of_grad = matrix("grad_y", 144, n, grad_y), of_x = matrix("x", 144, k, x);
  const Factor<e4m3> a(on(), 144, n), a_t(on(), n, 144), b(on(), 144, k), b_t(on(), k, 144);
  kernels::quantize_blocks(on(), of_grad.view(), a.view(), a.of_lines(), {},
                           {.transposed = {{a_t.view(), a_t.of_lines()}}});
  kernels::quantize_blocks(on(), of_x.view(), b.view(), b.of_lines(), {},
                           {.transposed = {{b_t.view(), b_t.of_squares()}}});
  expect_product(a_t, a_t.of_lines(), b_t, b_t.of_squares(), transposed(grad_y), transposed(x));
}

TEST(QuantizeBlocksDetails, ConfigsFitTheResults) {
  using kernels::detail::number_of;
  const auto &kernel = kernels::quantize_blocks_kernel<bf16, e4m3>;
  for (const Blocks &of : all_results)
    for (const auto &[rows, cols] : {std::pair{1, 1}, {17, 4096}, {4096, 17}, {8192, 8192}}) {
      const int results = number_of(of.straight, of.transposed);
      int kept = 0;
      for (const QuantizeBlocksConfig &config : kernel.configs)
        if (kernels::detail::keep_quantize_blocks_config(config, rows, cols, results)) {
          ++kept;
          if (of.straight == squares || of.transposed != nothing) {
            EXPECT_EQ(config.block_m, 128);
          }
          if (of.straight != nothing || of.transposed == squares) {
            EXPECT_EQ(config.block_n % 128, 0);
          }
          if (of.straight == squares || of.transposed == squares) {
            EXPECT_EQ(config.block_n, 128);
          }
        }
      EXPECT_GE(kept, 1) << results << ": " << rows << " x " << cols;
    }
}

TEST(QuantizeBlocksDetails, CountsWhatIsMoved) {
  using kernels::detail::number_of, kernels::detail::quantized_bytes;
  const double x = 256 * 512 * 2, q = 256 * 512;
  EXPECT_EQ(quantized_bytes(256, 512, number_of(lines, nothing), 2), x + q + 256 * 4 * 4);
  EXPECT_EQ(quantized_bytes(256, 512, number_of(squares, nothing), 2), x + q + 2 * 4 * 4);
  EXPECT_EQ(quantized_bytes(256, 512, number_of(lines, lines), 2), x + 2 * q + 256 * 4 * 4 + 512 * 2 * 4);
}

TEST(QuantizeBlocksDetails, SaysWhatDoesNotFit) {
  Buffer<f32> x(device(), 60000), scales(device(), 60000);
  Buffer<e4m3> q(device(), 60000), q_t(device(), 60000);
  const MatrixView<const f32> from(x.data(), 200, 300);
  const MatrixView<f32> of_lines(scales, 200, 3), of_squares(scales, 2, 3);
  const auto blocks = [&](const MatrixView<e4m3> &to, const MatrixView<f32> &of_q,
                          const QuantizeBlocksOptions &options = {},
                          const QuantizeBlocksExtras<e4m3> &extras = {}) {
    return [=] { kernels::quantize_blocks(device(), from, to, of_q, options, extras); };
  };
  const MatrixView<e4m3> to(q, 200, 300), to_t(q_t, 300, 200);
  const std::string start = "quantize_blocks: ";
  expect_refused(start + "q has the shape [300, 200], x [200, 300]", blocks(to_t, of_lines));
  expect_refused(start + "scales is 200 x 2, which fits no blocks of 200 x 300 elements",
                 blocks(to, MatrixView(scales, 200, 2)));
  expect_refused(start + "transposed.q has the shape [200, 300], x transposed [300, 200]",
                 blocks(to, of_lines, {}, {.transposed = {{to, of_lines}}}));
  expect_refused(start + "transposed.scales is 200 x 3, which fits no blocks of 300 x 200 elements",
                 blocks(to, of_lines, {}, {.transposed = {{to_t, of_lines}}}));
  const MatrixView<f32> apart(scales.data() + 1000, 300, 2);
  expect_refused(start + "q overlaps transposed.q, which is read while q is written",
                 blocks(to, of_lines, {}, {.transposed = {{MatrixView(q, 300, 200), apart}}}));
  expect_refused(start + "options.least_scale is not from 2^-126 to 2^126",
                 blocks(to, of_lines, {.least_scale = 0}));
  const auto with = [](int block_m, int block_n) {
    return QuantizeBlocksOptions{.config = QuantizeBlocksConfig{.block_m = block_m, .block_n = block_n}};
  };
  const QuantizeBlocksExtras<e4m3> both{.transposed = {{to_t, apart}}};
  const std::string unsuited = " does not suit blocks of these results";
  expect_refused(start + "options.config: block_n" + unsuited, blocks(to, of_lines, with(16, 64)));
  expect_refused(start + "options.config: block_m" + unsuited, blocks(to, of_squares, with(16, 128)));
  expect_refused(start + "options.config: block_n" + unsuited, blocks(to, of_squares, with(128, 256)));
  expect_refused(start + "options.config: block_m" + unsuited, blocks(to, of_lines, with(64, 128), both));
  expect_refused(start + "options.config: block_n" + unsuited, blocks(to, of_lines, with(128, 32), both));
  expect_refused(start + "options.config: block_m is 0; it must be at least 1",
                 blocks(to, of_lines, with(0, 128)));
  const MatrixView<const f32> by_columns = MatrixView<const f32>(x.data(), 300, 200).transposed();
  expect_refused(start + "options.config: block_n" + unsuited,
                 [&] { kernels::quantize_blocks(device(), by_columns, to, of_lines, with(128, 48)); });
}

}   // namespace
}   // namespace tile
