// SPDX-License-Identifier: MIT
// The part of `tile fuzz` that calls shipped kernels.
#pragma once

#include "tools/fuzz/check.h"
#include "tools/fuzz/kernel_calls.h"

#include <functional>

namespace tile::tool {

// The call on a simulator, its results compared with float64.
fuzz::Outcome check_call(const fuzz::KernelCall &call);

// The call with smaller sizes, as long as `shows` says that it still shows what it is kept for.
fuzz::KernelCall reduced_call(fuzz::KernelCall call,
                              const std::function<bool(const fuzz::KernelCall &)> &shows);

}   // namespace tile::tool
