// SPDX-License-Identifier: MIT
// What a machine has said of each micro-kernel, in a small file, and as a table of docs/calibration.md.
#pragma once

#include "test/calibration/micro_kernel.h"

#include <map>
#include <string>

namespace tile::calibration {

struct Results {
  std::string machine;
  // "" where words agree, `refused` where the device does not run it, else "differs: ..." or "faults: ..."
  std::map<std::string, std::string> byDigest;
};
inline const std::string refused = "refused";
bool isAgreement(const MicroKernel &kernel, const std::string &how);

// Throws tile::Error where the file cannot be read, or is not of these.
Results readResults(const std::string &path);
void writeResults(const std::string &path, const Results &results);

// A row for each operation. Results of kernels that have changed since do not count.
std::string markdown(const Suite &suite, const Results &results);

}   // namespace tile::calibration
