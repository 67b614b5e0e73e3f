// SPDX-License-Identifier: MIT
// One damaged module, made from a seed, and what the passes say to it.
#pragma once

#include "tools/mutants/corpus.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tile::mutants {

struct Mutant {
  std::string file;           // what was damaged
  std::string text;           // empty: nothing that was tried could be read
  std::vector<Passes> ways;   // what it is given to
};

// The same for the same seed and corpus. `trying` is told each text before it is read: reading may crash, as
// it may in tile-opt, so that this is called in a process that may end.
Mutant make_mutant(const Corpus &corpus, std::uint64_t seed,
                   const std::function<void(const std::string &text)> &trying);

// What is wrong with how the passes take the text: an error without a message, a result that cannot be read
// again. Empty: nothing. What a pass leaves behind that refuses it is printed, to nobody. `took_it`: no pass
// refused it.
std::string complaint(const std::string &text, const Passes &passes, bool *took_it = nullptr);

}   // namespace tile::mutants
