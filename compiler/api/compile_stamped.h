// SPDX-License-Identifier: MIT
// A traced kernel as code that stamps the GPU's clock while it runs, for `tile trace --device cuda`. What
// compile() makes has none of it.
#pragma once

#include "compiler/api/kernel_ir.h"
#include "compiler/target/target.h"
#include "runtime/stamps.h"

namespace tile {

// To PTX, with the lines of the user's source and the sites of the stamps. Throws as compile() does.
StampedKernel compile_stamped(const KernelIR &kernel, const Target &target);

}   // namespace tile
