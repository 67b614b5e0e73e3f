// SPDX-License-Identifier: MIT
// What the entries of gemm and batched_gemm share: the configs for operands that are stored as `trans` says.
#pragma once

#include "kernels/gemm.h"
#include "tools/registry/running.h"

#include <string>
#include <vector>

namespace tile::registry {

kernels::GemmConfig stored_as_set(const Settings &settings, kernels::GemmConfig config);
std::vector<std::string> configs_stored_as_set(const Settings &settings,
                                               const std::vector<kernels::GemmConfig> &configs);
Parameter trans_parameter();

}   // namespace tile::registry
