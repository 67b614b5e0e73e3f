// SPDX-License-Identifier: MIT
// What kernels on a GPU print: records of words to lines, which needs no GPU. The conformance case ER3 runs
// kernels.
#include "runtime/cuda/prints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace tile::cuda {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<std::string> formats{"x (pid %d) %.9g\n", "y %d\ny again\n", "100%%\n"};

struct Printed {
  std::vector<std::string> lines;
  bool all = false;
};
Printed printed(const std::vector<std::uint32_t> &words) {
  Printed result;
  Printer printer([&](std::string_view line) { result.lines.emplace_back(line); });
  result.all = print_records(words.data(), words.size(), formats, printer);
  return result;
}

std::vector<std::uint32_t> words_of(double value) {
  std::vector<std::uint32_t> words(2);
  std::memcpy(words.data(), &value, sizeof value);
  return words;
}

TEST(CudaPrints, RecordsBecomeLinesInTheirOrder) {
  const std::vector<std::uint32_t> half = words_of(0.5);
  // 4 bytes lie between the program and the double, as in a struct of C.
  const Printed p = printed({1, 1, 7, 0, 4, 3, 0, half[0], half[1], 2, 0});
  EXPECT_THAT(p.lines, ElementsAre("y 7", "y again", "x (pid 3) 0.5", "100%"));
  EXPECT_TRUE(p.all);
}

TEST(CudaPrints, WhatIsNoRecordEndsThem) {
  EXPECT_TRUE(printed({}).all);
  for (const std::vector<std::uint32_t> &damaged :
       {std::vector<std::uint32_t>{1, 1, 7, 0xFFFFFFFF, 0xFFFFFFFF},
        {1, 1, 7, 1},         // cut off
        {1, 1, 7, 1, 2, 5},   // longer than what is left
        {1, 1, 7, 3, 0}}) {   // no such format
    const Printed p = printed(damaged);
    EXPECT_THAT(p.lines, ElementsAre("y 7", "y again"));
    EXPECT_FALSE(p.all);
  }
}

}   // namespace
}   // namespace tile::cuda
