// SPDX-License-Identifier: MIT
#include "mutation.h"

#include "compiler/launch_facts.h"
#include "dialects/tile_gpu/tensor_map_ops.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <map>

using namespace mlir;

namespace tile::simulator {
namespace {

bool isAccess(Operation *op) {
  auto isShared = [](Value pointer) {
    return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() == 3;
  };
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return isShared(load.getAddr());
  if (auto store = dyn_cast<LLVM::StoreOp>(op))
    return isShared(store.getAddr());
  return isa<NVVM::LdMatrixOp, NVVM::StMatrixOp, NVVM::CpAsyncOp>(op);
}

// The value at another place, where what computes it is made again; null where it cannot be.
Value availableAt(Value value, OpBuilder &b, Operation *place, const DominanceInfo &dominance) {
  if (dominance.properlyDominates(value, place))
    return value;
  Operation *op = value.getDefiningOp();
  if (!op || !isPure(op) || op->getNumResults() != 1 || op->getNumRegions())
    return {};
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(availableAt(operand, b, place, dominance));
    if (!operands.back())
      return {};
  }
  Operation *again = b.clone(*op);
  again->setOperands(operands);
  return again->getResult(0);
}

// The last operation of these kinds that every path to `op` passes; null if there is no such operation.
template <class... Kinds> Operation *lastBefore(Operation *op, DominanceInfo &dominance) {
  auto *node = dominance.getNode(op->getBlock());
  for (Operation *from = op->getPrevNode(); node; from = node ? &node->getBlock()->back() : nullptr) {
    for (; from; from = from->getPrevNode())
      if (isa<Kinds...>(from))
        return from;
    node = node->getIDom();
  }
  return nullptr;
}

// An arrival for all lanes of a warp has a block of its own, which one of them goes to.
LLVM::CondBrOp branchAround(NVVM::MBarrierArriveOp arrival) {
  Block *before = arrival->getBlock()->getSinglePredecessor();
  auto branch = before ? dyn_cast<LLVM::CondBrOp>(before->getTerminator()) : LLVM::CondBrOp();
  return branch && branch.getTrueDest() == arrival->getBlock() ? branch : LLVM::CondBrOp();
}

// A cursor's way to the next slot: `next = up ends a round ? up ^ (slots | parity) : up`, `up = cursor + 1`.
struct CursorStep {
  LLVM::SelectOp next;
  LLVM::XOrOp first;
  LLVM::AddOp up;
  std::int64_t xored = 0;   // the slots, and the parity's bit

  static CursorStep of(Operation *op) {
    auto next = dyn_cast<LLVM::SelectOp>(op);
    auto first = next ? next.getTrueValue().getDefiningOp<LLVM::XOrOp>() : LLVM::XOrOp();
    auto up = first ? first.getLhs().getDefiningOp<LLVM::AddOp>() : LLVM::AddOp();
    APInt xored;
    if (!up || next.getFalseValue() != up.getResult() ||
        !matchPattern(first.getRhs(), m_ConstantInt(&xored)) || !xored[parityBit])
      return {};
    return {next, first, up, xored.getSExtValue()};
  }
  static constexpr unsigned parityBit = 16;
};

// The mistakes are counted off; the one whose turn it is happens.
class Mistakes {
 public:
  Mistakes(unsigned number, Mistake &made, std::string only, mlir::Location place)
      : left_(number), made_(made), only_(std::move(only)), place_(place) {}

  // Whether one has happened.
  bool at(Operation *op) {
    place_ = op->getLoc();
    if (atHopper(op))
      return true;
    if (isa<NVVM::Barrier0Op>(op))
      return ordering(op, "no barrier", "barrier one access too late", "barrier one access too early");
    if (auto wait = dyn_cast<NVVM::CpAsyncWaitGroupOp>(op)) {
      if (turn("waits for one group less")) {
        wait.setN(wait.getN() + 1);
        return true;
      }
      return late<NVVM::Barrier0Op>(op, "waits behind the barrier") || dropped(op, "no wait");
    }
    if (isa<NVVM::CpAsyncCommitGroupOp>(op))
      return early<NVVM::CpAsyncOp>(op, "commits too early") || dropped(op, "no commit");
    if (auto shuffle = dyn_cast<NVVM::ShflOp>(op);
        shuffle && shuffle.getType() == shuffle.getVal().getType() && turn("no shuffle")) {
      shuffle.getResult().replaceAllUsesWith(shuffle.getVal());
      shuffle.erase();
      return true;
    }
    if (auto store = dyn_cast<LLVM::StoreOp>(op); store && isAccess(store))
      return shifted(store.getAddrMutable(), "a store goes to another place");
    if (auto copy = dyn_cast<NVVM::CpAsyncOp>(op))
      return shifted(copy.getDstMutable(), "a copy goes to another place");
    if (auto matrix = dyn_cast<NVVM::LdMatrixOp>(op))
      return shifted(matrix.getPtrMutable(), "a matrix is read at another place");
    if (auto matrix = dyn_cast<NVVM::StMatrixOp>(op))
      return shifted(matrix.getPtrMutable(), "a store goes to another place");
    return false;
  }

 private:
  bool turn(const char *kind) {
    if (!only_.empty() && only_ != kind)
      return false;
    const tile::Location at = placeOf(place_);
    const std::string line = at.file.substr(at.file.rfind('/') + 1) + ":" + std::to_string(at.line);
    const unsigned which = ++earlier_[kind + line];
    if (left_ > 0) {
      --left_;
      return false;
    }
    made_ = {kind, line + ", " + std::to_string(which)};
    return true;
  }

  // What orders asynchronous operations.
  bool atHopper(Operation *op) {
    if (auto barrier = dyn_cast<NVVM::BarrierOp>(op))
      return atOthers(barrier) ||
             changed(barrier.getNumberOfThreadsMutable(), -32, "a named barrier of a warp less") ||
             dropped(op, "no named barrier");
    if (auto wait = dyn_cast<NVVM::MBarrierTryWaitParityOp>(op)) {
      if (turn("waits for the other parity")) {
        OpBuilder b(op);
        Value one = LLVM::ConstantOp::create(b, op->getLoc(), b.getI32Type(), 1);
        wait.getPhaseMutable().assign(LLVM::XOrOp::create(b, op->getLoc(), wait.getPhase(), one));
        return true;
      }
      return atNext(wait.getAddrMutable(), "waits at the next barrier") ||
             late<NVVM::MBarrierArriveExpectTxOp, NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp,
                  gpu::PtxWgmmaOp>(op, "mbarrier wait comes too late") ||
             dropped(op, "no mbarrier wait");
    }
    if (auto arrival = dyn_cast<NVVM::MBarrierArriveOp>(op)) {
      if (turn("arrives twice")) {
        OpBuilder(op).clone(*op);
        return true;
      }
      return atNext(arrival.getAddrMutable(), "arrives at the next barrier") ||
             arrivesBefore<gpu::PtxWgmmaWaitOp>(arrival, "arrives before products are over") ||
             arrivesBehind<NVVM::MBarrierTryWaitParityOp>(arrival, "arrives once it has waited") ||
             unguarded(arrival) || dropped(op, "no arrival");
    }
    if (auto init = dyn_cast<NVVM::MBarrierInitOp>(op))
      return changedBy(init.getCountMutable(), 1, "expects one arrival more") ||
             (!matchPattern(init.getCount(), m_One()) &&
              changedBy(init.getCountMutable(), -1, "expects one arrival less")) ||
             dropped(op, "no init");
    if (CursorStep step = CursorStep::of(op); step.next) {
      if (turn("a cursor keeps its parity")) {
        OpBuilder b(step.first);
        step.first->setOperand(
            1, LLVM::ConstantOp::create(b, op->getLoc(), step.first.getType(),
                                        step.xored & ~(std::int64_t(1) << CursorStep::parityBit)));
        return true;
      }
      if (turn("a cursor is not moved on")) {
        step.next.getResult().replaceAllUsesWith(step.up.getLhs());
        return true;
      }
      return false;
    }
    if (auto arrival = dyn_cast<NVVM::MBarrierArriveExpectTxOp>(op)) {
      if (turn("announces other bytes")) {
        OpBuilder b(op);
        Value less = LLVM::ConstantOp::create(b, op->getLoc(), b.getI32Type(), 128);
        arrival.getTxcountMutable().assign(LLVM::SubOp::create(b, op->getLoc(), arrival.getTxcount(), less));
        return true;
      }
      return dropped(op, "announces nothing");
    }
    if (auto wait = dyn_cast<gpu::PtxWgmmaWaitOp>(op); wait && turn("waits for one product less")) {
      wait.setPending(wait.getPending() + 1);
      return true;
    }
    if (auto product = dyn_cast<gpu::PtxWgmmaOp>(op); product && turn("multiplies by another operand")) {
      OpBuilder b(op);
      Value next = LLVM::ConstantOp::create(b, op->getLoc(), b.getI64Type(), 2);
      product.getBMutable().assign(LLVM::AddOp::create(b, op->getLoc(), product.getB(), next));
      return true;
    }
    if (auto wait = dyn_cast<NVVM::CpAsyncBulkWaitGroupOp>(op)) {
      if (turn("waits for one store less")) {
        wait.setGroup(wait.getGroup() + 1);
        return true;
      }
      return dropped(op, "no wait for stores");
    }
    if (auto grids = dyn_cast<NVVM::GriddepcontrolOp>(op);
        grids && grids.getKind() == NVVM::GridDepActionKind::wait)
      return late<LLVM::LoadOp, LLVM::StoreOp, gpu::PtxLoadOp, gpu::PtxStoreOp, NVVM::CpAsyncOp,
                  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp>(op, "waits for earlier kernels too late") ||
             dropped(op, "no wait for earlier kernels");
    if (auto replace = dyn_cast<gpu::PtxMapReplaceOp>(op);
        replace && replace.getDimension() && turn("replaces another dimension")) {
      replace.setDimension(*replace.getDimension() ^ 1);
      return true;
    }
    return (isa<gpu::PtxMapReplaceOp>(op) && dropped(op, "a field is not replaced")) ||
           (isa<gpu::PtxMapPublishOp>(op) && dropped(op, "a map is not published")) ||
           (isa<NVVM::FenceProxyAcquireOp, NVVM::FenceProxyReleaseOp>(op) &&
            dropped(op, "no fence of maps")) ||
           (isa<NVVM::FenceProxyOp>(op) && dropped(op, "no proxy fence")) ||
           (isa<NVVM::FenceMbarrierInitOp>(op) && dropped(op, "no init fence")) ||
           (isa<NVVM::WgmmaFenceAlignedOp>(op) && dropped(op, "no wgmma fence")) ||
           (isa<NVVM::SyncWarpOp>(op) && dropped(op, "lanes do not meet")) ||
           (isa<NVVM::WgmmaGroupSyncAlignedOp, NVVM::CpAsyncBulkCommitGroupOp>(op) &&
            dropped(op, "no commit"));
  }
  // At that of another role, where there is one.
  bool atOthers(NVVM::BarrierOp barrier) {
    auto idOf = [](NVVM::BarrierOp op) {
      APInt id;
      return op.getBarrierId() && matchPattern(op.getBarrierId(), m_ConstantInt(&id)) ? id.getSExtValue() : 0;
    };
    std::int64_t others = 0;
    barrier->getParentOfType<LLVM::LLVMFuncOp>().walk([&](NVVM::BarrierOp op) {
      if (idOf(op) && idOf(op) != idOf(barrier))
        others = idOf(op);
    });
    return others && changed(barrier.getBarrierIdMutable(), static_cast<int>(others - idOf(barrier)),
                             "a named barrier of others");
  }
  bool changedBy(OpOperand &number, int by, const char *what) {
    if (!turn(what))
      return false;
    OpBuilder b(number.getOwner());
    Value other = LLVM::ConstantOp::create(b, number.getOwner()->getLoc(), number.get().getType(), by);
    number.set(LLVM::AddOp::create(b, number.getOwner()->getLoc(), number.get(), other));
    return true;
  }
  bool changed(MutableOperandRange number, int by, const char *what) {
    return !number.empty() && changedBy(number[0], by, what);
  }
  template <class... Kinds> bool arrivesBefore(NVVM::MBarrierArriveOp arrival, const char *what) {
    LLVM::CondBrOp branch = branchAround(arrival);
    DominanceInfo dominance(arrival->getParentOp());
    Operation *place = branch ? lastBefore<Kinds...>(branch, dominance) : nullptr;
    return place && arrives(arrival, branch, place, dominance, what);
  }
  template <class... Kinds> bool arrivesBehind(NVVM::MBarrierArriveOp arrival, const char *what) {
    LLVM::CondBrOp branch = branchAround(arrival);
    DominanceInfo dominance(arrival->getParentOp());
    Operation *place = branch ? lastBefore<Kinds...>(branch, dominance) : nullptr;
    return place && arrives(arrival, branch, place->getNextNode(), dominance, what);
  }
  // At another place than its own, where the same lane does.
  bool arrives(NVVM::MBarrierArriveOp arrival, LLVM::CondBrOp branch, Operation *place,
               const DominanceInfo &dominance, const char *what) {
    OpBuilder b(place);
    Value condition = availableAt(branch.getCondition(), b, place, dominance);
    Value address = availableAt(arrival.getAddr(), b, place, dominance);
    if (!condition || !address || !turn(what))
      return false;
    Block *before = place->getBlock(), *behind = before->splitBlock(place);
    Block *own = b.createBlock(behind);
    arrival->moveBefore(own, own->end());
    arrival.getAddrMutable().assign(address);
    LLVM::BrOp::create(b, arrival.getLoc(), behind);
    b.setInsertionPointToEnd(before);
    LLVM::CondBrOp::create(b, arrival.getLoc(), condition, own, behind);
    return true;
  }
  // What has not been leased yet is released.
  bool unguarded(NVVM::MBarrierArriveOp arrival) {
    LLVM::CondBrOp branch = branchAround(arrival);
    auto both = branch ? branch.getCondition().getDefiningOp<LLVM::AndOp>() : LLVM::AndOp();
    if (!both || !turn("releases what is not leased"))
      return false;
    branch.getConditionMutable().assign(both.getLhs());
    return true;
  }
  // Of the next slot, or of the other kind.
  bool atNext(OpOperand &barrier, const char *what) {
    if (!turn(what))
      return false;
    OpBuilder b(barrier.getOwner());
    Value pointer = barrier.get();
    barrier.set(LLVM::GEPOp::create(b, barrier.getOwner()->getLoc(), pointer.getType(), b.getI8Type(),
                                    pointer, ArrayRef<LLVM::GEPArg>{8}));
    return true;
  }
  // Behind the next operation of these kinds in its block; before the last one.
  template <class... Kinds> bool late(Operation *op, const char *what) {
    for (Operation *next = op->getNextNode(); next && !next->hasTrait<OpTrait::IsTerminator>();
         next = next->getNextNode())
      if (isa<Kinds...>(next)) {
        if (!turn(what))
          return false;
        op->moveAfter(next);
        return true;
      }
    return false;
  }
  template <class... Kinds> bool early(Operation *op, const char *what) {
    for (Operation *before = op->getPrevNode(); before; before = before->getPrevNode())
      if (isa<Kinds...>(before)) {
        if (!turn(what))
          return false;
        Operation *address = op->getNumOperands() ? op->getOperand(0).getDefiningOp() : nullptr;
        if (address && address->getBlock() == op->getBlock() && before->isBeforeInBlock(address))
          address->moveBefore(before);
        op->moveBefore(before);
        return true;
      }
    return false;
  }
  bool dropped(Operation *op, const char *what) {
    if (!op->use_empty() || !turn(what))
      return false;
    op->erase();
    return true;
  }
  bool ordering(Operation *op, const char *none, const char *late, const char *early) {
    if (dropped(op, none))
      return true;
    for (Operation *next = op->getNextNode(); next && !next->hasTrait<OpTrait::IsTerminator>();
         next = next->getNextNode())
      if (isAccess(next)) {
        if (turn(late)) {
          op->moveAfter(next);
          return true;
        }
        break;
      }
    for (Operation *before = op->getPrevNode(); before; before = before->getPrevNode())
      if (isAccess(before)) {
        if (turn(early)) {
          op->moveBefore(before);
          return true;
        }
        break;
      }
    return false;
  }
  // By 16 bytes, as a swizzle that one side does not know would.
  bool shifted(OpOperand &address, const char *what) {
    if (++shifts_[what] > 4 || !turn(what))   // of many alike, some will do
      return false;
    Operation *op = address.getOwner();
    OpBuilder b(op);
    Value pointer = address.get();
    address.set(LLVM::GEPOp::create(b, op->getLoc(), pointer.getType(), b.getI8Type(), pointer,
                                    ArrayRef<LLVM::GEPArg>{16}));
    return true;
  }

  unsigned left_;
  Mistake &made_;
  std::string only_;
  mlir::Location place_;   // of the operation that is looked at
  std::map<std::string, unsigned> earlier_, shifts_;
};

}   // namespace

Alteration mistake(unsigned number, Mistake &made, const std::string &only) {
  made = {};
  return [number, &made, only](Operation *module) {
    Mistakes mistakes(number, made, only, module->getLoc());
    SmallVector<Operation *> ops;
    module->walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      if (mistakes.at(op))
        return;
  };
}

}   // namespace tile::simulator
