// SPDX-License-Identifier: MIT
// What was measured of the kernels of this folder before they were given away: tuned/*.jsonl, compiled in.
#pragma once

#include <string_view>

namespace tile::kernels::detail {

// Lines as runtime/tuning/shipped.h reads them.
std::string_view shipped_tunings();

}   // namespace tile::kernels::detail
