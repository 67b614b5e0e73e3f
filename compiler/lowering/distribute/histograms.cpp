// SPDX-License-Identifier: MIT
// Histograms: the bins lie in shared memory, where every thread counts what it holds.
#include "compiler/lowering/distribute/distribution.h"
#include "compiler/lowering/distribute/shared_tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <set>

using namespace mlir;

namespace tile::gpu {

using layout::TileLayout;

LogicalResult Distribution::histograms(Operation *op, bool &handled) {
  auto histogram = dyn_cast<ir::HistogramOp>(op);
  if (!histogram)
    return success();
  handled = true;
  TileLayout from = layoutOf(histogram.getValue()), to = layoutOf(histogram.getResult());
  Registers values(registers(histogram.getValue())), masks;
  if (histogram.getMask())
    masks = Registers(registers(histogram.getMask()));
  std::int64_t bins = to.shape().front();
  Type i32 = builder_.getI32Type();
  barrier();
  SharedTile counts(*this, scratch(bins * SharedTile::bytesOf(i32)), i32);
  ElementIndex bin(*this, to);
  for (std::int64_t reg = 0; reg < to.places(); ++reg)   // replicas write the same zero
    counts.store(constant(0), bin.at(reg));
  barrier();
  Value owns = ownsReplica(from);
  std::set<std::vector<std::int64_t>> seen;
  for (std::int64_t reg = 0; reg < from.places(); ++reg) {
    if (!seen.insert(from.coordinates({reg, 0, 0, 0})).second)
      continue;   // a register that holds the element again
    auto at = static_cast<size_t>(reg);
    Value counted = arith::CmpIOp::create(builder_, arith::CmpIPredicate::ult, values[at], constant(bins));
    if (!masks.empty())
      counted = arith::AndIOp::create(builder_, counted, masks[at]);
    if (owns)
      counted = arith::AndIOp::create(builder_, counted, owns);
    auto branch = scf::IfOp::create(builder_, counted, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToStart(branch.thenBlock());
    LLVM::AtomicRMWOp::create(builder_, LLVM::AtomicBinOp::add, counts.address({values[at]}), constant(1),
                              LLVM::AtomicOrdering::monotonic, "block");
  }
  barrier();
  Registers result;
  for (std::int64_t reg = 0; reg < to.places(); ++reg)
    result.push_back(counts.load(bin.at(reg)));
  set(histogram.getResult(), std::move(result));
  return success();
}

}   // namespace tile::gpu
