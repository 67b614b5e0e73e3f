// SPDX-License-Identifier: MIT
// What a machine has said of each micro-kernel, in a small file, and as a table of docs/calibration.md.
#pragma once

#include "test/calibration/micro_kernel.h"

#include <map>
#include <string>

namespace tile::calibration {

struct Results {
  std::string machine;
  std::map<std::string, std::string> byDigest;   // "" where the kernel agrees, else "differs: ..."
};

// Throws tile::Error where the file cannot be read, or is not of these.
Results readResults(const std::string &path);
void writeResults(const std::string &path, const Results &results);

// A row for each operation. Results of kernels that have changed since do not count.
std::string markdown(const Suite &suite, const Results &results);

}   // namespace tile::calibration
