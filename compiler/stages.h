// SPDX-License-Identifier: MIT
// A kernel after each stage of its compilation, for whoever wants to look: `tile dump --stage`. A later
// stage of the compiler is one more row.
#pragma once

#include "tile/kernel_ir.h"

#include <span>
#include <string>
#include <string_view>

namespace tile {

struct Stage {
  std::string_view name, summary;
  std::string (*text)(const KernelIR &kernel, const TextOptions &options);
};

// In the order of compilation.
std::span<const Stage> stages();

}   // namespace tile
