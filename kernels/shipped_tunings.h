// SPDX-License-Identifier: MIT
// The tunings that ship with the kernels of this folder: tuned/*.jsonl, compiled into the library.
#pragma once

#include <string_view>

namespace tile::kernels::detail {

// Lines of JSON in the format that runtime/tuning/shipped.h reads.
std::string_view shipped_tunings();

}   // namespace tile::kernels::detail
