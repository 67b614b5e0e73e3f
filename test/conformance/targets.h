// SPDX-License-Identifier: MIT
// The devices of this machine as the suite wants them: with all their checks, and with what kernels print
// kept.
#pragma once

#include "suite.h"

#include <string>

namespace tile::conformance {

// A name that open_device() knows. Throws tile::Error where there is no such device.
Target open_target(const std::string &name);

}   // namespace tile::conformance
