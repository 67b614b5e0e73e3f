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

static void histogram(ir::HistogramOp histogram, Distribution &d) {
  ImplicitLocOpBuilder &b = d.build();
  TileLayout from = layoutOf(histogram.getValue()), to = layoutOf(histogram.getResult());
  Registers values(d.registers(histogram.getValue())), masks;
  if (histogram.getMask())
    masks = Registers(d.registers(histogram.getMask()));
  std::int64_t bins = to.shape().front();
  Type i32 = b.getI32Type();
  d.awaitScratch();
  SharedTile counts(d, d.scratch(bins * SharedTile::bytesOf(i32)), i32);
  ElementIndex bin(d, to);
  for (std::int64_t reg = 0; reg < to.places(); ++reg)   // replicas write the same zero
    counts.store(d.constant(0), bin.at(reg));
  d.barrier();
  Value owns = d.threads().ownsReplica(from);
  std::set<std::vector<std::int64_t>> seen;
  for (std::int64_t reg = 0; reg < from.places(); ++reg) {
    if (!seen.insert(from.coordinates({reg, 0, 0, 0})).second)
      continue;   // a register that holds the element again
    auto at = static_cast<size_t>(reg);
    Value counted = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, values[at], d.constant(bins));
    if (!masks.empty())
      counted = arith::AndIOp::create(b, counted, masks[at]);
    if (owns)
      counted = arith::AndIOp::create(b, counted, owns);
    d.inBranch(counted, [&] {
      LLVM::AtomicRMWOp::create(b, LLVM::AtomicBinOp::add, counts.address({values[at]}), d.constant(1),
                                LLVM::AtomicOrdering::monotonic, "block");
    });
  }
  d.barrier();
  Registers result;
  for (std::int64_t reg = 0; reg < to.places(); ++reg)
    result.push_back(counts.load(bin.at(reg)));
  d.set(histogram.getResult(), std::move(result));
}

void addHistograms(Handlers &handlers) { handlers.add(histogram); }

}   // namespace tile::gpu
