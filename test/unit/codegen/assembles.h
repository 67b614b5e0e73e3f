// SPDX-License-Identifier: MIT
// Whether the assembler takes the PTX of a kernel, where there is an assembler.
#pragma once

#include "compiler/compile.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

namespace tile::codegen_test {

// What ptxas -arch=TARGET says to the text: nothing when it is content.
inline std::string said_by_assembler(const std::string &ptx, const std::string &target) {
  std::string base = testing::TempDir() + "/tile_ptx_" + std::to_string(getpid());
  std::ofstream(base + ".ptx") << ptx;
  std::string command = "ptxas -arch=" + target + " " + base + ".ptx -o /dev/null 2>&1", said;
  FILE *pipe = popen(command.c_str(), "r");
  for (char buffer[256]; fgets(buffer, sizeof buffer, pipe);)
    said += buffer;
  int status = pclose(pipe);
  std::remove((base + ".ptx").c_str());
  return status == 0 ? said : "ptxas failed: " + said;
}

// Returns the PTX for the last target.
inline std::string expect_ptx(const KernelIR &ir,
                              const std::vector<std::string> &targets = {"sm_80", "sm_90"}) {
  static const bool has_assembler = std::system("ptxas --version > /dev/null 2>&1") == 0;
  std::string text;
  for (const std::string &target : targets) {
    text = compile(ir, *Target::parse(target)).text;
    EXPECT_NE(text.find(".entry " + ir.name()), std::string::npos) << text;
    if (has_assembler) {
      std::string said = said_by_assembler(text, target);
      EXPECT_EQ(said, "") << ir.name() << " for " << target << (said.empty() ? "" : ":\n" + text);
    }
  }
  return text;
}

}   // namespace tile::codegen_test
