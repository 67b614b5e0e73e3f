// SPDX-License-Identifier: MIT
#include "compiler/analysis/descriptor_rules.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

namespace tile {

OpenRules openRules(ir::MakeDescriptorOp made, const AxisAnalysis &facts) {
  const int64_t bytes = made.getType().getElement().getIntOrFloatBitWidth() / 8;
  OpenRules open;
  open.base = facts.of(made.getBase()).axes[0].divisibility < RowAlignment;
  for (auto [axis, extent] : llvm::enumerate(made.getShape()))
    if (!facts.isNonNegative(extent))
      open.extents.push_back(static_cast<unsigned>(axis));
  for (auto [axis, stride] : llvm::enumerate(made.getStrides().drop_back())) {
    const bool isMultiple = facts.of(stride).axes[0].divisibility * bytes >= RowAlignment;
    if (!isMultiple || !facts.isNonNegative(stride))
      open.strides.push_back({static_cast<unsigned>(axis), isMultiple});
  }
  open.lastStride = !mlir::matchPattern(made.getStrides().back(), mlir::m_One());
  return open;
}

}   // namespace tile
