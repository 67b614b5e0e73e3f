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
// sixteen. Launches before that write no stamps.
//   read    a launch returns when it has ended and its stamps are read
//   timed   its stamps are written, and nobody reads them: to measure what stamps cost
enum class Stamping : std::uint8_t { off, timed, read };
void begin_stamping(Device &device, Stamping how, std::vector<std::int64_t> ctas);
// The launches whose stamps were read, in their order, those without such a CTA too; and no more launches are
// stamped.
std::vector<StampedLaunch> end_stamping(Device &device);

}   // namespace tile
