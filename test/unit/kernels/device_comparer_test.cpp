// SPDX-License-Identifier: MIT
// What a tuner compares with on a GPU, held against what it compares with on the host; on a GPU where there
// is one.
#include "compiler/devices/device_comparer.h"
#include "runtime/tuning/compare.h"

#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/numeric_cast.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace tile {
namespace {

class DeviceComparison : public ::testing::TestWithParam<const char *> {
 protected:
  // The index in "element 5 is ..."; `count` where nothing is said.
  static std::size_t index(const std::string &text, std::size_t count) {
    return text.empty() ? count : std::stoul(text.substr(std::strlen("element ")));
  }
  // Behind `skipped` elements, so that no vector is aligned that the kernel did not ask about.
  template <class T> void check(const std::vector<T> &got, const std::vector<T> &expected,
                                std::size_t skipped) {
    const Buffer<T> a(*device, got), b(*device, expected);
    const std::size_t count = got.size() - skipped;
    const auto bytes = [&](const std::vector<T> &all) {
      return std::as_bytes(std::span(all).subspan(skipped));
    };
    constexpr ElementType type = element_type<T>;
    EXPECT_EQ(comparer->first_difference(type, a.data() + skipped, b.data() + skipped, count,
                                         tuning::tolerance(type)),
              index(tuning::difference(type, bytes(got), bytes(expected)), count))
        << type.name() << " " << count;
  }
  template <class T> void check_type() {
    std::mt19937 random(7);
    std::normal_distribution<double> normal(0, 2);
    for (const std::size_t count : {1, 5, 2048, 5000}) {
      std::vector<T> expected;
      for (std::size_t i = 0; i < count; ++i)
        expected.push_back(numeric::cast<T>(normal(random)));
      check(expected, expected, 0);
      const auto changed = [&](std::size_t at, double to) {
        std::vector<T> got = expected;
        got[at] = numeric::cast<T>(to);
        return got;
      };
      const std::size_t last = count - 1;
      check(changed(last, 100), expected, 0);
      check(changed(count / 2, std::nan("")), expected, count > 3 ? 3 : 0);
      check(changed(0, std::nan("")), changed(0, std::nan("")), 0);
      check(changed(0, numeric::cast<double>(expected[0]) * (1 + tuning::tolerance(element_type<T>) / 4)),
            expected, 0);
      if constexpr (!std::is_same_v<T, e4m3>) {   // has no infinity
        const double infinity = std::numeric_limits<double>::infinity();
        check(changed(last, infinity), expected, 0);
        check(changed(last, infinity), changed(last, infinity), 0);
        check(changed(last, infinity), changed(last, -infinity), 0);
        // An infinity that both have is no part of the mean.
        std::vector<T> got = changed(0, infinity), other = changed(0, infinity);
        got[last] = numeric::cast<T>(7);
        check(got, other, 0);
      }
    }
  }

  void SetUp() override {
    try {
      device = open_device(GetParam());
    } catch (const Error &error) {
      GTEST_SKIP() << error.message();
    }
    comparer = make_device_comparer(*device);
  }

  std::unique_ptr<Device> device;
  std::unique_ptr<Comparer> comparer;
};

TEST_P(DeviceComparison, FindsWhatTheHostFinds) {
  check_type<f16>();
  check_type<bf16>();
  check_type<f32>();
  check_type<f64>();
  check_type<e4m3>();
  check_type<e5m2>();
}

TEST_P(DeviceComparison, WhatIsNoFloatIsComparedBitByBit) {
  std::vector<i32> numbers(3000, 17);
  const std::vector<i32> same = numbers;
  check(numbers, same, 1);
  numbers[2999] ^= 1 << 20;
  check(numbers, same, 1);
  numbers[5] = 0;
  check(numbers, same, 1);
  check(numbers, same, 6);
}

TEST_P(DeviceComparison, WhatIsUnread) {
  const std::vector<u8> was(5000, 3), poisoned(5000, 0xFF), result(5000, 9);
  const auto are_unread = [&](const std::vector<u8> &a, const std::vector<u8> &b) {
    const Buffer<u8> first(*device, a), second(*device, b), before(*device, was);
    return comparer->are_unread(first.data(), second.data(), before.data(), 0xFF, a.size());
  };
  EXPECT_TRUE(are_unread(result, result)) << "the same, whatever was there";
  EXPECT_TRUE(are_unread(was, poisoned)) << "nothing was written";
  EXPECT_FALSE(are_unread(result, poisoned)) << "what was there decides";
  std::vector<u8> half = result;
  half[4999] = 0xFF;
  EXPECT_FALSE(are_unread(result, half));
  std::vector<u8> kept = result;
  kept[4999] = 3;
  EXPECT_TRUE(are_unread(kept, half));
}

INSTANTIATE_TEST_SUITE_P(On, DeviceComparison, ::testing::Values("interpreter", "simulator", "cuda"),
                         [](const auto &device) { return std::string(device.param); });

}   // namespace
}   // namespace tile
