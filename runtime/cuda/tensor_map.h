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

// Throws tile::Error where the driver refuses the description.
TensorMap encodeTensorMap(const PrimaryContext &context, const TensorDescription &description);

}   // namespace tile::cuda
