// SPDX-License-Identifier: MIT
// The rows of the matrix units against the simulator's units: each row's layouts say where the elements of a
// product are, the simulator multiplies what is there, and the result is to be the product.
#include "compiler/target/target.h"
#include "runtime/simulator/matrix_unit.h"
#include "test/unit/simulator/hopper/bench.h"
#include "test/unit/simulator/hopper/wgmma_case.h"

#include <gtest/gtest.h>

#include <array>

namespace tile {
namespace {

using layout::Coordinates;
using layout::TileLayout;
using simulator::WgmmaCase;

// As the dialect names an element's type, which the tests of wgmma take.
std::string typeOf(MatrixElement element) {
  const std::string_view name = nameOf(element);
  return name == "e4m3"   ? "f8E4M3FN"
         : name == "e5m2" ? "f8E5M2"
         : name == "s8"   ? "si8"
         : name == "u8"   ? "ui8"
                          : std::string(name);
}

std::int64_t signedOf(unsigned x) { return static_cast<std::int64_t>(x); }

// Every element of the tile is in one register of one thread of the unit.
void expectHolds(const TileLayout &layout, const layout::Shape &shape, unsigned words, unsigned bits,
                 unsigned warps) {
  EXPECT_EQ(layout.shape(), shape);
  EXPECT_EQ(layout.places() * bits, signedOf(words) * 32);
  EXPECT_EQ(layout.lanes(), 32u);
  EXPECT_EQ(layout.warps(), warps);
  EXPECT_TRUE(layout.linear().isSurjective());
  EXPECT_FALSE(layout.isReplicated());
}

// Every element of the tile has a place of its own in a buffer of its size.
void expectFills(const TileLayout &layout, const layout::Shape &shape) {
  EXPECT_EQ(layout.shape(), shape);
  EXPECT_EQ(layout.places(), shape[0] * shape[1]);
  EXPECT_TRUE(layout.linear().isSurjective());
  EXPECT_FALSE(layout.isReplicated());
}

TEST(MatrixUnits, HaveLayoutsOfTheirShape) {
  for (const std::string &name : Target::knownTargets())
    for (const MatrixUnit &unit : Target::parse(name)->matrixUnits()) {
      SCOPED_TRACE(name + " " + std::string(unit.instruction) + " " + std::string(nameOf(unit.a.element)) +
                   " " + std::string(nameOf(unit.b.element)));
      const layout::Shape a = {unit.m, unit.k}, b = {unit.k, unit.n.least()};
      const unsigned bitsA = bitsOf(unit.a.element), bitsB = bitsOf(unit.b.element);
      ASSERT_TRUE(unit.a.inRegisters || unit.a.inShared);
      ASSERT_TRUE(unit.b.inRegisters || unit.b.inShared);
      if (unit.a.inRegisters)
        expectHolds(unit.a.inRegisters(a, bitsA, unit.warps(), 1), a, unit.wordsOfA(), bitsA, unit.warps());
      if (unit.b.inRegisters)
        expectHolds(unit.b.inRegisters(b, bitsB, unit.warps(), 1), b, unit.wordsOfB(unit.n.least()), bitsB,
                    unit.warps());
      for (unsigned columns = 8; columns <= unit.n.most; columns += 8)
        if (unit.n.has(columns)) {
          const layout::Shape sums = {unit.m, columns};
          expectHolds(unit.sums(sums, unit.warps(), 1), sums,
                      unit.wordsOfSums(columns) * 32 / bitsOf(unit.sum), 32, unit.warps());
        }
      for (const unsigned fast : {0u, 1u}) {
        if (unit.a.inShared)
          expectFills(unit.a.inShared(a, bitsA, fast), a);
        if (unit.b.inShared)
          expectFills(unit.b.inShared(b, bitsB, fast), b);
      }
    }
}

// ---- a warp

using Multiply = void (*)(void **);
Multiply simulated(const MatrixUnit &unit) {
  using enum MatrixElement;
  struct Row {
    MatrixElement a, b;
    Multiply multiply;
  };
  constexpr Row rows[] = {
      {f16, f16, simulator::multiplyF16},
      {bf16, bf16, simulator::multiplyBf16},
      {tf32, tf32, simulator::multiplyTf32},
      {s8, s8, simulator::multiplyS8},
      {u8, u8, simulator::multiplyU8},
      {e4m3, e4m3, simulator::multiplyFp8<tile::e4m3, tile::e4m3>},
      {e4m3, e5m2, simulator::multiplyFp8<tile::e4m3, tile::e5m2>},
      {e5m2, e4m3, simulator::multiplyFp8<tile::e5m2, tile::e4m3>},
      {e5m2, e5m2, simulator::multiplyFp8<tile::e5m2, tile::e5m2>},
  };
  for (const Row &row : rows)
    if (row.a == unit.a.element && row.b == unit.b.element)
      return row.multiply;
  return nullptr;
}

int valueAt(const Coordinates &c, MatrixElement element) {
  const auto x = static_cast<int>((c[0] * 7 + c[1] * 5 + c[0] * c[1]) % 7);
  return element == MatrixElement::u8 ? x : x - 3;
}

// The operand's elements into the words of each lane from `first` on.
void fill(std::array<std::array<std::uint32_t, 10>, 32> &words, unsigned first, const TileLayout &layout,
          MatrixElement element) {
  const simulator::MatrixElement &kind = simulator::kindNamed(typeOf(element));
  for (unsigned lane = 0; lane < 32; ++lane)
    for (std::int64_t reg = 0; reg < layout.places(); ++reg)
      simulator::putElement(kind, valueAt(layout.coordinates({reg, lane, 0, 0}), element),
                            reinterpret_cast<std::byte *>(words[lane].data() + first) + reg * kind.bytes);
}

void expectMultiplies(const MatrixUnit &unit) {
  const Multiply multiply = simulated(unit);
  ASSERT_TRUE(multiply) << "the simulator has no such unit";
  const std::int64_t m = unit.m, n = unit.n.least(), k = unit.k;
  const TileLayout sums = unit.sums({m, n}, 1, 1);
  std::array<std::array<std::uint32_t, 10>, 32> words{};
  fill(words, 4, unit.a.inRegisters({m, k}, bitsOf(unit.a.element), 1, 1), unit.a.element);
  fill(words, 8, unit.b.inRegisters({k, n}, bitsOf(unit.b.element), 1, 1), unit.b.element);
  void *lanes[32];
  for (unsigned lane = 0; lane < 32; ++lane)
    lanes[lane] = words[lane].data();
  multiply(lanes);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (std::int64_t reg = 0; reg < sums.places(); ++reg) {
      const Coordinates at = sums.coordinates({reg, lane, 0, 0});
      int expected = 0;
      for (std::int64_t i = 0; i < k; ++i)
        expected += valueAt({at[0], i}, unit.a.element) * valueAt({i, at[1]}, unit.b.element);
      const std::uint32_t word = words[lane][static_cast<std::size_t>(reg)];
      ASSERT_EQ(isInteger(unit.sum) ? static_cast<std::int32_t>(word)
                                    : static_cast<std::int32_t>(std::bit_cast<float>(word)),
                expected)
          << "row " << at[0] << ", column " << at[1];
    }
}

TEST(MatrixUnits, OfAWarpMultiplyWhatTheirLayoutsSay) {
  for (const std::vector<MatrixUnit> *rows : {&mmaSyncUnits(), &mmaSyncFloat8Units()})
    for (const MatrixUnit &unit : *rows) {
      SCOPED_TRACE(std::string(nameOf(unit.a.element)) + " " + std::string(nameOf(unit.b.element)));
      expectMultiplies(unit);
    }
}

// ---- a warpgroup

// What a kernel on the simulator computes is compared with a loop; that loop's registers are the row's.
TEST(MatrixUnits, OfAWarpgroupMultiplyWhatTheirLayoutsSay) {
  for (const MatrixUnit &unit : wgmmaUnits())
    for (const unsigned columns : {unit.n.least(), 48u})
      for (const bool registers : {false, true}) {
        WgmmaCase c{.a = typeOf(unit.a.element),
                    .b = typeOf(unit.b.element),
                    .n = static_cast<int>(columns),
                    .half = unit.sum == MatrixElement::f16,
                    .registers = registers};
        SCOPED_TRACE(fmt::format("{} {} {} n {}", c.a, c.b, nameOf(unit.sum), columns));
        ASSERT_EQ(c.k(), static_cast<int>(unit.k));
        const simulator::Operand a(c, c.a, 64, false, 0), b(c, c.b, c.n, false, 40960);
        const std::vector<std::uint32_t> expected = simulator::products(c);
        simulator::Bench bench;
        auto *out = bench.buffer<std::uint32_t>(std::ssize(expected), "out");
        bench.run(*simulator::compileForHost(HandWritten{simulator::wgmmaText(c, a, b)}),
                  {bench.buffer(simulator::leftOperand(c, a), "a"), bench.buffer(b.bytes, "b"), out});
        ASSERT_EQ(bench.read(out, expected.size()), expected);

        const TileLayout sums = unit.sums({unit.m, columns}, 4, 1);
        for (unsigned thread = 0; thread < 128; ++thread)
          for (std::int64_t reg = 0; reg < sums.places(); ++reg) {
            const Coordinates at = sums.coordinates({reg, thread % 32, thread / 32, 0});
            int product = 0;
            for (int i = 0; i < c.k(); ++i)
              product += c.value(c.a, static_cast<int>(at[0]), i) * c.value(c.b, static_cast<int>(at[1]), i);
            ASSERT_EQ(simulator::productAt(c, static_cast<int>(thread), static_cast<int>(reg)), product);
          }
      }
}

}   // namespace
}   // namespace tile
