// SPDX-License-Identifier: MIT
// Tensors that are not what a function takes: each is refused by a sentence, and none crashes.
#include "exported_functions.h"

#include <functional>
#include <limits>
#include <ostream>

namespace tile {
namespace {

using testing::HasSubstr;

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(),
                       least = std::numeric_limits<std::int64_t>::min();

struct BadTensor {
  const char *name;
  std::function<void(tile_tensor &)> change;   // of a good one: 2 x 3 floats
  const char *text;
  int status = TILE_INVALID_ARGUMENT;
};

void PrintTo(const BadTensor &tensor, std::ostream *out) { *out << tensor.name; }

std::function<void(tile_tensor &)> element(int code, int bits, int lanes = 1) {
  return [=](tile_tensor &t) {
    t.element = {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits),
                 static_cast<std::uint16_t>(lanes)};
  };
}
std::function<void(tile_tensor &)> place(int type, int number = 0) {
  return [=](tile_tensor &t) { t.device = {type, number}; };
}
std::function<void(tile_tensor &)> extents(std::int64_t rows, std::int64_t columns) {
  return [=](tile_tensor &t) {
    t.extents[0] = rows;
    t.extents[1] = columns;
  };
}
std::function<void(tile_tensor &)> strides(std::int64_t row, std::int64_t column) {
  return [=](tile_tensor &t) {
    t.strides[0] = row;
    t.strides[1] = column;
  };
}

const BadTensor bad_tensors[] = {
    {"i8", element(TILE_INT, 8), "has elements of int8, and the function takes f32"},
    {"i16", element(TILE_INT, 16), "elements of int16,"},
    {"i32", element(TILE_INT, 32), "elements of int32,"},
    {"i64", element(TILE_INT, 64), "elements of int64,"},
    {"u8", element(TILE_UINT, 8), "elements of uint8,"},
    {"u16", element(TILE_UINT, 16), "elements of uint16,"},
    {"u32", element(TILE_UINT, 32), "elements of uint32,"},
    {"u64", element(TILE_UINT, 64), "elements of uint64,"},
    {"f16", element(TILE_FLOAT, 16), "elements of float16,"},
    {"f64", element(TILE_FLOAT, 64), "elements of float64,"},
    {"bf16", element(TILE_BFLOAT, 16), "elements of bfloat16,"},
    {"bool", element(TILE_BOOL, 8), "elements of bool,"},
    {"e4m3", element(TILE_FLOAT8_E4M3, 8), "elements of float8_e4m3fn,"},
    {"e5m2", element(TILE_FLOAT8_E5M2, 8), "elements of float8_e5m2,"},
    {"f8", element(TILE_FLOAT, 8), "float8, which no kernel takes", TILE_UNSUPPORTED},
    {"i4", element(TILE_INT, 4), "int4, which no kernel takes", TILE_UNSUPPORTED},
    {"i128", element(TILE_INT, 128), "int128, which no kernel takes", TILE_UNSUPPORTED},
    {"bits0", element(TILE_FLOAT, 0), "float0, which no kernel takes", TILE_UNSUPPORTED},
    {"bf32", element(TILE_BFLOAT, 32), "bfloat32, which no kernel takes", TILE_UNSUPPORTED},
    {"bool1", element(TILE_BOOL, 1), "bool, which no kernel takes", TILE_UNSUPPORTED},
    {"opaque", element(3, 64), "opaque64, which no kernel takes", TILE_UNSUPPORTED},
    {"complex", element(5, 64), "complex64, which no kernel takes", TILE_UNSUPPORTED},
    {"e3m4", element(7, 8), "float8_e3m4, which no kernel takes", TILE_UNSUPPORTED},
    {"e4m3_old", element(8, 8), "float8_e4m3, which no kernel takes", TILE_UNSUPPORTED},
    {"e4m3b11", element(9, 8), "float8_e4m3b11fnuz, which no kernel takes", TILE_UNSUPPORTED},
    {"e4m3fnuz", element(11, 8), "float8_e4m3fnuz, which no kernel takes", TILE_UNSUPPORTED},
    {"e5m2fnuz", element(13, 8), "float8_e5m2fnuz, which no kernel takes", TILE_UNSUPPORTED},
    {"later_code", element(17, 4), "code 17 of bits 4, which no kernel takes", TILE_UNSUPPORTED},
    {"last_code", element(255, 32), "code 255 of bits 32", TILE_UNSUPPORTED},
    {"lanes0", element(TILE_FLOAT, 32, 0), "float32x0, which no kernel takes", TILE_UNSUPPORTED},
    {"lanes2", element(TILE_FLOAT, 32, 2), "float32x2, which no kernel takes", TILE_UNSUPPORTED},
    {"lanes4", element(TILE_FLOAT, 32, 4), "float32x4, which no kernel takes", TILE_UNSUPPORTED},
    {"lanes_max", element(TILE_FLOAT, 32, 65535), "float32x65535", TILE_UNSUPPORTED},
    {"cuda", place(TILE_ON_CUDA), "lies on cuda:0, and the function runs on the simulator"},
    {"cuda3", place(TILE_ON_CUDA, 3), "lies on cuda:3,"},
    {"managed", place(TILE_ON_CUDA_MANAGED), "lies on managed memory of CUDA,"},
    {"opencl", place(4), "lies on a device of another kind (type 4 of DLPack)"},
    {"vulkan", place(7), "type 7 of DLPack"},
    {"metal", place(8), "type 8 of DLPack"},
    {"rocm", place(10), "type 10 of DLPack"},
    {"place0", place(0), "type 0 of DLPack"},
    {"place_negative", place(-1), "type -1 of DLPack"},
    {"rank0", [](tile_tensor &t) { t.rank = 0; }, "has 0 axes, and the function takes 2"},
    {"rank1", [](tile_tensor &t) { t.rank = 1; }, "has 1 axes, and the function takes 2"},
    {"rank3", [](tile_tensor &t) { t.rank = 3; }, "has 3 axes, and the function takes 2"},
    {"rank9", [](tile_tensor &t) { t.rank = 9; }, "has 9 axes; from 0 to 8 are possible"},
    {"rank_negative", [](tile_tensor &t) { t.rank = -1; }, "has -1 axes;"},
    {"rank_max", [](tile_tensor &t) { t.rank = std::numeric_limits<std::int32_t>::max(); },
     "axes; from 0 to 8"},
    {"no_extents", [](tile_tensor &t) { t.extents = nullptr; }, "has axes, but its extents are null"},
    {"no_data", [](tile_tensor &t) { t.data = nullptr; }, "has elements, but its data is null"},
    {"odd_data", [](tile_tensor &t) { t.data = static_cast<char *>(t.data) + 1; }, "is misaligned"},
    {"odd_offset", [](tile_tensor &t) { t.byte_offset = 2; }, "no multiple of 4, the size of an element"},
    {"negative_rows", extents(-1, 3), "has a negative extent: [-1, 3]"},
    {"negative_columns", extents(2, -7), "has a negative extent: [2, -7]"},
    {"least_rows", extents(least, 3), "has a negative extent"},
    {"most_rows", extents(most, 3), "has more bytes than addresses"},
    {"most_columns", extents(2, most), "has more bytes than addresses"},
    {"most_of_both", extents(most, most), "has more bytes than addresses"},
    {"many_of_both", extents(std::int64_t{1} << 32, std::int64_t{1} << 32), "has more bytes than addresses"},
    {"most_stride", strides(most, 1), "has more bytes than addresses"},
    {"least_stride", strides(least, 1), "has more bytes than addresses"},
    {"least_column_stride", strides(3, least), "has more bytes than addresses"},
    {"long_stride", strides(std::int64_t{1} << 54, 1), "has more bytes than addresses"},
};

class Tensors : public OnSimulator, public testing::WithParamInterface<BadTensor> {};

TEST_P(Tensors, AreRefused) {
  std::vector<float> elements(6), result(2);
  Given x(elements, {2, 3}, {3, 1});
  GetParam().change(x.tensor);
  EXPECT_EQ(test_sum_rows(stream, x, Given(result)), GetParam().status);
  EXPECT_THAT(tile_error_text(), HasSubstr("`x` "));
  EXPECT_THAT(tile_error_text(), HasSubstr(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(Bad, Tensors, testing::ValuesIn(bad_tensors),
                         [](const auto &test) { return std::string(test.param.name); });

using GoodTensors = OnSimulator;

TEST_F(GoodTensors, TheByteOffsetCounts) {
  std::vector<float> x{100, 100, 1, 2}, y(1);
  Given tensor(x, {1, 2});
  tensor.tensor.byte_offset = 8;
  ASSERT_EQ(test_sum_rows(stream, tensor, Given(y)), TILE_OK) << tile_error_text();
  EXPECT_EQ(y[0], 3);
}

TEST_F(GoodTensors, StridesOfSingleIndicesDoNotMatter) {
  std::vector<float> x{1, 2, 3}, y{0, 0, 0};
  const Given odd(x, {1, 3, 1}, {most, 1, least}), plain(y);
  ASSERT_EQ(test_axpy(stream, odd, plain, 1, 3), TILE_OK) << tile_error_text();
  EXPECT_EQ(y[2], 3);
}

TEST_F(GoodTensors, PinnedMemoryIsMemoryOfTheHost) {
  std::vector<float> x{1, 2}, y{0, 0};
  Given pinned(x);
  pinned.tensor.device.type = TILE_ON_CUDA_HOST;
  EXPECT_EQ(test_axpy(stream, pinned, Given(y), 1, 2), TILE_OK) << tile_error_text();
}

TEST_F(GoodTensors, AScalarIsATensorWithoutAxes) {
  std::vector<float> x{1}, y{1};
  EXPECT_EQ(test_axpy(stream, Given(x, {}), Given(y, {}), 1, 1), TILE_OK) << tile_error_text();
  EXPECT_EQ(y[0], 2);
}

TEST_F(GoodTensors, AKernelTakesContiguousOnesAlone) {
  std::vector<float> x(12);
  EXPECT_EQ(test_axpy(stream, Given(x, {3, 4}, {1, 3}), Given(x), 1, 12), TILE_INVALID_ARGUMENT);
  EXPECT_THAT(tile_error_text(),
              HasSubstr("`x` is not contiguous: its extents are [3, 4] and its strides [1, 3]"));
  EXPECT_EQ(test_axpy(stream, Given(x, {6}, {2}), Given(x), 1, 6), TILE_INVALID_ARGUMENT);
  EXPECT_EQ(test_axpy(stream, Given(x, {6}, {0}), Given(x), 1, 6), TILE_INVALID_ARGUMENT);
  EXPECT_EQ(test_axpy(stream, Given(x, {6}, {-1}), Given(x), 1, 6), TILE_INVALID_ARGUMENT);
  EXPECT_EQ(test_axpy(stream, Given(x, {0, 4}, {1, 7}), Given(x), 1, 0), TILE_OK) << tile_error_text();
}

TEST_F(GoodTensors, EveryElementTypeHasItsName) {
  std::vector<double> x(1);
  struct {
    int code, bits;
    const char *name;
  } const types[] = {
      {TILE_BOOL, 8, "i1 "},      {TILE_INT, 8, "i8 "},           {TILE_INT, 16, "i16 "},
      {TILE_INT, 32, "i32 "},     {TILE_INT, 64, "i64 "},         {TILE_UINT, 8, "u8 "},
      {TILE_UINT, 16, "u16 "},    {TILE_UINT, 32, "u32 "},        {TILE_UINT, 64, "u64 "},
      {TILE_FLOAT, 16, "f16 "},   {TILE_FLOAT, 32, "f32 "},       {TILE_FLOAT, 64, "f64 "},
      {TILE_BFLOAT, 16, "bf16 "}, {TILE_FLOAT8_E4M3, 8, "e4m3 "}, {TILE_FLOAT8_E5M2, 8, "e5m2 "}};
  for (const auto &[code, bits, name] : types) {
    Given tensor(x);
    element(code, bits)(tensor.tensor);
    ASSERT_EQ(test_tell(stream, tensor, 1, 1, true, 1, ""), TILE_OK) << tile_error_text();
    EXPECT_THAT(told, testing::StartsWith(name));
  }
}

}   // namespace
}   // namespace tile
