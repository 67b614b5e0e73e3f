// SPDX-License-Identifier: MIT
// `tile-gpu-pipeline-loops`: the copies of a loop run ahead of its products.
//
// A loop whose body fills and reads one slot of a channel,
//
//    for i { pointers; acquire; copy; commit; wait; read; release; dot }
//
// becomes, with S slots and D = S - 1 iterations ahead:
//
//    for s in 0 .. D-1 { pointers(s); acquire; copy if s < trips; commit }       unrolled, before the loop
//    for i { wait; pointers(i + D); acquire; copy if i + D < trips; commit; read; release; dot }
//
// What the copies' pointers and masks are computed from, their slice, is computed twice: D iterations ahead
// for the copies, and where it was for whoever else uses it. Values that the loop carries and the slice reads
// are carried twice, too. A slice that reads memory or shared state stays as it is.
#include "compiler/analysis/trip_count.h"
#include "compiler/transforms/passes.h"
#include "dialects/tile/launch_attributes.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tile::ir {
#define GEN_PASS_DEF_TILEGPUPIPELINELOOPS
#include "compiler/transforms/passes.h.inc"
}   // namespace tile::ir

namespace tile {
namespace {

class Pipelining {
 public:
  Pipelining(scf::ForOp loop, gpu::ChannelOp channel, int64_t slots)
      : loop_(loop), channel_(channel), slots_(slots), ahead_(slots - 1),
        b_(loop.getLoc(), loop.getContext()) {}

  bool run() {
    if (writesMemory())
      return false;
    for (Operation &op : *loop_.getBody())
      if (isa<gpu::AcquireOp, gpu::CopyOp, gpu::CommitOp>(op) &&
          op.getOperand(channelOperand(&op)) == channel_)
        producer_.push_back(&op);
    for (Operation *op : producer_)
      for (Value operand : op->getOperands())
        if (!addToSlice(operand))
          return false;
    rewrite();
    return true;
  }

 private:
  // A loop that stores may store what a later iteration loads.
  bool writesMemory() {
    return loop_
        .walk([](Operation *op) {
          bool harmless = op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() || isMemoryEffectFree(op) ||
                          isa<gpu::TileGpuDialect>(op->getDialect()) ||
                          hasSingleEffect<MemoryEffects::Read>(op);
          return harmless ? WalkResult::advance() : WalkResult::interrupt();
        })
        .wasInterrupted();
  }

  static unsigned channelOperand(Operation *op) { return isa<gpu::CopyOp>(op) ? 1 : 0; }

  // Whether the value can be computed ahead. Ops come in program order in the end.
  bool addToSlice(Value v) {
    if (auto argument = dyn_cast<BlockArgument>(v)) {
      if (argument.getOwner() != loop_.getBody() || argument == loop_.getInductionVar())
        return true;
      if (!carried_.insert(argument))
        return true;
      return addToSlice(loop_.getYieldedValues()[argument.getArgNumber() - 1]);
    }
    Operation *op = v.getDefiningOp();
    if (op->getBlock() != loop_.getBody() || slice_.contains(op))
      return true;
    if (!isMemoryEffectFree(op) || op->getNumRegions() != 0 || isa<ir::DotOp>(op))
      return false;
    slice_.insert(op);
    return llvm::all_of(op->getOperands(), [&](Value operand) { return addToSlice(operand); });
  }

  Value integer(Type type, int64_t value) {
    return arith::ConstantOp::create(b_, b_.getIntegerAttr(type, value));
  }

  // The producer's ops for one iteration: `map` knows the induction variable and the carried values, and
  // afterwards the carried values of the next iteration.
  void produce(IRMapping &map, Value slot, Value condition, bool first) {
    for (Operation &op : loop_.getBody()->without_terminator())
      if (slice_.contains(&op))
        b_.clone(op, map);
    for (Operation *op : producer_) {
      Operation *copy = b_.clone(*op, map);
      if (auto step = dyn_cast<gpu::CopyOp>(copy)) {
        step.getSlotMutable().assign(slot);
        step.getConditionMutable().assign(condition);
      } else {
        copy->setOperand(1, slot);
        if (auto acquire = dyn_cast<gpu::AcquireOp>(copy))
          acquire.setFirst(first);
      }
    }
    SmallVector<Value> next;
    for (BlockArgument argument : carried_)
      next.push_back(map.lookupOrDefault(loop_.getYieldedValues()[argument.getArgNumber() - 1]));
    for (auto [argument, value] : llvm::zip(carried_, next))
      map.map(argument, value);
  }

  void rewrite() {
    // More slots: the type of the channel says so.
    auto type = channel_.getChannel().getType();
    channel_.getChannel().setType(gpu::ChannelType::get(type.getContext(), slots_, type.getTiles()));

    Type counter = loop_.getInductionVar().getType();
    b_.setInsertionPoint(loop_);
    Value trips =
        tripCount(b_, loop_.getLowerBound(), loop_.getUpperBound(), loop_.getStep(), loop_.getUnsignedCmp());
    IRMapping map;
    for (BlockArgument argument : carried_)
      map.map(argument, loop_.getInitArgs()[argument.getArgNumber() - 1]);
    for (int64_t s = 0; s < ahead_; ++s) {
      Value offset = arith::MulIOp::create(b_, loop_.getStep(), integer(counter, s));
      map.map(loop_.getInductionVar(), arith::AddIOp::create(b_, loop_.getLowerBound(), offset).getResult());
      Value runs = arith::CmpIOp::create(b_, arith::CmpIPredicate::ult, integer(counter, s), trips);
      // The loop may run again while other threads still read the last slots.
      produce(map, integer(b_.getI32Type(), s), runs, /*first=*/s == 0);
    }

    // Carried in addition: the producer's values, its iteration, the slot it fills and the one that is read.
    SmallVector<Value> inits(loop_.getInitArgs());
    for (BlockArgument argument : carried_)
      inits.push_back(map.lookup(argument));
    inits.push_back(integer(counter, ahead_));
    inits.push_back(integer(b_.getI32Type(), ahead_));
    inits.push_back(integer(b_.getI32Type(), 0));
    auto pipelined = scf::ForOp::create(b_, loop_.getLowerBound(), loop_.getUpperBound(), loop_.getStep(),
                                        inits, nullptr, loop_.getUnsignedCmp());
    pipelined->setDiscardableAttrs(loop_->getDiscardableAttrDictionary());
    fillBody(pipelined, trips);
    loop_.replaceAllUsesWith(pipelined.getResults().take_front(loop_.getNumResults()));
    loop_.erase();
  }

  void fillBody(scf::ForOp pipelined, Value trips) {
    Block *body = pipelined.getBody();
    // Without carried values the builder makes a terminator; there are always some here.
    unsigned own = loop_.getNumRegionIterArgs();
    auto arguments = pipelined.getRegionIterArgs();
    unsigned at = own;
    IRMapping consumer, producer;
    consumer.map(loop_.getInductionVar(), pipelined.getInductionVar());
    for (auto [old, fresh] : llvm::zip(loop_.getRegionIterArgs(), arguments.take_front(own)))
      consumer.map(old, fresh);
    for (BlockArgument argument : carried_)
      producer.map(argument, arguments[at++]);
    Value iteration = arguments[at++], fill = arguments[at++], now = arguments[at++];

    b_.setInsertionPointToEnd(body);
    Type counter = iteration.getType();
    bool produced = false;
    for (Operation &op : loop_.getBody()->without_terminator()) {
      if (llvm::is_contained(producer_, &op))
        continue;
      Operation *copy = b_.clone(op, consumer);
      if (auto wait = dyn_cast<gpu::WaitOp>(copy); wait && wait.getChannel() == channel_) {
        wait.setAhead(static_cast<uint32_t>(ahead_ - 1));
        wait.getSlotMutable().assign(now);
        Value offset = arith::MulIOp::create(b_, pipelined.getStep(), integer(counter, ahead_));
        producer.map(loop_.getInductionVar(),
                     arith::AddIOp::create(b_, pipelined.getInductionVar(), offset).getResult());
        Value runs = arith::CmpIOp::create(b_, arith::CmpIPredicate::ult, iteration, trips);
        // The slot was read in the iteration before; all threads have passed the wait since.
        produce(producer, fill, runs, /*first=*/false);
        produced = true;
      } else if (auto read = dyn_cast<gpu::ReadOp>(copy); read && read.getChannel() == channel_) {
        read.getSlotMutable().assign(now);
      } else if (auto release = dyn_cast<gpu::ReleaseOp>(copy); release && release.getChannel() == channel_) {
        release.getSlotMutable().assign(now);
      }
    }
    assert(produced && "a channel that is filled is waited for");
    (void)produced;
    SmallVector<Value> yields;
    for (Value v : loop_.getYieldedValues())
      yields.push_back(consumer.lookupOrDefault(v));
    for (BlockArgument argument : carried_)
      yields.push_back(producer.lookupOrDefault(argument));
    yields.push_back(arith::AddIOp::create(b_, iteration, integer(counter, 1)));
    yields.push_back(next(fill));
    yields.push_back(next(now));
    scf::YieldOp::create(b_, yields);
  }

  Value next(Value slot) {
    Value up = arith::AddIOp::create(b_, slot, integer(b_.getI32Type(), 1));
    Value wraps = arith::CmpIOp::create(b_, arith::CmpIPredicate::eq, up, integer(b_.getI32Type(), slots_));
    return arith::SelectOp::create(b_, wraps, integer(b_.getI32Type(), 0), up);
  }

  scf::ForOp loop_;
  gpu::ChannelOp channel_;
  int64_t slots_, ahead_;
  ImplicitLocOpBuilder b_;
  SmallVector<Operation *> producer_;
  llvm::SmallSetVector<Operation *, 16> slice_;
  llvm::SmallSetVector<BlockArgument, 4> carried_;
};

struct PipelineLoops : ir::impl::TileGpuPipelineLoopsBase<PipelineLoops> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    SmallVector<gpu::ChannelOp> channels;
    kernel.walk([&](gpu::ChannelOp channel) { channels.push_back(channel); });
    for (gpu::ChannelOp channel : channels) {
      auto loop = loopOf(channel);
      if (!loop)
        continue;
      if (unsigned slots = ir::numStages(loop); slots > 1)
        Pipelining(loop, channel, slots).run();
    }
  }

 private:
  // The loop around the channel's ops, where there is one.
  static scf::ForOp loopOf(gpu::ChannelOp channel) {
    Operation *user = *channel->user_begin();
    return dyn_cast<scf::ForOp>(user->getParentOp());
  }
};

}   // namespace
}   // namespace tile
