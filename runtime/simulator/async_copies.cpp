// SPDX-License-Identifier: MIT
#include "runtime/simulator/async_copies.h"

#include "runtime/simulator/cluster.h"

#include <cstring>

namespace tile::simulator {
namespace {

void land(Copy &copy) {
  if (copy.landed)
    return;
  copy.landed = true;
  if (copy.copied)
    std::memcpy(copy.to, copy.from, copy.copied);
  std::memset(copy.to + copy.copied, 0, copy.bytes - copy.copied);
}

}   // namespace

void beginCopy(Thread &t, std::byte *to, std::uint32_t offset, const std::byte *from, std::uint32_t bytes,
               std::uint32_t copied) {
  Copy copy{to, from, bytes, copied, offset, t.commits, false};
  if (t.cta->options().completion == Completion::eager)
    land(copy);
  else
    std::memset(to, SharedMemory::poison, bytes);
  t.copies.push_back(copy);
}

void commitCopies(Thread &t) { ++t.commits; }

void waitForCopies(Thread &t, std::uint32_t pending) {
  if (!t.cta->cluster().copies.empty())   // those that an mbarrier waits for as well
    t.cta->cluster().copies.landCopiesOf(t);
  // Groups are numbered from 0; those below the limit have to be there.
  const std::uint32_t limit = t.commits > pending ? t.commits - pending : 0;
  std::size_t kept = 0;
  for (Copy &copy : t.copies) {
    if (copy.group < limit) {
      land(copy);
      t.cta->shared.arrive(t.actor, copy.offset, copy.bytes);
    } else {
      t.copies[kept++] = copy;
    }
  }
  t.copies.resize(kept);
}

void landOne(Thread &t, std::uint32_t choice) { land(t.copies[choice % t.copies.size()]); }

}   // namespace tile::simulator
