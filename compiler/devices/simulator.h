// SPDX-License-Identifier: MIT
// The device that runs lowered kernels on this machine's cores, stricter than a GPU would, and lowers what it
// is given.
#pragma once

#include "tile/simulator_options.h"

#include <memory>

namespace tile {

// Throws tile::Error where there is no such target.
std::unique_ptr<Device> open_simulator(SimulatorOptions options = {});

}   // namespace tile
