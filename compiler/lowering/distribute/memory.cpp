// SPDX-License-Identifier: MIT
// Loads and stores of tiles: vectors of the registers that lie side by side in memory.
#include "compiler/lowering/distribute/distribution.h"

#include "compiler/layout/layout_choice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

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

static Neighbours neighboursOf(ir::StoreOp store, func::FuncOp kernel) {
  Neighbours found;
  bool passed = false;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    passed |= op == store.getOperation();
    if (!isa<ir::LoadOp, ir::StoreOp, ir::AtomicRmwOp, ir::AtomicCasOp>(op) ||
        !otherThreads(store, op->getOperand(0), isa<ir::StoreOp>(op)))
      return;
    bool around = false;   // in a loop with the store either may come first
    for (Operation *loop = store->getParentOp(); loop != kernel.getOperation(); loop = loop->getParentOp())
      around |= isa<LoopLikeOpInterface>(loop) && loop->isAncestor(op);
    found.before |= !passed || around;
    found.after |= passed || around;
  });
  return found;
}

LogicalResult Distribution::memory(Operation *op, bool &handled) {
  handled = true;
  // Of a scalar access one thread's would do, but a loaded value is needed by all.
  auto shapeOfAccess = [&](Value pointers, Value mask) {
    struct {
      Registers pointers, masks;
      std::int64_t vector = 1;
    } access;
    access.pointers = Registers(registers(pointers));
    if (mask)
      access.masks = Registers(registers(mask));
    if (isa<RankedTensorType>(pointers.getType())) {
      AxisFacts of = facts_.of(pointers), ofMask = mask ? facts_.of(mask) : AxisFacts();
      access.vector = vectorLength(layoutOf(pointers), of, mask ? &ofMask : nullptr,
                                   ir::pointeeBytes(pointers.getType()));
    }
    return access;
  };

  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<ir::LoadOp>([&](ir::LoadOp load) {
        auto access = shapeOfAccess(load.getPtr(), load.getMask());
        Registers others = load.getOther() ? Registers(registers(load.getOther())) : Registers(), result;
        Type element = ir::getElementType(load.getType());
        for (size_t reg = 0; reg < access.pointers.size(); reg += static_cast<size_t>(access.vector)) {
          size_t n = static_cast<size_t>(access.vector);
          auto part = LoadGlobalOp::create(builder_, SmallVector<Type>(n, element), access.pointers[reg],
                                           access.masks.empty() ? Value() : access.masks[reg],
                                           others.empty() ? ValueRange() : ValueRange(others).slice(reg, n),
                                           load.getCache(), load.getEvict(), load.getIsVolatile());
          llvm::append_range(result, part.getResults());
        }
        set(load.getResult(), std::move(result));
        return success();
      })
      .Case<ir::StoreOp>([&](ir::StoreOp store) {
        auto access = shapeOfAccess(store.getPtr(), store.getMask());
        Registers values(registers(store.getValue()));
        Neighbours neighbours = neighboursOf(store, kernel_);
        if (neighbours.before)
          barrier();
        Value owns;
        if (isa<RankedTensorType>(store.getPtr().getType())) {
          owns = ownsReplica(layoutOf(store.getPtr()));
        } else {   // a scalar is stored by one thread
          Value inWarp = lane(), thread = arith::OrIOp::create(builder_, inWarp, warp());
          owns = arith::CmpIOp::create(builder_, arith::CmpIPredicate::eq, thread, constant(0));
        }
        for (size_t reg = 0; reg < access.pointers.size(); reg += static_cast<size_t>(access.vector)) {
          Value predicate = access.masks.empty() ? Value() : access.masks[reg];
          if (owns)
            predicate = predicate ? Value(arith::AndIOp::create(builder_, predicate, owns)) : owns;
          StoreGlobalOp::create(builder_, access.pointers[reg],
                                ValueRange(values).slice(reg, static_cast<size_t>(access.vector)), predicate,
                                store.getCache(), store.getEvict(), store.getIsVolatile());
        }
        if (neighbours.after)
          barrier();
        return success();
      })
      .Default([&](Operation *) {
        handled = false;
        return success();
      });
}

}   // namespace tile::gpu
