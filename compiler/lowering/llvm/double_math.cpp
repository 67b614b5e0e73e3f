// SPDX-License-Identifier: MIT
// The functions of analysis in f64, within a few units in the last place: no approximation of the machine
// helps here, so each is a reduction to a small interval and a series on it.
#include "compiler/lowering/llvm/double_math.h"

namespace tile::gpu {
namespace {

using V = mlir::Value;

// ln 2 and pi / 2 as sums, so that a multiple is subtracted without a rounding that counts; the first part
// of ln 2 has 32 bits, its products with exponents are exact.
constexpr double Ln2High = 0.6931471803691238, Ln2Low = 1.9082149292705877e-10;
constexpr double Log2E = 1.4426950408889634, Log2ELow = 2.0355273740931033e-17;
constexpr double HalfPi[] = {1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33};

unsigned factorialTerms(double (&terms)[14]) {
  double factorial = 1;
  for (unsigned n = 0; n < 14; ++n) {
    terms[13 - n] = 1 / factorial;
    factorial *= n + 1;
  }
  return 14;
}

V clamped(ScalarCode &c, V x, double low, double high) {   // a NaN stays
  V lowest = c.number(x.getType(), low), highest = c.number(x.getType(), high);
  x = c.select(c.compare(ScalarCode::Float::olt, x, lowest), lowest, x);
  return c.select(c.compare(ScalarCode::Float::ogt, x, highest), highest, x);
}

V nearestInteger(ScalarCode &c, V x) { return c.intrinsic(x.getType(), "llvm.rint", {x}); }
V asInteger(ScalarCode &c, V x) { return c.intrinsic(c.integer(64), "llvm.fptosi.sat", {x}); }

// e^r 2^k for |r| <= ln(2) / 2. In two steps: 2^k alone may be no number, and only the second one rounds.
V scaledExponential(ScalarCode &c, V r, V k) {
  double terms[14];
  V y = c.polynomial(r, llvm::ArrayRef(terms, factorialTerms(terms)));
  V half = c.shiftRightSigned(k, 1), rest = c.minus(k, half);
  for (V part : {half, rest})
    y = c.mul(y, c.bitcast(r.getType(), c.shiftLeft(c.plus(part, 1023), 52)));
  return y;
}

// x = m 2^e, sqrt(1/2) <= m < sqrt(2); ln m and e. Of numbers that are positive and finite.
struct Logarithm {
  V ofMantissa, exponent;   // both f64
};
Logarithm logarithmOf(ScalarCode &c, V x) {
  constexpr std::uint64_t RootOfHalf = 0x3FE6A09E667F3BCD;
  V isTiny = c.less(x, 0x1p-1022);
  V bits = c.bits(c.select(isTiny, c.mul(x, 0x1p54), x));
  // The exponent counted from where the mantissa is the root of 1/2; with 1024 added it is not negative.
  V e = c.minus(c.shiftRight(c.plus(bits, (std::uint64_t(1024) << 52) - RootOfHalf), 52), 1024);
  V m = c.bitcast(x.getType(), c.minus(bits, c.shiftLeft(e, 52)));
  e = c.minus(e, c.select(isTiny, c.constant(e.getType(), 54), c.constant(e.getType(), 0)));

  // ln(1 + f) = 2 atanh(s), s = f / (2 + f), the series of which begins with 2 s = f - s f: written so that
  // f itself, which is exact, carries the most.
  V f = c.add(m, -1.0), s = c.div(f, c.add(f, 2.0)), z = c.mul(s, s);
  double series[11];
  for (unsigned n = 0; n < 11; ++n)
    series[10 - n] = 2.0 / (2 * n + 3);
  V r = c.mul(z, c.polynomial(z, series)), half = c.mul(c.mul(f, f), 0.5);
  V ln = c.sub(f, c.sub(half, c.mul(s, c.add(half, r))));
  return {ln, c.signedToFloat(x.getType(), e)};
}

// What logarithms have in common: of 0, of negative numbers, of infinity and NaN.
V withSpecialLogarithms(ScalarCode &c, V x, V ofOthers) {
  mlir::Type type = x.getType();
  V zero = c.number(type, 0), infinity = c.bitcast(type, c.constant(c.integer(64), 0x7FF0000000000000));
  V nan = c.bitcast(type, c.constant(c.integer(64), 0x7FF8000000000000));
  V y = c.select(c.compare(ScalarCode::Float::ult, x, infinity), ofOthers, x);   // +inf stays
  V isZero = c.compare(ScalarCode::Float::oeq, x, zero);
  y = c.select(isZero, c.mul(infinity, -1.0), y);
  y = c.select(c.compare(ScalarCode::Float::olt, x, zero), nan, y);
  return c.select(c.isNaN(x), x, y);
}

}   // namespace

V expDouble(ScalarCode &c, V x) {
  x = clamped(c, x, -746, 710);
  V k = nearestInteger(c, c.mul(x, Log2E));
  V r = c.fma(k, -Ln2Low, c.fma(k, -Ln2High, x));
  return scaledExponential(c, r, asInteger(c, k));
}

V exp2Double(ScalarCode &c, V x) {
  x = clamped(c, x, -1077, 1025);
  V k = nearestInteger(c, x);
  V whole = asInteger(c, k);
  return scaledExponential(c, c.mul(c.sub(x, k), Ln2High + Ln2Low), whole);
}

V logDouble(ScalarCode &c, V x) {
  Logarithm l = logarithmOf(c, x);
  V y = c.fma(l.exponent, Ln2High, c.fma(l.exponent, Ln2Low, l.ofMantissa));
  return withSpecialLogarithms(c, x, y);
}

V log2Double(ScalarCode &c, V x) {
  Logarithm l = logarithmOf(c, x);
  V high = c.mul(l.ofMantissa, Log2E);
  V low = c.fma(l.ofMantissa, Log2ELow, c.fma(l.ofMantissa, Log2E, c.mul(high, -1.0)));
  return withSpecialLogarithms(c, x, c.add(c.add(l.exponent, high), low));
}

V sineDouble(ScalarCode &c, V x, unsigned quadrants) {
  V quarter = nearestInteger(c, c.mul(x, 0.6366197723675814)), r = x;
  for (double part : HalfPi)
    r = c.fma(quarter, -part, r);
  double terms[2][9];   // of sin(r) / r and cos(r), in r^2
  double factorial = 1, sign = 1;
  for (unsigned n = 0; n < 9; ++n, sign = -sign) {
    terms[1][8 - n] = sign / factorial;
    factorial *= 2 * n + 1;
    terms[0][8 - n] = sign / factorial;
    factorial *= 2 * n + 2;
  }
  V square = c.mul(r, r);
  V sine = c.mul(r, c.polynomial(square, terms[0])), cosine = c.polynomial(square, terms[1]);
  V k = c.plus(asInteger(c, quarter), quadrants);
  V value = c.select(c.compare(ScalarCode::Int::ne, c.and_(k, 1), 0), cosine, sine);
  V bits = c.bits(value);
  return c.bitcast(x.getType(), c.xor_(bits, c.shiftLeft(c.and_(k, 2), 62)));
}

// Up to 5/8 by the continued fraction x / (1 + x^2 / (3 + x^2 / (5 + ..))), as one quotient p / q that
// grows from the innermost term.
V tanhDouble(ScalarCode &c, V x) {
  V size = c.magnitude(x), square = c.mul(x, x);
  V p = c.number(x.getType(), 19), q = c.number(x.getType(), 1);
  for (int term = 17; term >= 1; term -= 2) {
    V next = c.fma(p, term, c.mul(square, q));
    q = p;
    p = next;
  }
  V small = c.mul(x, c.div(q, p));
  V one = c.number(x.getType(), 1);
  V large = c.sub(one, c.div(c.number(x.getType(), 2), c.add(expDouble(c, c.add(size, size)), one)));
  V isSmall = c.less(size, 0.625);
  return c.select(isSmall, small, c.withSignOf(large, x));
}

// Up to 1 a polynomial of x^2; beyond, 1 - exp(-x^2) times one of (x - 3) / (x + 3). Both interpolate at
// Chebyshev nodes, to 1e-17.
V erfDouble(ScalarCode &c, V x) {
  V size = c.magnitude(x), square = c.mul(x, x);
  V small =
      c.mul(x, c.polynomial(square, {-7.795898827002142e-10, 1.3720064546777686e-08, -1.6208483801871705e-07,
                                     1.6447424703317362e-06, -1.492473690741966e-05, 0.00012055294904839707,
                                     -0.0008548325975389692, 0.0052239776071164225, -0.02686617064323777,
                                     0.11283791670945006, -0.37612638903183543, 1.1283791670955126}));
  // Beyond 6.2 nothing is left of the difference.
  V near = c.select(c.less(size, 6.2), size, c.number(x.getType(), 6.2));
  V below = c.add(near, -3.0), t = c.div(below, c.add(near, 3.0));
  V gauss = expDouble(c, c.mul(c.mul(near, near), -1.0));
  V tail =
      c.mul(gauss, c.polynomial(t, {-2.15603169797642e-08, -2.3205622504651068e-07, -2.707628349998315e-07,
                                    1.2578084487729758e-06, 2.1157681547157666e-06, -7.979647035659353e-06,
                                    -1.2860110134513904e-05, 6.405673950101562e-05, 4.525528053137227e-05,
                                    -0.0005970619602775473, 0.0007077464392856985, 0.004269136333240153,
                                    -0.02439249931867255, 0.07166583719797145, -0.15011593650077726,
                                    0.24560380171233093, -0.3262335600430372, 0.17900115118138996}));
  V large = c.withSignOf(c.sub(c.number(x.getType(), 1), tail), x);
  V ofSize = c.select(c.less(size, 1.0), small, large);
  return c.select(c.isNaN(x), x, ofSize);
}

// The logarithm of u = 1 + x as rounded, corrected by what the rounding lost: u - 1 is exact, and near 1 a
// logarithm is proportional to its distance. W. Kahan's device.
V log1pDouble(ScalarCode &c, V x) {
  mlir::Type type = x.getType();
  V u = c.add(x, 1.0), rounded = c.add(u, -1.0), ln = logDouble(c, u);
  V corrected = c.mul(ln, c.div(x, rounded));
  V isSmall = c.compare(ScalarCode::Float::oeq, rounded, c.number(type, 0));
  // Far from 0 nothing is lost that counts, and the quotient may be one of infinities.
  V size = c.magnitude(x), isFar = c.compare(ScalarCode::Float::uge, size, c.number(type, 0.75));
  return c.select(isSmall, x, c.select(isFar, ln, corrected));
}

// Near 0 by the series of (e^x - 1) / x.
V expm1Double(ScalarCode &c, V x) {
  double terms[15];
  double factorial = 1;
  for (unsigned n = 0; n < 15; ++n) {
    factorial *= n + 1;
    terms[14 - n] = 1 / factorial;
  }
  V small = c.mul(x, c.polynomial(x, terms));
  V large = c.add(expDouble(c, x), -1.0);
  return c.select(c.less(c.magnitude(x), 0.5), small, large);
}

// 2^(y log2 |x|), with the sign of an odd power, and C's exceptions.
V powDouble(ScalarCode &c, V x, V y) {
  using Float = ScalarCode::Float;
  mlir::Type type = x.getType();
  V zero = c.number(type, 0), one = c.number(type, 1);
  V infinity = c.bitcast(type, c.constant(c.integer(64), 0x7FF0000000000000));
  V nan = c.bitcast(type, c.constant(c.integer(64), 0x7FF8000000000000));
  V size = c.magnitude(x), sizeOfPower = c.magnitude(y);
  V power = exp2Double(c, c.mul(y, log2Double(c, size)));

  auto floor = [&](V v) { return c.intrinsic(type, "llvm.floor", {v}); };
  auto isInteger = [&](V v) { return c.compare(Float::oeq, floor(v), v); };   // infinities too
  V never = c.constant(c.integer(1), 0), always = c.constant(c.integer(1), 1);
  auto both = [&](V a, V b) { return c.select(a, b, never); };
  V isWhole = isInteger(y), isEven = isInteger(c.mul(y, 0.5));
  V isNegative = c.compare(ScalarCode::Int::ne, c.shiftRight(c.bits(x), 63), 0);
  V negated = c.bitcast(type, c.xor_(c.bits(power), std::uint64_t(1) << 63));
  V isOdd = both(isWhole, c.select(isEven, never, always));
  V result = c.select(both(isNegative, isOdd), negated, power);
  // Between the integers a negative number has no power.
  V isBelow = c.compare(Float::olt, x, zero), isFinite = c.compare(Float::olt, size, infinity);
  V isNumber = both(isBelow, isFinite);
  result = c.select(isWhole, result, c.select(isNumber, nan, result));
  result = c.select(c.isNaN(x), x, result);
  result = c.select(c.isNaN(y), y, result);
  V ofOne = c.compare(Float::oeq, x, one), toZero = c.compare(Float::oeq, y, zero);
  V isUnit = c.compare(Float::oeq, size, one), isEndless = c.compare(Float::oeq, sizeOfPower, infinity);
  V isOne = c.or_(c.or_(ofOne, toZero), both(isUnit, isEndless));   // whatever the other one is
  return c.select(isOne, one, result);
}

}   // namespace tile::gpu
