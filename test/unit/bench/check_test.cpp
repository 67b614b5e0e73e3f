// SPDX-License-Identifier: MIT
// What a run is compared with: of large results some rows, so that no check takes longer than a few seconds.
#include "test/unit/bench/clocked_device.h"
#include "tools/bench/shapes.h"
#include "tools/reference/rows.h"
#include "tools/registry/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tile::bench {
namespace {

using ::testing::StartsWith;

// One that spoils what comes back from it: an f16 so many bytes behind the beginning of an allocation.
class SpoilingDevice : public tile::testing::ClockedDevice {
 public:
  void copy_out(void *to, const void *from, std::size_t bytes) override {
    ClockedDevice::copy_out(to, from, bytes);
    if (at + 1 < bytes)
      static_cast<unsigned char *>(to)[at + 1] ^= 0x7C;   // the exponent
  }
  std::size_t at = std::size_t{1} << 40;
};

registry::Settings small(const registry::Entry &kernel) {
  registry::Settings settings(kernel.parameters);
  const std::vector<Shape> shapes = small_shapes(kernel);
  const std::vector<std::string> names = size_names(kernel);
  for (std::size_t i = 0; i < names.size(); ++i)
    settings.set(names[i], shapes[0][i]);
  return settings;
}

TEST(Checks, SmallResultsAreComparedWhole) {
  SpoilingDevice device;
  for (const registry::Entry &kernel : registry::entries()) {
    const reference::Verdict verdict = kernel.run(device, small(kernel)).verdict;
    EXPECT_TRUE(verdict.passed()) << kernel.name << ": " << verdict.first_wrong;
    EXPECT_EQ(verdict.sampled_rows, verdict.rows) << kernel.name;
    EXPECT_GT(verdict.rows, 0) << kernel.name;
    EXPECT_THAT(verdict.compared(), ::testing::EndsWith(" elements compared")) << kernel.name;
  }
}

// The result lies behind 64 elements that no kernel writes to, its rows one behind the other.
TEST(Checks, AWrongRowAmongTheSampledOnesIsFound) {
  SpoilingDevice device;
  const registry::Entry &kernel = registry::entry("gemm");
  registry::Settings settings = small(kernel);
  const std::int64_t m = 96, n = 64, k = 32;
  settings.set("m", std::to_string(m));
  settings.set("n", std::to_string(n));
  settings.set("k", std::to_string(k));
  settings.effort.operations = 12.0 * n * k;
  const std::vector<std::int64_t> rows = reference::compared_rows(m, n * k, settings.effort);
  ASSERT_LE(rows.size(), 12u);
  const reference::Verdict right = kernel.run(device, settings).verdict;
  EXPECT_TRUE(right.passed()) << right.first_wrong;
  EXPECT_EQ(right.compared(), std::to_string(rows.size() * n) + " elements compared, of " +
                                  std::to_string(rows.size()) + " sampled rows of 96");
  for (const std::int64_t row : rows) {
    device.at = static_cast<std::size_t>(2 * (64 + row * n + 5));
    const reference::Verdict wrong = kernel.run(device, settings).verdict;
    EXPECT_EQ(wrong.wrong, 1) << "row " << row;
    EXPECT_THAT(wrong.first_wrong, StartsWith("c[" + std::to_string(row) + ", 5] is "));
  }
}

// And in every kernel: what each compares of a sample is these rows of its results.
TEST(Checks, EveryKernelSamplesWhereTheEffortIsSmall) {
  SpoilingDevice device;
  for (const registry::Entry &kernel : registry::entries()) {
    registry::Settings settings = small(kernel);
    settings.effort.operations = 1;
    const reference::Verdict verdict = kernel.run(device, settings).verdict;
    EXPECT_TRUE(verdict.passed()) << kernel.name << ": " << verdict.first_wrong;
    if (kernel.name != "vector_add") {   // its result is one row
      EXPECT_LT(verdict.sampled_rows, verdict.rows) << kernel.name;
    }
  }
}

// Not what a clock says, but the operations of the reference: those of a second or two.
TEST(Checks, NoUsualShapeTakesLong) {
  const reference::Effort effort;
  for (const registry::Entry &kernel : registry::entries())
    for (const Shape &shape : usual_shapes(kernel)) {
      registry::Settings settings(kernel.parameters);
      const std::vector<std::string> names = size_names(kernel);
      std::string text;
      for (std::size_t i = 0; i < names.size(); ++i) {
        settings.set(names[i], shape[i]);
        text += " " + shape[i];
      }
      const registry::Problem problem = kernel.problem(settings);
      std::size_t results = 0;
      for (const registry::Operand &operand : problem.operands)
        results += operand.is_output;
      double operations = 0;
      for (const registry::Operand &operand : problem.operands)
        if (operand.is_output)
          operations +=
              problem.work_of_row *
              static_cast<double>(
                  reference::compared_rows(operand.all_rows(), problem.work_of_row, effort, results).size());
      EXPECT_GT(operations, 0) << kernel.name << text;
      EXPECT_LE(operations, 2e9) << kernel.name << text;
    }
}

// A run computes no more than the rows that it compares, and what was reckoned for these.
TEST(Checks, RunsComputeWhatTheyCompare) {
  SpoilingDevice device;
  for (const registry::Entry &kernel : registry::entries())
    for (const double effort : {1.0, 1e5, 2e9}) {
      registry::Settings settings = small(kernel);
      settings.effort.operations = effort;
      const double row = kernel.problem(settings).work_of_row, before = reference::work_done();
      const reference::Verdict verdict = kernel.run(device, settings).verdict;
      EXPECT_LE(reference::work_done() - before, row * static_cast<double>(verdict.sampled_rows))
          << kernel.name << " with " << effort;
      if (kernel.name != "vector_add") {
        EXPECT_GT(reference::work_done(), before) << kernel.name;
      }
    }
}

}   // namespace
}   // namespace tile::bench
