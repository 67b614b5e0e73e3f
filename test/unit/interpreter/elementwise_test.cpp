// SPDX-License-Identifier: MIT
// Operations lane by lane, against the definitions of the language on values where they could go
// wrong: ends of ranges, zeros of both signs, infinities, NaN, ties.
#include "test/unit/interpreter/kernel_text.h"

#include <tile/numeric.h>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace tile::test {
namespace {

// A kernel that applies `body` (from %x, %y, %z to %r) to three arrays of 64 elements.
std::string over(const std::string &in, const std::string &out, const std::string &body) {
  const auto pointers = [](const std::string &type) { return "tensor<64x!tile.ptr<" + type + ">>"; };
  std::string text = "func.func @op(";
  for (const char *name : {"x", "y", "z"})
    text += "%p" + std::string(name) + ": !tile.ptr<" + in + ">, ";
  text += "%pr: !tile.ptr<" + out +
          ">) attributes {tile.kernel} {\n  %i = tile.arange 0 to 64 : tensor<64xi32>\n";
  for (const char *name : {"x", "y", "z"}) {
    const std::string n = name;
    text += "  %s" + n + " = tile.splat %p" + n + " : !tile.ptr<" + in + "> -> " + pointers(in) + "\n  %q" +
            n + " = tile.addptr %s" + n + ", %i : " + pointers(in) + ", tensor<64xi32>\n  %" + n +
            " = tile.load %q" + n + " : " + pointers(in) + "\n";
  }
  return text + "  " + body + "\n  %sr = tile.splat %pr : !tile.ptr<" + out + "> -> " + pointers(out) +
         "\n  %qr = tile.addptr %sr, %i : " + pointers(out) +
         ", tensor<64xi32>\n  tile.store %qr, %r : " + pointers(out) + "\n  return\n}\n";
}

template <class Out, class In>
std::vector<Out> apply(const std::string &kernel, std::vector<In> x, std::vector<In> y,
                       std::vector<In> z = {}) {
  x.resize(64);
  y.resize(64);
  z.resize(64);
  Interpreted interpreted(kernel);
  const auto bx = interpreted.buffer(x), by = interpreted.buffer(y), bz = interpreted.buffer(z);
  const auto br = interpreted.buffer(std::vector<Out>(64));
  interpreted.run({1}, bx, by, bz, br);
  return br.to_host();
}

// All pairs of eight values.
template <class T> void pairs(const std::vector<T> &values, std::vector<T> &x, std::vector<T> &y) {
  for (const T &a : values)
    for (const T &b : values) {
      x.push_back(a);
      y.push_back(b);
    }
}

template <class T> std::vector<T> integers() {
  using Limits = std::numeric_limits<T>;
  return {T(0), T(1), T(-1), T(7), T(-3), T(33), Limits::min(), Limits::max()};
}

template <class T> std::string binary(const std::string &op) {
  const std::string type = "i" + std::to_string(8 * sizeof(T));
  return over(type, type, "%r = " + op + " %x, %y : tensor<64x" + type + ">");
}

// Checks one op on all pairs; `U` is how it reads the lanes.
template <class U, class Expect> void expectBinary(const std::string &op, Expect expect) {
  using T = std::make_signed_t<U>;
  std::vector<T> x, y;
  pairs(integers<T>(), x, y);
  const std::vector<T> r = apply<T>(binary<T>(op), x, y);
  for (std::size_t n = 0; n < 64; ++n)
    EXPECT_EQ(r[n], static_cast<T>(expect(static_cast<U>(x[n]), static_cast<U>(y[n]))))
        << op << " of " << +x[n] << " and " << +y[n];
}

template <class T> class Integers : public testing::Test {};
using IntegerTypes = testing::Types<i8, i16, i32, i64>;
TYPED_TEST_SUITE(Integers, IntegerTypes);

TYPED_TEST(Integers, ArithmeticIsTotal) {
  using T = TypeParam;
  using U = std::make_unsigned_t<T>;
  expectBinary<T>("arith.addi", [](T a, T b) { return numeric::add(a, b); });
  expectBinary<T>("arith.subi", [](T a, T b) { return numeric::subtract(a, b); });
  expectBinary<T>("arith.muli", [](T a, T b) { return numeric::multiply(a, b); });
  expectBinary<T>("tile.divsi", [](T a, T b) { return numeric::divide(a, b); });
  expectBinary<U>("tile.divui", [](U a, U b) { return numeric::divide(a, b); });
  expectBinary<T>("tile.remsi", [](T a, T b) { return numeric::remainder(a, b); });
  expectBinary<U>("tile.remui", [](U a, U b) { return numeric::remainder(a, b); });
  expectBinary<T>("arith.divsi", [](T a, T b) { return numeric::divide(a, b); });
  expectBinary<U>("arith.remui", [](U a, U b) { return numeric::remainder(a, b); });
  expectBinary<T>("tile.ceildivsi", [](T a, T b) { return numeric::ceil_divide(a, b); });
  expectBinary<U>("tile.ceildivui", [](U a, U b) { return numeric::ceil_divide(a, b); });
  expectBinary<T>("tile.shli", [](T a, T b) { return numeric::shift_left(a, b); });
  expectBinary<T>("tile.shrsi", [](T a, T b) { return numeric::shift_right(a, b); });
  expectBinary<U>("tile.shrui", [](U a, U b) { return numeric::shift_right(a, b); });
  expectBinary<T>("tile.mulhisi", [](T a, T b) { return numeric::multiply_high(a, b); });
  expectBinary<U>("tile.mulhiui", [](U a, U b) { return numeric::multiply_high(a, b); });
  expectBinary<T>("arith.maxsi", [](T a, T b) { return std::max(a, b); });
  expectBinary<U>("arith.minui", [](U a, U b) { return std::min(a, b); });
  expectBinary<T>("arith.xori", [](T a, T b) { return T(a ^ b); });
  expectBinary<T>("arith.floordivsi", [](T a, T b) {
    const T q = numeric::divide(a, b), r = numeric::remainder(a, b);
    return T(q - (r != 0 && (r < 0) != (b < 0)));
  });
}

TYPED_TEST(Integers, ComparisonsKnowTheSign) {
  using T = TypeParam;
  using U = std::make_unsigned_t<T>;
  const std::string type = "i" + std::to_string(8 * sizeof(T));
  std::vector<T> x, y;
  pairs(integers<T>(), x, y);
  for (const char *predicate : {"slt", "ult", "sge", "uge", "eq", "ne"}) {
    const std::string name = predicate;
    const auto r =
        apply<bool>(over(type, "i1", "%r = arith.cmpi " + name + ", %x, %y : tensor<64x" + type + ">"), x, y);
    for (std::size_t n = 0; n < 64; ++n) {
      const U a = U(x[n]), b = U(y[n]);
      const bool expected = name == "slt"   ? x[n] < y[n]
                            : name == "ult" ? a < b
                            : name == "sge" ? x[n] >= y[n]
                            : name == "uge" ? a >= b
                            : name == "eq"  ? a == b
                                            : a != b;
      EXPECT_EQ(r[n], expected) << name << " of " << +x[n] << " and " << +y[n];
    }
  }
}

TEST(Conditions, AreArithmeticModuloTwo) {
  const std::vector<bool> bits{false, false, true, true};
  const std::vector<bool> others{false, true, false, true};
  Interpreted kernel(R"(
func.func @op(%p: !tile.ptr<i1>, %out: !tile.ptr<i1>) attributes {tile.kernel} {
  %i = tile.arange 0 to 4 : tensor<4xi32>
  %one = arith.constant dense<1> : tensor<4xi32>
  %true = arith.constant dense<true> : tensor<4xi1>
  %b32 = arith.andi %i, %one : tensor<4xi32>
  %b = arith.trunci %b32 : tensor<4xi32> to tensor<4xi1>
  %a32 = arith.shrui %i, %one : tensor<4xi32>
  %a = arith.trunci %a32 : tensor<4xi32> to tensor<4xi1>
  %less = arith.cmpi slt, %a, %b : tensor<4xi1>
  %below = arith.cmpi ult, %a, %b : tensor<4xi1>
  %and = arith.muli %a, %b : tensor<4xi1>
  %xor = arith.addi %a, %b : tensor<4xi1>
  %not = arith.xori %a, %true : tensor<4xi1>
  %join = tile.join %less, %below : tensor<4xi1> -> tensor<4x2xi1>
  %join2 = tile.join %and, %xor : tensor<4xi1> -> tensor<4x2xi1>
  %both = tile.join %join, %join2 : tensor<4x2xi1> -> tensor<4x2x2xi1>
  %flat = tile.reshape %both : tensor<4x2x2xi1> -> tensor<16xi1>
  %k = tile.arange 0 to 16 : tensor<16xi32>
  %s = tile.splat %out : !tile.ptr<i1> -> tensor<16x!tile.ptr<i1>>
  %q = tile.addptr %s, %k : tensor<16x!tile.ptr<i1>>, tensor<16xi32>
  tile.store %q, %flat : tensor<16x!tile.ptr<i1>>
  return
}
)");
  const Buffer<bool> unused(kernel.device(), 1);
  const Buffer<bool> out(kernel.device(), 16);
  kernel.run({1}, unused, out);
  std::vector<u8> got(16);
  kernel.device().copy_out(got.data(), out.data(), 16);
  for (std::size_t n = 0; n < 4; ++n) {
    const bool a = bits[n], b = others[n];
    EXPECT_EQ(got[4 * n], a && !b) << "signed: true is -1";   // less
    EXPECT_EQ(got[4 * n + 2], !a && b);                       // below
    EXPECT_EQ(got[4 * n + 1], a && b);
    EXPECT_EQ(got[4 * n + 3], a != b);
  }
}

const float Inf = std::numeric_limits<float>::infinity(), NaN = std::numeric_limits<float>::quiet_NaN();
const std::vector<float> Specials{0.0f, -0.0f, 1.5f, -2.25f,
                                  Inf,  -Inf,  NaN,  std::numeric_limits<float>::denorm_min()};

void expectSame(float got, float expected, const std::string &what) {
  if (std::isnan(expected))
    EXPECT_TRUE(std::isnan(got)) << what;
  else
    EXPECT_EQ(std::bit_cast<u32>(got), std::bit_cast<u32>(expected))
        << what << ": " << got << ", not " << expected;
}

template <class Expect> void expectFloats(const std::string &op, Expect expect) {
  std::vector<float> x, y;
  pairs(Specials, x, y);
  const auto r = apply<float>(over("f32", "f32", "%r = " + op + " : tensor<64xf32>"), x, y);
  for (std::size_t n = 0; n < 64; ++n)
    expectSame(r[n], expect(x[n], y[n]), op + " of " + std::to_string(x[n]) + " and " + std::to_string(y[n]));
}

TEST(Floats, Arithmetic) {
  expectFloats("arith.addf %x, %y", [](float a, float b) { return a + b; });
  expectFloats("arith.subf %x, %y", [](float a, float b) { return a - b; });
  expectFloats("arith.mulf %x, %y", [](float a, float b) { return a * b; });
  expectFloats("arith.divf %x, %y", [](float a, float b) { return a / b; });
  expectFloats("arith.remf %x, %y", [](float a, float b) { return std::fmod(a, b); });
  expectFloats("tile.maximum %x, %y nan = ignore", [](float a, float b) { return numeric::maximum(a, b); });
  expectFloats("tile.maximum %x, %y nan = propagate",
               [](float a, float b) { return numeric::maximum<numeric::Nan::propagate>(a, b); });
  expectFloats("tile.minimum %x, %y nan = ignore", [](float a, float b) { return numeric::minimum(a, b); });
  expectFloats("tile.clamp %x, %y, %z nan = ignore",
               [](float a, float b) { return numeric::clamp(a, b, 0.0f); });
  expectFloats("math.fma %x, %y, %x", [](float a, float b) { return std::fma(a, b, a); });
}

TEST(Floats, NegationAndAbsoluteFlipTheSignOfNanToo) {
  const std::vector<float> x{0.0f, -0.0f, std::bit_cast<float>(0x7fc00001u),
                             std::bit_cast<float>(0xffc00001u)};
  const auto negated = apply<float>(over("f32", "f32", "%r = arith.negf %x : tensor<64xf32>"), x, {});
  const auto absolute = apply<float>(over("f32", "f32", "%r = math.absf %x : tensor<64xf32>"), x, {});
  for (std::size_t n = 0; n < x.size(); ++n) {
    EXPECT_EQ(std::bit_cast<u32>(negated[n]), std::bit_cast<u32>(x[n]) ^ 0x80000000u);
    EXPECT_EQ(std::bit_cast<u32>(absolute[n]), std::bit_cast<u32>(x[n]) & 0x7fffffffu);
  }
}

TEST(Floats, ComparisonsOfNan) {
  std::vector<float> x, y;
  pairs(Specials, x, y);
  const std::vector<std::pair<std::string, bool (*)(float, float)>> predicates{
      {"oeq", [](float a, float b) { return a == b; }},
      {"olt", [](float a, float b) { return a < b; }},
      {"oge", [](float a, float b) { return a >= b; }},
      {"une", [](float a, float b) { return a != b; }},
      {"one", [](float a, float b) { return a < b || a > b; }},
      {"ult", [](float a, float b) { return !(a >= b); }},
      {"uno", [](float a, float b) { return a != a || b != b; }}};
  for (const auto &[name, expect] : predicates) {
    const auto r =
        apply<bool>(over("f32", "i1", "%r = arith.cmpf " + name + ", %x, %y : tensor<64xf32>"), x, y);
    for (std::size_t n = 0; n < 64; ++n)
      EXPECT_EQ(r[n], expect(x[n], y[n])) << name << " of " << x[n] << " and " << y[n];
  }
}

// Every operation on 16-bit floats is the f32 one with one rounding at the end.
template <class T> void expectNarrow(const std::string &type) {
  std::vector<T> x, y;
  for (int n = 0; n < 64; ++n) {
    x.push_back(T(std::ldexp(1.0 + n * 0.013, n % 11 - 5)));
    y.push_back(T(std::ldexp(-1.7 + n * 0.051, n % 7 - 3)));
  }
  for (const std::string op : {"addf", "subf", "mulf", "divf"}) {
    const auto r = apply<T>(over(type, type, "%r = arith." + op + " %x, %y : tensor<64x" + type + ">"), x, y);
    for (std::size_t n = 0; n < 64; ++n) {
      const float a = float(x[n]), b = float(y[n]);
      const float exact = op == "addf" ? a + b : op == "subf" ? a - b : op == "mulf" ? a * b : a / b;
      EXPECT_EQ(r[n].bits, T(exact).bits) << op << " of " << a << " and " << b;
    }
  }
}
TEST(Floats, SixteenBitsRoundOnce) {
  expectNarrow<f16>("f16");
  expectNarrow<bf16>("bf16");
}

TEST(Math, IsRoundedOnceFromDouble) {
  std::vector<float> x;
  for (int n = 0; n < 60; ++n)
    x.push_back(0.01f + 0.37f * float(n));
  const std::vector<std::pair<std::string, double (*)(double)>> functions{
      {"exp", std::exp},     {"exp2", std::exp2}, {"log", std::log},
      {"log2", std::log2},   {"sin", std::sin},   {"cos", std::cos},
      {"tanh", std::tanh},   {"erf", std::erf},   {"sqrt", std::sqrt},
      {"floor", std::floor}, {"ceil", std::ceil}, {"rsqrt", [](double v) { return 1 / std::sqrt(v); }}};
  for (const auto &[name, function] : functions) {
    const auto r = apply<float>(over("f32", "f32", "%r = math." + name + " %x : tensor<64xf32>"), x, {});
    for (std::size_t n = 0; n < x.size(); ++n)
      EXPECT_EQ(r[n], float(function(double(x[n])))) << name << " of " << x[n];
  }
  const std::vector<float> ends{-Inf, 0.0f, Inf, NaN};
  EXPECT_EQ(apply<float>(over("f32", "f32", "%r = math.exp %x : tensor<64xf32>"), ends, {})[0], 0.0f);
  EXPECT_EQ(apply<float>(over("f32", "f32", "%r = math.log %x : tensor<64xf32>"), ends, {})[1], -Inf);
  EXPECT_EQ(apply<float>(over("f32", "f32", "%r = math.rsqrt %x : tensor<64xf32>"), ends, {})[1], Inf);
}

TEST(Conversions, FloatToIntegerSaturates) {
  const std::vector<float> x{0.0f, -0.9f, 2.5f, 300.0f, -300.0f, Inf, -Inf, NaN, 3e9f, -3e9f};
  const auto narrow =
      apply<i8>(over("f32", "i8", "%r = tile.fptosi %x : tensor<64xf32> -> tensor<64xi8>"), x, {});
  EXPECT_EQ(std::vector<i8>(narrow.begin(), narrow.begin() + 10),
            (std::vector<i8>{0, 0, 2, 127, -128, 127, -128, 0, 127, -128}));
  const auto wide =
      apply<u32>(over("f32", "i32", "%r = tile.fptoui %x : tensor<64xf32> -> tensor<64xi32>"), x, {});
  EXPECT_EQ(std::vector<u32>(wide.begin(), wide.begin() + 10),
            (std::vector<u32>{0, 0, 2, 300, 0, ~0u, 0, 0, 3000000000u, 0}));
}

TEST(Conversions, NarrowFloatsRoundOnceAndFp8Saturates) {
  const std::vector<float> x{447.0f, 464.0f, 1e6f, -Inf, NaN, 0.0009765625f, 1.0625f, 1.1875f};
  const auto e4 = apply<u8>(over("f32", "i8", R"(%f = tile.fp_cast %x : tensor<64xf32> -> tensor<64xf8E4M3FN>
  %r = arith.bitcast %f : tensor<64xf8E4M3FN> to tensor<64xi8>)"),
                            x, {});
  const auto h = apply<f16>(
      over("f32", "f16", "%r = tile.fp_cast %x rounding = rtz : tensor<64xf32> -> tensor<64xf16>"), x, {});
  for (std::size_t n = 0; n < x.size(); ++n) {
    EXPECT_EQ(e4[n], e4m3(x[n]).bits) << x[n];
    EXPECT_EQ(h[n].bits, (numeric::encode<f16, numeric::Rounding::toward_zero>(x[n]))) << x[n];
  }
  // Halfway between two f16 in f32 is a tie, a bit more in f64 is not: two roundings would miss it.
  const std::vector<double> d{1.0 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40)};
  const auto once =
      apply<f16>(over("f64", "f16", "%r = tile.fp_cast %x : tensor<64xf64> -> tensor<64xf16>"), d, {});
  EXPECT_EQ(float(once[0]), 1.0f + std::ldexp(1.0f, -10));
}

TEST(Conversions, IntegersExtendByTheirSign) {
  const std::vector<i8> x{-1, 127, -128, 5};
  const auto s =
      apply<i64>(over("i8", "i64", "%r = arith.extsi %x : tensor<64xi8> to tensor<64xi64>"), x, {});
  const auto u =
      apply<i64>(over("i8", "i64", "%r = arith.extui %x : tensor<64xi8> to tensor<64xi64>"), x, {});
  const auto f =
      apply<f32>(over("i8", "f32", "%r = arith.uitofp %x : tensor<64xi8> to tensor<64xf32>"), x, {});
  EXPECT_EQ(s[0], -1);
  EXPECT_EQ(u[0], 255);
  EXPECT_EQ(f[2], 128.0f);
  const auto low = apply<i8>(over("i8", "i8", R"(%w = arith.extsi %x : tensor<64xi8> to tensor<64xi32>
  %r = arith.trunci %w : tensor<64xi32> to tensor<64xi8>)"),
                             x, {});
  EXPECT_EQ(low[2], -128);
}

TEST(Wide, ProductsAndCarries) {
  std::vector<i32> x, y;
  pairs(integers<i32>(), x, y);
  const auto high =
      apply<i32>(over("i32", "i32", "%l, %r = arith.mulsi_extended %x, %y : tensor<64xi32>"), x, y);
  const auto carry = apply<bool>(
      over("i32", "i1", "%s, %r = arith.addui_extended %x, %y : tensor<64xi32>, tensor<64xi1>"), x, y);
  for (std::size_t n = 0; n < 64; ++n) {
    EXPECT_EQ(high[n], i32((i64(x[n]) * y[n]) >> 32));
    EXPECT_EQ(carry[n], (u64(u32(x[n])) + u32(y[n])) >> 32 != 0);
  }
}

TEST(Random, PhiloxIsTheRuntimes) {
  std::vector<i32> x;
  for (int n = 0; n < 64; ++n)
    x.push_back(n * 7919);
  const auto r = apply<u32>(over("i32", "i32", R"(%seed = arith.constant 81985529216486895 : i64
  %a, %b, %r, %d = tile.philox %seed, %x, %y, %x, %y : tensor<64xi32>)"),
                            x, std::vector<i32>(64, 3));
  for (std::size_t n = 0; n < 64; ++n)
    EXPECT_EQ(r[n],
              numeric::philox(numeric::philox_key(81985529216486895u), {u32(x[n]), 3, u32(x[n]), 3})[2]);
}

TEST(Select, TakesNothingFromTheOtherArm) {
  const std::vector<float> x{1, NaN, 3, Inf}, y{NaN, 2, Inf, 4};
  const auto r = apply<float>(over("f32", "f32", R"(%c = arith.cmpf ord, %x, %x : tensor<64xf32>
  %inf = arith.constant dense<0x7F800000> : tensor<64xf32>
  %f = arith.cmpf one, %x, %inf : tensor<64xf32>
  %ok = arith.andi %c, %f : tensor<64xi1>
  %r = arith.select %ok, %x, %y : tensor<64xi1>, tensor<64xf32>)"),
                              x, y);
  EXPECT_EQ(std::vector<float>(r.begin(), r.begin() + 4), (std::vector<float>{1, 2, 3, 4}));
}

}   // namespace
}   // namespace tile::test
