// SPDX-License-Identifier: MIT
#include "compiler/api/compile_stamped.h"

#include "compiler/api/compiler.h"

namespace tile {

StampedKernel compile_stamped(const KernelIR &kernel, const Target &target) {
  return compiler().compile_stamped(kernel, target);
}

}   // namespace tile
