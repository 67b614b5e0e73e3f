// SPDX-License-Identifier: MIT
// Calls of exported functions, whoever makes them.
#pragma once

#include "compiler/c_api/export.h"
#include "compiler/c_api/handles.h"

#include <span>

namespace tile::exporting {

// Checks the values against the function's parameters, and calls it. Throws tile::Error.
void call_on(const Function &function, const c_api::OpenStream &stream, std::span<const Value> values);

}   // namespace tile::exporting
