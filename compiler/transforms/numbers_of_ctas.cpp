// SPDX-License-Identifier: MIT
#include "compiler/transforms/numbers_of_ctas.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <numeric>

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

// Runs along a part's last axis are no longer than the part.
static void shortenRuns(AssumeOp assume, int64_t extent) {
  auto inPart = [&](uint64_t runs) { return std::gcd(static_cast<int64_t>(runs), extent); };
  if (std::optional<uint64_t> runs = assume.getContiguous())
    assume.setContiguous(inPart(*runs));
  if (std::optional<uint64_t> runs = assume.getConstant())
    assume.setConstant(inPart(*runs));
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
  if (auto assume = tile.getDefiningOp<AssumeOp>(); assume && axis + 1 == shape.size())
    shortenRuns(assume, shape[axis]);
}

}   // namespace tile::ir
