// SPDX-License-Identifier: MIT
#pragma once

#include "compiler/dsl/trace.h"

#include <string>

namespace tile::detail {

struct TraceKeyOptions {
  bool places = true, classes = true;   // of arguments
};
// Equal for traces that become the same module but for columns of places, and for what the options leave out.
// The trace has been promoted.
std::string key_of(const Trace &trace, TraceKeyOptions options);

}   // namespace tile::detail
