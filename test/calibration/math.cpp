// SPDX-License-Identifier: MIT
// The machine's approximations, within what the manual grants them, and products that are exact.
#include "test/calibration/micro_kernel.h"

#include <bit>
#include <cmath>
#include <fmt/format.h>

namespace tile::calibration {
namespace {

std::uint32_t bits(double x) { return std::bit_cast<std::uint32_t>(static_cast<float>(x)); }
double number(std::uint32_t word) { return std::bit_cast<float>(word); }

// Floats of moderate size, of either sign or positive.
std::uint32_t moderate(Random &r, unsigned) {
  return bits((static_cast<double>(r.below(1 << 20)) - (1 << 19)) / 8192);
}
std::uint32_t positive(Random &r, unsigned) { return bits((1.0 + r.below(1 << 20)) / 4096); }

struct Function {
  const char *intrinsic;
  unsigned inputs;
  double tolerance;   // PTX ISA
  std::uint32_t (*draw)(Random &, unsigned);
  double (*of)(double, double);
};
constexpr Function functions[] = {
    {"llvm.nvvm.ex2.approx", 1, 0x1p-22, moderate, [](double x, double) { return std::exp2(x); }},
    {"llvm.nvvm.ex2.approx.ftz", 1, 0x1p-22, moderate, [](double x, double) { return std::exp2(x); }},
    {"llvm.nvvm.lg2.approx.f", 1, 0x1p-21, [](Random &r, unsigned) { return bits(4.0 + r.below(1 << 20)); },
     [](double x, double) { return std::log2(x); }},
    {"llvm.nvvm.sqrt.approx.f", 1, 0x1p-22, positive, [](double x, double) { return std::sqrt(x); }},
    {"llvm.nvvm.rsqrt.approx.f", 1, 0x1p-22, positive, [](double x, double) { return 1 / std::sqrt(x); }},
    {"llvm.nvvm.rcp.approx.ftz.f", 1, 0x1p-22, positive, [](double x, double) { return 1 / x; }},
    {"llvm.nvvm.div.full", 2, 0x1p-21, positive, [](double x, double y) { return x / y; }}};

struct Special {
  const char *intrinsic, *name;
  std::uint32_t x, result;
};
constexpr std::uint32_t infinity = 0x7F800000, minus = 0x80000000;
constexpr Special specials[] = {{"llvm.nvvm.ex2.approx", "of infinity", infinity, infinity},
                                {"llvm.nvvm.ex2.approx", "of -infinity", infinity | minus, 0},
                                {"llvm.nvvm.ex2.approx", "of 0", 0, 0x3F800000},
                                {"llvm.nvvm.ex2.approx", "of 5", 0x40A00000, 0x42000000},
                                {"llvm.nvvm.ex2.approx.ftz", "of -127", 0xC2FE0000, 0},
                                {"llvm.nvvm.ex2.approx.ftz", "of -126", 0xC2FC0000, 0x00800000},
                                {"llvm.nvvm.ex2.approx.ftz", "of infinity", infinity, infinity},
                                {"llvm.nvvm.lg2.approx.f", "of infinity", infinity, infinity},
                                {"llvm.nvvm.lg2.approx.f", "of 0", 0, infinity | minus},
                                {"llvm.nvvm.lg2.approx.f", "of 1", 0x3F800000, 0},
                                {"llvm.nvvm.sqrt.approx.f", "of infinity", infinity, infinity},
                                {"llvm.nvvm.sqrt.approx.f", "of 0", 0, 0},
                                {"llvm.nvvm.rcp.approx.ftz.f", "of infinity", infinity, 0},
                                {"llvm.nvvm.rcp.approx.ftz.f", "of 1", 0x3F800000, 0x3F800000},
                                {"llvm.nvvm.rcp.approx.ftz.f", "of 2^127", 0x7F000000, 0},
                                {"llvm.nvvm.rcp.approx.ftz.f", "of 2^-127", 0x00400000, infinity},
                                {"llvm.nvvm.rsqrt.approx.f", "of infinity", infinity, 0},
                                {"llvm.nvvm.rsqrt.approx.f", "of 0", 0, infinity}};

const std::string wide = "%a64 = llvm.zext %a : i32 to i64\n%b64 = llvm.zext %b : i32 to i64\n"
                         "%c64x = llvm.zext %c : i32 to i64\n%d64 = llvm.zext %d : i32 to i64\n"
                         "%s32 = llvm.mlir.constant(32 : i64) : i64\n%bs = llvm.shl %b64, %s32 : i64\n"
                         "%ds = llvm.shl %d64, %s32 : i64\n%u = llvm.or %a64, %bs : i64\n"
                         "%v = llvm.or %c64x, %ds : i64\n";
std::uint64_t joined(const Words &in, unsigned column, unsigned i) {
  return in[column][i] | std::uint64_t{in[column + 1][i]} << 32;
}

// An 8-bit float's code without a sign, as the formats are defined: a subnormal where the exponent is 0.
struct Float8 {
  const char *name;
  int mantissa, bias;
  unsigned largest;
  double of(unsigned code) const {
    const int exponent = static_cast<int>(code >> mantissa),
              fraction = static_cast<int>(code & ((1u << mantissa) - 1));
    return exponent == 0 ? std::ldexp(fraction, 1 - bias - mantissa)
                         : std::ldexp(fraction + (1 << mantissa), exponent - bias - mantissa);
  }
  // The nearest code, an even one of two; the largest number for what is larger. A NaN has no sign.
  unsigned nearest(double x) const {
    if (std::isnan(x))
      return 0x7F;
    unsigned best = 0;
    for (unsigned code = 1; code <= largest; ++code) {
      const double is = std::abs(of(code) - std::abs(x)), was = std::abs(of(best) - std::abs(x));
      if (std::isinf(x) || is < was || (is == was && code % 2 == 0))
        best = code;
    }
    return best | (std::signbit(x) ? 0x80u : 0);
  }
};
constexpr Float8 float8s[] = {{"e4m3", 3, 7, 0x7E}, {"e5m2", 2, 15, 0x7B}};

// Of all sizes that an 8-bit float has, some in the middle of two neighbours, and what is no number.
std::uint32_t aroundFloat8(Random &r, unsigned) {
  constexpr std::uint32_t noNumbers[] = {infinity,   infinity | minus, 0x7FC00000,
                                         0xFFC00000, 0x7F800001,       minus};
  if (r.below(16) == 0)
    return noNumbers[r.below(std::size(noNumbers))];
  const std::uint32_t exponent = 127 - 20 + r.below(40), fraction = r.next() >> 9;
  const std::uint32_t cut = r.below(2) ? fraction : fraction & 0x780000;
  return (r.next() & minus) | exponent << 23 | cut;
}

// cvt takes the element of the high byte first.
void addFloat8Casts(Suite &suite) {
  for (const Float8 &format : float8s)
    suite.push_back(perThread(
        {.operation = fmt::format("llvm.nvvm.ff.to.{}x2.rn", format.name),
         .variant = "two f32",
         .body =
             fmt::format("%p = llvm.bitcast %a : i32 to f32\n%q = llvm.bitcast %b : i32 to f32\n"
                         "%r = llvm.call_intrinsic \"llvm.nvvm.ff.to.{}x2.rn\"(%p, %q) : (f32, f32) -> i16\n"
                         "%x = llvm.zext %r : i16 to i32\n",
                         format.name),
         .threads = 1024,
         .inputs = 2,
         .draw = aroundFloat8},
        [&format](const Words &in, unsigned i) {
          return format.nearest(number(in[0][i])) << 8 | format.nearest(number(in[1][i]));
        }));
  suite.push_back(perThread(
      {.operation = "llvm.nvvm.e4m3x2.to.f16x2.rn",
       .variant = "all numbers",
       .body = "%p = llvm.trunc %a : i32 to i16\n"
               "%r = llvm.call_intrinsic \"llvm.nvvm.e4m3x2.to.f16x2.rn\"(%p) : (i16) -> vector<2xf16>\n"
               "%x = llvm.bitcast %r : vector<2xf16> to i32\n",
       .threads = 1024,
       // Not the NaN, of which there are many in f16.
       .draw = [](Random &r, unsigned) { return r.below(0x7F) << 8 | r.below(0x7F) | (r.next() & 0x8080); }},
      [](const Words &in, unsigned i) {
        const auto half = [](unsigned code) -> std::uint32_t {
          const std::uint32_t word = bits(float8s[0].of(code & 0x7F));
          const std::uint32_t magnitude = word == 0 ? 0 : (word >> 13) - ((127 - 15) << 10);
          return magnitude | (code & 0x80) << 8;
        };
        return half(in[0][i] >> 8) << 16 | half(in[0][i] & 0xFF);
      }));
}

}   // namespace

void addMath(Suite &suite) {
  addFloat8Casts(suite);
  for (const Function &f : functions)
    suite.push_back(perThread(
        {.operation = f.intrinsic,
         .variant = "f32",
         .body = fmt::format(
             "%p = llvm.bitcast %a : i32 to f32\n{}%r = llvm.call_intrinsic \"{}\"({}) : ({}) -> f32\n"
             "%x = llvm.bitcast %r : f32 to i32\n",
             f.inputs > 1 ? "%q = llvm.bitcast %b : i32 to f32\n" : "", f.intrinsic,
             f.inputs > 1 ? "%p, %q" : "%p", f.inputs > 1 ? "f32, f32" : "f32"),
         .threads = 256,
         .inputs = f.inputs,
         .tolerance = f.tolerance,
         .draw = f.draw},
        [&](const Words &in, unsigned i) {
          return bits(f.of(number(in[0][i]), f.inputs > 1 ? number(in[1][i]) : 0));
        }));
  for (const Special &s : specials)
    suite.push_back(perThread(
        {.operation = s.intrinsic,
         .variant = s.name,
         .body = fmt::format(
             "%p = llvm.bitcast %a : i32 to f32\n%r = llvm.call_intrinsic \"{}\"(%p) : (f32) -> f32\n"
             "%x = llvm.bitcast %r : f32 to i32\n",
             s.intrinsic),
         .draw = [&](Random &, unsigned) { return s.x; }},
        [&](const Words &, unsigned) { return s.result; }));
  suite.push_back(perThread(
      {.operation = "llvm.nvvm.d2f.rz",
       .variant = "f64 toward zero",
       .body = wide + "%p = llvm.bitcast %u : i64 to f64\n"
                      "%r = llvm.call_intrinsic \"llvm.nvvm.d2f.rz\"(%p) : (f64) -> f32\n"
                      "%x = llvm.bitcast %r : f32 to i32\n",
       .threads = 256,
       .inputs = 4,
       // The upper word: exponents near that of 1.
       .draw = [](Random &r,
                  unsigned column) { return column == 1 ? 0x3E000000 + r.below(0x04000000) : r.next(); }},
      [](const Words &in, unsigned i) {
        const double x = std::bit_cast<double>(joined(in, 0, i));
        const auto nearest = static_cast<float>(x);
        return bits(std::abs(static_cast<double>(nearest)) > std::abs(x) ? std::nextafter(nearest, 0.0f)
                                                                         : nearest);
      }));
  for (const bool isSigned : {false, true})
    suite.push_back(perThread(
        {.operation = isSigned ? "llvm.nvvm.mulhi.ll" : "llvm.nvvm.mulhi.ull",
         .variant = "i64",
         .body = wide +
                 fmt::format("%x = llvm.call_intrinsic \"llvm.nvvm.mulhi.{}\"(%u, %v) : (i64, i64) -> i64\n",
                             isSigned ? "ll" : "ull"),
         .threads = 256,
         .inputs = 4,
         .type = "i64"},
        [isSigned](const Words &in, unsigned i) {
          const std::uint64_t u = joined(in, 0, i), v = joined(in, 2, i);
          std::uint64_t high = static_cast<std::uint64_t>((static_cast<unsigned __int128>(u) * v) >> 64);
          if (isSigned)   // a negative factor counts 2^64 too much
            high -= (u >> 63 ? v : 0) + (v >> 63 ? u : 0);
          return high;
        }));
}

}   // namespace tile::calibration
