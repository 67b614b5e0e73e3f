// SPDX-License-Identifier: MIT
#include "compiler/analysis/kernel_target.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace tile {

Target targetOf(Operation *kernel) {
  auto name = kernel->getAttrOfType<StringAttr>("tile_gpu.target");
  return Target::parse(name ? name.getValue() : "").value_or(Target::oldest());
}

}   // namespace tile
