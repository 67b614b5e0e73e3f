// SPDX-License-Identifier: MIT
// A crash that cannot be repeated is found by its stack alone.
#pragma once

namespace tile::fuzz {

// From now on, a signal that ends this process for what it did wrong has the stack printed to stderr first.
// Where somebody else handles these signals, as a sanitizer does, nothing changes.
void print_stack_on_crash();

}   // namespace tile::fuzz
