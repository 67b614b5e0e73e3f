// SPDX-License-Identifier: MIT
// Which code a GPU runs.
#pragma once

#include "runtime/lowered_kernel.h"

#include <string>
#include <string_view>

namespace tile::cuda {

struct Capability {   // of a GPU: sm_90 is {9, 0}
  int major = 0, minor = 0;
};

// Code for `target`, such as sm_80 or sm_90a. PTX is made into machine code of any newer GPU, machine code
// runs on what has the same major number; code for sm_90a runs on exactly that.
bool runs(Capability gpu, std::string_view target, LoweredKernel::Code kind);
// What the machine code is for that this GPU's driver makes of PTX for `target`.
std::string machine_code_target(Capability gpu, std::string_view target);

}   // namespace tile::cuda
