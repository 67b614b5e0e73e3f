// SPDX-License-Identifier: MIT
// A CUDA GPU for `tile trace`: it compiles kernels with stamps of the clock, and keeps what their launches
// write.
#pragma once

#include "runtime/device.h"
#include "runtime/stamps.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace tile {

// Throws tile::Error with the reason if there is no such GPU. Kernels come from the compiler, never from the
// cache or from a pack: what these hold has no stamps.
std::unique_ptr<Device> open_stamping_cuda(int ordinal = 0);

// From now on, each launch on such a device is stamped: in these CTAs; if the list is empty, in one of
// sixteen. Such a launch returns when it has ended. Launches before that write no stamps.
void begin_stamping(Device &device, std::vector<std::int64_t> ctas);
// These launches, in their order, those without such a CTA too; and no more launches are stamped.
std::vector<StampedLaunch> end_stamping(Device &device);

}   // namespace tile
