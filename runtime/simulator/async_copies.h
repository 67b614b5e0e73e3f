// SPDX-License-Identifier: MIT
// Asynchronous copies into shared memory. When their bytes land is the policy's choice; that nobody touches
// the place before the thread that began the copy has waited for it is checked in any case.
#pragma once

#include "runtime/simulator/thread.h"

namespace tile::simulator {

void beginCopy(Thread &t, std::byte *to, std::uint32_t offset, const std::byte *from, std::uint32_t bytes,
               std::uint32_t copied);
void commitCopies(Thread &t);
// Waits until no more than `pending` groups are on their way.
void waitForCopies(Thread &t, std::uint32_t pending);
// Lets one of them land.
void landOne(Thread &t, std::uint32_t choice);

}   // namespace tile::simulator
