// SPDX-License-Identifier: MIT
// Tiles whose extents have odd factors keep whole factors in the registers of a thread: much straight-line
// code, over which no pass may take long. The time is that of the processor, so that a busy machine does not
// count.
#include "kernels.h"

#include <gtest/gtest.h>

#include <ctime>

namespace tile {
namespace {

using codegen_test::Config;

double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

template <class K> double compile_time(const K &kernel, const Config &config) {
  const double begin = seconds();
  kernel.compile(config);
  return seconds() - begin;
}

// Half a minute each before LLVM's quadratic pass was left out; what is allowed leaves time for other
// machines.
constexpr double most = 4;

TEST(CompileTime, ProductsOfOddTiles) {
  const Kernel<&codegen_test::product<f32, f32>> product{.name = "product"};
  EXPECT_LT(compile_time(product, {.rows = 31, .cols = 31, .inner = 31}), most);
  EXPECT_LT(compile_time(product, {.rows = 100, .cols = 100, .inner = 32}), most);
  EXPECT_LT(compile_time(product, {.rows = 124, .cols = 124, .inner = 31}), most);
}

TEST(CompileTime, MovementOfOddTiles) {
  const Kernel<&codegen_test::transpose> transpose{.name = "transpose"};
  const Kernel<&codegen_test::sum_rows> sums{.name = "sums"};
  EXPECT_LT(compile_time(transpose, {.rows = 124, .cols = 124}), most);
  EXPECT_LT(compile_time(transpose, {.rows = 31, .cols = 496}), most);
  EXPECT_LT(compile_time(sums, {.rows = 124, .cols = 108}), most);
  EXPECT_LT(compile_time(sums, {.rows = 31, .cols = 31}), most);
}

}   // namespace
}   // namespace tile
