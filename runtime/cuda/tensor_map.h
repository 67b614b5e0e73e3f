// SPDX-License-Identifier: MIT
// The driver's tensor maps.
#pragma once

#include "runtime/cuda/context.h"
#include "runtime/tensor_description.h"

#include <array>
#include <cstddef>

namespace tile::cuda {

// What bulk tensor copies take; in memory it is aligned to 64 bytes.
using TensorMap = std::array<std::byte, 128>;

// How much of a line the second cache fetches at least; CUtensorMapL2promotion, CUDA driver API.
enum class Promotion : int { none = 0, bytes128 = 2 };

// Throws tile::Error where the driver refuses the description.
TensorMap encodeTensorMap(const PrimaryContext &context, const TensorDescription &description,
                          Promotion promotion = Promotion::none);

}   // namespace tile::cuda
