// SPDX-License-Identifier: MIT
// `tile tune --isolate`: each config in a process of its own.
#pragma once

#include "tools/registry/registry.h"

#include <string>

namespace tile::tool {

// Prints a row for each config: its time, or what ended it. The exit code: 1 where none has a time.
int tune_apart(const registry::Entry &kernel, const registry::Settings &settings, const std::string &device,
               int limit_seconds);

}   // namespace tile::tool
