// SPDX-License-Identifier: MIT
// How many CTAs of a kernel run on a multiprocessor at the same time.
#pragma once

#include "compiler/target/target.h"
#include "runtime/lowered_kernel.h"

#include <optional>
#include <string>

namespace tile::tool {

struct Occupancy {
  int ctas;
  std::string limit;   // what there is too little of for more: "shared memory"
};

// By the tables of NVIDIA's programming guide. `registers`: of a thread; none: not known.
Occupancy occupancy(const Target &target, unsigned threads, unsigned shared_bytes,
                    std::optional<int> registers);

}   // namespace tile::tool
