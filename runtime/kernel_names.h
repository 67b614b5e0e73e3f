// SPDX-License-Identifier: MIT
// What reports call a kernel and its parameters.
#pragma once

#include "runtime/error.h"

#include <cstddef>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace tile {

// "kernel matmul, config block_m=128"
std::string kernel_title(std::string_view name, std::string_view config);
// The name of a kernel as its author gave it. Throws if the kernel has no name: reports, files and code are
// named after it.
const char *checked_kernel_name(const char *name, const std::source_location &where);
// Of the parameter at a position; "arg2" where it was given no name.
std::string parameter_name(const std::vector<const char *> &names, std::size_t i);

}   // namespace tile
