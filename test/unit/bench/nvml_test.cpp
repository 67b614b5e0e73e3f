// SPDX-License-Identifier: MIT
// What a management library says, and one that is not there.
#include "runtime/cuda/nvml.h"

#include <gtest/gtest.h>

namespace tile::cuda {
namespace {

constexpr const char *Stub = STUBS "/right/libnvml.so";

TEST(Nvml, SaysHowTheGpuIs) {
  const auto nvml = Nvml::open("00000000:18:00.0", Stub);
  ASSERT_TRUE(nvml);
  const bench::Telemetry now = nvml->read();
  EXPECT_EQ(now.clock_hertz, 1.41e9);
  EXPECT_EQ(now.memory_clock_hertz, 3.201e9);
  EXPECT_LT(now.watts, 0);   // it does not know
  EXPECT_EQ(now.watts_limit, 700);
  EXPECT_EQ(now.celsius, 61);
  EXPECT_EQ(now.throttled, "power cap, thermal limit");
  EXPECT_TRUE(now.is_known());
  EXPECT_EQ(nvml->driverVersion(), "580.159.04");
  EXPECT_EQ(nvml->highestClock(), 1.98e9);
}

TEST(Nvml, IsMissingWithoutHarm) {
  EXPECT_FALSE(Nvml::open("00000000:99:00.0", Stub));   // another GPU
  EXPECT_FALSE(Nvml::open("00000000:18:00.0", "libthere-is-none.so"));
  EXPECT_FALSE(Nvml::open("00000000:18:00.0", STUBS "/empty/libcublas.so"));   // none of its functions
}

TEST(Nvml, OnlyWhatSlowsWorkIsThrottling) {
  EXPECT_EQ(throttleText(0x1 | 0x2 | 0x100), "");   // idle, limits that people set, displays
  EXPECT_EQ(throttleText(0x80), "power brake");
}

}   // namespace
}   // namespace tile::cuda
