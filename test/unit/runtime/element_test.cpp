// SPDX-License-Identifier: MIT
// Names, sizes and kinds of element types; the storage formats as C++ types.
#include <tile/element.h>

#include <gtest/gtest.h>

namespace tile {
namespace {

TEST(ElementType, NamesAndSizes) {
  struct Row {
    ElementType type;
    const char *name;
    int bits;
    std::size_t bytes;
  };
  const Row rows[] = {{element_type<bool>, "i1", 1, 1},
                      {element_type<i8>, "i8", 8, 1},
                      {element_type<i16>, "i16", 16, 2},
                      {element_type<i32>, "i32", 32, 4},
                      {element_type<i64>, "i64", 64, 8},
                      {element_type<u8>, "u8", 8, 1},
                      {element_type<u16>, "u16", 16, 2},
                      {element_type<u32>, "u32", 32, 4},
                      {element_type<u64>, "u64", 64, 8},
                      {element_type<f16>, "f16", 16, 2},
                      {element_type<bf16>, "bf16", 16, 2},
                      {element_type<f32>, "f32", 32, 4},
                      {element_type<f64>, "f64", 64, 8},
                      {element_type<e4m3>, "e4m3", 8, 1},
                      {element_type<e5m2>, "e5m2", 8, 1},
                      {element_type<f16 *>, "f16*", 64, 8},
                      {element_type<const u8 *const *>, "u8**", 64, 8}};
  for (const Row &row : rows) {
    EXPECT_EQ(row.type.name(), row.name);
    EXPECT_EQ(row.type.bits(), row.bits) << row.name;
    EXPECT_EQ(row.type.bytes(), row.bytes) << row.name;
    Kind kind{};
    EXPECT_EQ(parse_kind(row.name, kind), !row.type.is_pointer()) << row.name;
    if (!row.type.is_pointer()) {
      EXPECT_EQ(kind, row.type.kind);
    }
  }
  Kind kind = Kind::F32;
  EXPECT_FALSE(parse_kind("float", kind));
  EXPECT_EQ(kind, Kind::F32);
}

TEST(ElementType, Families) {
  const auto families = [](ElementType type) {
    return std::string(type.is_bool() ? "b" : "") + (type.is_integer() ? "i" : "") +
           (type.is_unsigned() ? "u" : "") + (type.is_float() ? "f" : "") + (type.is_fp8() ? "8" : "") +
           (type.is_pointer() ? "p" : "");
  };
  EXPECT_EQ(families(element_type<bool>), "b");
  EXPECT_EQ(families(element_type<i8>), "i");
  EXPECT_EQ(families(element_type<i64>), "i");
  EXPECT_EQ(families(element_type<u8>), "iu");
  EXPECT_EQ(families(element_type<u64>), "iu");
  EXPECT_EQ(families(element_type<f16>), "f");
  EXPECT_EQ(families(element_type<f64>), "f");
  EXPECT_EQ(families(element_type<e4m3>), "f8");
  EXPECT_EQ(families(element_type<e5m2>), "f8");
  EXPECT_EQ(families(element_type<e5m2 *>), "p");
  EXPECT_EQ(element_type<f16 **>.pointee(), element_type<f16 *>);
  EXPECT_EQ(element_type<f16>.pointer_to(), element_type<f16 *>);
}

TEST(StorageFormats, Convert) {
  EXPECT_EQ(f16(1).bits, 0x3c00);
  EXPECT_EQ(float(f16(0.1f)), 0.0999755859375f);
  EXPECT_EQ(double(bf16(3.14159)), 3.140625);
  EXPECT_EQ(float(e4m3(1e6f)), 448.0f);
  EXPECT_EQ(float(e5m2(-1e9)), -57344.0f);
  // Through float this double would be a tie and go to the even neighbour below.
  EXPECT_EQ(f16(1 + 0x1p-11 + 0x1p-40).bits, 0x3c01);
  EXPECT_EQ(f16::from_bits(0x1234).bits, 0x1234);
  static_assert(sizeof(f16) == 2 && sizeof(e4m3) == 1);
}

}   // namespace
}   // namespace tile
