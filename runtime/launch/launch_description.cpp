// SPDX-License-Identifier: MIT
#include "runtime/launch/launch_description.h"

#include "runtime/error.h"

namespace tile {

void Key::refuse() const {
  throw Error(
      "a tuning key has " + std::to_string(size_) + " numbers; it takes at most " + std::to_string(most), {});
}

}   // namespace tile
