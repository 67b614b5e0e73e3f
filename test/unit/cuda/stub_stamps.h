// SPDX-License-Identifier: MIT
// What the stub of the driver writes for a kernel with stamps.
#pragma once

#include <cstdint>

namespace tile::cuda {

// `variable`: `tile_clock` of the kernel that is launched (compiler/lowering/ptx/stamp_clock.cpp).
void write_stamps(const std::uint64_t *variable, unsigned warps);

}   // namespace tile::cuda
