// SPDX-License-Identifier: MIT
// Kernels of a library on a clock that is a number: those of docs/examples/own_kernels.cpp.
#include "tools/bench/own_kernels.h"
#include "test/unit/bench/clocked_device.h"
#include "tools/bench/text.h"
#include "tools/registry/library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace tile::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Outcome = Row::Outcome;

// What comes back from it may be spoiled: the first element of each array.
class Device : public tile::testing::ClockedDevice {
 public:
  void copy_out(void *to, const void *from, std::size_t bytes) override {
    ClockedDevice::copy_out(to, from, bytes);
    if (is_spoiled)
      static_cast<unsigned char *>(to)[3] ^= 0x7F;
  }
  bool is_spoiled = false;
};

class OwnKernels : public ::testing::Test {
 protected:
  using Values = std::vector<std::pair<const char *, const char *>>;
  static registry::Settings settings(const registry::Entry &kernel, const Values &values) {
    registry::Settings settings(kernel.parameters);
    for (const auto &[name, value] : values)
      settings.set(name, value);
    return settings;
  }
  Case measured(const registry::Entry &kernel, const Values &values) {
    request.wanted = {{&kernel, settings(kernel, values)}};
    request.rounds = 5;
    report = measure(device, request);
    return report.cases[0];
  }

  const registry::Entry &axpy = registry::library_entry(OWN_KERNELS, "axpy"),
                        &product = registry::library_entry(OWN_KERNELS, "product_f16"),
                        &row_sums = registry::library_entry(OWN_KERNELS, "row_sums");
  const Values of_axpy = {{"x", "n"}, {"y", "n"}, {"n", "3000"}, {"a", "2"}};
  const Values of_product = {{"a", "m*k"}, {"b", "k*n"}, {"c", "m*n"}, {"m", "96"}, {"n", "64"}, {"k", "32"}};
  Device device;
  Request request;
  Report report;
};

TEST_F(OwnKernels, TheOnlyConfigIsTimed) {
  device.launch_seconds = 2e-4;
  device.registers = 42;
  const Case at = measured(product, of_product);
  ASSERT_THAT(at.rows, SizeIs(1));
  EXPECT_EQ(at.rows[0].outcome, Outcome::timed) << at.rows[0].reason;
  EXPECT_NEAR(at.rows[0].timing.median, 2e-4, 1e-12);
  EXPECT_THAT(at.rows[0].timing.samples, SizeIs(5));
  EXPECT_THAT(at.rows[0].config, StartsWith("rows=64,cols=64,inner=32,"));
  EXPECT_EQ(at.rows[0].resources->registers, 42);
  EXPECT_EQ(at.shape(), "96 x 64 x 32");
  EXPECT_EQ(at.checked, "compared with what the interpreter computes: 6144 elements at m=96 n=64 k=32");
  EXPECT_THAT(table(report), HasSubstr("  42\n"));
  EXPECT_FALSE(has_failures(report));
}

TEST_F(OwnKernels, TheFastestConfigIsTimedWithItsWork) {
  device.seconds_of = [](const std::string &config) {
    return config.starts_with("block=2048") ? 1e-4 : 3e-4;
  };
  Case at = measured(axpy, of_axpy);
  ASSERT_THAT(at.rows, SizeIs(1));
  EXPECT_THAT(at.rows[0].config, StartsWith("block=2048,"));
  EXPECT_NEAR(at.rows[0].timing.median, 1e-4, 1e-12);
  EXPECT_EQ(at.work.bytes, 12.0 * 3000);
  EXPECT_GT(at.sets, 2);   // its arrays rotate through more than the cache
  EXPECT_GE(at.input_bytes, 3.0 * (1 << 16));
  EXPECT_GT(at.roof_seconds, 0);
  request.config.kind = ConfigChoice::Kind::all;
  EXPECT_THAT(measured(axpy, of_axpy).rows, SizeIs(2));
  request.config = {ConfigChoice::Kind::given, "block=256"};
  at = measured(axpy, of_axpy);
  ASSERT_THAT(at.rows, SizeIs(1));
  EXPECT_THAT(at.rows[0].config, StartsWith("block=256,"));
}

TEST_F(OwnKernels, AWrongResultIsNotTimed) {
  device.is_spoiled = true;
  Case at = measured(product, of_product);
  ASSERT_THAT(at.rows, SizeIs(1));
  EXPECT_EQ(at.rows[0].outcome, Outcome::wrong);
  EXPECT_THAT(at.rows[0].reason, HasSubstr("1 of 6144 elements are wrong: c[0, 0] is"));
  EXPECT_TRUE(has_failures(report));
  request.reference = "none";
  EXPECT_EQ(measured(product, of_product).rows[0].outcome, Outcome::timed);
  EXPECT_EQ(report.cases[0].checked, "not compared with anything");
}

TEST_F(OwnKernels, WithoutProgramsThereIsNothingToTime) {
  const Case at = measured(axpy, {{"x", "n"}, {"y", "n"}, {"n", "0"}, {"a", "2"}});
  EXPECT_EQ(at.skipped, "there is nothing to do: the grid is empty");
  EXPECT_THAT(at.rows, SizeIs(0));
}

// A tuner tells what it measured of one config as it does of several.
TEST_F(OwnKernels, TheOnlyConfigIsTunedToo) {
  device.launch_seconds = 2e-4;
  registry::LibraryLaunch launch(*product.library_kernel, device, settings(product, of_product));
  EXPECT_FALSE(launch.is_empty());
  const tuning::Sweep sweep = launch.tune({.force = true});
  ASSERT_THAT(sweep.records, SizeIs(1));
  EXPECT_EQ(sweep.not_timed, "");
  EXPECT_NEAR(sweep.records[0].median, 2e-4, 1e-12);
}

TEST_F(OwnKernels, SizesAreLoweredUntilTheInterpreterIsQuick) {
  const auto lowered = [](const registry::Entry &kernel, const Values &values, const char *size) {
    return registry::lowered_sizes(kernel, settings(kernel, values)).size(size);
  };
  EXPECT_EQ(lowered(axpy, of_axpy, "n"), 3000);
  const std::int64_t n = lowered(axpy, {{"x", "n"}, {"y", "n"}, {"n", "10000048"}, {"a", "2"}}, "n");
  EXPECT_LE(n, 1 << 21);
  EXPECT_GE(n, 1 << 20);
  EXPECT_EQ(n % 4096, 10000048 % 4096);
  const Values large = {{"a", "m*k"}, {"b", "k*n"}, {"c", "m*n"}, {"m", "4096"}, {"n", "4100"}, {"k", "7"}};
  EXPECT_EQ(lowered(product, large, "k"), 7);
  EXPECT_EQ(lowered(product, large, "m"), 512);
  EXPECT_EQ(lowered(product, large, "n"), 516);
  // Where the arrays are as long as numbers say, nobody knows.
  EXPECT_THROW(lowered(axpy, {{"x", "9000000"}, {"y", "n"}, {"n", "9000000"}, {"a", "2"}}, "n"),
               registry::BadSetting);
}

// What follows from the arguments follows from the smaller ones there.
TEST_F(OwnKernels, ConfigsAreCompletedForEachSize) {
  request.reference = "n=40";
  const Case at = measured(row_sums, {{"x", "m*n"}, {"y", "m"}, {"m", "6"}, {"n", "300"}});
  ASSERT_THAT(at.rows, SizeIs(1));
  EXPECT_EQ(at.rows[0].outcome, Outcome::timed) << at.rows[0].reason;
  EXPECT_THAT(at.rows[0].config, StartsWith("block=512,"));
  EXPECT_THAT(at.checked, HasSubstr("6 elements at m=6 n=40"));
}

}   // namespace
}   // namespace tile::bench
