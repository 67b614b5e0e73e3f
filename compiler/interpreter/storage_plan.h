// SPDX-License-Identifier: MIT
// Where values lie in the frame. A value's bytes serve others once it is dead, so that a kernel's
// working set stays near the caches; everything is decided while decoding.
#pragma once

#include "compiler/interpreter/program.h"

#include <map>

namespace tile::interpreter {

class StoragePlan {
 public:
  // The smallest free place that fits, else a new one at the end. Places are aligned to 64 bytes.
  Place take(std::size_t bytes);
  // Bytes that nothing else has used or will use.
  Place takeNew(std::size_t bytes);
  void giveBack(Place place, std::size_t bytes);
  std::size_t frameBytes() const { return end_; }

 private:
  static std::size_t rounded(std::size_t bytes) { return bytes == 0 ? 64 : (bytes + 63) / 64 * 64; }
  std::map<Place, std::size_t> free_;   // neighbours are merged
  std::size_t end_ = 0;
};

}   // namespace tile::interpreter
