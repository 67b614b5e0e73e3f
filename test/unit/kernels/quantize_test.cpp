// SPDX-License-Identifier: MIT
// Quantising by rows and with given scales: bits, unusual numbers, strides, and what is refused.
#include "quantize_operands.h"

#include <algorithm>
#include <vector>

namespace tile {
namespace {

using kernels::QuantizeByConfig;
using kernels::QuantizeRowsConfig;
using kernels::QuantizeRowsOptions;
using reference::Matrix;
using reference::QuantizedForm;

constexpr double infinity = std::numeric_limits<double>::infinity();

const QuantizeRowsOptions loop{.config = QuantizeRowsConfig{.block = 32}};
const QuantizeRowsOptions whole{.config = QuantizeRowsConfig{.block = 512, .whole_row = true}};

class QuantizeRows : public OnDevices {
 protected:
  template <class T, class Q>
  reference::Quantized check(const Matrix &values, const QuantizeRowsOptions &options,
                             const QuantizeCase<T, Q> &at) {
    QuantizedForm form = of_rows<Q>();
    form.powers_of_two = options.powers_of_two;
    form.least_scale = options.least_scale;
    return at.check(values, form, [&](const auto &x, const auto &q, const auto &scales) {
      kernels::quantize_rows(on(), x, q, scales, options);
    });
  }
  template <class T, class Q>
  reference::Quantized check(const Matrix &values, const QuantizeRowsOptions &options = {}) {
    return check(values, options, QuantizeCase<T, Q>{on()});
  }
};
INSTANTIATE_TEST_SUITE_P(On, QuantizeRows, ::testing::Values("interpreter", "simulator"),
                         [](const auto &device) { return std::string(device.param); });

TEST_P(QuantizeRows, AnyLength) {
  for_all_types([&]<class P>(P) {
    for (std::int64_t cols : {1, 17, 129, 300})
      for (const QuantizeRowsOptions &options : {QuantizeRowsOptions(), loop, whole})
        check<typename P::From, typename P::To>(random_numbers(3, cols), options);
  });
}
TEST_P(QuantizeRows, NoRowsOrOne) {
  for (const QuantizeRowsOptions &options : {QuantizeRowsOptions(), loop, whole})
    for (const auto &[rows, cols] : {std::pair{0, 5}, {0, 0}, {1, 1}, {17, 17}, {1, 40}})
      check<bf16, e4m3>(random_numbers(rows, cols), options);
}
// Rows without elements have scales.
TEST_P(QuantizeRows, NoColumns) {
  for (const QuantizeRowsOptions &options : {QuantizeRowsOptions(), loop, whole}) {
    reference::Placed<f32> x(on(), "x", 3, 0), scales(on(), "scales", 3, 1);
    reference::Placed<e4m3> q(on(), "q", 3, 0);
    scales.poison();
    kernels::quantize_rows(on(), x.view(), q.view(), scales.view(), options);
    on().synchronize();
    Matrix expected(3, 1);
    expected.values.assign(3, 0x1p-126);
    expect_result(scales, expected, {});
  }
}
TEST_P(QuantizeRows, AnyStrides) {
  for (const QuantizeRowsOptions &options : {loop, whole})
    for (const reference::Placement &at :
         {reference::Placement{.padding = 3}, {.by_columns = true}, {.step = 2, .shift = 1}}) {
      check(random_numbers(5, 77), options, QuantizeCase<f16, e4m3>{.device = on(), .x_at = at});
      check(random_numbers(5, 77), options, QuantizeCase<f16, e4m3>{.device = on(), .q_at = at});
      check(random_numbers(5, 77), options, QuantizeCase<f16, e4m3>{.device = on(), .scales_at = at});
    }
}
TEST_P(QuantizeRows, ConfigsOfTheList) {
  for (const QuantizeRowsConfig &config : kernels::quantize_rows_kernel<bf16, e4m3>.configs)
    if (config.block <= 2048)
      check<bf16, e4m3>(random_numbers(2, 700),
                        {.config = config.block < 700
                                       ? QuantizeRowsConfig{.block = config.block, .launch = config.launch}
                                       : config});
}

// Independent of the reference: how far numbers are from what they were.
TEST_P(QuantizeRows, IsCloseToTheNumbers) {
  const Matrix x = random_numbers(7, 211, 1e-3);
  for_all_types([&]<class P>(P) {
    using Q = typename P::To;
    const reference::Quantized got = check<f32, Q>(x);
    const double largest = std::is_same_v<Q, e4m3> ? 448 : std::is_same_v<Q, e5m2> ? 57344 : 127;
    // Half of the distance of two numbers, relative to them, and in units of the scale near zero.
    const double relative = std::is_same_v<Q, e4m3> ? 0x1p-4 : std::is_same_v<Q, e5m2> ? 0x1p-3 : 0;
    const double absolute = std::is_same_v<Q, e4m3> ? 0x1p-10 : std::is_same_v<Q, e5m2> ? 0x1p-17 : 0.5;
    for (std::int64_t i = 0; i < x.rows; ++i) {
      double absmax = 0, largest_q = 0;
      for (std::int64_t j = 0; j < x.cols; ++j) {
        absmax = std::max(absmax, std::abs(static_cast<double>(static_cast<float>(x.at(i, j)))));
        largest_q = std::max(largest_q, std::abs(got.q.at(i, j)));
      }
      const double scale = got.scales.at(i, 0);
      EXPECT_NEAR(scale, absmax / largest, 1e-7 * scale);
      EXPECT_EQ(largest_q, largest);
      for (std::int64_t j = 0; j < x.cols; ++j)
        ASSERT_NEAR(got.q.at(i, j) * scale, x.at(i, j),
                    (relative * std::abs(x.at(i, j)) + absolute * scale) * (1 + 1e-5));
    }
  });
}

// Halves go to even numbers: the scale is 1 where the largest element is that of the type.
TEST_P(QuantizeRows, RoundsHalvesToEven) {
  for (const QuantizeRowsOptions &options : {loop, whole}) {
    Matrix x(1, 7);
    x.values = {127, 0.5, 1.5, 2.5, -0.5, -1.5, -126.5};
    EXPECT_EQ((check<f32, i8>(x, options).q.values), (std::vector<double>{127, 0, 2, 2, 0, -2, -126}));
    x.values = {448, 17, 19, 21, -17, -19, 0x1p-10};
    EXPECT_EQ((check<f32, e4m3>(x, options).q.values), (std::vector<double>{448, 16, 20, 20, -16, -20, 0}));
    x.values = {57344, 9, 11, 13, -9, -11, 0x1p-17};
    EXPECT_EQ((check<f32, e5m2>(x, options).q.values), (std::vector<double>{57344, 8, 12, 12, -8, -12, 0}));
  }
}

TEST_P(QuantizeRows, PowersOfTwo) {
  for (QuantizeRowsOptions options : {QuantizeRowsOptions(), loop, whole}) {
    options.powers_of_two = true;
    for_some_types([&]<class P>(P) {
      const reference::Quantized got =
          check<typename P::From, typename P::To>(random_numbers(9, 100), options);
      for (const double scale : got.scales.values) {
        int exponent = 0;
        EXPECT_EQ(std::frexp(scale, &exponent), 0.5);
      }
    });
    // A scale that is a power of two stays; the next number is rounded up.
    Matrix x(2, 1);
    x.values = {448.0 / 4, 448.0 / 4 * (1 + 0x1p-20)};
    EXPECT_EQ((check<f32, e4m3>(x, options).scales.values), (std::vector<double>{0.25, 0.5}));
  }
}

TEST_P(QuantizeRows, ZerosHaveTheLeastScale) {
  Matrix x(3, 40);
  x.at(1, 3) = -0.0;
  x.at(2, 3) = 1e-5;
  for (QuantizeRowsOptions options : {QuantizeRowsOptions(), loop, whole})
    for_some_types([&]<class P>(P) {
      const reference::Quantized got = check<typename P::From, typename P::To>(x, options);
      EXPECT_EQ(got.scales.values[0], 0x1p-126);
      EXPECT_EQ(got.q.values[0], 0);
      QuantizeRowsOptions other = options;
      other.least_scale = 0.375f;
      const reference::Quantized with_least = check<typename P::From, typename P::To>(x, other);
      EXPECT_EQ(with_least.scales.values, (std::vector<double>(3, 0.375)));
      other.powers_of_two = true;
      const reference::Quantized rounded = check<typename P::From, typename P::To>(x, other);
      EXPECT_EQ(rounded.scales.values, (std::vector<double>(3, 0.5)));
    });
}
// The smallest and the largest numbers of f32.
TEST_P(QuantizeRows, ExtremeNumbers) {
  Matrix x = random_numbers(4, 40, 1);
  for (std::int64_t j = 0; j < x.cols; ++j) {
    x.at(0, j) *= 0x1p-140;
    x.at(1, j) *= 0x1p-126;
    x.at(2, j) *= 0x1p-118;
    x.at(3, j) *= 0x1p127;
  }
  x.at(3, 7) = std::numeric_limits<float>::max();
  for (QuantizeRowsOptions options : {QuantizeRowsOptions(), loop, whole})
    for (bool powers : {false, true}) {
      options.powers_of_two = powers;
      for (const reference::Quantized &got :
           {check<f32, e4m3>(x, options), check<f32, e5m2>(x, options), check<f32, i8>(x, options)})
        for (const std::vector<double> *numbers : {&got.q.values, &got.scales.values})
          EXPECT_TRUE(std::ranges::all_of(*numbers, [](double each) { return std::isfinite(each); }));
    }
}

// NaN stays where it is in 8-bit floats; i8 has none, so the scale says so. An infinite element makes the
// scale infinite and itself NaN. Other rows know nothing of it.
TEST_P(QuantizeRows, NanAndInfinity) {
  Matrix x = random_numbers(5, 60);
  x.at(1, 7) = std::nan("");
  x.at(2, 50) = infinity;
  x.at(3, 0) = -infinity;
  x.at(3, 1) = std::nan("");
  for (QuantizeRowsOptions options : {QuantizeRowsOptions(), loop, whole})
    for (bool powers : {false, true}) {
      options.powers_of_two = powers;
      const reference::Quantized floats = check<bf16, e4m3>(x, options), wide = check<f16, e5m2>(x, options),
                                 integers = check<f32, i8>(x, options);
      for (const reference::Quantized *got : {&floats, &wide}) {
        EXPECT_TRUE(std::isnan(got->q.at(1, 7)));
        EXPECT_FALSE(std::isnan(got->q.at(1, 8)));
        EXPECT_TRUE(std::isfinite(got->scales.at(1, 0)));
        EXPECT_TRUE(std::isnan(got->q.at(2, 50)));
        EXPECT_EQ(got->q.at(2, 51), 0);
        EXPECT_EQ(got->scales.at(2, 0), infinity);
        EXPECT_EQ(got->scales.at(3, 0), infinity);
      }
      EXPECT_TRUE(std::isnan(integers.scales.at(1, 0)));
      EXPECT_EQ(integers.q.at(1, 7), 0);
      EXPECT_EQ(integers.scales.at(2, 0), infinity);
      EXPECT_TRUE(std::isnan(integers.scales.at(3, 0)));
      EXPECT_TRUE(std::isfinite(integers.scales.at(4, 0)));
    }
}
// Nothing but NaN has no absmax.
TEST_P(QuantizeRows, OnlyNan) {
  Matrix x(2, 33);
  std::ranges::fill(x.values, std::nan(""));
  for (const QuantizeRowsOptions &options : {loop, whole}) {
    check<f32, e4m3>(x, options);
    check<f32, i8>(x, options);
  }
}

class QuantizeBy : public OnDevices {
 protected:
  // Scales [rows, cols], each for `of_rows` rows and `of_cols` columns of x.
  template <class T, class Q>
  void check(const Matrix &values, const QuantizedForm &form, const Matrix &given,
             const QuantizeCase<T, Q> &at, const std::optional<QuantizeByConfig> &config = {}) {
    SCOPED_TRACE(shape_of(values) + " with scales " + shape_of(given));
    reference::Placed<T> x(on(), "x", values.rows, values.cols, at.x_at);
    reference::Placed<Q> q(on(), "q", values.rows, values.cols, at.q_at);
    reference::Placed<f32> scales(on(), "scales", given.rows, given.cols, at.scales_at);
    const Matrix exact = x.fill(values), exact_scales = scales.fill(given);
    q.poison();
    kernels::quantize_by(on(), x.view(), q.view(), scales.view(), {.config = config});
    on().synchronize();
    expect_result(q, reference::quantized_by(exact, exact_scales, form), {});
  }
  template <class T, class Q>
  void check_forms(std::int64_t rows, std::int64_t cols, const QuantizeCase<T, Q> &at,
                   const std::optional<QuantizeByConfig> &config = {}) {
    const Matrix x = random_numbers(rows, cols);
    auto numbers = [&](const QuantizedForm &form) {
      Matrix scales((rows + form.block_rows - 1) / form.block_rows, form.scales_of_row(cols));
      for (std::size_t i = 0; i < scales.values.size(); ++i)
        scales.values[i] = 0.01 + 0.007 * static_cast<double>(i * 5 % 13);
      return scales;
    };
    QuantizedForm one = of_rows<Q>();
    one.block_rows = std::max<std::int64_t>(rows, 1);
    Matrix of_one(1, 1);
    of_one.values = {0.0123};
    check<T, Q>(x, one, of_one, at, config);
    for (const QuantizedForm &form : {of_rows<Q>(), of_lines<Q>(), of_squares<Q>()})
      check<T, Q>(x, form, numbers(form), at, config);
  }
};
INSTANTIATE_TEST_SUITE_P(On, QuantizeBy, ::testing::Values("interpreter", "simulator"),
                         [](const auto &device) { return std::string(device.param); });

TEST_P(QuantizeBy, AnySizes) {
  for_some_types([&]<class P>(P) {
    for (const auto &[rows, cols] :
         {std::pair{1, 1}, {17, 17}, {140, 300}, {1, 400}, {150, 1}, {0, 3}, {3, 0}})
      check_forms(rows, cols, QuantizeCase<typename P::From, typename P::To>{on()});
  });
}
TEST_P(QuantizeBy, AnyStrides) {
  for (const reference::Placement &at :
       {reference::Placement{.padding = 3}, {.by_columns = true}, {.step = 2, .shift = 1}}) {
    check_forms(130, 140, QuantizeCase<f16, e4m3>{.device = on(), .x_at = at});
    check_forms(130, 140, QuantizeCase<f16, e4m3>{.device = on(), .q_at = at});
    check_forms(130, 140, QuantizeCase<f16, e4m3>{.device = on(), .scales_at = at});
  }
}
TEST_P(QuantizeBy, ConfigsOfTheList) {
  const std::vector<QuantizeByConfig> configs = kernels::quantize_by_kernel<bf16, e4m3>.configs;
  EXPECT_GE(configs.size(), 6u);
  for (const QuantizeByConfig &config : configs)
    check_forms(150, 600, QuantizeCase<bf16, e4m3>{on()}, config);
}
// Numbers that are too large for the scale saturate; a scale of 0 gives what arithmetic gives.
TEST_P(QuantizeBy, SaturatesAndDividesByZero) {
  Matrix x(3, 4);
  x.values = {1, -1e6, infinity, 0, 1, -1e6, -infinity, 0, std::nan(""), 1e30, -1, 0};
  Matrix scales(3, 1);
  scales.values = {0.5, 0, 1};
  check(x, of_rows<e4m3>(), scales, QuantizeCase<f32, e4m3>{on()});
  check(x, of_rows<i8>(), scales, QuantizeCase<f32, i8>{on()});
}

TEST(QuantizeOperands, SayWhatDoesNotFit) {
  Buffer<f32> x(device(), 600), scales(device(), 600);
  Buffer<e4m3> q(device(), 600);
  const MatrixView<const f32> from(x.data(), 2, 300);
  const MatrixView<e4m3> to(q, 2, 300);
  const MatrixView<f32> of_rows(scales, 2, 1);
  const auto rows = [&](const MatrixView<e4m3> &results, const MatrixView<f32> &of_results,
                        const QuantizeRowsOptions &options = {}) {
    return [=] { kernels::quantize_rows(device(), from, results, of_results, options); };
  };
  expect_refused("quantize_rows: q has the shape [300, 2], x [2, 300]", rows(MatrixView(q, 300, 2), of_rows));
  expect_refused("quantize_rows: scales has the shape [2, 3], those of the rows of x [2, 1]",
                 rows(to, MatrixView(scales, 2, 3)));
  expect_refused("quantize_rows: scales is written, but several of its elements share an address: its shape "
                 "is [2, 1], its strides are 0 and 1",
                 rows(to, MatrixView(scales, 2, 1, 0, 1)));
  expect_refused("quantize_rows: scales overlaps x, which is read while scales is written",
                 rows(to, MatrixView(x, 2, 1)));
  expect_refused("quantize_rows: q overlaps scales, which is read while q is written",
                 rows(MatrixView(reinterpret_cast<e4m3 *>(scales.data()), 2, 300), of_rows));
  for (const float least : {0.0f, -1.0f, 0x1p-127f, 0x1p127f, std::nanf("")})
    expect_refused("quantize_rows: options.least_scale is not from 2^-126 to 2^126",
                   rows(to, of_rows, {.least_scale = least}));
  expect_refused("quantize_rows: options.config: whole_row takes rows of at most block = 256 elements, x has "
                 "300 columns",
                 rows(to, of_rows, {.config = QuantizeRowsConfig{.block = 256, .whole_row = true}}));
  const auto by = [&](const MatrixView<f32> &given, const std::optional<QuantizeByConfig> &config = {}) {
    return [=] { kernels::quantize_by(device(), from, to, given, {.config = config}); };
  };
  expect_refused("quantize_by: scales is 2 x 2, which fits no scales of 2 x 300 elements",
                 by(MatrixView(scales, 2, 2)));
  expect_refused("quantize_by: scales is 1 x 2, which fits no scales of 2 x 300 elements",
                 by(MatrixView(scales, 1, 2)));
  expect_refused("quantize_by: options.config: block_n is 64, but blocks have 128 columns",
                 by(of_rows, QuantizeByConfig{.block_n = 64}));
  expect_refused("quantize_by: options.config: block_m is 0; it must be at least 1",
                 by(of_rows, QuantizeByConfig{.block_m = 0}));
  expect_refused("quantize_by: q overlaps scales, which is read while q is written",
                 by(MatrixView(reinterpret_cast<f32 *>(q.data()), 2, 1)));
}

}   // namespace
}   // namespace tile
