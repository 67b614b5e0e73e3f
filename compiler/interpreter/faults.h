// SPDX-License-Identifier: MIT
// What a user reads when a program does something it must not: the operation's line, what went
// wrong with the actual values, and which element of which program it was.
#pragma once

#include "compiler/interpreter/machine.h"
#include "runtime/report_text.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tile::interpreter {

struct Fault {
  std::string message;
  // Which lane, of a tile of these extents; none for scalars and for what is no matter of one lane.
  const Extents *extents = nullptr;
  std::size_t lane = 0;
  std::string remark;   // what else is known of the element: "its mask is true"
  std::vector<Error::Note> notes;
  std::string help;
};

[[noreturn]] void fail(const Instruction &at, const Machine &machine, Fault fault);

// Everything about one kind of access to memory that its reports say.
struct AccessWords {
  std::string_view what;   // "load reads", "store writes", "atomic_add updates"
  Lane lane;               // what is accessed
  bool masked;
  bool maskable = true;   // descriptors have bounds instead
};

// Why Machine::reach refused the pointer.
[[noreturn]] void failAccess(const Instruction &at, Machine &machine, const AccessWords &words,
                             Pointer pointer, const Extents &extents, std::size_t lane);
// Nobody has written these bytes.
[[noreturn]] void failUnwritten(const Instruction &at, Machine &machine, const AccessWords &words,
                                std::uintptr_t address, const Extents &extents, std::size_t lane);
// Another lane of the program stored there with `store` and no barrier came between.
[[noreturn]] void failUnfenced(const Instruction &at, Machine &machine, const AccessWords &words,
                               const Instruction &store, std::uintptr_t address, const Extents &extents,
                               std::size_t lane);
// The pointer was computed with the operation of this number, which wrapped.
[[noreturn]] void failWrapped(const Instruction &at, Machine &machine, const AccessWords &words,
                              std::uint16_t wrapper, const Extents &extents, std::size_t lane);

}   // namespace tile::interpreter
