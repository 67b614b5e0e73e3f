// SPDX-License-Identifier: MIT
// Runs one program twice, on the interpreter as it stands and on a device as compiled code, and compares
// every element of memory.
#pragma once

#include "compiler/target/target.h"
#include "tile/device.h"
#include "tools/fuzz/program.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tile::fuzz {

// A kernel with all that a run of it needs: the text that `print` writes.
struct Case {
  std::string text;
  std::uint64_t seed = 0;
  Floats floats = Floats::small;
  Grid grid;
  std::vector<std::int64_t> elements;   // of the buffers, which are the first arguments
  std::vector<std::int32_t> scalars;
};

// Throws tile::Error where the header line is missing.
Case read_case(std::string text);

enum class Verdict : std::uint8_t {
  agree,
  differ,
  refused,   // the compiler has a reason, with a place, not to make code of it
  failed,    // an error while it ran, or of the compiler about itself
  crashed,
  hung
};
std::string_view name(Verdict verdict);

struct Outcome {
  Verdict verdict{};
  std::string detail;
};

// `device` "interpreter": the kernel's canonical form, and that code for `target` can be made of it; another
// name: the code that the device runs.
Outcome check(const Case &given, const std::string &device, const Target &target);

}   // namespace tile::fuzz
