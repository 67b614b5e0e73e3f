// SPDX-License-Identifier: MIT
// Why a test is skipped where there is no ptxas. lit passes on no reason, so the test writes its name into
// the file that SKIPPED_FOR_PTXAS names, which test/summary.py reads.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace tile {

inline std::string without_ptxas() {
  const char *file = std::getenv("SKIPPED_FOR_PTXAS");
  const ::testing::TestInfo *test = ::testing::UnitTest::GetInstance()->current_test_info();
  if (file && test)
    std::ofstream(file, std::ios::app) << std::string(test->test_suite_name()) + "." + test->name() + "\n";
  return "not assembled: ptxas is not installed; tools/dev ptxas installs it";
}

}   // namespace tile
