// SPDX-License-Identifier: MIT
// Atomics under threads, and blocks of described tensors.
#include "test/unit/interpreter/kernel_text.h"

#include <tile/numeric.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tile::test {
namespace {

// Every program updates cell 0 with its own value and notes what it saw.
std::string update(const std::string &kind, const std::string &type) {
  return "func.func @update(%cell: !tile.ptr<" + type + "> {tile.name = \"cell\"}, %in: !tile.ptr<" + type +
         ">, %seen: !tile.ptr<" + type + R"(>) attributes {tile.kernel} {
  %p = tile.program_id x
  %q = tile.addptr %in, %p : !tile.ptr<)" +
         type + R"(>, i32
  %v = tile.load %q : !tile.ptr<)" +
         type + R"(>
  %old = tile.atomic_rmw )" +
         kind + ", %cell, %v ordering = acq_rel scope = gpu : !tile.ptr<" + type + R"(>
  %s = tile.addptr %seen, %p : !tile.ptr<)" +
         type + R"(>, i32
  tile.store %s, %old : !tile.ptr<)" +
         type + ">\n  return\n}\n";
}

template <class T>
T updated(const std::string &kind, const std::string &type, T start, const std::vector<T> &values,
          std::vector<T> *seen = nullptr) {
  Interpreted kernel(update(kind, type), {.threads = 4});
  const auto cell = kernel.buffer(std::vector<T>{start}, "cell"), in = kernel.buffer(values);
  const auto old = kernel.buffer(values);
  kernel.run({std::int64_t(values.size())}, cell, in, old);
  if (seen)
    *seen = old.to_host();
  return cell.to_host()[0];
}

TEST(Atomics, OfIntegers) {
  std::vector<i32> seen;
  EXPECT_EQ(updated<i32>("add", "i32", 0, std::vector<i32>(5000, 1), &seen), 5000);
  std::sort(seen.begin(), seen.end());
  for (int n = 0; n < 5000; ++n)
    ASSERT_EQ(seen[std::size_t(n)], n);   // every old value once
  EXPECT_EQ(updated<i32>("smax", "i32", -50, {-3, -70, -9}), -3);
  EXPECT_EQ(updated<u32>("umax", "i32", 5, {3, ~0u, 9}), ~0u);
  EXPECT_EQ(updated<i64>("smin", "i64", 5, {3, -9, 9}), -9);
  EXPECT_EQ(updated<u64>("umin", "i64", 5, {3, ~0ull, 9}), 3u);
  EXPECT_EQ(updated<i32>("and", "i32", 0xff, {0xf7, 0x7f}), 0x77);
  EXPECT_EQ(updated<i32>("or", "i32", 0, {1, 4, 16}), 21);
  EXPECT_EQ(updated<i64>("xor", "i64", 1, {1, 4, 4}), 0);
  EXPECT_EQ(updated<i32>("xchg", "i32", 1, {8, 8, 8}), 8);
}

TEST(Atomics, OfFloats) {
  EXPECT_EQ(updated<float>("fadd", "f32", 0, std::vector<float>(1000, 0.5f)), 500.0f);
  EXPECT_EQ(updated<double>("fadd", "f64", 0, std::vector<double>(1000, 0.25)), 250.0);
  EXPECT_EQ(float(updated<f16>("fadd", "f16", f16(0), std::vector<f16>(100, f16(2)))), 200.0f);
  EXPECT_EQ(float(updated<bf16>("fadd", "bf16", bf16(0), std::vector<bf16>(100, bf16(2)))), 200.0f);
  // The order of the bits: -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN.
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(std::signbit(updated<float>("fmax", "f32", -0.0f, {-1.0f, 0.0f})));
  EXPECT_TRUE(std::signbit(updated<float>("fmin", "f32", 0.0f, {1.0f, -0.0f})));
  EXPECT_EQ(updated<float>("fmax", "f32", 1, {-inf, inf, 3}), inf);
  EXPECT_TRUE(std::isnan(updated<float>("fmax", "f32", 1, {nan, inf})));
  EXPECT_TRUE(std::isnan(updated<float>("fmin", "f32", 1, {std::copysign(nan, -1.0f), -inf})));
  EXPECT_EQ(updated<double>("fmin", "f64", 1, {-2, 7}), -2.0);
}

TEST(Atomics, ATileUpdatesEachOfItsLanesOnceAndMaskedOnesNot) {
  Interpreted kernel(R"(
func.func @tile(%x: !tile.ptr<i32> {tile.name = "x"}, %y: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %i = tile.arange 0 to 16 : tensor<16xi32>
  %three = arith.constant dense<3> : tensor<16xi32>
  %bin = arith.andi %i, %three : tensor<16xi32>
  %ns = tile.splat %n : i32 -> tensor<16xi32>
  %mask = arith.cmpi slt, %i, %ns : tensor<16xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>>
  %xp = tile.addptr %xs, %bin : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
  %old = tile.atomic_rmw add, %xp, %i, %mask ordering = relaxed scope = cta : tensor<16x!tile.ptr<i32>>
  %ys = tile.splat %y : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>>
  %yp = tile.addptr %ys, %i : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
  tile.store %yp, %old : tensor<16x!tile.ptr<i32>>
  return
}
)");
  const auto x = kernel.buffer(std::vector<i32>{100, 100, 100, 100}, "x"),
             y = kernel.buffer(std::vector<i32>(16, -1));
  kernel.run({1}, x, y, 8);
  EXPECT_EQ(x.to_host(), (std::vector<i32>{104, 106, 108, 110}));
  EXPECT_EQ(y.to_host()[7], 103);
  EXPECT_EQ(y.to_host()[8], 0);
  const auto small = kernel.buffer(std::vector<i32>(3), "small");
  EXPECT_EQ(kernel.error({1}, small, y, 8),
            "error: atomic updates element 3 of `small`, which has 3\n  --> kernel.mlir:10:10\n"
            "  = program (0, 0, 0), tile element [3]; its mask is true\n  = kernel tile");
}

TEST(Atomics, ALockThatProgramsSpinOn) {
  Interpreted kernel(R"(
func.func @locked(%lock: !tile.ptr<i32>, %x: !tile.ptr<i32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %i = tile.arange 0 to 128 : tensor<128xi32>
  %ones = tile.splat %one : i32 -> tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %xp = tile.addptr %xs, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  scf.while : () -> () {
    %old = tile.atomic_cas %lock, %zero, %one ordering = acquire scope = gpu : !tile.ptr<i32>
    %taken = arith.cmpi ne, %old, %zero : i32
    scf.condition(%taken)
  } do {
    scf.yield
  }
  %v = tile.load %xp : tensor<128x!tile.ptr<i32>>
  %w = arith.addi %v, %ones : tensor<128xi32>
  tile.store %xp, %w : tensor<128x!tile.ptr<i32>>
  tile.barrier
  %free = tile.atomic_rmw xchg, %lock, %zero ordering = release scope = gpu : !tile.ptr<i32>
  return
}
)",
                     {.threads = 2});
  const auto lock = kernel.buffer(std::vector<i32>{0}), x = kernel.buffer(std::vector<i32>(128));
  kernel.run({2000}, lock, x);
  EXPECT_EQ(x.to_host(), std::vector<i32>(128, 2000));
}

//===--- descriptors --------------------------------------------------------===//

// Copies the [4, 8] block at (i, j) of a described m x n tensor to y and doubles it in place.
const char *const block = R"(
func.func @block(%x: !tile.ptr<f32> {tile.name = "x"}, %y: !tile.ptr<f32>, %m: i64, %n: i64, %stride: i64, %i: i32,
                 %j: i32) attributes {tile.kernel} {
  %one = arith.constant 1 : i64
  %d = tile.make_descriptor %x, [%m, %n], [%stride, %one] padding = nan : !tile.ptr<f32> -> !tile.desc<4x8xf32>
  %t = tile.descriptor_load %d[%i, %j] : !tile.desc<4x8xf32> -> tensor<4x8xf32>
  tile.descriptor_reduce fadd, %d[%i, %j], %t : !tile.desc<4x8xf32>, tensor<4x8xf32>
  %f = tile.reshape %t : tensor<4x8xf32> -> tensor<32xf32>
  %k = tile.arange 0 to 32 : tensor<32xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %k : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  tile.store %yp, %f : tensor<32x!tile.ptr<f32>>
  return
}
)";

TEST(Descriptors, PadOutsideOnEverySide) {
  for (const auto &[i, j] : {std::pair{0, 0}, {-2, -3}, {3, 5}, {2, 9}, {100, 0}, {0, -100}}) {
    Interpreted kernel(block);
    std::vector<float> values(6 * 12);
    for (std::size_t n = 0; n < values.size(); ++n)
      values[n] = float(n + 1);
    const auto x = kernel.buffer(values, "x"), y = kernel.buffer(std::vector<float>(32));
    kernel.run({1}, x, y, i64{6}, i64{10}, i64{12}, i, j);
    const auto got = y.to_host(), doubled = x.to_host();
    for (int row = 0; row < 4; ++row)
      for (int column = 0; column < 8; ++column) {
        const int r = i + row, c = j + column;
        const float value = got[std::size_t(row * 8 + column)];
        if (r >= 0 && r < 6 && c >= 0 && c < 10)
          EXPECT_EQ(value, values[std::size_t(r * 12 + c)]);
        else
          EXPECT_TRUE(std::isnan(value)) << i << ", " << j << " at " << row << ", " << column;
      }
    for (int r = 0; r < 6; ++r)
      for (int c = 0; c < 12; ++c) {
        const bool inBlock = r >= i && r < i + 4 && c >= j && c < j + 8 && c < 10;
        const auto at = std::size_t(r * 12 + c);
        EXPECT_EQ(doubled[at], inBlock ? 2 * values[at] : values[at]);
      }
  }
}

TEST(Descriptors, RulesAreCheckedWhenOneIsMade) {
  Interpreted kernel(block);
  const auto x = kernel.buffer(std::vector<float>(72), "x"), y = kernel.buffer(std::vector<float>(32));
  const auto message = [&](const Argument &base, i64 m, i64 n, i64 stride) {
    const std::string error = kernel.error({1}, base, y, m, n, stride, 0, 0);
    return error.substr(0, error.find('\n'));
  };
  Argument shifted = argument(x);
  shifted.bits += 8;
  EXPECT_EQ(message(shifted, 6, 12, 12), "error: descriptor: its base must be aligned to 16 bytes; this one "
                                         "is 8 bytes past such an address: begin at an aligned element, or "
                                         "load through pointers, which may lie anywhere");
  EXPECT_EQ(message(argument(x), -1, 12, 12), "error: descriptor: extent 0 is -1; it cannot be negative");
  EXPECT_EQ(message(argument(x), 6, 12, 13),
            "error: descriptor: stride 0 is 13 elements of 4 bytes; it must be a "
            "multiple of 16 bytes, and not negative");
  EXPECT_EQ(message(argument(x), 2, 12, 0), "error: descriptor: stride 0 must not be zero: a tensor copy "
                                            "cannot repeat a row; load the row once and "
                                            "broadcast it, or load through pointers");
  EXPECT_EQ(message(argument(x), 1, 12, 0), "no error");
  EXPECT_EQ(message(argument(x), 0, 12, 0), "no error");
  EXPECT_EQ(
      message(argument(x), 1, 12, i64{1} << 38),
      "error: descriptor: stride 0 is 274,877,906,944 elements of 4 bytes; it must be less than 2^40 bytes");
  EXPECT_EQ(message(argument(x), 1, 12, (i64{1} << 38) - 4), "no error");
  EXPECT_EQ(message(argument(x), (i64{1} << 32) + 1, 12, 12),
            "error: descriptor: extent 0 is 4,294,967,297; it cannot be more than 2^32");
  EXPECT_EQ(kernel.error({1}, x, y, i64{8}, i64{12}, i64{12}, 4, 0),
            "error: descriptor load reads element 72 of `x`, which has 72\n  --> kernel.mlir:6:8\n"
            "  = program (0, 0, 0), tile element [2, 0]\n  = kernel block");
}

}   // namespace
}   // namespace tile::test
