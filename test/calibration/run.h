// SPDX-License-Identifier: MIT
// One micro-kernel on a device, compared with what has to come out.
#pragma once

#include "test/calibration/micro_kernel.h"

namespace tile::calibration {

// "" where all words agree; else the first that differs, what was expected and what came, and how many.
// Throws tile::Error where the kernel does not run.
std::string difference(Device &device, const MicroKernel &kernel);

// Whether that is what the device has to say to a kernel with a refusal: the simulator's report, or a GPU's
// illegal instruction.
bool isRefused(const MicroKernel &kernel, const std::string &message);

}   // namespace tile::calibration
