// SPDX-License-Identifier: MIT
// Constant tiles: one value for all registers, or a table in constant memory.
#include "compiler/lowering/distribute/distribution.h"
#include "compiler/lowering/distribute/shared_tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tile::gpu {

using layout::TileLayout;

static LogicalResult constant(arith::ConstantOp op, Distribution &d) {
  if (!isTile(op))
    return copyScalars(op, d);
  ImplicitLocOpBuilder &b = d.build();
  TileLayout layout = layoutOf(op);
  auto elements = cast<DenseElementsAttr>(op.getValue());
  if (elements.isSplat()) {
    Value one = arith::ConstantOp::create(b, cast<TypedAttr>(elements.getSplatValue<Attribute>()));
    d.set(op, Registers(static_cast<size_t>(layout.places()), one));
    return success();
  }
  // The table is of one axis and without a layout, so that equal tiles share it.
  Type element = elements.getElementType();
  auto table = DenseElementsAttr::getFromRawBuffer(
      RankedTensorType::get({elements.getNumElements()}, element), elements.getRawData());
  Registers values;
  ElementIndex index(d, layout);
  for (std::int64_t reg = 0; reg < layout.places(); ++reg)
    values.push_back(TableOp::create(b, element, table, index.valueAt(reg)));
  d.set(op, std::move(values));
  return success();
}

void addConstants(Handlers &handlers) { handlers.add(constant); }

}   // namespace tile::gpu
