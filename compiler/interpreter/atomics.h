// SPDX-License-Identifier: MIT
// Read-modify-write of single elements: real atomics of the host, since programs run on several
// threads. Memory orders are at least what was asked for; scopes are all the whole process.
#pragma once

#include "compiler/interpreter/memory.h"

namespace tile::interpreter {

// In the numbering of the dialect.
enum class Update { Add, FAdd, SMax, SMin, UMax, UMin, FMax, FMin, And, Or, Xor, Exchange };

// a: the pointers; b: the values; the old values go to `result`. Masked-off lanes touch nothing
// and give 0.
Handler atomicHandler(Update update, Lane lane);
// b: the expected bits; c: the new ones.
Handler compareAndSwapHandler(Lane lane);

// One element at an address that was checked; null if the type does not have the update.
using UpdateElement = void (*)(std::byte *at, const std::byte *value);
UpdateElement updateElement(Update update, Lane lane);

}   // namespace tile::interpreter
