// SPDX-License-Identifier: MIT
// Atomics: each element is updated by one thread, a scalar by the first. The old values reach the other
// threads that hold the element through shared memory, if anybody asks for them.
#include "compiler/lowering/distribute/distribution.h"
#include "compiler/lowering/distribute/shared_tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <map>

using namespace mlir;

namespace tile::gpu {

using layout::TileLayout;

namespace {

// What both ops have in common.
struct Atomic {
  Operation *op;
  Value pointers, mask;
  ir::Ordering ordering;
  ir::Scope scope;

  explicit Atomic(ir::AtomicRmwOp rmw)
      : op(rmw), pointers(rmw.getPtr()), mask(rmw.getMask()), ordering(rmw.getOrdering()),
        scope(rmw.getScope()) {}
  explicit Atomic(ir::AtomicCasOp cas)
      : op(cas), pointers(cas.getPtr()), ordering(cas.getOrdering()), scope(cas.getScope()) {}

  bool releases() const { return ordering == ir::Ordering::release || ordering == ir::Ordering::acq_rel; }
  bool acquires() const { return ordering == ir::Ordering::acquire || ordering == ir::Ordering::acq_rel; }
};

}   // namespace

// The machine has no maximum of 16-bit floats in memory: the larger of what was seen and the value goes in if
// what was seen is still there. The order is that of the bits with the sign taken out, -NaN first.
static Value narrowExtremum(ImplicitLocOpBuilder &b, ir::AtomicRmwOp op, Value pointer, Value value,
                            Value predicate, ir::Ordering ordering) {
  Type i16 = b.getI16Type();
  auto number = [&](int64_t n) -> Value { return arith::ConstantIntOp::create(b, n, 16); };
  auto ordered = [&](Value bits) -> Value {
    Value sign = arith::ShRSIOp::create(b, bits, number(15));
    return arith::XOrIOp::create(b, bits, arith::AndIOp::create(b, sign, number(0x7FFF)));
  };
  Value own = arith::BitcastOp::create(b, i16, value), place = ordered(own);
  auto wins = op.getUpdate() == ir::Update::fmax ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt;
  // The first guess is 0, which is also what a thread that takes no part is told.
  auto loop = scf::WhileOp::create(
      b, b.getLoc(), TypeRange{i16}, ValueRange{number(0)},
      [&](OpBuilder &, Location, ValueRange seen) {
        Value stays = arith::CmpIOp::create(b, wins, ordered(seen[0]), place);
        Value desired = arith::SelectOp::create(b, stays, seen[0], own);
        Value old =
            SwapGlobalOp::create(b, i16, pointer, seen[0], desired, predicate, ordering, op.getScope());
        Value again = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, old, seen[0]);
        scf::ConditionOp::create(b, again, ValueRange{old});
      },
      [&](OpBuilder &, Location, ValueRange seen) { scf::YieldOp::create(b, seen); });
  return arith::BitcastOp::create(b, value.getType(), loop.getResult(0));
}

static bool isNarrowExtremum(ir::AtomicRmwOp op) {
  return (op.getUpdate() == ir::Update::fmax || op.getUpdate() == ir::Update::fmin) &&
         ir::getElementType(op.getValue().getType()).getIntOrFloatBitWidth() == 16;
}

static Value updateElement(ImplicitLocOpBuilder &b, const Atomic &atomic, ValueRange operands,
                           Value predicate, ir::Ordering ordering) {
  if (auto rmw = dyn_cast<ir::AtomicRmwOp>(atomic.op); rmw && isNarrowExtremum(rmw))
    return narrowExtremum(b, rmw, operands[0], operands[1], predicate, ordering);
  if (auto rmw = dyn_cast<ir::AtomicRmwOp>(atomic.op))
    return AtomicGlobalOp::create(b, operands[1].getType(), rmw.getUpdate(), operands[0], operands[1],
                                  predicate, ordering, atomic.scope);
  return SwapGlobalOp::create(b, operands[1].getType(), operands[0], operands[1], operands[2], predicate,
                              ordering, atomic.scope);
}

static void fence(ImplicitLocOpBuilder &b, ir::Scope scope) {
  LLVM::FenceOp::create(b, LLVM::AtomicOrdering::acq_rel,
                        scope == ir::Scope::cta   ? "block"
                        : scope == ir::Scope::gpu ? "device"
                                                  : "");
}

static Value both(ImplicitLocOpBuilder &b, Value a, Value c) {
  return !a ? c : !c ? a : Value(arith::AndIOp::create(b, a, c));
}

static Value scalarAtomic(Distribution &d, const Atomic &atomic, ValueRange operands, Value mask) {
  ImplicitLocOpBuilder &b = d.build();
  Value first = d.threads().isFirst();
  Value old = updateElement(b, atomic, operands, both(b, mask, first), atomic.ordering);
  if (atomic.op->use_empty()) {
    // What is acquired is acquired for the whole program.
    if (atomic.acquires())
      d.barrier();
    return old;
  }
  d.awaitScratch();
  SharedTile shared(d, d.scratch(SharedTile::bytesOf(old.getType())), old.getType());
  d.inBranch(first, [&] { shared.store(old, {}); });
  d.barrier();
  return shared.load({});
}

// Floats that lie side by side are added by one instruction, if nobody asks for what was there.
static std::int64_t addedTogether(Distribution &d, const Atomic &atomic) {
  auto rmw = dyn_cast<ir::AtomicRmwOp>(atomic.op);
  if (!rmw || rmw.getUpdate() != ir::Update::fadd || !rmw->use_empty())
    return 1;
  constexpr std::int64_t mostBytes = 16;
  Type element = ir::getElementType(rmw.getValue().getType());
  std::int64_t most = 1;
  if (!element.isF64() && d.target().has(Feature::VectorAtomicAdd))
    most = mostBytes * 8 / element.getIntOrFloatBitWidth();
  else if (element.isF16())
    most = 2;
  return std::min(most, d.vectorOf(atomic.pointers, atomic.mask));
}

static Registers tileAtomic(Distribution &d, const Atomic &atomic, ArrayRef<Registers> operands,
                            const Registers &masks) {
  ImplicitLocOpBuilder &b = d.build();
  TileLayout layout = layoutOf(atomic.pointers);
  Value owns = d.threads().ownsReplica(layout);
  // Registers of one thread may hold an element twice, too.
  std::map<layout::Coordinates, std::int64_t> firsts = layout.registersOfFirstThread();
  SmallVector<size_t> source;
  for (std::int64_t reg = 0; reg < layout.places(); ++reg)
    source.push_back(static_cast<size_t>(firsts.at(layout.coordinates({reg, 0, 0, 0}))));
  // Fences around many updates cost less than an ordering of each.
  bool fences = firsts.size() > 1;
  if (fences && atomic.releases())
    fence(b, atomic.scope);
  const auto vector = static_cast<size_t>(addedTogether(d, atomic));
  auto predicate = [&](size_t reg) { return both(b, masks.empty() ? Value() : masks[reg], owns); };
  Registers old(source.size());
  for (size_t reg = 0; reg < source.size(); ++reg) {
    if (vector > 1) {
      if (reg % vector == 0 && source[reg] == reg)
        AddGlobalOp::create(b, operands[0][reg], ValueRange(operands[1]).slice(reg, vector), predicate(reg),
                            atomic.scope);
      continue;
    }
    if (source[reg] != reg) {
      old[reg] = old[source[reg]];
      continue;
    }
    Registers one;
    for (const Registers &operand : operands)
      one.push_back(operand[reg]);
    old[reg] =
        updateElement(b, atomic, one, predicate(reg), fences ? ir::Ordering::relaxed : atomic.ordering);
  }
  if (fences && atomic.acquires())
    fence(b, atomic.scope);
  if (atomic.op->use_empty() || !owns) {
    if (atomic.acquires())
      d.barrier();
    return old;
  }

  Type element = old.front().getType();
  ElementIndex index(d, layout);
  d.awaitScratch();
  SharedTile shared(d, d.scratch(elementCount(layout.shape()) * SharedTile::bytesOf(element)), element);
  d.inBranch(owns, [&] {
    ElementIndex storedAt(d, layout);   // its values are of the branch
    for (auto &[coordinates, reg] : firsts)
      shared.store(old[static_cast<size_t>(reg)], storedAt.at(reg));
  });
  d.barrier();
  for (size_t reg = 0; reg < source.size(); ++reg)
    old[reg] = source[reg] == reg ? shared.load(index.at(static_cast<std::int64_t>(reg))) : old[source[reg]];
  return old;
}

static void distribute(const Atomic &atomic, ArrayRef<Value> others, Distribution &d) {
  SmallVector<Registers> operands{Registers(d.registers(atomic.pointers))};
  for (Value other : others)
    operands.emplace_back(d.registers(other));
  Registers masks = atomic.mask ? Registers(d.registers(atomic.mask)) : Registers();
  // What this program has stored comes before what it releases, whichever of its threads stored it.
  if (atomic.releases())
    d.barrier();
  if (isTile(atomic.pointers)) {
    d.set(atomic.op->getResult(0), tileAtomic(d, atomic, operands, masks));
    return;
  }
  Registers one;
  for (const Registers &operand : operands)
    one.push_back(operand.front());
  d.set(atomic.op->getResult(0), {scalarAtomic(d, atomic, one, masks.empty() ? Value() : masks.front())});
}

static void update(ir::AtomicRmwOp rmw, Distribution &d) { distribute(Atomic(rmw), {rmw.getValue()}, d); }

static void swap(ir::AtomicCasOp cas, Distribution &d) {
  distribute(Atomic(cas), {cas.getExpected(), cas.getDesired()}, d);
}

void addAtomics(Handlers &handlers) {
  handlers.add(update);
  handlers.add(swap);
}

}   // namespace tile::gpu
