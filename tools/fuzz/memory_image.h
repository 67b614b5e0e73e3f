// SPDX-License-Identifier: MIT
// What the buffers of a case hold before it runs, as a function of its seed, and the comparison of what two
// runs left in them.
#pragma once

#include "runtime/element.h"
#include "tools/fuzz/program.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tile::fuzz {

// `name` is role and kind: "in_i32", "wild_f16", "ring_f32", "out_f32", "sums_i32".
std::vector<std::byte> initial_bytes(const std::string &name, Kind kind, std::int64_t elements,
                                     std::uint64_t seed);

// Where two memories differ first and how often. Floats that are numbers, not elements of a ring, may differ
// in the sign of a zero and the bits of a NaN.
std::optional<std::string> difference(Kind kind, const std::vector<std::byte> &expected,
                                      const std::vector<std::byte> &seen, Floats floats = Floats::small);

}   // namespace tile::fuzz
