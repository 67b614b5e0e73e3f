// SPDX-License-Identifier: MIT
// The micro-kernels on the simulator; and that there is one for all that the simulator knows.
#include "test/calibration/coverage.h"
#include "test/calibration/run.h"

#include "compiler/api/compile.h"
#include "compiler/lowering/simulator/simulated_operations.h"
#include "runtime/simulator/calls.h"
#include "test/unit/codegen/assembles.h"
#include "test/unit/simulator/hopper/bench.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tile::calibration {
namespace {

std::vector<std::string> operations() {
  std::vector<std::string> names;
  for (const MicroKernel &kernel : suite())
    if (std::find(names.begin(), names.end(), kernel.operation) == names.end())
      names.push_back(kernel.operation);
  return names;
}

class OnSimulator : public testing::TestWithParam<std::string> {};

TEST_P(OnSimulator, Agrees) {
  for (const Completion when : {Completion::latest, Completion::eager}) {
    const auto device = open_simulator(
        {.threads = 1, .completion = when, .matrix_completion = when, .print = [](std::string_view) {}});
    for (const MicroKernel &kernel : suite())
      if (kernel.operation == GetParam()) {
        const std::string report =
            simulator::complaint([&] { EXPECT_EQ(difference(*device, kernel), "") << kernel.variant; });
        EXPECT_TRUE(kernel.refusal.empty() ? report.empty() : isRefused(kernel, report))
            << kernel.variant << ": " << report;
      }
  }
}
INSTANTIATE_TEST_SUITE_P(All, OnSimulator, testing::ValuesIn(operations()), [](const auto &info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

TEST(Calibration, NamesAreUnique) {
  std::set<std::string> names, digests;
  for (const MicroKernel &kernel : suite()) {
    EXPECT_TRUE(names.insert(kernel.operation + ": " + kernel.variant).second)
        << kernel.operation << kernel.variant;
    EXPECT_TRUE(digests.insert(digest(kernel)).second) << kernel.operation << kernel.variant;
  }
}

// Each operation is in the kernels that bear its name; the list is the simulator's own.
TEST(Calibration, EveryOperationHasAKernel) {
  std::set<std::string> named{"llvm.call_intrinsic"};   // its intrinsics are listed one by one
  for (const MicroKernel &kernel : suite()) {
    if (kernel.operation == "GEMM" || !named.insert(kernel.operation).second)
      continue;
    EXPECT_TRUE(operationsOf(kernel.module).contains(kernel.operation))
        << kernel.operation << ", " << kernel.variant;
  }
  for (const std::string &operation : gpu::simulatedOperations())
    EXPECT_TRUE(named.contains(operation)) << operation << " has no micro-kernel";
}
TEST(Calibration, EveryCallOfTheSimulatorIsMade) {
  std::set<std::string> made;
  for (const MicroKernel &kernel : suite())
    made.merge(callsOf(kernel.module));
  for (const auto calls : {simulator::programCalls, simulator::memoryCalls, simulator::warpCalls,
                           simulator::mathCalls, simulator::syncCalls, simulator::bulkCalls})
    for (const simulator::Symbol &symbol : calls())
      // Floats of a ring are the simulator's alone; 16 bits are added for them only. Promises are checked in
      // traced kernels, by a pass that none of these goes through. A place is no operation of the machine:
      // kernels that are recorded tell where they are (test/unit/timeline).
      if (symbol.name.starts_with("tile_sim_") && symbol.name.find("ring") == symbol.name.npos &&
          symbol.name != "tile_sim_atomic_add_16" && symbol.name != "tile_sim_place" &&
          !symbol.name.starts_with("tile_sim_assume_")) {
        EXPECT_TRUE(made.contains(std::string(symbol.name))) << symbol.name << " is in no micro-kernel";
      }
}

// The first kernel of each operation, which the GPU is to run, as the assembler sees it.
TEST(Calibration, KernelsAssemble) {
  std::set<std::string> seen;
  for (const MicroKernel &kernel : suite()) {
    if (!kernel.needs.empty() || !seen.insert(kernel.operation).second)
      continue;
    const std::string complaint = simulator::complaint([&] {
      const std::string ptx(compile(HandWritten{kernel.module}, *Target::parse("sm_90a")).text());
      if (codegen_test::has_assembler()) {
        EXPECT_EQ(codegen_test::said_by_assembler(ptx, "sm_90a"), "")
            << kernel.operation << ", " << kernel.variant;
      }
    });
    EXPECT_EQ(complaint, "") << kernel.operation << ", " << kernel.variant;
  }
  codegen_test::skip_without_assembler();
}

}   // namespace
}   // namespace tile::calibration
