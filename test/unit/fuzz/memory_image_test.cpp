// SPDX-License-Identifier: MIT
// What memory holds before a run, and when two runs left the same in it.
#include "tools/fuzz/memory_image.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace tile::fuzz {
namespace {

template <class T> std::vector<std::byte> bytes(std::initializer_list<T> values) {
  std::vector<std::byte> result(values.size() * sizeof(T));
  std::memcpy(result.data(), values.begin(), result.size());
  return result;
}

TEST(MemoryImage, FloatsOfInputsAreSmallIntegers) {
  for (Kind kind : {Kind::F32, Kind::F64}) {
    const auto memory = initial_bytes(kind == Kind::F32 ? "in_f32" : "in_f64", kind, 4096, 3);
    for (int i = 0; i < 4096; ++i) {
      double value = 0;
      if (kind == Kind::F64) {
        std::memcpy(&value, memory.data() + 8 * i, 8);
      } else {
        float narrow = 0;
        std::memcpy(&narrow, memory.data() + 4 * i, 4);
        value = static_cast<double>(narrow);
      }
      ASSERT_TRUE(std::abs(value) <= 8 && value == std::floor(value)) << value;
    }
  }
}

TEST(MemoryImage, SpecialNumbersAreOfBothSigns) {
  const auto memory = initial_bytes("special_f32", Kind::F32, 4096, 3);
  int infinities[2] = {}, nans[2] = {};
  for (int i = 0; i < 4096; ++i) {
    float value = 0;
    std::memcpy(&value, memory.data() + 4 * i, 4);
    if (std::isinf(value))
      ++infinities[std::signbit(value)];
    else if (std::isnan(value))
      ++nans[std::signbit(value)];
    else
      ASSERT_TRUE(std::abs(value) <= 8 && value == std::floor(value)) << value;
  }
  for (const int count : {infinities[0], infinities[1], nans[0], nans[1]})
    EXPECT_TRUE(count > 20 && count < 200) << count;
}

TEST(MemoryImage, DependsOnTheSeed) {
  EXPECT_EQ(initial_bytes("in_i32", Kind::I32, 100, 1), initial_bytes("in_i32", Kind::I32, 100, 1));
  EXPECT_NE(initial_bytes("in_i32", Kind::I32, 100, 1), initial_bytes("in_i32", Kind::I32, 100, 2));
  EXPECT_NE(initial_bytes("in_i32", Kind::I32, 100, 1), initial_bytes("in2_i32", Kind::I32, 100, 1));
  EXPECT_NE(initial_bytes("in2_i32", Kind::I32, 100, 1), initial_bytes("in3_i32", Kind::I32, 100, 1));
}

TEST(MemoryImage, DifferencesNameTheFirstElement) {
  EXPECT_EQ(difference(Kind::I32, bytes({1, 2, 3}), bytes({1, 2, 3})), std::nullopt);
  EXPECT_EQ(difference(Kind::I32, bytes({1, 2, 3}), bytes({1, 7, 4})),
            "2 of 3 elements differ, first element 1: 0x00000002 expected, 0x00000007 seen");
  EXPECT_EQ(difference(Kind::F32, bytes({1.5F}), bytes({2.0F})),
            "1 of 1 elements differ, first element 0: 1.5 (0x3fc00000) expected, 2 (0x40000000) seen");
}

TEST(MemoryImage, ZerosAndNaNsAreEqualWhateverTheirBits) {
  EXPECT_EQ(difference(Kind::F32, bytes({0.0F, NAN}), bytes({-0.0F, -NAN})), std::nullopt);
  EXPECT_NE(difference(Kind::F32, bytes({NAN}), bytes({0.0F})), std::nullopt);
  EXPECT_NE(difference(Kind::I32, bytes({0.0F}), bytes({-0.0F})), std::nullopt);
}

TEST(MemoryImage, ElementsOfARingAreTheirBits) {
  const auto memory = initial_bytes("ring_f32", Kind::F32, 64, 3);
  EXPECT_EQ(memory, initial_bytes("ring_f32", Kind::F32, 64, 3));
  EXPECT_NE(difference(Kind::F32, bytes({0.0F}), bytes({-0.0F}), Floats::ring), std::nullopt);
  EXPECT_EQ(difference(Kind::F32, bytes({1, 2}), bytes({1, 3}), Floats::ring),
            "1 of 2 elements differ, first element 1: 0x00000002 expected, 0x00000003 seen");
}

}   // namespace
}   // namespace tile::fuzz
