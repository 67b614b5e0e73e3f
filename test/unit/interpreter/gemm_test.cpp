// SPDX-License-Identifier: MIT
// A tiled matrix product the way users write it: pointers in 64 bits, masks on every edge, one
// program for each block of the result.
#include "test/unit/interpreter/kernel_text.h"

#include <gtest/gtest.h>

#include <ctime>

namespace tile::test {
namespace {

const char *const gemm = R"(
func.func @gemm(%a: !tile.ptr<f16> {tile.name = "a"}, %b: !tile.ptr<f16> {tile.name = "b"},
                %c: !tile.ptr<f32> {tile.name = "c"}, %m: i32, %n: i32, %k: i32) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %i0 = arith.constant 0 : i32
  %i64 = arith.constant 64 : i32
  %i128 = arith.constant 128 : i32
  %pm = tile.program_id x
  %pn = tile.program_id y
  %r128 = tile.arange 0 to 128 : tensor<128xi32>
  %r64 = tile.arange 0 to 64 : tensor<64xi32>
  %m0 = arith.muli %pm, %i128 : i32
  %n0 = arith.muli %pn, %i128 : i32
  %m0s = tile.splat %m0 : i32 -> tensor<128xi32>
  %n0s = tile.splat %n0 : i32 -> tensor<128xi32>
  %rm = arith.addi %m0s, %r128 : tensor<128xi32>
  %rn = arith.addi %n0s, %r128 : tensor<128xi32>
  %rm1 = tile.expand_dims %rm {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %rn1 = tile.expand_dims %rn {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %rk0 = tile.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rk1 = tile.expand_dims %r64 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %ms = tile.splat %m : i32 -> tensor<128x1xi32>
  %ns = tile.splat %n : i32 -> tensor<1x128xi32>
  %inm = arith.cmpi slt, %rm1, %ms : tensor<128x1xi32>
  %inn = arith.cmpi slt, %rn1, %ns : tensor<1x128xi32>
  // a + rm * k + rk
  %ks = tile.splat %k : i32 -> tensor<128x1xi32>
  %ra = arith.muli %rm1, %ks : tensor<128x1xi32>
  %rab = tile.broadcast %ra : tensor<128x1xi32> -> tensor<128x64xi32>
  %rkb = tile.broadcast %rk0 : tensor<1x64xi32> -> tensor<128x64xi32>
  %ao = arith.addi %rab, %rkb : tensor<128x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<128x64x!tile.ptr<f16>>
  %pa0 = tile.addptr %as, %ao : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
  // b + rk * n + rn
  %nk = tile.splat %n : i32 -> tensor<64x1xi32>
  %rb = arith.muli %rk1, %nk : tensor<64x1xi32>
  %rbb = tile.broadcast %rb : tensor<64x1xi32> -> tensor<64x128xi32>
  %rnb = tile.broadcast %rn1 : tensor<1x128xi32> -> tensor<64x128xi32>
  %bo = arith.addi %rbb, %rnb : tensor<64x128xi32>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x128x!tile.ptr<f16>>
  %pb0 = tile.addptr %bs, %bo : tensor<64x128x!tile.ptr<f16>>, tensor<64x128xi32>
  %bstep = arith.muli %n, %i64 : i32
  %bsteps = tile.splat %bstep : i32 -> tensor<64x128xi32>
  %asteps = tile.splat %i64 : i32 -> tensor<128x64xi32>
  %sum, %pa1, %pb1 = scf.for %kk = %i0 to %k step %i64
      iter_args(%acc = %zero, %pa = %pa0, %pb = %pb0)
      -> (tensor<128x128xf32>, tensor<128x64x!tile.ptr<f16>>, tensor<64x128x!tile.ptr<f16>>) : i32 {
    %left = arith.subi %k, %kk : i32
    %left0 = tile.splat %left : i32 -> tensor<1x64xi32>
    %left1 = tile.splat %left : i32 -> tensor<64x1xi32>
    %ka = arith.cmpi slt, %rk0, %left0 : tensor<1x64xi32>
    %kb = arith.cmpi slt, %rk1, %left1 : tensor<64x1xi32>
    %kab = tile.broadcast %ka : tensor<1x64xi1> -> tensor<128x64xi1>
    %mab = tile.broadcast %inm : tensor<128x1xi1> -> tensor<128x64xi1>
    %ma = arith.andi %kab, %mab : tensor<128x64xi1>
    %kbb = tile.broadcast %kb : tensor<64x1xi1> -> tensor<64x128xi1>
    %nbb = tile.broadcast %inn : tensor<1x128xi1> -> tensor<64x128xi1>
    %mb = arith.andi %kbb, %nbb : tensor<64x128xi1>
    %x = tile.load %pa, %ma : tensor<128x64x!tile.ptr<f16>>
    %y = tile.load %pb, %mb : tensor<64x128x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %pan = tile.addptr %pa, %asteps : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
    %pbn = tile.addptr %pb, %bsteps : tensor<64x128x!tile.ptr<f16>>, tensor<64x128xi32>
    scf.yield %d, %pan, %pbn : tensor<128x128xf32>, tensor<128x64x!tile.ptr<f16>>, tensor<64x128x!tile.ptr<f16>>
  }
  %nc = tile.splat %n : i32 -> tensor<128x1xi32>
  %rc = arith.muli %rm1, %nc : tensor<128x1xi32>
  %rcb = tile.broadcast %rc : tensor<128x1xi32> -> tensor<128x128xi32>
  %rncb = tile.broadcast %rn1 : tensor<1x128xi32> -> tensor<128x128xi32>
  %co = arith.addi %rcb, %rncb : tensor<128x128xi32>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<128x128x!tile.ptr<f32>>
  %pc = tile.addptr %cs, %co : tensor<128x128x!tile.ptr<f32>>, tensor<128x128xi32>
  %mcm = tile.broadcast %inm : tensor<128x1xi1> -> tensor<128x128xi1>
  %mcn = tile.broadcast %inn : tensor<1x128xi1> -> tensor<128x128xi1>
  %mc = arith.andi %mcm, %mcn : tensor<128x128xi1>
  tile.store %pc, %sum, %mc : tensor<128x128x!tile.ptr<f32>>
  return
}
)";

std::vector<f16> numbers(std::size_t count, unsigned seed) {
  std::vector<f16> values(count);
  for (f16 &value : values)
    value = f16(static_cast<int>((seed = seed * 1664525u + 1013904223u) >> 24) % 9 - 4);
  return values;
}

double product(const std::vector<f16> &a, const std::vector<f16> &b, int k, int n, int row, int column) {
  double sum = 0;
  for (int i = 0; i < k; ++i)
    sum += double(a[std::size_t(row) * std::size_t(k) + std::size_t(i)]) *
           double(b[std::size_t(i) * std::size_t(n) + std::size_t(column)]);
  return sum;
}

TEST(Gemm, SizesThatNoBlockDivides) {
  const int m = 129, n = 70, k = 65;
  Interpreted kernel(gemm);
  const auto a = numbers(std::size_t(m * k), 1), b = numbers(std::size_t(k * n), 2);
  const Buffer<f16> da = kernel.buffer(a, "a"), db = kernel.buffer(b, "b");
  const Buffer<f32> dc = kernel.buffer(std::vector<f32>(std::size_t(m * n), 99), "c");
  kernel.run({(m + 127) / 128, (n + 127) / 128}, da, db, dc, m, n, k);
  const std::vector<f32> c = dc.to_host();
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column)
      ASSERT_EQ(c[std::size_t(row * n + column)], product(a, b, k, n, row, column)) << row << ", " << column;
}

// Of the processor, on all threads: a machine that does other things makes no kernel slow.
TEST(Gemm, Of1024TakesSecondsAtMost) {
  const int size = 1024;
  Interpreted kernel(gemm);
  const auto a = numbers(std::size_t(size) * size, 3), b = numbers(std::size_t(size) * size, 4);
  const Buffer<f16> da = kernel.buffer(a, "a"), db = kernel.buffer(b, "b");
  const Buffer<f32> dc = kernel.buffer(std::vector<f32>(std::size_t(size) * size, 99), "c");
  const std::clock_t start = std::clock();
  kernel.run({size / 128, size / 128}, da, db, dc, size, size, size);
  const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  RecordProperty("seconds", std::to_string(took));
  EXPECT_LT(took, 40);
  const std::vector<f32> c = dc.to_host();
  for (int row = 0; row < size; row += 37)
    for (int column = 0; column < size; column += 41)
      ASSERT_EQ(c[std::size_t(row) * size + std::size_t(column)], product(a, b, size, size, row, column));
}

TEST(Gemm, WrongStrideIsReportedWhereItReads) {
  Interpreted kernel(gemm, {.threads = 2});
  const auto a = numbers(64 * 64, 1);
  const Buffer<f16> da = kernel.buffer(a, "a"), db = kernel.buffer(a, "b");
  const Buffer<f32> dc = kernel.buffer(std::vector<f32>(128 * 128), "c");
  const std::string error = kernel.error({1, 1}, da, db, dc, 65, 64, 64);
  EXPECT_EQ(error, R"(error: load reads element 4,096 of `a`, which has 4,096
  --> kernel.mlir:59:10
  = program (0, 0, 0), tile element [64, 0]; its mask is true
  = kernel gemm)");
}

}   // namespace
}   // namespace tile::test
