// SPDX-License-Identifier: MIT
// Reports about accesses to memory. They are composed on the host's stack, for Cta::fail.
#pragma once

#include "runtime/simulator/cta.h"
#include "runtime/simulator/global_writes.h"

namespace tile::simulator {

// Why MemoryView::reach refused `count` elements of `size` bytes. `verb`: where the operation's name has
// none.
Error outsideOfBuffer(const Cta &cta, unsigned site, Pointer pointer, std::size_t count, std::size_t size,
                      const std::string &verb = "");
Error unwritten(const Cta &cta, unsigned site, const void *at, std::size_t size);
// In the buffer that was reached last.
Error conflicting(const Cta &cta, unsigned site, const GlobalWrites::Conflict &conflict, std::size_t size,
                  bool isWrite = false);
Error conflicting(const Cta &cta, unsigned site, const SharedMemory::Conflict &conflict, bool isWrite);
// With what another program did.
Error racing(const Cta &cta, unsigned site, const ProgramRaces::Conflict &conflict, std::size_t size,
             bool isWrite);
// Fails where another program may come in between.
void refuseRace(Thread &t, const std::byte *place, std::size_t bytes, std::size_t size, unsigned site);
// The same of a write of these values.
void refuseRace(Thread &t, const std::byte *place, const std::byte *values, std::size_t bytes,
                std::size_t size, unsigned site);
// Before the thread has waited for the kernels that this one may have been started beside.
Error tooEarly(const Cta &cta, unsigned site);
inline void refuseTooEarly(const Thread &t, unsigned site) {
  if (t.awaitsKernels) [[unlikely]]
    t.cta->fail(t, [&] { return tooEarly(*t.cta, site); });
}
Error outsideOfShared(const Cta &cta, unsigned site, const void *at, std::size_t bytes);

}   // namespace tile::simulator
