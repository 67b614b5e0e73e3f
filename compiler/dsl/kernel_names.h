// SPDX-License-Identifier: MIT
// What reports call a kernel and its parameters.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tile::detail {

std::string parameter_name(const std::vector<const char *> &names, std::size_t i);
// "kernel matmul, config block_m=128"
std::string context_line(const char *name, const std::string &config);

}   // namespace tile::detail
