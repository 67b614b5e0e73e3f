// SPDX-License-Identifier: MIT
// From a finished trace to a module of the tile dialect.
#pragma once

#include "compiler/dsl/trace.h"
#include "tile/kernel_ir.h"

namespace tile::detail {

// The trace has been promoted. Making the module throws tile::Error when it does not verify: a bug of the
// front end, not of the user.
std::shared_ptr<const KernelIR::Module> module_of(std::shared_ptr<const Trace> trace, std::string name,
                                                  const Launch &launch, bool locations);

}   // namespace tile::detail
