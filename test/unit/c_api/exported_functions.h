// SPDX-License-Identifier: MIT
// Functions that the tests call as C does, and tensors for them.
#pragma once

#include <tile/export.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

// Of exported_functions.cpp, as C sees them.
extern "C" {
int test_axpy(tile_stream, const tile_tensor *x, const tile_tensor *y, float a, std::int32_t n);
int test_sum_rows(tile_stream, const tile_tensor *x, const tile_tensor *y);
int test_tell(tile_stream, const tile_tensor *anything, std::int64_t whole, double real, bool yes, float half,
              const char *text);
int test_sum(tile_stream, const tile_tensor *x, const tile_tensor *y);
int test_stack(tile_stream, const tile_tensor *x);
int test_throw(tile_stream, const tile_tensor *x);
int __tvm_ffi_axpy(void *, const void *values, std::int32_t count, void *result);
int __tvm_ffi_tell(void *, const void *values, std::int32_t count, void *result);
}

namespace tile {

// What test_tell() and test_stack() have received.
extern std::string told;

// Opened anew for each test.
class OnSimulator : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(tile_open_device("simulator", &device), TILE_OK) << tile_error_text();
    ASSERT_EQ(tile_own_stream(device, &stream), TILE_OK) << tile_error_text();
    told.clear();
  }
  void TearDown() override { tile_close_device(device); }

  tile_device device = nullptr;
  tile_stream stream = nullptr;
};

// A tensor with its extents, of memory that belongs to somebody else.
template <class T> struct Given {
  explicit Given(std::vector<T> &elements) : Given(elements, {static_cast<std::int64_t>(elements.size())}) {}
  Given(std::vector<T> &elements, std::vector<std::int64_t> sizes, std::vector<std::int64_t> steps = {})
      : extents(std::move(sizes)), strides(std::move(steps)) {
    tensor.data = elements.data();
    tensor.device = {TILE_ON_CPU, 0};
    tensor.rank = static_cast<std::int32_t>(extents.size());
    tensor.element = {std::is_integral_v<T> ? std::uint8_t{TILE_INT} : std::uint8_t{TILE_FLOAT},
                      sizeof(T) * 8, 1};
    tensor.extents = extents.data();
    tensor.strides = strides.empty() ? nullptr : strides.data();
  }
  Given(const Given &) = delete;
  Given &operator=(const Given &) = delete;
  operator const tile_tensor *() const { return &tensor; }

  std::vector<std::int64_t> extents, strides;
  tile_tensor tensor{};
};

}   // namespace tile
