// SPDX-License-Identifier: MIT
// What one of the host's threads keeps from launch to launch, whatever kernels it runs: thousands of kernels
// may be loaded, and memory of their size is needed for the one that runs.
#pragma once

#include "runtime/simulator/fiber.h"
#include "runtime/simulator/shared_memory.h"

#include <memory>
#include <vector>

namespace tile::simulator {

struct Workspace {
  Stacks stacks;
  std::vector<std::unique_ptr<SharedMemory>> shared;   // of each CTA of a cluster

  SharedMemory &sharedOf(unsigned rank) {
    while (shared.size() <= rank)
      shared.push_back(std::make_unique<SharedMemory>());
    return *shared[rank];
  }
};

}   // namespace tile::simulator
