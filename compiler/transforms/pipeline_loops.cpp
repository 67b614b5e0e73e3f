// SPDX-License-Identifier: MIT
// `tile-gpu-pipeline-loops`: the copies of a loop run ahead of its products.
//
// A loop whose body fills and reads one slot of a channel,
//
//    for i { pointers; acquire; copy; commit; wait; view, read; release; dot }
//
// becomes, with S slots and D = S - 1 iterations ahead:
//
//    for s in 0 .. D-1 { pointers(s); acquire; copy if s < trips; commit }       unrolled, before the loop
//    for i { wait; pointers(i + D); acquire; copy if i + D < trips; commit; view, read; release; dot }
//    drain
//
// What the copies' pointers and masks are computed from, their slice, is computed twice: D iterations ahead
// for the copies, and where it was for whoever else uses it. Values that the loop carries and the slice reads
// are carried twice, too. A slice may load from global memory, as the number of a page that the copy's
// pointers need. Such a load asks `s < trips`, too. A slice that reads shared state stays as it is.
//
// A product that a matrix unit makes out of the slots goes on while the next one is waited for, where the
// loop does nothing else with its sums (products_in_flight.h): its slot is released an iteration later, and D
// is S - 2. All threads have met since.
//
// All channels of a loop are taken together, so that their first commits come in turn as those in the loop
// do: a wait then leaves as many of the other channels' copies on their way as it can.
#include "compiler/analysis/apart_buffers.h"
#include "compiler/analysis/kernel_form.h"
#include "compiler/analysis/matrix_products.h"
#include "compiler/analysis/trip_count.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/products_in_flight.h"
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

// One channel in a loop, and what fills it.
class Ring {
 public:
  Ring(scf::ForOp loop, gpu::ChannelOp channel) : channel(channel), loop_(loop) {}

  // Whether what fills the channel can run ahead of the loop.
  bool runsAhead() {
    for (Operation &op : *loop_.getBody()) {
      auto acquire = dyn_cast<gpu::AcquireOp>(op);
      if (!acquire || acquire.getChannel() != channel)
        continue;
      producer.push_back(acquire);
      for (Operation *next = acquire->getNextNode(); next; next = next->getNextNode())
        if (llvm::is_contained(next->getOperands(), acquire.getSlot()))
          producer.push_back(next);
    }
    for (auto wait : loop_.getOps<gpu::WaitOp>())
      if (wait.getChannel() == channel)
        producesBehind = productOf(wait) ? productOf(wait) : wait.getOperation();
    return !producer.empty() && llvm::all_of(producer, [&](Operation *op) {
      return llvm::all_of(op->getOperands(),
                          [&](Value operand) { return addToSlice(operand, isa<gpu::CopyOp>(op)); });
    });
  }

  gpu::ChannelOp channel;
  SmallVector<Operation *> producer;   // acquire, copies, commit
  // What the copies come behind in an iteration: the wait; or, where a matrix unit reads the slot by itself,
  // the product, which it makes while the threads copy.
  Operation *producesBehind = nullptr;
  llvm::SmallSetVector<Operation *, 16> slice;
  llvm::SmallSetVector<BlockArgument, 4> carried;   // of the loop's values those that the slice reads

 private:
  // The only product that reads the slot of a wait in shared memory, if the loop makes it in each iteration.
  Operation *productOf(gpu::WaitOp wait) {
    llvm::SmallSetVector<Operation *, 2> readers;
    SmallVector<Operation *> open(wait.getLease().getUsers());
    while (!open.empty()) {
      Operation *user = open.pop_back_val();
      if (isa<gpu::ViewOp, ir::PermuteOp>(user))
        llvm::append_range(open, user->getUsers());
      else if (!isa<gpu::ReleaseOp>(user))
        readers.insert(user);
    }
    auto dot = readers.size() == 1 ? dyn_cast<ir::DotOp>(readers.front()) : ir::DotOp();
    const bool isAsked =
        dot && dot->getBlock() == loop_.getBody() && readsSharedMemory(dot) && dot.getMaxImpreciseAcc() == 0;
    return isAsked ? dot.getOperation() : nullptr;
  }

  // Whether the value can be computed ahead. Ops come in program order in the end. Loads are for pointers and
  // masks of copies: tiles that threads load and then store would take registers for all slots.
  bool addToSlice(Value v, bool mayLoad) {
    if (auto argument = dyn_cast<BlockArgument>(v)) {
      if (argument.getOwner() != loop_.getBody() || argument == loop_.getInductionVar())
        return true;
      if (!carried.insert(argument))
        return true;
      return addToSlice(loop_.getYieldedValues()[argument.getArgNumber() - 1], mayLoad);
    }
    Operation *op = v.getDefiningOp();
    if (op->getBlock() != loop_.getBody() || slice.contains(op) || llvm::is_contained(producer, op))
      return true;
    auto load = dyn_cast<ir::LoadOp>(op);
    const bool isRepeatable = load ? mayLoad && !load.getIsVolatile() : isMemoryEffectFree(op);
    if (!isRepeatable || op->getNumRegions() != 0 || isa<ir::DotOp>(op))
      return false;
    slice.insert(op);
    return llvm::all_of(op->getOperands(), [&](Value operand) { return addToSlice(operand, mayLoad); });
  }

  scf::ForOp loop_;
};

class Pipelining {
 public:
  Pipelining(scf::ForOp loop, SmallVector<Ring, 2> rings, int64_t slots)
      : loop_(loop), rings_(std::move(rings)), slots_(slots), staysInFlight_(findInFlight()),
        ahead_(slots - (staysInFlight_ ? 2 : 1)), b_(loop.getLoc(), loop.getContext()) {}

  void run() {
    Type counter = loop_.getInductionVar().getType();
    b_.setInsertionPoint(loop_);
    Value trips =
        tripCount(b_, loop_.getLowerBound(), loop_.getUpperBound(), loop_.getStep(), loop_.getUnsignedCmp());
    SmallVector<IRMapping> maps(rings_.size());
    for (auto [ring, map] : llvm::zip(rings_, maps)) {
      // More slots: the type of the channel says so.
      auto type = ring.channel.getChannel().getType();
      ring.channel.getChannel().setType(
          gpu::ChannelType::get(type.getContext(), slots_, type.getTiles(), type.getBarriers()));
      for (BlockArgument argument : ring.carried)
        map.map(argument, loop_.getInitArgs()[argument.getArgNumber() - 1]);
    }
    for (int64_t s = 0; s < ahead_; ++s) {
      Value offset = arith::MulIOp::create(b_, loop_.getStep(), integer(counter, s));
      Value i = arith::AddIOp::create(b_, loop_.getLowerBound(), offset);
      Value runs = arith::CmpIOp::create(b_, arith::CmpIPredicate::ult, integer(counter, s), trips);
      Value at = cursor(s);
      for (auto [ring, map] : llvm::zip(rings_, maps)) {
        map.map(loop_.getInductionVar(), i);
        produce(ring, map, at, runs);
      }
    }

    // Carried in addition: the producers' values and their iteration, the slots that are filled and read.
    SmallVector<Value> inits(loop_.getInitArgs());
    for (auto [ring, map] : llvm::zip(rings_, maps))
      for (BlockArgument argument : ring.carried)
        inits.push_back(map.lookup(argument));
    inits.push_back(integer(counter, ahead_));
    inits.push_back(cursor(ahead_));
    inits.push_back(cursor(0));
    auto pipelined = scf::ForOp::create(b_, loop_.getLowerBound(), loop_.getUpperBound(), loop_.getStep(),
                                        inits, nullptr, loop_.getUnsignedCmp());
    pipelined->setDiscardableAttrs(loop_->getDiscardableAttrDictionary());
    for (Ring &ring : llvm::reverse(rings_))   // of what runs ahead, the last channel's is the youngest
      gpu::DrainOp::create(b_, ring.channel);
    fillBody(pipelined, trips);
    loop_.replaceAllUsesWith(pipelined.getResults().take_front(loop_.getNumResults()));
    loop_.erase();
    if (staysInFlight_)
      letGoOn(pipelined);
    else
      awaitLate(pipelined);
  }

 private:
  // Whether the only product of the loop reads the slots of its only ring, and may go on.
  bool findInFlight() {
    constexpr int64_t leastSlots = 3;
    if (slots_ < leastSlots || rings_.size() != 1)
      return false;
    SmallVector<ir::DotOp> dots;
    loop_.walk([&](ir::DotOp dot) { dots.push_back(dot); });
    auto ofRing = [&](gpu::AcquireOp acquire) { return acquire.getChannel() == rings_.front().channel; };
    // The loop releases what this iteration has waited for, and not what the one before has read.
    auto ofIteration = [&](gpu::ReleaseOp release) {
      auto wait = release.getLease().getDefiningOp<gpu::WaitOp>();
      return wait && wait->getBlock() == loop_.getBody();
    };
    auto releases = loop_.getOps<gpu::ReleaseOp>();
    return dots.size() == 1 && !releases.empty() && llvm::all_of(releases, ofIteration) &&
           dots.front()->getBlock() == loop_.getBody() && readsSharedMemory(dots.front()) &&
           isInShared(dots.front().getA()) && mayStayInFlight(dots.front(), loop_) &&
           llvm::all_of(loop_.getOps<gpu::AcquireOp>(), ofRing);
  }
  void letGoOn(scf::ForOp pipelined) {
    auto release = *pipelined.getOps<gpu::ReleaseOp>().begin();
    Value lease = release.getLease();
    release.erase();
    keepInFlight(b_, pipelined, *pipelined.getOps<ir::DotOp>().begin(), lease);
  }

  // What nobody looks at before the next iteration goes on beside all that this one does.
  static void awaitLate(scf::ForOp pipelined) {
    Block *body = pipelined.getBody();
    for (gpu::AwaitProductsOp wait : llvm::to_vector(body->getOps<gpu::AwaitProductsOp>())) {
      auto dot = wait.getSums().getDefiningOp<ir::DotOp>();
      Operation *last = body->getTerminator();
      if (!dot || !llvm::all_of(wait->getUsers(), [&](Operation *user) { return user == last; }))
        continue;
      wait->moveBefore(last);
      for (Value operand : {dot.getA(), dot.getB()}) {
        while (auto transposed = operand.getDefiningOp<ir::PermuteOp>())
          operand = transposed.getValue();
        if (auto view = operand.getDefiningOp<gpu::ViewOp>(); view && view->getBlock() == body)
          for (Operation *user : llvm::make_early_inc_range(view.getLease().getUsers()))
            if (isa<gpu::ReleaseOp>(user) && user->getBlock() == body)
              user->moveBefore(last);
      }
    }
  }

  Value integer(Type type, int64_t value) {
    return arith::ConstantOp::create(b_, b_.getIntegerAttr(type, value));
  }
  Value cursor(int64_t slot) {
    return gpu::CursorOp::create(b_, gpu::CursorType::get(b_.getContext(), slots_, /*parity=*/false),
                                 static_cast<uint32_t>(slot));
  }

  // There may be nothing at the address in an iteration that does not run.
  void loadOnlyIf(ir::LoadOp load, Value condition) {
    const OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPoint(load);
    Value mask = condition;
    if (Type type = ir::getConditionType(load.getPtr().getType()); type != condition.getType())
      mask = ir::SplatOp::create(b_, type, condition);
    if (load.getMask())
      mask = arith::AndIOp::create(b_, load.getMask(), mask);
    load.getMaskMutable().assign(mask);
  }

  // The producer's ops for one iteration: `map` knows the induction variable and the carried values, and
  // afterwards the carried values of the next iteration.
  void produce(const Ring &ring, IRMapping &map, Value at, Value condition) {
    for (Operation &op : loop_.getBody()->without_terminator())
      if (ring.slice.contains(&op))
        if (auto load = dyn_cast<ir::LoadOp>(b_.clone(op, map)))
          loadOnlyIf(load, condition);
    for (Operation *op : ring.producer) {
      Operation *step = b_.clone(*op, map);
      if (auto acquire = dyn_cast<gpu::AcquireOp>(step))
        acquire.getCursorMutable().assign(at);
      else if (auto copy = dyn_cast<gpu::CopyOp>(step))
        copy.getConditionMutable().assign(condition);
    }
    SmallVector<Value> next;
    for (BlockArgument argument : ring.carried)
      next.push_back(map.lookupOrDefault(loop_.getYieldedValues()[argument.getArgNumber() - 1]));
    for (auto [argument, value] : llvm::zip(ring.carried, next))
      map.map(argument, value);
  }

  void fillBody(scf::ForOp pipelined, Value trips) {
    Block *body = pipelined.getBody();
    // Without carried values the builder makes a terminator; there are always some here.
    unsigned own = loop_.getNumRegionIterArgs();
    auto arguments = pipelined.getRegionIterArgs();
    unsigned at = own;
    IRMapping consumer;
    SmallVector<IRMapping> producers(rings_.size());
    consumer.map(loop_.getInductionVar(), pipelined.getInductionVar());
    for (auto [old, fresh] : llvm::zip(loop_.getRegionIterArgs(), arguments.take_front(own)))
      consumer.map(old, fresh);
    for (auto [ring, producer] : llvm::zip(rings_, producers))
      for (BlockArgument argument : ring.carried)
        producer.map(argument, arguments[at++]);
    Value iteration = arguments[at++], fill = arguments[at++], now = arguments[at++];

    b_.setInsertionPointToEnd(body);
    Type counter = iteration.getType();
    for (Operation &op : loop_.getBody()->without_terminator()) {
      if (llvm::any_of(rings_, [&](const Ring &ring) { return llvm::is_contained(ring.producer, &op); }))
        continue;
      Operation *copy = b_.clone(op, consumer);
      for (auto [ring, producer] : llvm::zip(rings_, producers)) {
        if (auto wait = dyn_cast<gpu::WaitOp>(copy); wait && wait.getChannel() == ring.channel)
          wait.getCursorMutable().assign(now);
        if (&op != ring.producesBehind)
          continue;
        Value offset = arith::MulIOp::create(b_, pipelined.getStep(), integer(counter, ahead_));
        producer.map(loop_.getInductionVar(),
                     arith::AddIOp::create(b_, pipelined.getInductionVar(), offset).getResult());
        Value runs = arith::CmpIOp::create(b_, arith::CmpIPredicate::ult, iteration, trips);
        // The slot was read in an iteration before; all threads have passed the wait since.
        produce(ring, producer, fill, runs);
        if (auto dot = dyn_cast<ir::DotOp>(copy); dot && !staysInFlight_) {
          dot->setAttr(gpu::InFlightName, b_.getUnitAttr());
          consumer.map(op.getResult(0), gpu::AwaitProductsOp::create(b_, dot.getType(), dot).getResult());
        }
      }
    }
    SmallVector<Value> yields;
    for (Value v : loop_.getYieldedValues())
      yields.push_back(consumer.lookupOrDefault(v));
    for (auto [ring, producer] : llvm::zip(rings_, producers))
      for (BlockArgument argument : ring.carried)
        yields.push_back(producer.lookupOrDefault(argument));
    yields.push_back(arith::AddIOp::create(b_, iteration, integer(counter, 1)));
    yields.push_back(gpu::AdvanceOp::create(b_, fill.getType(), fill));
    yields.push_back(gpu::AdvanceOp::create(b_, now.getType(), now));
    scf::YieldOp::create(b_, yields);
  }

  scf::ForOp loop_;
  SmallVector<Ring, 2> rings_;
  int64_t slots_;
  bool staysInFlight_;
  int64_t ahead_;
  ImplicitLocOpBuilder b_;
};

// A loop that stores may store what a later iteration copies.
bool mayChangeCopies(scf::ForOp loop, ArrayRef<Ring> rings, const ApartBuffers &apart) {
  auto isApart = [&](Operation *op) {
    auto isNeverMet = [&](Operation *ahead) {
      return !isa<gpu::CopyOp, ir::LoadOp>(ahead) || apart.keepApart(ahead, op);
    };
    return llvm::all_of(rings, [&](const Ring &ring) {
      return llvm::all_of(ring.producer, isNeverMet) && llvm::all_of(ring.slice, isNeverMet);
    });
  };
  return loop
      .walk([&](Operation *op) {
        bool harmless = op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() || isMemoryEffectFree(op) ||
                        isa<gpu::TileGpuDialect>(op->getDialect()) ||
                        hasSingleEffect<MemoryEffects::Read>(op) || ir::isPromise(op);
        return harmless || isApart(op) ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

struct PipelineLoops : ir::impl::TileGpuPipelineLoopsBase<PipelineLoops> {
  void runOnOperation() override {
    if (failed(checkTiles(getOperation())))
      return signalPassFailure();
    const ApartBuffers apart(getOperation());
    SmallVector<gpu::ChannelOp> channels;
    getOperation().walk([&](gpu::ChannelOp channel) {
      if (!channel.getChannel().getType().getBarriers())   // else the producer is a role of its own
        channels.push_back(channel);
    });
    while (!channels.empty()) {   // a loop that is pipelined replaces those within it
      scf::ForOp loop = loopOf(channels.front());
      SmallVector<Ring, 2> rings;
      llvm::erase_if(channels, [&](gpu::ChannelOp channel) {
        if (loopOf(channel) != loop)
          return false;
        if (Ring ring(loop, channel); loop && ring.runsAhead())
          rings.push_back(std::move(ring));
        return true;
      });
      llvm::sort(rings, [](const Ring &a, const Ring &b) {   // the order in which the loop fills them
        return a.producer.front()->isBeforeInBlock(b.producer.front());
      });
      if (!rings.empty() && ir::numStages(loop) > 1 && !mayChangeCopies(loop, rings, apart))
        Pipelining(loop, std::move(rings), ir::numStages(loop)).run();
    }
  }

 private:
  // The loop around the channel's ops, where there is one.
  static scf::ForOp loopOf(gpu::ChannelOp channel) {
    return channel->use_empty() ? nullptr : dyn_cast<scf::ForOp>((*channel->user_begin())->getParentOp());
  }
};

}   // namespace
}   // namespace tile
