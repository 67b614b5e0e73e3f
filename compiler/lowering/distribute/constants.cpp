// SPDX-License-Identifier: MIT
// Constant tiles: one value for all registers, or a table in constant memory.
#include "compiler/lowering/distribute/distribution.h"
#include "compiler/lowering/distribute/shared_tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tile::gpu {

using layout::TileLayout;

LogicalResult Distribution::constants(Operation *op, bool &handled) {
  auto constantOp = dyn_cast<arith::ConstantOp>(op);
  if (!constantOp)
    return success();
  handled = true;
  TileLayout layout = layoutOf(op->getResult(0));
  auto elements = cast<DenseElementsAttr>(constantOp.getValue());
  if (elements.isSplat()) {
    Value one = arith::ConstantOp::create(builder_, cast<TypedAttr>(elements.getSplatValue<Attribute>()));
    set(op->getResult(0), Registers(static_cast<size_t>(layout.places()), one));
    return success();
  }
  // The table is of one axis and without a layout, so that equal tiles share it.
  Type element = elements.getElementType();
  auto table = DenseElementsAttr::getFromRawBuffer(
      RankedTensorType::get({elements.getNumElements()}, element), elements.getRawData());
  Registers values;
  ElementIndex index(*this, layout);
  for (std::int64_t reg = 0; reg < layout.places(); ++reg)
    values.push_back(TableOp::create(builder_, element, table, index.valueAt(reg)));
  set(op->getResult(0), std::move(values));
  return success();
}

}   // namespace tile::gpu
