// SPDX-License-Identifier: MIT
// cp.reduce.async.bulk: elements of global memory combined with those of shared memory.
#pragma once

#include "runtime/simulator/tensor_map.h"

#include <cstddef>

namespace tile::simulator {

// Whether there is such an operation; numbered as NVVM does: add, min, max, inc, dec, and, or, xor.
bool canReduce(TensorElement element, int reduction);
// Each element in one step for other programs.
void reduceElements(TensorElement element, int reduction, std::byte *to, const std::byte *from,
                    std::size_t count);

}   // namespace tile::simulator
