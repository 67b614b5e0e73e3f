// SPDX-License-Identifier: MIT
// `tile-gpu-loop-over-programs`: one CTA runs many programs, one after the other.
//
//    kernel, grid of 500          for n = cta_id to 500 step cta_count { x = n % num_programs x; kernel at x
//    }
//
// This is done for kernels whose warps have roles: the tiles of the next program are copied while the last
// one's result is stored. And it is done for programs that several CTAs share: a CTA begins the next one when
// it is ready, and waits for no other. What does not depend on the program comes before the loop.
//
// Where programs take unequal times, because a loop's bounds depend on the program, the CTAs take every
// second round in reverse order. With the longest programs first, each CTA then has about as much to do as
// the others:
//
//    CTA 0: programs 0, 7, 8      CTA 1: 1, 6, 9      CTA 2: 2, 5, 10      CTA 3: 3, 4, 11
#include "compiler/analysis/kernel_form.h"
#include "compiler/transforms/passes.h"
#include "dialects/tile/launch_attributes.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace tile::ir {
#define GEN_PASS_DEF_TILEGPULOOPOVERPROGRAMS
#include "compiler/transforms/passes.h.inc"

namespace {

// Whether how long a program takes depends on which one it is.
bool areUneven(func::FuncOp kernel) {
  SmallVector<Value> open;
  kernel.walk([&](scf::ForOp loop) { open.append({loop.getLowerBound(), loop.getUpperBound()}); });
  llvm::SmallDenseSet<Operation *> seen;
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (isa<ProgramIdOp>(op))
      return true;
    llvm::append_range(open, op->getOperands());
  }
  return false;
}

// The number of the program that a CTA takes as its number `n` in turn: every second round of programs, if
// all CTAs have one in it, is in reverse order.
Value inReverse(ImplicitLocOpBuilder &b, Value n, Value first, Value step, Value total) {
  auto number = [&](int64_t value) -> Value { return arith::ConstantIntOp::create(b, value, 32); };
  Value begin = arith::SubIOp::create(b, n, first), round = arith::DivUIOp::create(b, begin, step);
  Value isOdd = arith::TruncIOp::create(b, b.getI1Type(), round);
  Value end = arith::AddIOp::create(b, begin, step);
  Value isWhole = arith::CmpIOp::create(b, arith::CmpIPredicate::ule, end, total);
  Value reversed = arith::SubIOp::create(b, arith::SubIOp::create(b, end, first), number(1));
  return arith::SelectOp::create(b, arith::AndIOp::create(b, isOdd, isWhole), reversed, n);
}

scf::ForOp loopOverPrograms(func::FuncOp kernel) {
  Block &body = kernel.getBody().front();
  Operation *end = body.getTerminator();
  // What all programs share stays where it is.
  llvm::SetVector<Operation *> early;
  auto isEarly = [&](Value v) { return isa<BlockArgument>(v) || early.contains(v.getDefiningOp()); };
  auto isTile = [](Type type) { return isa<RankedTensorType>(type); };
  for (Operation &op : body.without_terminator())
    if (op.getNumRegions() == 0 && !isa<ProgramIdOp>(op) && llvm::none_of(op.getResultTypes(), isTile) &&
        (isMemoryEffectFree(&op) || isa<AssertOp>(op)) && llvm::all_of(op.getOperands(), isEarly))
      early.insert(&op);

  const bool isUneven = areUneven(kernel);
  ImplicitLocOpBuilder b(kernel.getLoc(), end);
  Value extents[3];
  for (unsigned axis = 0; axis < 3; ++axis)
    extents[axis] = NumProgramsOp::create(b, b.getI32Type(), Axis(axis));
  Value plane = arith::MulIOp::create(b, extents[0], extents[1]);
  Value total = arith::MulIOp::create(b, plane, extents[2]);
  Value first = gpu::CtaIdOp::create(b, b.getI32Type()), step = gpu::CtaCountOp::create(b, b.getI32Type());
  auto loop = scf::ForOp::create(b, first, total, step, ValueRange(), nullptr, /*unsignedCmp=*/true);
  Operation *yield = loop.getBody()->getTerminator();
  for (Operation &op : llvm::make_early_inc_range(llvm::make_range(body.begin(), Block::iterator(loop))))
    if (!early.contains(&op) &&
        !llvm::is_contained({extents[0].getDefiningOp(), extents[1].getDefiningOp(),
                             extents[2].getDefiningOp(), plane.getDefiningOp(), total.getDefiningOp(),
                             first.getDefiningOp(), step.getDefiningOp()},
                            &op))
      op.moveBefore(yield);

  // Numbers of programs are small: a launch has fewer than 2^31.
  b.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar();
  if (isUneven)
    number = inReverse(b, number, first, step, total);
  auto known = [&](Value v) -> Value {
    return AssumeOp::create(b, v.getType(), v, IntegerAttr(), IntegerAttr(), IntegerAttr(),
                            b.getDenseI64ArrayAttr({0, std::numeric_limits<int32_t>::max() - 1}));
  };
  Value ids[3];
  SmallVector<ProgramIdOp> found;   // the first one is where the builder stands
  loop.walk([&](ProgramIdOp id) { found.push_back(id); });
  for (ProgramIdOp id : found) {
    auto axis = static_cast<unsigned>(id.getAxis());
    if (!ids[axis]) {
      Value v = number;
      if (axis == 1)
        v = arith::DivUIOp::create(b, v, extents[0]);
      else if (axis == 2)
        v = arith::DivUIOp::create(b, v, plane);
      if (axis != 2)
        v = arith::RemUIOp::create(b, v, extents[axis]);
      ids[axis] = known(v);
    }
    id.replaceAllUsesWith(ids[axis]);
  }
  for (ProgramIdOp id : found)
    id.erase();
  loop->setAttr(gpu::ProgramsName, b.getUnitAttr());
  return loop;
}

// Whether a loop of the kernel itself is the one whose iterations two roles take in turn.
bool hasLoopInTurn(func::FuncOp kernel) {
  return kernel
      .walk([](scf::ForOp loop) {
        return loop->hasAttr(gpu::InTurnName) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

struct LoopOverPrograms : impl::TileGpuLoopOverProgramsBase<LoopOverPrograms> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    auto plan = kernel->getAttrOfType<gpu::PlanAttr>(gpu::PlanName);
    if (kernel.isExternal() || !(plan || numCtas(kernel) > 1))
      return;
    if (failed(checkTiles(kernel)))
      return signalPassFailure();
    const bool isInTurn = plan && plan.getInTurn() && !hasLoopInTurn(kernel);
    scf::ForOp programs = loopOverPrograms(kernel);
    if (isInTurn)
      programs->setAttr(gpu::InTurnName, UnitAttr::get(&getContext()));
  }
};

}   // namespace
}   // namespace tile::ir
