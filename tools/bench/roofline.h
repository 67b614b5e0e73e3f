// SPDX-License-Identifier: MIT
// The least time that a device can take for some work: what its clocks and widths allow.
#pragma once

#include "runtime/bench/bench.h"
#include "runtime/element.h"
#include "runtime/launch/launch_description.h"

namespace tile::bench {

// Products and additions a second of all matrix units, at the highest clock; 0: not known. `tf32`: of f32.
double peak_flop(const Machine &machine, ElementType type, bool tf32);

struct Roof {
  double seconds = 0;   // 0: not known
  bool is_memory_bound = false;
};
Roof roof(const Machine &machine, const Work &work, ElementType type, bool tf32);

}   // namespace tile::bench
