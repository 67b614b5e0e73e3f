// SPDX-License-Identifier: MIT
// Products of factors with scales, by blocks and by lines, and what does not fit.
#include "on_device.h"

#include <tile/scaled_gemm.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace tile {
namespace {

using kernels::GemmConfig;
using kernels::ScaledGemmOptions;
using kernels::Scales;

std::int64_t blocks(std::int64_t extent) { return (extent + Scales::block - 1) / Scales::block; }
std::int64_t padded(std::int64_t extent) { return (extent + 15) / 16 * 16; }

// Factors with lines along K, numbers that are exact in their type, scales from 0.5 to 2.
template <class In> struct Case {
  std::int64_t m, n, k;
  bool by_blocks;
  std::vector<In> x, y;
  std::vector<f32> sx, sy;

  Case(std::int64_t rows, std::int64_t cols, std::int64_t depth, bool blocked)
      : m(rows), n(cols), k(depth), by_blocks(blocked), x(static_cast<std::size_t>(m * padded(k))),
        y(static_cast<std::size_t>(n * padded(k))),
        sx(static_cast<std::size_t>(m * (by_blocks ? blocks(k) : 1))),
        sy(static_cast<std::size_t>(by_blocks ? blocks(k) * blocks(n) : n)) {
    std::mt19937_64 source(static_cast<std::uint64_t>(m * 131 + n * 17 + k));
    std::uniform_int_distribution<int> number(-8, 8);
    std::uniform_real_distribution<float> scale(0.5f, 2.0f);
    for (auto *all : {&x, &y})
      for (In &each : *all)
        each = In(static_cast<float>(number(source)));
    for (auto *all : {&sx, &sy})
      for (f32 &each : *all)
        each = scale(source);
  }
  double expected(std::int64_t i, std::int64_t j) const {
    double sum = 0;
    for (std::int64_t l = 0; l < k; ++l) {
      const double product =
          static_cast<double>(static_cast<float>(x[static_cast<std::size_t>(i * padded(k) + l)])) *
          static_cast<double>(static_cast<float>(y[static_cast<std::size_t>(j * padded(k) + l)]));
      const std::int64_t of_a = by_blocks ? i * blocks(k) + l / Scales::block : i,
                         of_b = by_blocks ? l / Scales::block * blocks(n) + j / Scales::block : j;
      sum += product * static_cast<double>(sx[static_cast<std::size_t>(of_a)]) *
             static_cast<double>(sy[static_cast<std::size_t>(of_b)]);
    }
    return sum;
  }
};

template <class In>
void check(const Case<In> &p, const ScaledGemmOptions &options = {}, std::int64_t padding_of_c = 3) {
  SCOPED_TRACE(std::to_string(p.m) + " x " + std::to_string(p.n) + " x " + std::to_string(p.k) +
               (p.by_blocks ? " by blocks" : " by lines"));
  Buffer<In> a(device(), p.x), b(device(), p.y);
  Buffer<f32> sa(device(), p.sx), sb(device(), p.sy);
  reference::Placed<f32> c(device(), "c", p.m, p.n, {.padding = padding_of_c});
  c.poison();
  const MatrixView<const In> left(a.data(), p.m, p.k, padded(p.k), 1),
      right(b.data(), p.k, p.n, 1, padded(p.k));
  const Scales scales = p.by_blocks ? Scales{MatrixView<const f32>(sa.data(), p.m, blocks(p.k)),
                                             MatrixView<const f32>(sb.data(), blocks(p.k), blocks(p.n))}
                                    : Scales{MatrixView<const f32>(sa.data(), p.m, 1),
                                             MatrixView<const f32>(sb.data(), 1, p.n)};
  kernels::scaled_gemm(device(), left, right, c.view(), scales, options);
  device().synchronize();
  reference::Matrix expected(p.m, p.n);
  for (std::int64_t i = 0; i < p.m; ++i)
    for (std::int64_t j = 0; j < p.n; ++j)
      expected.values[static_cast<std::size_t>(i * p.n + j)] = p.expected(i, j);
  expect_result(c, expected, {.relative = 1e-5, .absolute = 1e-2});
}

TEST(ScaledGemm, AnySizes) {
  for (bool by_blocks : {true, false})
    for (const auto &[m, n, k] :
         {std::array{40, 300, 300}, {64, 128, 128}, {1, 1, 1}, {3, 130, 257}, {5, 3, 0}, {0, 4, 4}})
      check(Case<e4m3>(m, n, k, by_blocks));
}

TEST(ScaledGemm, OtherTypes) {
  for (bool by_blocks : {true, false}) {
    check(Case<e5m2>(40, 50, 300, by_blocks));
    check(Case<i8>(40, 50, 300, by_blocks));
    check(Case<bf16>(40, 50, 300, by_blocks));
  }
}

TEST(ScaledGemm, EveryConfigOfTheList) {
  for (const auto form : {kernels::ScaledBy::blocks, kernels::ScaledBy::lines})
    for (const GemmConfig &config : kernels::detail::scaled_gemm_configs(form))
      check(Case<e4m3>(140, 150, 260, form == kernels::ScaledBy::blocks), {.config = config},
            2);   // rows of 608 bytes
}

TEST(ScaledGemm, OneScaleForAll) {
  constexpr std::int64_t m = 8, n = 8, k = 16;
  Buffer<e4m3> a(device(), std::vector<e4m3>(m * k, e4m3(2.0f))),
      b(device(), std::vector<e4m3>(n * k, e4m3(-1.0f)));
  Buffer<f32> scale(device(), std::vector<f32>{0.25f}), c(device(), m * n);
  const Scales scales{MatrixView<const f32>(scale.data(), m, 1, 0, 1),
                      MatrixView<const f32>(scale.data(), 1, n, 1, 0)};
  kernels::scaled_gemm(device(), MatrixView(a, m, k), MatrixView(b, n, k).transposed(), MatrixView(c, m, n),
                       scales);
  EXPECT_EQ(c.to_host(), std::vector<f32>(m * n, -2.0f));
}

// What arithmetic says: zeros, infinities and NaNs of scales stay in their lines.
TEST(ScaledGemm, UnusualScales) {
  Case<e4m3> p(4, 8, 16, false);
  const float infinity = std::numeric_limits<float>::infinity();
  p.sx = {0.0f, infinity, std::nanf(""), 1.0f};
  for (auto *all : {&p.x, &p.y})
    for (e4m3 &each : *all)
      each = e4m3(1.0f);
  p.sy.assign(p.sy.size(), 1.0f);
  check(p);
}

template <class F> std::string refused(F f) {
  try {
    f();
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

TEST(ScaledGemm, SaysWhatDoesNotFit) {
  Buffer<e4m3> a(device(), 64 * 256);
  Buffer<f32> s(device(), 1024), c(device(), 64 * 64);
  const MatrixView<const e4m3> left(a.data(), 64, 256),
      right = MatrixView<const e4m3>(a.data(), 64, 256).transposed();
  const MatrixView<f32> result(c.data(), 64, 64);
  const auto scales = [&](std::int64_t rows, std::int64_t cols, std::int64_t b_rows, std::int64_t b_cols) {
    return Scales{MatrixView<const f32>(s.data(), rows, cols),
                  MatrixView<const f32>(s.data(), b_rows, b_cols)};
  };
  EXPECT_NE(refused([&] { kernels::scaled_gemm(device(), left, right, result, scales(64, 3, 2, 1)); })
                .find("the scales of a are 64 x 3 and those of b 2 x 1, which fits no product of 64 x 256 by "
                      "256 x 64"),
            std::string::npos);
  EXPECT_NE(refused([&] {
              kernels::scaled_gemm(device(), left, right, result, scales(64, 2, 1, 64));
            }).find("scales by blocks are 64 x 2 and 2 x 1, scales by lines 64 x 1 and 1 x 64"),
            std::string::npos);
  const MatrixView<const e4m3> by_rows(a.data(), 256, 64);
  EXPECT_NE(refused([&] {
              kernels::scaled_gemm(device(), left, by_rows, result, scales(64, 2, 2, 1));
            }).find("b does not fit: K does not run along its contiguous lines"),
            std::string::npos);
  EXPECT_NE(refused([&] {
              kernels::scaled_gemm(device(), left, right, result, scales(64, 2, 2, 1),
                                   {.config = GemmConfig{.block_n = 256, .block_k = 128}});
            }).find("scales by blocks need block_k = 128 and a block_n that divides 128"),
            std::string::npos);
}

}   // namespace
}   // namespace tile
