// SPDX-License-Identifier: MIT
// Calls by tvm-ffi's C interface, without its library: test/c_api/numpy.test makes them with it.
#include "exported_functions.h"

#include <cstring>

namespace tile {
namespace {

using testing::ElementsAre, testing::HasSubstr;

struct Argument {
  std::int32_t type = 0;
  std::uint32_t length = 0;
  std::uint64_t bits = 0;
};
Argument integer(std::int64_t value) { return {1, 0, static_cast<std::uint64_t>(value)}; }
Argument boolean(bool value) { return {2, 0, value}; }
Argument floating(double value) { return {3, 0, std::bit_cast<std::uint64_t>(value)}; }
Argument pointer(std::int32_t type, const void *value) {
  return {type, 0, reinterpret_cast<std::uintptr_t>(value)};
}
Argument tensor(const tile_tensor *value) { return pointer(7, value); }
Argument small_text(const char *value) {
  Argument result{11, static_cast<std::uint32_t>(std::strlen(value)), 0};
  std::memcpy(&result.bits, value, std::strlen(value));
  return result;
}

// An object of tvm-ffi: a header and what the object holds.
template <class Cell> struct Object {
  std::uint64_t header[3]{};
  Cell cell;
};
struct TextCell {
  const char *data;
  std::size_t size;
};

int call(auto function, std::vector<Argument> arguments, Argument *result = nullptr) {
  return function(nullptr, arguments.data(), static_cast<std::int32_t>(arguments.size()), result);
}

TEST(TvmFfi, CallsAKernel) {
  std::vector<float> x{1, 2}, y{1, 1};
  Argument result{5, 5, 5};
  ASSERT_EQ(call(__tvm_ffi_axpy, {tensor(Given(x)), tensor(Given(y)), floating(2), integer(2)}, &result), 0)
      << tile_error_text();
  EXPECT_THAT(y, ElementsAre(3, 5));
  EXPECT_EQ(result.type, 0);
  EXPECT_EQ(result.bits, 0U);
}

TEST(TvmFfi, TakesTensorsAndTextsThatAreObjects) {
  std::vector<float> x{1, 2};
  const Given given(x);
  const Object<tile_tensor> object{.cell = given.tensor};
  const Object<TextCell> text{.cell = {"a text of many characters", 6}};
  ASSERT_EQ(call(__tvm_ffi_tell, {pointer(70, &object), integer(-3), integer(2), boolean(false), floating(1),
                                  pointer(65, &text)}),
            0)
      << tile_error_text();
  EXPECT_EQ(told, "f32 1 -3 2.000000 no 1.000000 a text");
  ASSERT_EQ(call(__tvm_ffi_tell, {tensor(given), integer(1), floating(2.5), boolean(true), integer(1),
                                  small_text("seven67")}),
            0)
      << tile_error_text();
  EXPECT_EQ(told, "f32 1 1 2.500000 yes 1.000000 seven67");
  ASSERT_EQ(call(__tvm_ffi_tell,
                 {tensor(given), integer(1), floating(2.5), boolean(true), integer(1), pointer(8, "raw")}),
            0)
      << tile_error_text();
  EXPECT_THAT(told, testing::EndsWith("raw"));
}

TEST(TvmFfi, RefusesWhatDoesNotFit) {
  std::vector<float> x{1, 2}, y{1, 1};
  const Given given(x), written(y);
  const Argument a = tensor(given), b = tensor(written), two = floating(2), count = integer(2);
  struct {
    std::vector<Argument> arguments;
    const char *text;
  } const cases[] = {
      {{a, b, two}, "3 arguments are given, and the function takes 4"},
      {{a, b, two, count, count}, "5 arguments are given, and the function takes 4"},
      {{}, "no argument is a tensor, which would say on which device the function runs"},
      {{a, b, two, floating(2)}, "`n` is a floating-point number, and the function takes an integer (i32)"},
      {{a, b, two, boolean(true)}, "`n` is a bool, and the function takes an integer (i32)"},
      {{a, b, two, small_text("2")}, "`n` is a text"},
      {{a, b, two, Argument()}, "`n` is nothing"},
      {{a, b, two, integer(std::int64_t{1} << 31)}, "`n` is 2147483648, which does not fit i32"},
      {{a, b, two, integer(-(std::int64_t{1} << 31) - 1)}, "`n` is -2147483649, which does not fit i32"},
      {{a, b, boolean(true), count}, "`a` is a bool, and the function takes a floating-point number (f32)"},
      {{a, integer(1), two, count}, "`y` is an integer, and the function takes a tensor of f32"},
      {{a, tensor(nullptr), two, count}, "`y` is null"},
      {{a, b, two, {4, 0, 0}}, "an argument has type 4 of tvm-ffi"},
      {{a, b, two, {71, 0, 0}}, "an argument has type 71 of tvm-ffi"},
      {{a, b, two, {-1, 0, 0}}, "an argument has type -1 of tvm-ffi"},
  };
  for (const auto &[arguments, text] : cases) {
    EXPECT_EQ(call(__tvm_ffi_axpy, arguments), -1);
    EXPECT_THAT(tile_error_text(), HasSubstr(text));
  }
}

TEST(TvmFfi, NumbersAreRoundedToTheParameter) {
  std::vector<float> x{1};
  ASSERT_EQ(call(__tvm_ffi_tell,
                 {tensor(Given(x)), integer(1), floating(0.1), boolean(true), floating(0.1), small_text("")}),
            0)
      << tile_error_text();
  EXPECT_EQ(told, "f32 1 1 0.100000 yes 0.099976 ");
}

}   // namespace
}   // namespace tile
