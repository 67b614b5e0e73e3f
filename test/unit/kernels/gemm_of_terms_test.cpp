// SPDX-License-Identifier: MIT
// Products of f32 as sums of bf16: how exact they are, infinities and NaNs, rows that keep their bits.
#include "products.h"

#include <tile/gemm.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace tile {
namespace {

using kernels::GemmConfig;
using kernels::GemmOptions;
using kernels::Numerics;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float largest = std::numeric_limits<float>::max();

GemmOptions small(Precision precision) {
  return {.precision = precision,
          .config = GemmConfig{.block_m = 32, .block_n = 16, .block_k = 32, .group_m = 2}};
}

template <class Out, auto Activation = kernels::no_activation>
void check(const ProductCase &p, const GemmOptions &options, reference::Function activation = nullptr) {
  check_product<f32, Out>(
      p, [&](auto a, auto b, auto c) { kernels::gemm<Activation>(device(), a, b, c, options); }, activation,
      options.precision);
}

TEST(GemmOfTerms, AnySizesAndStrides) {
  using At = reference::Placement;
  for (const auto &[m, n, k] :
       {std::array{97, 33, 45}, {64, 32, 64}, {1, 1, 1}, {3, 40, 600}, {5, 3, 0}, {0, 4, 4}})
    for (const At &of_a : {At{}, At{.by_columns = true}, At{.step = 2, .padding = 3, .shift = 1}})
      for (const At &of_b : {At{}, At{.by_columns = true, .padding = 1}})
        check<f32>({m, n, k, of_a, of_b}, small(Precision::bf16x6));
}

TEST(GemmOfTerms, ResultsOfAnyStridesAndTypes) {
  using At = reference::Placement;
  for (const At &of_c : {At{}, At{.by_columns = true}, At{.step = 3, .padding = 2, .shift = 1}})
    check<f32>({40, 50, 70, {}, {}, of_c}, small(Precision::bf16x6));
  check<f16>({40, 50, 70}, small(Precision::bf16x6));
  check<bf16>({40, 50, 70}, small(Precision::bf16x3));
  check<f32, &kernels::gelu>({40, 50, 70}, small(Precision::bf16x6), reference::gelu);
}

TEST(GemmOfTerms, PartsOfK) {
  for (int parts : {2, 3})
    for (int k : {0, 33, 400})
      check<f16, &kernels::gelu>(
          {70, 50, k},
          {.precision = Precision::bf16x6,
           .config = GemmConfig{.block_m = 32, .block_n = 16, .block_k = 32, .split_k = parts}},
          reference::gelu);
}

TEST(GemmOfTerms, EveryConfigOfTheList) {
  for (GemmConfig config : kernels::detail::gemm_of_terms_configs())
    check<f32>({150, 200, 100}, {.precision = Precision::bf16x6, .config = config});
}

// What both precisions promise, of sums of products that do not cancel.
double worst_relative_error(Precision precision, int lowest_exponent, int highest_exponent) {
  constexpr std::int64_t m = 32, n = 16, k = 500;
  std::uint32_t seed = 7;
  auto next = [&] { return (seed = seed * 1664525 + 1013904223) >> 8; };
  auto number = [&] {
    const int exponent =
        lowest_exponent +
        static_cast<int>(next() % static_cast<unsigned>(highest_exponent - lowest_exponent + 1));
    return std::ldexp(1 + static_cast<float>(next() & 0x7FFFFF) / (1 << 23), exponent);
  };
  std::vector<f32> x(m * k), y(k * n);
  for (f32 &each : x)
    each = number();
  for (f32 &each : y)
    each = number();
  Buffer<f32> a(device(), x), b(device(), y), c(device(), m * n);
  kernels::gemm(device(), MatrixView(a, m, k), MatrixView(b, k, n), MatrixView(c, m, n), small(precision));
  const std::vector<f32> got = c.to_host();
  double worst = 0;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double expected = 0;
      for (std::size_t l = 0; l < k; ++l)
        expected += double(x[i * k + l]) * double(y[l * n + j]);
      worst = std::max(worst, std::fabs(got[i * n + j] - expected) / expected);
    }
  return worst;
}

TEST(GemmOfTerms, IsAsExactAsItSays) {
  EXPECT_LT(worst_relative_error(Precision::bf16x6, 0, 0), 0x1p-21);
  EXPECT_LT(worst_relative_error(Precision::bf16x3, 0, 0), 0x1p-14);
  EXPECT_GT(worst_relative_error(Precision::bf16x3, 0, 0), worst_relative_error(Precision::bf16x6, 0, 0) * 3);
  // Exponents that are far apart. The least of 2^-109 still has three terms.
  EXPECT_LT(worst_relative_error(Precision::bf16x6, -40, 40), 0x1p-21);
  EXPECT_LT(worst_relative_error(Precision::bf16x6, -60, -50), 0x1p-21);
  EXPECT_LT(worst_relative_error(Precision::bf16x6, 55, 58), 0x1p-21);
}

// Of each factor, one line has the number `special`; the others are 1 + 2^-20, whose second term is not 0.
std::vector<f32> product_with(float special, bool in_a, bool by_columns, Precision precision) {
  constexpr std::int64_t m = 40, n = 24, k = 70;
  std::vector<f32> x(m * k, 1 + 0x1p-20f), y(k * n, -1 - 0x1p-20f);
  // Row 3 of a, or column 3 of b.
  const std::size_t at = by_columns ? (in_a ? 60 * m + 3 : 3 * k + 60) : (in_a ? 3 * k + 60 : 60 * n + 3);
  (in_a ? x : y)[at] = special;
  Buffer<f32> a(device(), x), b(device(), y), c(device(), m * n);
  const auto left = by_columns ? MatrixView(a, k, m).transposed() : MatrixView(a, m, k);
  const auto right = by_columns ? MatrixView(b, n, k).transposed() : MatrixView(b, k, n);
  kernels::gemm(device(), left, right, MatrixView(c, m, n), small(precision));
  return c.to_host();
}

TEST(GemmOfTerms, InfinitiesAndNaNsStayInTheirLines) {
  for (const Precision precision : {Precision::bf16x3, Precision::bf16x6})
    for (const bool by_columns : {false, true})
      for (const bool in_a : {true, false}) {
        const std::vector<f32> plain =
            product_with(in_a ? 1 + 0x1p-20f : -1 - 0x1p-20f, in_a, by_columns, precision);
        for (const float special : {infinity, -infinity, nan}) {
          const std::vector<f32> got = product_with(special, in_a, by_columns, precision);
          for (std::size_t i = 0; i < 40; ++i)
            for (std::size_t j = 0; j < 24; ++j) {
              const float value = got[i * 24 + j];
              if ((in_a ? i : j) != 3)
                ASSERT_EQ(value, plain[i * 24 + j]) << i << ", " << j;
              else if (std::isnan(special))
                ASSERT_TRUE(std::isnan(value)) << i << ", " << j;
              else
                ASSERT_EQ(value, in_a ? -special : special) << i << ", " << j;
            }
        }
      }
}

// Each number times each other one, as f32 has it.
TEST(GemmOfTerms, ProductsOfInfinitiesAndZeros) {
  const std::vector<f32> numbers{infinity, -infinity, nan, 0.0f, -0.0f, 1.0f, -3.0f, 1 + 0x1p-20f, 0x1p-100f};
  const auto n = static_cast<std::int64_t>(numbers.size());
  Buffer<f32> a(device(), numbers), c(device(), n * n);
  for (const Precision precision : {Precision::bf16x3, Precision::bf16x6}) {
    kernels::gemm(device(), MatrixView(a, n, 1), MatrixView(a, 1, n), MatrixView(c, n, n), small(precision));
    const std::vector<f32> got = c.to_host();
    for (std::size_t i = 0; i < numbers.size(); ++i)
      for (std::size_t j = 0; j < numbers.size(); ++j) {
        const float expected = numbers[i] * numbers[j], value = got[i * numbers.size() + j];
        if (std::isnan(expected))
          EXPECT_TRUE(std::isnan(value)) << numbers[i] << " * " << numbers[j] << " gives " << value;
        else
          EXPECT_FLOAT_EQ(value, expected) << numbers[i] << " * " << numbers[j];
      }
  }
}

// Their first terms would round to infinity.
TEST(GemmOfTerms, TheLargestNumbersDoNotOverflow) {
  constexpr std::int64_t size = 16;
  for (const float special : {largest, -largest, 0x1.FF8p127f, 0x1.FF7FFEp127f, 0x1.FEp127f}) {
    std::vector<f32> x(size * size, 0.0f), y(size * size, 0.0f);
    x[0] = special;
    y[0] = 0.25f;
    Buffer<f32> a(device(), x), b(device(), y), c(device(), size * size);
    kernels::gemm(device(), MatrixView(a, size, size), MatrixView(b, size, size), MatrixView(c, size, size),
                  small(Precision::bf16x6));
    EXPECT_EQ(c.to_host()[0], special * 0.25f);
  }
}

TEST(GemmOfTerms, RowsKeepTheirBits) {
  constexpr std::int64_t most = 70, n = 24, k = 520;
  std::vector<f32> x(most * k), y(k * n);
  std::uint32_t seed = 1;
  for (auto *all : {&x, &y})
    for (f32 &each : *all) {
      seed = seed * 1664525 + 1013904223;
      each = static_cast<float>(seed >> 8) / (1 << 23) - 1;
    }
  Buffer<f32> b(device(), y), c(device(), most * n);
  const auto first_row = [&](std::int64_t m) {
    Buffer<f32> a(device(), x);
    kernels::gemm(device(), MatrixView(a, m, k), MatrixView(b, k, n), MatrixView(c, m, n),
                  {.precision = Precision::bf16x6, .numerics = Numerics::batch_invariant});
    std::vector<f32> all = c.to_host();
    all.resize(n);
    return all;
  };
  const std::vector<f32> alone = first_row(1);
  EXPECT_EQ(alone, first_row(most));
  x[5 * k + 3] = nan;   // another row is computed in another way
  EXPECT_EQ(alone, first_row(most));
}

TEST(GemmOfTerms, RefusesWhatItDoesNotHave) {
  Buffer<f32> a(device(), 64), b(device(), 64), c(device(), 64);
  try {
    kernels::gemm(device(), MatrixView(a, 8, 8), MatrixView(b, 8, 8), MatrixView(c, 8, 8),
                  {.precision = Precision::bf16x6, .config = GemmConfig{.swap_ab = true}});
    FAIL();
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("bf16x3 and bf16x6 have no swap_ab"), std::string::npos)
        << error.what();
  }
}

}   // namespace
}   // namespace tile
