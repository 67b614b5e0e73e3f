// SPDX-License-Identifier: MIT
#pragma once

#include "compiler/dsl/trace.h"

#include <string>

namespace tile::detail {

// Equal for traces that become the same module but for columns of places. The trace has been promoted.
std::string key_of(const Trace &trace, bool places);

}   // namespace tile::detail
