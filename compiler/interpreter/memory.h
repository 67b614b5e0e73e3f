// SPDX-License-Identifier: MIT
// Loads, stores and atomics through tiles of pointers: what they have in common.
#pragma once

#include "compiler/interpreter/elementwise.h"
#include "compiler/interpreter/faults.h"

#include <optional>

namespace tile::interpreter {

// a: the pointers. Load: the loaded lanes at `result`. Store: the values at `b`.
struct Access : Detail {
  Extents extents;
  Lane lane;                         // of what is pointed to
  std::size_t row = 1;               // lanes of the last axis: where runs of addresses are looked for
  Place mask = NoPlace;              // lanes of i1
  Place other = NoPlace;             // what masked-off lanes of a load are; none: 0
  std::optional<Wrapped> wrapped;    // of the pointers
  const char *what = "load reads";   // for reports

  AccessWords words() const { return {what, lane, mask != NoPlace}; }
};

Handler loadHandler(Lane lane);
Handler storeHandler(Lane lane);

// Reports a lane that is accessed though its pointer stems from arithmetic that wrapped.
void refuseWrapped(const Instruction &i, Machine &m, const Access &access);

// Reports a lane that loads, from bytes that were reached last, what nobody has written.
void refuseUnwritten(const Instruction &i, Machine &m, const AccessWords &words, const Extents &extents,
                     const void *from, std::size_t bytes, std::size_t lane);

// Reports lanes that load what another lane of the program has stored since the last barrier.
void refuseUnfenced(const Instruction &i, Machine &m, const AccessWords &words, const Extents &extents,
                    std::uintptr_t address, std::size_t lane, std::size_t count);
Handler barrierHandler();

// The bytes of one lane of the access, checked; reports what is wrong.
template <class T> T *reachLane(const Instruction &i, Machine &m, const Access &access, Pointer pointer,
                                std::size_t lane) {
  if (std::byte *place = m.memory.reach(pointer, sizeof(T), sizeof(T))) [[likely]]
    return reinterpret_cast<T *>(place);
  failAccess(i, m, access.words(), pointer, access.extents, lane);
}

}   // namespace tile::interpreter
