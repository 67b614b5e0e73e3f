// SPDX-License-Identifier: MIT
// Products, reductions, scans, histograms, and the movement of lanes.
#include "test/unit/interpreter/kernel_text.h"

#include <tile/numeric.h>

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace tile::test {
namespace {

// Loads %x of `in`, applies `body`, stores %r of `out`: both dense, shapes like "4x6".
std::string tiled(const std::string &inShape, const std::string &in, const std::string &outShape,
                  const std::string &out, const std::string &body) {
  const auto lanes = [](const std::string &shape) {
    std::size_t count = 1, at = 0;
    while (at < shape.size()) {
      count *= std::stoul(shape.substr(at));
      at = std::min(shape.find('x', at), shape.size() - 1) + 1;
    }
    return std::to_string(count);
  };
  const std::string n = lanes(inShape), k = lanes(outShape);
  const std::string flatIn = "tensor<" + n + "x!tile.ptr<" + in + ">>";
  const std::string flatOut = "tensor<" + k + "x!tile.ptr<" + out + ">>";
  return "func.func @op(%px: !tile.ptr<" + in + ">, %pr: !tile.ptr<" + out +
         ">) attributes {tile.kernel} {\n" + "  %i = tile.arange 0 to " + n + " : tensor<" + n +
         "xi32>\n  %sx = tile.splat %px : !tile.ptr<" + in + "> -> " + flatIn +
         "\n  %qx = tile.addptr %sx, %i : " + flatIn + ", tensor<" + n +
         "xi32>\n  %fx = tile.load %qx : " + flatIn + "\n  %x = tile.reshape %fx : tensor<" + n + "x" + in +
         "> -> tensor<" + inShape + "x" + in + ">\n" + body + "\n  %fr = tile.reshape %r : tensor<" +
         outShape + "x" + out + "> -> tensor<" + k + "x" + out + ">\n" + "  %j = tile.arange 0 to " + k +
         " : tensor<" + k + "xi32>\n  %sr = tile.splat %pr : !tile.ptr<" + out + "> -> " + flatOut +
         "\n  %qr = tile.addptr %sr, %j : " + flatOut + ", tensor<" + k +
         "xi32>\n  tile.store %qr, %fr : " + flatOut + "\n  return\n}\n";
}

template <class Out, class In> std::vector<Out> apply(const std::string &text, const std::vector<In> &x,
                                                      std::size_t out) {
  Interpreted kernel(text);
  const auto bx = kernel.buffer(x);
  const auto br = kernel.buffer(std::vector<Out>(out));
  kernel.run({1}, bx, br);
  return br.to_host();
}

std::vector<float> counting(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

TEST(Movement, AxesAndLanes) {
  const auto x = counting(24);
  const auto transposed = apply<float>(
      tiled("4x6", "f32", "6x4", "f32", "  %r = tile.permute %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>"),
      x, 24);
  const auto rotated =
      apply<float>(tiled("2x3x4", "f32", "4x2x3", "f32",
                         "  %r = tile.permute %x [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>"),
                   x, 24);
  const auto stretched =
      apply<float>(tiled("4x1x6", "f32", "4x3x6", "f32",
                         "  %r = tile.broadcast %x : tensor<4x1x6xf32> -> tensor<4x3x6xf32>"),
                   x, 72);
  const auto joined = apply<float>(tiled("24", "f32", "24x2", "f32", R"(  %n = arith.negf %x : tensor<24xf32>
  %j0 = tile.join %x, %n : tensor<24xf32> -> tensor<24x2xf32>
  %a, %b = tile.split %j0 : tensor<24x2xf32> -> tensor<24xf32>
  %r = tile.join %b, %a : tensor<24xf32> -> tensor<24x2xf32>)"),
                                   x, 48);
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t b = 0; b < 6; ++b) {
      EXPECT_EQ(transposed[b * 4 + a], x[a * 6 + b]);
      for (std::size_t c = 0; c < 3; ++c)
        EXPECT_EQ(stretched[(a * 3 + c) * 6 + b], x[a * 6 + b]);
    }
  for (std::size_t a = 0; a < 2; ++a)
    for (std::size_t b = 0; b < 3; ++b)
      for (std::size_t c = 0; c < 4; ++c)
        EXPECT_EQ(rotated[(c * 2 + a) * 3 + b], x[(a * 3 + b) * 4 + c]);
  for (std::size_t n = 0; n < 24; ++n) {
    EXPECT_EQ(joined[2 * n], -x[n]);
    EXPECT_EQ(joined[2 * n + 1], x[n]);
  }
}

TEST(Movement, GatherChecksItsIndices) {
  const auto kernel = [](const std::string &index) {
    return tiled("4x6", "f32", "4x2", "f32", "  %c = arith.constant dense<" + index + R"(> : tensor<4x2xi32>
  %r = tile.gather %x[%c] {axis = 1 : i32} : tensor<4x6xf32>, tensor<4x2xi32> -> tensor<4x2xf32>)");
  };
  const auto r = apply<float>(kernel("[[0, 5], [1, 1], [2, 0], [5, 4]]"), counting(24), 8);
  EXPECT_EQ(r, (std::vector<float>{0, 5, 7, 7, 14, 12, 23, 22}));
  Interpreted bad(kernel("[[0, 5], [1, 6], [2, 0], [5, 4]]"));
  const auto x = bad.buffer(counting(24)), y = bad.buffer(counting(8));
  EXPECT_EQ(bad.error({1}, x, y),
            "error: gather: index 6 is outside 0 .. 5, the extent of axis 1\n"
            "  --> kernel.mlir:8:8\n  = program (0, 0, 0), tile element [1, 1]\n  = kernel op");
}

std::string reduceBy(const std::string &type, const std::string &shape, const std::string &out, int axis,
                     const std::string &combine) {
  const std::string result = out == "1" ? type : "tensor<" + out + "x" + type + ">";
  return "  %s = tile.reduce (%x) axis = " + std::to_string(axis) + " : (tensor<" + shape + "x" + type +
         ">) -> " + result + " {\n  ^bb0(%a: " + type + ", %b: " + type + "):\n    %c = " + combine +
         " %a, %b : " + type + "\n    tile.yield %c : " + type + "\n  }\n" +
         (out == "1" ? "  %r = tile.splat %s : " + type + " -> tensor<1x" + type + ">"
                     : "  %r = tile.reshape %s : " + result + " -> " + result);
}

TEST(Reduce, EveryAxisAndOddExtents) {
  std::vector<i32> x(2 * 12 * 5);
  std::iota(x.begin(), x.end(), -7);
  const auto at = [&](std::size_t a, std::size_t b, std::size_t c) { return x[(a * 12 + b) * 5 + c]; };
  const auto sum0 = apply<i32>(
      tiled("2x12x5", "i32", "12x5", "i32", reduceBy("i32", "2x12x5", "12x5", 0, "arith.addi")), x, 60);
  const auto sum1 = apply<i32>(
      tiled("2x12x5", "i32", "2x5", "i32", reduceBy("i32", "2x12x5", "2x5", 1, "arith.addi")), x, 10);
  const auto max2 = apply<i32>(
      tiled("2x12x5", "i32", "2x12", "i32", reduceBy("i32", "2x12x5", "2x12", 2, "arith.maxsi")), x, 24);
  for (std::size_t c = 0; c < 5; ++c) {
    for (std::size_t b = 0; b < 12; ++b)
      EXPECT_EQ(sum0[b * 5 + c], at(0, b, c) + at(1, b, c));
    for (std::size_t a = 0; a < 2; ++a) {
      i32 sum = 0;
      for (std::size_t b = 0; b < 12; ++b)
        sum += at(a, b, c);
      EXPECT_EQ(sum1[a * 5 + c], sum);
    }
  }
  for (std::size_t a = 0; a < 2; ++a)
    for (std::size_t b = 0; b < 12; ++b)
      EXPECT_EQ(max2[a * 12 + b], at(a, b, 4));
  const auto all = apply<i32>(tiled("96", "i32", "1", "i32", reduceBy("i32", "96", "1", 0, "arith.addi")),
                              std::vector<i32>(96, 3), 1);
  EXPECT_EQ(all[0], 288);
  const auto one = apply<i32>(tiled("1x4", "i32", "4", "i32", reduceBy("i32", "1x4", "4", 0, "arith.addi")),
                              std::vector<i32>{1, 2, 3, 4}, 4);
  EXPECT_EQ(one, (std::vector<i32>{1, 2, 3, 4}));
}

TEST(Reduce, KeepsTheOrderAndCombinesNeighbours) {
  // a, b -> a * 2 + b is neither associative nor commutative: the result shows the order.
  const auto r =
      apply<i32>(tiled("6", "i32", "1", "i32", R"(  %s = tile.reduce (%x) axis = 0 : (tensor<6xi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %two = arith.constant 2 : i32
    %d = arith.muli %a, %two : i32
    %c = arith.addi %d, %b : i32
    tile.yield %c : i32
  }
  %r = tile.splat %s : i32 -> tensor<1xi32>)"),
                 std::vector<i32>{1, 10, 100, 1000, 10000, 100000}, 1);
  const auto f = [](i32 a, i32 b) { return 2 * a + b; };
  EXPECT_EQ(r[0], f(f(f(1, 10), f(100, 1000)), f(10000, 100000)));
}

TEST(Reduce, SeveralTilesTogether) {
  // Largest value with the lowest index, along the rows.
  const auto r = apply<i32>(
      tiled("3x16", "f32", "3", "i32", R"(  %i16 = tile.arange 0 to 16 : tensor<16xi32>
  %row = tile.expand_dims %i16 {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %index = tile.broadcast %row : tensor<1x16xi32> -> tensor<3x16xi32>
  %v, %r = tile.reduce (%x, %index) axis = 1 : (tensor<3x16xf32>, tensor<3x16xi32>) -> (tensor<3xf32>, tensor<3xi32>) {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %more = arith.cmpf ogt, %b, %a : f32
    %same = arith.cmpf oeq, %b, %a : f32
    %before = arith.cmpi slt, %bi, %ai : i32
    %tie = arith.andi %same, %before : i1
    %take = arith.ori %more, %tie : i1
    %m = arith.select %take, %b, %a : f32
    %mi = arith.select %take, %bi, %ai : i32
    tile.yield %m, %mi : f32, i32
  })"),
      [] {
        std::vector<float> x(48, 0);
        x[3] = 5;
        x[9] = 5;
        x[16 + 15] = 1;
        x[32] = 2;
        return x;
      }(),
      3);
  EXPECT_EQ(r, (std::vector<i32>{3, 15, 0}));
}

TEST(Reduce, RefusesControlFlowInTheRegion) {
  EXPECT_EQ(refusal(R"(
func.func @op(%n: i32) attributes {tile.kernel} {
  %x = tile.arange 0 to 8 : tensor<8xi32>
  %s = tile.reduce (%x) axis = 0 : (tensor<8xi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %less = arith.cmpi slt, %a, %b : i32
    %c = scf.if %less -> (i32) {
      scf.yield %a : i32
    } else {
      scf.yield %b : i32
    }
    tile.yield %c : i32
  }
  return
}
)"),
            "error: the interpreter does not run `scf.if` inside a combine function, which may only compute, "
            "without control flow and memory\n  --> kernel.mlir:7:10\n  = kernel op");
}

std::string scanBy(const std::string &shape, int axis, const std::string &reverse) {
  return "  %r = tile.scan (%x) axis = " + std::to_string(axis) + reverse + " : (tensor<" + shape +
         "xi32>) -> tensor<" + shape + R"(xi32> {
  ^bb0(%a: i32, %b: i32):
    %two = arith.constant 2 : i32
    %d = arith.muli %a, %two : i32
    %c = arith.addi %d, %b : i32
    tile.yield %c : i32
  })";
}
TEST(Scan, GoesOneByOneBothWays) {
  std::vector<i32> x(24);
  std::iota(x.begin(), x.end(), 1);
  const auto along = apply<i32>(tiled("4x6", "i32", "4x6", "i32", scanBy("4x6", 1, "")), x, 24);
  const auto down = apply<i32>(tiled("4x6", "i32", "4x6", "i32", scanBy("4x6", 0, " reverse")), x, 24);
  for (std::size_t row = 0; row < 4; ++row) {
    i32 sum = 0;
    for (std::size_t column = 0; column < 6; ++column)
      EXPECT_EQ(along[row * 6 + column], sum = column ? 2 * sum + x[row * 6 + column] : x[row * 6]);
  }
  for (std::size_t column = 0; column < 6; ++column) {
    i32 sum = 0;
    for (std::size_t row = 4; row-- > 0;)
      EXPECT_EQ(down[row * 6 + column], sum = row < 3 ? 2 * sum + x[row * 6 + column] : x[18 + column]);
  }
}

TEST(Scan, MayYieldItsArgumentsCrosswise) {
  const auto r = apply<i32>(
      tiled("4", "i32", "4", "i32", R"(  %n = arith.constant dense<[10, 20, 30, 40]> : tensor<4xi32>
  %r, %q = tile.scan (%x, %n) axis = 0 : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  ^bb0(%a: i32, %an: i32, %b: i32, %bn: i32):
    tile.yield %an, %a : i32, i32
  })"),
      std::vector<i32>{1, 2, 3, 4}, 4);
  EXPECT_EQ(r, (std::vector<i32>{1, 10, 1, 10}));
}

TEST(Histogram, IgnoresWhatIsOutside) {
  const auto r = apply<i32>(tiled("16", "i32", "4", "i32", R"(  %i16 = tile.arange 0 to 16 : tensor<16xi32>
  %twelve = arith.constant dense<12> : tensor<16xi32>
  %m = arith.cmpi slt, %i16, %twelve : tensor<16xi32>
  %r = tile.histogram %x, %m : tensor<16xi32> -> tensor<4xi32>)"),
                            std::vector<i32>{0, 1, 2, 3, 3, 3, 4, -1, 100, 0, 1, 3, 0, 0, 0, 0}, 4);
  EXPECT_EQ(r, (std::vector<i32>{2, 2, 1, 4}));
}

//===--- dot ----------------------------------------------------------------===//

// [m, k] x [k, n] + c, all of it in one program; b is %x moved on by m * k elements.
std::string product(const std::string &type, const std::string &sum, int batch, int m, int n, int k,
                    const std::string &options) {
  const std::string bs = batch > 1 ? std::to_string(batch) + "x" : "";
  const auto pointer = [](int count, const std::string &t) {
    return "tensor<" + std::to_string(count) + "x!tile.ptr<" + t + ">>";
  };
  const auto load = [&](const std::string &name, int count, const std::string &t, int rows, int columns) {
    const std::string c = std::to_string(count);
    return "  %i" + name + " = tile.arange 0 to " + c + " : tensor<" + c + "xi32>\n  %s" + name +
           " = tile.splat %p" + name + " : !tile.ptr<" + t + "> -> " + pointer(count, t) + "\n  %q" + name +
           " = tile.addptr %s" + name + ", %i" + name + " : " + pointer(count, t) + ", tensor<" + c +
           "xi32>\n  %f" + name + " = tile.load %q" + name + " : " + pointer(count, t) + "\n  %" + name +
           " = tile.reshape %f" + name + " : tensor<" + c + "x" + t + "> -> tensor<" + bs +
           std::to_string(rows) + "x" + std::to_string(columns) + "x" + t + ">\n";
  };
  const auto tile = [&](int rows, int columns, const std::string &t) {
    return "tensor<" + bs + std::to_string(rows) + "x" + std::to_string(columns) + "x" + t + ">";
  };
  const std::string flat = "tensor<" + std::to_string(batch * m * n) + "x" + sum + ">";
  return "func.func @op(%pa: !tile.ptr<" + type + ">, %pb: !tile.ptr<" + type + ">, %pc: !tile.ptr<" + sum +
         ">) attributes {tile.kernel} {\n" + load("a", batch * m * k, type, m, k) +
         load("b", batch * k * n, type, k, n) + load("c", batch * m * n, sum, m, n) +
         "  %d = tile.dot %a, %b, %c " + options + " : " + tile(m, k, type) + ", " + tile(k, n, type) + ", " +
         tile(m, n, sum) + "\n  %fd = tile.reshape %d : " + tile(m, n, sum) + " -> " + flat +
         "\n  tile.store %qc, %fd : " + pointer(batch * m * n, sum) + "\n  return\n}\n";
}

template <class T, class Sum>
void expectProduct(const std::string &type, const std::string &sum, int batch, int m, int n, int k,
                   const std::string &options = "") {
  Interpreted kernel(product(type, sum, batch, m, n, k, options));
  std::vector<T> a, b;
  std::vector<Sum> c;
  for (int i = 0; i < batch * m * k; ++i)
    a.push_back(T(i * 7 % 9 - 4));
  for (int i = 0; i < batch * k * n; ++i)
    b.push_back(T(i * 5 % 7 - 3));
  for (int i = 0; i < batch * m * n; ++i)
    c.push_back(Sum(i % 5 - 2));
  const auto da = kernel.buffer(a), db = kernel.buffer(b);
  const auto dc = kernel.buffer(c);
  kernel.run({1}, da, db, dc);
  const auto got = dc.to_host();
  for (int p = 0; p < batch; ++p)
    for (int row = 0; row < m; ++row)
      for (int column = 0; column < n; ++column) {
        const auto at = std::size_t((p * m + row) * n + column);
        double expected = double(c[at]);
        for (int i = 0; i < k; ++i)
          expected += double(a[std::size_t((p * m + row) * k + i)]) *
                      double(b[std::size_t((p * k + i) * n + column)]);
        ASSERT_EQ(double(got[at]), expected)
            << type << " " << sum << " at " << p << ", " << row << ", " << column;
      }
}

TEST(Dot, AllTypesOnIntegersAreExact) {
  expectProduct<f16, f32>("f16", "f32", 1, 32, 48, 64);
  expectProduct<f16, f16>("f16", "f16", 1, 16, 16, 16);
  expectProduct<bf16, f32>("bf16", "f32", 1, 20, 12, 40);
  expectProduct<e4m3, f32>("f8E4M3FN", "f32", 1, 16, 8, 32);
  expectProduct<e5m2, f32>("f8E5M2", "f32", 1, 16, 8, 32);
  expectProduct<f32, f32>("f32", "f32", 1, 6, 5, 8, "precision = ieee");
  expectProduct<f32, f32>("f32", "f32", 1, 16, 16, 16);
  expectProduct<f64, f64>("f64", "f64", 1, 8, 24, 4);
  expectProduct<i8, i32>("i8", "i32", 1, 16, 24, 32);
  expectProduct<f16, f32>("f16", "f32", 4, 8, 20, 16);
  expectProduct<i8, i32>("i8", "i32", 2, 1, 1, 32);
}

// The sums may not lie where the operand does: its elements are read again when the first sums are written.
TEST(Dot, AddsToAnOperand) {
  constexpr int size = 32;
  for (const bool is_left : {true, false}) {
    std::string text = product("f64", "f64", 1, size, size, size, "");
    const std::string operands = "tile.dot %a, %b, %c";
    text.replace(text.find(operands), operands.size(),
                 is_left ? "tile.dot %c, %b, %c" : "tile.dot %a, %c, %c");
    Interpreted kernel(text);
    std::vector<double> a, c;
    for (int i = 0; i < size * size; ++i) {
      a.push_back(i * 7 % 9 - 4);
      c.push_back(i % 5 - 2);
    }
    const auto other = kernel.buffer(a), sums = kernel.buffer(c);
    kernel.run({1}, other, other, sums);
    const std::vector<double> got = sums.to_host(), &x = is_left ? c : a, &y = is_left ? a : c;
    for (std::size_t row = 0; row < size; ++row)
      for (std::size_t column = 0; column < size; ++column) {
        double expected = c[row * size + column];
        for (std::size_t i = 0; i < size; ++i)
          expected += x[row * size + i] * y[i * size + column];
        ASSERT_EQ(got[row * size + column], expected)
            << row << ", " << column << (is_left ? " left" : " right");
      }
  }
}

TEST(Dot, UnsignedBytes) {
  Interpreted kernel(product("i8", "i32", 1, 1, 1, 32, "{unsigned_a}"));
  const auto a = kernel.buffer(std::vector<u8>(32, 200));
  const auto b = kernel.buffer(std::vector<i8>(32, -1));
  const auto c = kernel.buffer(std::vector<i32>{5});
  kernel.run({1}, a, b, c);
  EXPECT_EQ(c.to_host()[0], 5 - 200 * 32);
}

// Relative error of one product sum under a precision, on values that use all bits.
double errorOf(const std::string &precision) {
  Interpreted kernel(product("f32", "f32", 1, 8, 8, 64, "precision = " + precision));
  std::vector<float> a(8 * 64), b(64 * 8);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = 1.0f + float(i * 2654435761u % 8191) / 8191.0f;
    b[i] = 1.0f + float(i * 40503u % 7919) / 7919.0f;
  }
  const auto da = kernel.buffer(a), db = kernel.buffer(b), dc = kernel.buffer(std::vector<float>(64));
  kernel.run({1}, da, db, dc);
  const auto got = dc.to_host();
  double worst = 0;
  for (std::size_t row = 0; row < 8; ++row)
    for (std::size_t column = 0; column < 8; ++column) {
      double exact = 0;
      for (std::size_t i = 0; i < 64; ++i)
        exact += double(a[row * 64 + i]) * double(b[i * 8 + column]);
      worst = std::max(worst, std::abs(double(got[row * 8 + column]) - exact) / exact);
    }
  return worst;
}

TEST(Dot, Precisions) {
  const double tf32 = errorOf("tf32"), ieee = errorOf("ieee");
  EXPECT_GT(tf32, 1e-4);
  EXPECT_LT(tf32, 2e-3);
  EXPECT_LT(ieee, 1e-6);
  for (const char *precision : {"tf32x3", "bf16x3", "bf16x6"}) {
    EXPECT_LT(errorOf(precision), 1e-5) << precision;
    EXPECT_LT(errorOf(precision), tf32 / 10) << precision;
  }
  EXPECT_LT(errorOf("bf16x6"), 1e-6);
}

TEST(Dot, InfinityAndNanSurviveTheSplit) {
  for (const char *precision : {"tf32", "tf32x3", "bf16x3", "bf16x6"}) {
    Interpreted kernel(product("f32", "f32", 1, 2, 1, 8, std::string("precision = ") + precision));
    std::vector<float> a(16, 1.0f);
    a[0] = INFINITY;
    a[8] = NAN;
    const auto da = kernel.buffer(a), db = kernel.buffer(std::vector<float>(8, 2.0f));
    const auto dc = kernel.buffer(std::vector<float>(2));
    kernel.run({1}, da, db, dc);
    EXPECT_EQ(dc.to_host()[0], INFINITY) << precision;
    EXPECT_TRUE(std::isnan(dc.to_host()[1])) << precision;
  }
}

}   // namespace
}   // namespace tile::test
