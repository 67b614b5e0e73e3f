// SPDX-License-Identifier: MIT
// The device that runs lowered kernels on this machine's cores. It is stricter than a GPU, and it lowers the
// kernels that it gets.
#pragma once

#include <tile/simulator_options.h>

#include <memory>

namespace tile {

// Throws tile::Error if the target in the options is unknown.
std::unique_ptr<Device> open_simulator(SimulatorOptions options = {});

}   // namespace tile
