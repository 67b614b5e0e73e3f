// SPDX-License-Identifier: MIT
// Matrix operations of a warpgroup: operands are laid out by formulas of the tests' own, and results are
// compared with a loop.
#include "bench.h"
#include "wgmma_case.h"

#include <gmock/gmock.h>

namespace tile::simulator {
namespace {

void check(const WgmmaCase &c) {
  SCOPED_TRACE(fmt::format("{} x {}, n {}, width {}, transposes {} {}, half {}, registers {}", c.a, c.b, c.n,
                           c.width, c.transposeA, c.transposeB, c.half, c.registers));
  const Operand a(c, c.a, 64, c.transposeA, 0), b(c, c.b, c.n, c.transposeB, 40960);
  const std::vector<std::uint32_t> expected = products(c);
  const auto program = compileForHost(HandWritten{wgmmaText(c, a, b)});
  for (const Completion when : completions) {
    Bench bench({.completion = when, .matrix_completion = when});
    auto *out = bench.buffer<std::uint32_t>(std::ssize(expected), "out");
    bench.run(*program, {bench.buffer(leftOperand(c, a), "a"), bench.buffer(b.bytes, "b"), out});
    ASSERT_EQ(bench.read(out, expected.size()), expected);
  }
}

TEST(Wgmma, MultipliesAllTypes) {
  for (const MatrixElement &kind : matrixElements)
    for (const int width : {16, 32, 64, 128})
      check({.a = kind.name, .b = kind.name, .n = width == 64 ? 16 : 64, .width = width});
}
TEST(Wgmma, MixesTypesOf8Bits) {
  check({.a = "f8E4M3FN", .b = "f8E5M2"});
  check({.a = "f8E5M2", .b = "f8E4M3FN"});
  check({.a = "si8", .b = "ui8"});
  check({.a = "ui8", .b = "si8"});
}
TEST(Wgmma, HasAllWidths) {
  for (const int n : {8, 24, 40, 200, 256})
    check({.n = n});
}
TEST(Wgmma, Transposes) {
  for (const int width : {16, 32, 64, 128}) {
    check({.a = "bf16", .b = "bf16", .width = width, .transposeB = true});
    check({.n = 128, .width = width, .transposeA = true, .transposeB = true});
    check({.width = width, .transposeA = true});
  }
}
TEST(Wgmma, TakesAFromRegisters) {
  for (const char *kind : {"f16", "tf32", "f8E5M2", "si8"})
    check({.a = kind, .b = kind, .registers = true});
}
TEST(Wgmma, AccumulatesInHalves) {
  check({.half = true, .chained = 2});
  check({.a = "f8E4M3FN", .b = "f8E4M3FN", .half = true});
}
TEST(Wgmma, NegatesAndChains) {
  check({.negateA = true, .chained = 3});
  check({.negateB = true, .chained = 2});
  check({.negateA = true, .negateB = true});
}

}   // namespace
}   // namespace tile::simulator
