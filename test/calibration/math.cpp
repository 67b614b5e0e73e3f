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

}   // namespace

void addMath(Suite &suite) {
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
