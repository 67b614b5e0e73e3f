// SPDX-License-Identifier: MIT
// Compiled kernels: the PTX of each is taken by the assembler where there is one, and on a GPU each
// computes what float64 does.
#include "assembles.h"
#include "kernels.h"

#include <tile/buffer.h>

#include "compiler/api/compile.h"

#include <tile/cuda_device.h>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tile::codegen_test {
namespace {

#define NEEDS_GPU()                                                                                          \
  if (std::string reason = why_no_cuda(); !reason.empty())                                                   \
  GTEST_SKIP() << reason

template <class T> std::vector<T> random_values(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-2, 2);
  std::vector<T> v(n);
  for (T &x : v)
    if constexpr (std::is_integral_v<T>)
      x = static_cast<T>(random() % 9) - 4;
    else
      x = static_cast<T>(uniform(random));
  return v;
}

template <class T> double value(T x) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<double>(x);
  else
    return static_cast<double>(static_cast<float>(x));
}

const Kernel<&add_vectors> add_kernel{
    .name = "add_vectors", .grid = [](auto &c, auto, auto, auto, int n) { return Grid{cdiv(n, c.block)}; }};
template <class T> const Kernel<&softmax_rows<T>> softmax_kernel{
    .name = "softmax_rows", .grid = [](auto &, auto, auto, int) { return Grid{37}; }};
const Kernel<&sum_rows> sum_kernel{
    .name = "sum_rows", .grid = [](auto &c, auto, auto, int rows, int) { return Grid{cdiv(rows, c.rows)}; }};
template <class T, class R> const Kernel<&product<T, R>> product_kernel{
    .name = "product", .grid = [](auto &c, auto, auto, auto, int m, int n, int) {
      return Grid{cdiv(m, c.rows), cdiv(n, c.cols)};
    }};
const Kernel<&transpose> transpose_kernel{.name = "transpose", .grid = [](auto &c, auto, auto, int m, int n) {
                                            return Grid{cdiv(m, c.rows), cdiv(n, c.cols)};
                                          }};

TEST(Ptx, IsTakenByTheAssembler) {
  for (int warps : {1, 4}) {
    Config c{.launch = {.num_warps = warps}};
    expect_ptx(softmax_kernel<f16>.trace(c));
    expect_ptx(sum_kernel.trace(c));
    expect_ptx(transpose_kernel.trace(c));
    expect_ptx(product_kernel<f16, f32>.trace(c));
  }
  Config c{.rows = 32, .cols = 48, .launch = {.num_warps = 8}};
  expect_ptx(product_kernel<bf16, f32>.trace(c));
  expect_ptx(product_kernel<f32, f32>.trace(c));
  expect_ptx(product_kernel<i8, i32>.trace(c));
}

TEST(Ptx, IsWrittenForEveryTarget) {
  expect_ptx(add_kernel.trace({}), Target::knownTargets());
  expect_ptx(product_kernel<f16, f32>.trace({.rows = 16, .cols = 16, .inner = 16}), Target::knownTargets());
}

TEST(Ptx, AccessesMemoryInVectors) {
  using enum ArgClass;
  const std::vector<ArgClass> multiples(4, divisible_by_16);
  std::string ptx =
      text_after(Stage::Ptx, add_kernel.trace({.block = 1024}, multiples), *Target::parse("sm_90"));
  EXPECT_NE(ptx.find("ld.global.v4.b32"), std::string::npos) << ptx;
  EXPECT_NE(ptx.find("st.global.v4.b32"), std::string::npos) << ptx;
  // Where nothing is known of the arguments, one by one.
  ptx = text_after(Stage::Ptx, add_kernel.trace({.block = 1024}), *Target::parse("sm_90"));
  EXPECT_EQ(ptx.find(".v4"), std::string::npos) << ptx;
}

TEST(Ptx, UsesTheMatrixUnit) {
  Target target = *Target::parse("sm_80");
  EXPECT_NE(compile(product_kernel<f16, f32>.trace({}), target)
                .text()
                .find("mma.sync.aligned.m16n8k16.row.col.f32.f16"),
            std::string_view::npos);
  EXPECT_NE(compile(product_kernel<i8, i32>.trace({}), target)
                .text()
                .find("mma.sync.aligned.m16n8k32.row.col.s32.s8"),
            std::string::npos);
}

// The buffers are listed with their sizes.
TEST(Refusals, TooMuchSharedMemory) {
  try {
    compile(product_kernel<f16, f32>.trace(
                {.rows = 128, .cols = 128, .inner = 128, .launch = {.num_stages = 5}},
                {ArgClass::divisible_by_16, ArgClass::divisible_by_16, ArgClass::divisible_by_16,
                 ArgClass::divisible_by_16, ArgClass::divisible_by_16, ArgClass::divisible_by_16}),
            *Target::parse("sm_86"));
    FAIL() << "sm_86 has less than 320 KiB";
  } catch (const Error &e) {
    std::string said = e.what();
    EXPECT_NE(said.find("this config needs 327680 bytes of shared memory for a CTA, sm_86 has 101376"),
              std::string::npos)
        << said;
    EXPECT_NE(said.find("327680 bytes: 5 stages of 128x128xf16 and 128x128xf16"), std::string::npos) << said;
  }
}

TEST(Cuda, AddsVectors) {
  NEEDS_GPU();
  auto device = open_cuda();
  for (int n : {1, 255, 256, 1000, 4096}) {
    auto x = random_values<float>(static_cast<std::size_t>(n), 1),
         y = random_values<float>(static_cast<std::size_t>(n), 2);
    Buffer<float> a(*device, x), b(*device, y), c(*device, x.size());
    c.fill_bytes(0xff);
    add_kernel(*device, a, b, c, n);
    std::vector<float> z = c.to_host();
    for (std::size_t i = 0; i < z.size(); ++i)
      ASSERT_EQ(z[i], x[i] + y[i]) << i;
  }
}

template <class T> void check_softmax(int columns, int block, int warps, double tolerance) {
  auto device = open_cuda();
  auto x = random_values<T>(static_cast<std::size_t>(37 * columns), 3);
  Buffer<T> a(*device, x), b(*device, x.size());
  b.fill_bytes(0xff);
  softmax_kernel<T>.with({.block = block, .launch = {.num_warps = warps}})(*device, a, b, columns);
  std::vector<T> y = b.to_host();
  for (int row = 0; row < 37; ++row) {
    double most = -INFINITY, total = 0;
    auto at = [&](int j) { return static_cast<std::size_t>(row * columns + j); };
    for (int j = 0; j < columns; ++j)
      most = std::max(most, value(x[at(j)]));
    for (int j = 0; j < columns; ++j)
      total += std::exp(value(x[at(j)]) - most);
    for (int j = 0; j < columns; ++j)
      ASSERT_NEAR(value(y[at(j)]), std::exp(value(x[at(j)]) - most) / total, tolerance)
          << "row " << row << " column " << j << " of " << columns << ", block " << block << ", warps "
          << warps;
  }
}

TEST(Cuda, SoftmaxOfRows) {
  NEEDS_GPU();
  for (int warps : {1, 2, 4, 8})
    for (auto [columns, block] : {std::pair{1, 32}, {100, 128}, {781, 1024}, {96, 96}, {700, 704}}) {
      check_softmax<float>(columns, block, warps, 1e-6);
      check_softmax<f16>(columns, block, warps, 1e-3);
    }
}

TEST(Cuda, SumsOfRows) {
  NEEDS_GPU();
  auto device = open_cuda();
  for (int warps : {1, 4, 8})
    for (auto [rows, columns] : {std::pair{1, 1}, {64, 64}, {100, 300}, {130, 65}}) {
      auto x = random_values<float>(static_cast<std::size_t>(rows * columns), 4);
      Buffer<float> a(*device, x), b(*device, static_cast<std::size_t>(rows));
      sum_kernel.with({.launch = {.num_warps = warps}})(*device, a, b, rows, columns);
      std::vector<float> y = b.to_host();
      for (int i = 0; i < rows; ++i) {
        double total = 0;
        for (int j = 0; j < columns; ++j)
          total += x[static_cast<std::size_t>(i * columns + j)];
        ASSERT_NEAR(y[static_cast<std::size_t>(i)], total, 1e-4) << i;
      }
    }
}

TEST(Cuda, Transposes) {
  NEEDS_GPU();
  auto device = open_cuda();
  for (auto [m, n] : {std::pair{64, 64}, {100, 37}, {1, 200}}) {
    auto x = random_values<float>(static_cast<std::size_t>(m * n), 5);
    Buffer<float> a(*device, x), b(*device, x.size());
    transpose_kernel(*device, a, b, m, n);
    std::vector<float> y = b.to_host();
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j)
        ASSERT_EQ(y[static_cast<std::size_t>(j * m + i)], x[static_cast<std::size_t>(i * n + j)]);
  }
}

template <class T, class R> void check_product(int m, int n, int k, Config config, double tolerance) {
  auto device = open_cuda();
  auto x = random_values<T>(static_cast<std::size_t>(m * k), 6),
       y = random_values<T>(static_cast<std::size_t>(k * n), 7);
  Buffer<T> a(*device, x), b(*device, y);
  Buffer<R> c(*device, static_cast<std::size_t>(m * n));
  c.fill_bytes(0xff);
  product_kernel<T, R>.with(config)(*device, a, b, c, m, n, k);
  std::vector<R> z = c.to_host();
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double total = 0;
      for (int l = 0; l < k; ++l)
        total +=
            value(x[static_cast<std::size_t>(i * k + l)]) * value(y[static_cast<std::size_t>(l * n + j)]);
      ASSERT_NEAR(value(z[static_cast<std::size_t>(i * n + j)]), total, tolerance)
          << i << ", " << j << " of " << m << " x " << n << " x " << k << ", warps "
          << config.launch.num_warps;
    }
}

TEST(Cuda, Products) {
  NEEDS_GPU();
  for (int warps : {1, 2, 4, 8})
    for (auto [m, n, k] : {std::tuple{64, 64, 32}, {128, 192, 96}, {100, 70, 50}, {1, 1, 1}, {65, 33, 0}})
      for (auto [rows, cols] : {std::pair{64, 64}, {32, 96}, {16, 8}, {128, 48}}) {
        Config config{.rows = rows, .cols = cols, .inner = 32, .launch = {.num_warps = warps}};
        check_product<f16, f32>(m, n, k, config, 1e-3);
        check_product<bf16, f32>(m, n, k, config, 1e-3);
        check_product<f32, f32>(m, n, k, config, 5e-2);   // tf32
        check_product<i8, i32>(m, n, k, config, 0);
      }
}

// Every depth of the pipeline, and fewer iterations than it has stages.
TEST(Cuda, PipelinesAnyNumberOfIterations) {
  NEEDS_GPU();
  for (int stages = 1; stages <= 5; ++stages)
    for (int iterations = 0; iterations <= stages + 2; ++iterations) {
      Config config{.rows = 64, .cols = 64, .inner = 32, .launch = {.num_warps = 4, .num_stages = stages}};
      check_product<f16, f32>(64, 128, 32 * iterations, config, 1e-3);
      if (iterations > 0)
        check_product<f16, f32>(64, 128, 32 * iterations - 16, config, 1e-3);
      check_product<i8, i32>(64, 128, 32 * iterations, config, 0);
    }
}

// Rows of 64, 128 and 192 bytes and odd extents, transposed and not, by every width of the matrix unit.
TEST(Cuda, StagesOddExtents) {
  NEEDS_GPU();
  for (int warps : {1, 4, 8})
    for (auto [rows, cols, inner] : {std::tuple{96, 96, 32}, {64, 192, 32}, {16, 96, 96}, {128, 16, 64}}) {
      Config config{.rows = rows, .cols = cols, .inner = inner, .launch = {.num_warps = warps}};
      check_product<f16, f32>(192, 192, 192, config, 1e-3);
      check_product<bf16, f32>(192, 192, 208, config, 1e-3);
      check_product<f32, f32>(192, 192, 64, config, 5e-2);
      check_product<i8, i32>(192, 192, 192, config, 0);
    }
}

}   // namespace
}   // namespace tile::codegen_test
