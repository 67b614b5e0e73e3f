// SPDX-License-Identifier: MIT
// Whether the assembler takes the PTX of a kernel. Without an assembler a test goes on and is counted as
// skipped: that the kernel compiles is only a part of the test.
#pragma once

#include "compiler/api/compile.h"
#include "test/unit/runtime/without_ptxas.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

namespace tile::codegen_test {

// What a command prints, and how it ended.
struct Said {
  std::string text;
  bool succeeded;
};
inline Said said_by(const std::string &command) {
  Said said{};
  FILE *pipe = popen((command + " 2>&1").c_str(), "r");
  for (char buffer[256]; fgets(buffer, sizeof buffer, pipe);)
    said.text += buffer;
  said.succeeded = pclose(pipe) == 0;
  return said;
}

// "" where there is no assembler.
inline const std::string &assembler_version() {
  static const std::string version = [] {
    const Said said = said_by("ptxas --version");
    return said.succeeded ? said.text : "";
  }();
  return version;
}
inline bool has_assembler() { return !assembler_version().empty(); }

// What ptxas -arch=TARGET says to the text: without options nothing when it is content.
inline std::string said_by_assembler(const std::string &ptx, const std::string &target,
                                     const std::string &options = "") {
  const std::string base = testing::TempDir() + "/tile_ptx_" + std::to_string(getpid());
  std::ofstream(base + ".ptx") << ptx;
  const Said said = said_by("ptxas -arch=" + target + " " + options + " " + base + ".ptx -o /dev/null");
  std::remove((base + ".ptx").c_str());
  return said.succeeded ? said.text : "ptxas failed: " + said.text;
}

// The rest of the test still runs, and what fails there fails the test.
inline void skip_without_assembler() {
  if (!has_assembler())
    GTEST_SKIP() << without_ptxas();
}

// Returns the PTX for the last target.
inline std::string expect_ptx(const KernelIR &ir,
                              const std::vector<std::string> &targets = {"sm_80", "sm_90"}) {
  std::string text;
  for (const std::string &target : targets) {
    text = compile(ir, *Target::parse(target)).text();
    EXPECT_NE(text.find(".entry " + ir.name()), std::string::npos) << text;
    if (has_assembler()) {
      std::string said = said_by_assembler(text, target);
      EXPECT_EQ(said, "") << ir.name() << " for " << target << (said.empty() ? "" : ":\n" + text);
    }
  }
  skip_without_assembler();
  return text;
}

}   // namespace tile::codegen_test
