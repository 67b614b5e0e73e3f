// SPDX-License-Identifier: MIT
// What a module is made of, and what the simulator makes of it.
#pragma once

#include <set>
#include <string>

namespace tile::calibration {

// The names of the operations in the module's kernel, and of the intrinsics that it calls.
std::set<std::string> operationsOf(const std::string &module);
// The functions of the simulator's runtime that the kernel calls.
std::set<std::string> callsOf(const std::string &module);

}   // namespace tile::calibration
