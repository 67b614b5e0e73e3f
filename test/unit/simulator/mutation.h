// SPDX-License-Identifier: MIT
// Mistakes that a code generator could make, put into compiled kernels one at a time.
#pragma once

#include "compiler/host_code/simulator_code.h"

#include <string>

namespace tile::simulator {

// What was done, by kind: "no barrier". And where: the line of the user's source that the operation comes
// from, and which of them it is that have this kind and line: "corpus.h:53, 2".
struct Mistake {
  std::string kind, place;
};

// Makes mistake number `number` of those that the module allows, and says which; nothing happens, and
// the kind is empty, where there are not so many. A barrier or a part of a copy is dropped, a wait waits for
// less, an operation comes one access too early or too late, an address is off on one side. `only`: of this
// kind.
Alteration mistake(unsigned number, Mistake &made, const std::string &only = {});

}   // namespace tile::simulator
