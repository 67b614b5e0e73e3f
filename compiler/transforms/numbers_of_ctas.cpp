// SPDX-License-Identifier: MIT
#include "compiler/transforms/numbers_of_ctas.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace tile::ir {

// start, start + 1, ...: of `extent` numbers for each CTA, those of the CTA with this rank.
static void beginAtPartOf(ArangeOp numbers, int64_t extent, Value rank) {
  numbers.setEnd(numbers.getStart() + static_cast<uint32_t>(extent));
  ImplicitLocOpBuilder b(numbers.getLoc(), numbers.getContext());
  b.setInsertionPointAfter(numbers);
  Value size = arith::ConstantOp::create(b, b.getI32IntegerAttr(static_cast<int32_t>(extent)));
  Value first = SplatOp::create(b, numbers.getType(), arith::MulIOp::create(b, rank, size));
  auto moved = arith::AddIOp::create(b, numbers, first);
  numbers.getResult().replaceAllUsesExcept(moved, moved);
}

void takePart(Value tile, unsigned axis, unsigned ctas, Value rank) {
  auto type = cast<RankedTensorType>(tile.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] /= ctas;
  tile.setType(type.clone(shape));
  if (auto constant = tile.getDefiningOp<arith::ConstantOp>())
    constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).resizeSplat(type.clone(shape)));
  if (auto numbers = tile.getDefiningOp<ArangeOp>())
    beginAtPartOf(numbers, shape[axis], rank);
}

}   // namespace tile::ir
