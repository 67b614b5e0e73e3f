// SPDX-License-Identifier: MIT
// What a program has stored since its last barrier. On a GPU another lane that loads it may see
// the old value: lanes of one program are ordered by barrier() alone. The interpreter's lanes are
// in step, so it has to look for this mistake.
#pragma once

#include "compiler/interpreter/program.h"

#include <optional>

namespace tile::interpreter {

class Unfenced {
 public:
  void clear();
  // A store of `lanes` lanes of `bytes` bytes begins; its runs follow.
  void begin(const Instruction &store, std::size_t lanes, std::size_t bytes);
  // `count` lanes from `lane` on went to consecutive addresses.
  void add(std::uintptr_t address, std::size_t lane, std::size_t count);

  struct Conflict {
    const Instruction *store;
    std::size_t lane;   // of the load
  };
  // The same of a load, before it happens: whether some other lane stored there. A lane is the
  // same when its number and the number of all lanes are.
  std::optional<Conflict> find(std::uintptr_t address, std::size_t lane, std::size_t count, std::size_t lanes,
                               std::size_t bytes);

 private:
  struct Run {
    std::uintptr_t address;
    std::size_t lane, count;
  };
  struct Store {
    const Instruction *instruction;
    std::size_t lanes, bytes;
    std::uintptr_t low = ~std::uintptr_t{0}, high = 0;
    std::size_t longest = 0;   // run, in bytes
    bool sorted = true;
    std::vector<Run> runs;
  };
  std::vector<Store> stores_;
  std::size_t runs_ = 0;
};

}   // namespace tile::interpreter
