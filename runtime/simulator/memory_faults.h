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
// Before the thread has waited for the kernels that this one may have been started beside.
Error tooEarly(const Cta &cta, unsigned site);
inline void refuseTooEarly(const Thread &t, unsigned site) {
  if (t.awaitsKernels) [[unlikely]]
    t.cta->fail(t, [&] { return tooEarly(*t.cta, site); });
}
Error outsideOfShared(const Cta &cta, unsigned site, const void *at, std::size_t bytes);

}   // namespace tile::simulator
