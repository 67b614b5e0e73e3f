// SPDX-License-Identifier: MIT
// A launch while the thread prepares, rehearses or runs a plan.
#pragma once

#include "compiler/dsl/any_kernel.h"
#include "runtime/plan_scope.h"

namespace tile::detail {

// A run allocates nothing, takes no lock and compiles nothing. Throws tile::Error where the plan does not
// have the launch.
void launch_planned(const AnyKernel &kernel, PlanScope &plan, const launching::LaunchRequest &request);

}   // namespace tile::detail
