// SPDX-License-Identifier: MIT
// What floats are where they are elements of a ring: which functions there are, what constants stand for.
#include "compiler/analysis/float_ring.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tile::float_ring {
namespace {

struct Words {   // of 16 bits
  using U = std::uint16_t;
  static unsigned width() { return 16; }
  static U constant(std::uint64_t value) { return static_cast<U>(value); }
  static U add(U a, U b) { return static_cast<U>(a + b); }
  static U sub(U a, U b) { return static_cast<U>(a - b); }
  static U mul(U a, U b) { return static_cast<U>(std::uint32_t{a} * b); }
  static U xor_(U a, U b) { return a ^ b; }
  static U or_(U a, U b) { return a | b; }
  static U shiftRight(U a, unsigned by) { return static_cast<U>(a >> by); }
  static U maximum(U a, U b) { return static_cast<std::int16_t>(a) < static_cast<std::int16_t>(b) ? b : a; }
  static U minimum(U a, U b) { return static_cast<std::int16_t>(b) < static_cast<std::int16_t>(a) ? b : a; }
};

std::uint16_t result(std::string_view name, std::uint16_t x, std::uint16_t y = 0, std::uint16_t z = 0) {
  Words words;
  return apply(words, *function(name), x, y, z);
}

TEST(FloatRing, ComputesInIntegers) {
  EXPECT_EQ(result("arith.addf", 0xfffe, 3), 1);
  EXPECT_EQ(result("arith.mulf", 0x8001, 2), 2);
  EXPECT_EQ(result("math.fma", 0x8001, 2, 5), 7);
  EXPECT_EQ(result("arith.negf", 1), 0xffff);
  EXPECT_EQ(result("math.absf", 0xffff), 1);
  EXPECT_EQ(result("math.floor", 0x1234), 0x1234);
  EXPECT_EQ(result("tile.maximum", 0xffff, 1), 1);
  EXPECT_EQ(result("tile.clamp", 9, 0xffff, 4), 4);
  EXPECT_NE(result("math.exp", 9), result("math.log", 9));
  EXPECT_FALSE(function("arith.addi"));
  EXPECT_FALSE(function("arith.addfx"));
}

TEST(FloatRing, QuotientsUndoProducts) {
  for (unsigned x = 0; x < 65536; x += 251)
    for (std::uint16_t odd : {1, 3, 0x8001, 0xffff})
      ASSERT_EQ(result("arith.divf", result("arith.mulf", static_cast<std::uint16_t>(x), odd), odd), x);
}

// So that constants may be folded as numbers: what is embedded adds and multiplies as the numbers do, and
// widening a constant is widening its element.
TEST(FloatRing, WholeConstantsAreThemselves) {
  EXPECT_EQ(embedded(3.0, 0x40400000, 32), 3U);
  EXPECT_EQ(embedded(-3.0, 0xc0400000, 32), 0xfffffffdU);
  EXPECT_EQ(embedded(-3.0, 0xc200, 16), 0xfffdU);
  EXPECT_EQ(embedded(-0.0, 0x80000000, 32), 0U);
  EXPECT_EQ(embedded(0.5, 0x3f000000, 32), 0x3f000000U);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(embedded(infinity, 0x7f800000, 32), 0x7fffffffU);
  EXPECT_EQ(embedded(-infinity, 0xff800000, 32), 0x80000000U);
  EXPECT_EQ(embedded(std::nan(""), 0x7fc00000, 32), 0x7fc00000U);
  EXPECT_EQ(embedded(1e300, 0x7e37e43c8800759c, 64), 0x7e37e43c8800759cU);
}

TEST(FloatRing, ComparisonsAreThoseOfSignedIntegers) {
  EXPECT_EQ(comparison(1).predicate, 0);    // oeq: eq
  EXPECT_EQ(comparison(13).predicate, 1);   // une: ne
  EXPECT_EQ(comparison(4).predicate, 2);    // olt: slt
  EXPECT_EQ(comparison(11).predicate, 2);   // ult: slt
  EXPECT_EQ(comparison(10).predicate, 5);   // uge: sge
  EXPECT_FALSE(comparison(14).predicate);   // uno: nothing is no number
  EXPECT_FALSE(comparison(14).always);
  EXPECT_TRUE(comparison(7).always);
}

TEST(FloatRing, KnowsConversions) {
  EXPECT_EQ(conversion("tile.fp_cast"), Extension::sign);
  EXPECT_EQ(conversion("arith.uitofp"), Extension::zero);
  EXPECT_FALSE(conversion("arith.extsi"));
}

}   // namespace
}   // namespace tile::float_ring
