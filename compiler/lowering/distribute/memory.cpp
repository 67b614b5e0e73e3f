// SPDX-License-Identifier: MIT
// Loads and stores of tiles: vectors of the registers that lie side by side in memory.
#include "compiler/lowering/distribute/clusters.h"
#include "compiler/lowering/distribute/distribution.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tile::gpu {

using layout::TileLayout;

// Whether other threads than those of a store make the other access to the same lanes. The language orders
// what one lane does; of threads that hold replicas only the first stores, and lanes of another layout are
// other threads'. Different lanes, as in tiles of different shapes, are the kernel's own to order.
static bool otherThreads(ir::StoreOp store, Value pointers, bool areStored) {
  Type own = store.getPtr().getType(), other = pointers.getType();
  if (ir::getShape(own) != ir::getShape(other))
    return false;
  if (getLayoutAttr(own) != getLayoutAttr(other))
    return true;
  return !areStored && (!getLayoutAttr(own) || getLayoutAttr(own).getLayout().isReplicated());
}

namespace {
struct Neighbours {   // of a store, those that other threads may make to the same lane
  bool before = false, after = false;
};
}   // namespace

// `program`: all that the store's threads run; what runs beside them is not ordered by their barriers.
static Neighbours neighboursOf(ir::StoreOp store, Region &program) {
  Neighbours found;
  bool passed = false;
  program.walk<WalkOrder::PreOrder>([&](Operation *op) {
    passed |= op == store.getOperation();
    if (!isa<ir::LoadOp, ir::StoreOp, ir::AtomicRmwOp, ir::AtomicCasOp>(op) ||
        !otherThreads(store, op->getOperand(0), isa<ir::StoreOp>(op)))
      return;
    bool around = false;   // in a loop with the store either may come first
    for (Operation *loop = store->getParentOp(); loop != program.getParentOp(); loop = loop->getParentOp())
      around |= isa<LoopLikeOpInterface>(loop) && loop->isAncestor(op);
    found.before |= !passed || around;
    found.after |= passed || around;
  });
  return found;
}

namespace {
// Of a scalar access one thread's would do, but a loaded value is needed by all.
struct Access {
  Registers pointers, masks;
  std::int64_t vector = 1;

  Access(Distribution &d, Value pointer, Value mask) : pointers(d.registers(pointer)) {
    if (mask)
      masks = Registers(d.registers(mask));
    if (isTile(pointer))
      vector = d.vectorOf(pointer, mask);
  }
};
}   // namespace

static void load(ir::LoadOp load, Distribution &d) {
  Access access(d, load.getPtr(), load.getMask());
  Registers others = load.getOther() ? Registers(d.registers(load.getOther())) : Registers(), result;
  Type element = ir::getElementType(load.getType());
  for (size_t reg = 0; reg < access.pointers.size(); reg += static_cast<size_t>(access.vector)) {
    size_t n = static_cast<size_t>(access.vector);
    auto part = LoadGlobalOp::create(d.build(), SmallVector<Type>(n, element), access.pointers[reg],
                                     access.masks.empty() ? Value() : access.masks[reg],
                                     others.empty() ? ValueRange() : ValueRange(others).slice(reg, n),
                                     load.getCache(), load.getEvict(), load.getIsVolatile());
    llvm::append_range(result, part.getResults());
  }
  d.set(load.getResult(), std::move(result));
}

static void store(ir::StoreOp store, Distribution &d) {
  Access access(d, store.getPtr(), store.getMask());
  Registers values(d.registers(store.getValue()));
  Neighbours neighbours = neighboursOf(store, d.program());
  if (neighbours.before)
    d.barrier();
  // A scalar is stored by one thread.
  Value owns =
      isTile(store.getPtr()) ? d.threads().ownsReplica(layoutOf(store.getPtr())) : d.threads().isFirst();
  for (size_t reg = 0; reg < access.pointers.size(); reg += static_cast<size_t>(access.vector)) {
    Value predicate = access.masks.empty() ? Value() : access.masks[reg];
    if (owns)
      predicate = predicate ? Value(arith::AndIOp::create(d.build(), predicate, owns)) : owns;
    StoreGlobalOp::create(d.build(), access.pointers[reg],
                          ValueRange(values).slice(reg, static_cast<size_t>(access.vector)), predicate,
                          store.getCache(), store.getEvict(), store.getIsVolatile());
  }
  if (neighbours.after)
    d.barrier();
}

// What lanes of one program store is ordered for the others of it.
static void barrier(ir::BarrierOp op, Distribution &d) {
  if (clusterOf(op) > 1 && d.threads().role().isWholeCta())
    meetInCluster(d);
  else
    d.barrier();
}

void addMemory(Handlers &handlers) {
  handlers.add(load);
  handlers.add(store);
  handlers.add(barrier);
}

}   // namespace tile::gpu
