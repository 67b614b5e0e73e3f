// SPDX-License-Identifier: MIT
// `tile-gpu-choose-barriers`: which barrier of the machine makes the threads of a group wait for each other.
//
//    all threads of the CTA     the CTA's barrier, number 0
//    one warp                   the warp's own
//    other groups of warps      a named barrier for each group, from number 1 on
//
// Two groups never share a number, for they could meet at it at the same time.
//
// A meeting for shared memory alone is left away where its threads have not touched any since they last met,
// or since the kernel began: the first of two exchanges waits for nobody.
//
//    sync shared      left away
//    store to shared
//    sync             stays: the store is to be seen
//    load from shared
#include "compiler/lowering/passes.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tile::gpu {

#define GEN_PASS_DEF_TILEGPUCHOOSEBARRIERS
#include "compiler/lowering/passes.h.inc"

namespace {

constexpr size_t LastNumber = 15;   // of the machine's barriers

// Warps that meet.
struct Group {
  int64_t first = 0, count = 0;   // none: all of the CTA
  static Group of(SyncOp sync) {
    return sync.getWarps() ? Group{*sync.getFirstWarp(), *sync.getWarps()} : Group{};
  }
  bool contains(const Group &other) const {
    return count == 0 ||
           (other.count != 0 && first <= other.first && other.first + other.count <= first + count);
  }
};

// The meetings that order nothing. A kernel's threads have met when it begins.
class NeedlessSyncs {
 public:
  explicit NeedlessSyncs(func::FuncOp kernel) {
    if (kernel.isExternal())
      return;
    Met met = Group();
    go(kernel.getBody().front(), met);
  }
  bool contains(SyncOp sync) const { return found_.contains(sync); }

 private:
  // The last group to meet of which this thread is one, where nobody has touched shared memory since.
  using Met = std::optional<Group>;

  static Met merged(const Met &a, const Met &b) {
    if (!a || !b)
      return std::nullopt;
    return a->contains(*b) ? b : b->contains(*a) ? a : std::nullopt;
  }
  static bool same(const Met &a, const Met &b) {
    return a.has_value() == b.has_value() && (!a || (a->contains(*b) && b->contains(*a)));
  }

  // The last time that an op is visited `met` is what holds on all paths.
  void go(Block &block, Met &met) {
    for (Operation &op : block)
      TypeSwitch<Operation *>(&op)
          .Case([&](scf::IfOp branch) {
            Met other = met;
            go(*branch.thenBlock(), met);
            if (branch.elseBlock())
              go(*branch.elseBlock(), other);
            met = merged(met, other);
          })
          .Case([&](scf::ForOp loop) { goAround(met, [&](Met &at) { go(*loop.getBody(), at); }); })
          .Case([&](scf::WhileOp loop) {
            Met end;
            goAround(met, [&](Met &at) {
              go(*loop.getBeforeBody(), at);
              end = at;
              go(*loop.getAfterBody(), at);
            });
            met = end;
          })
          .Case([&](NVVM::ClusterWaitOp) { met = Group(); })   // of all threads of the cluster
          .Case([&](SyncOp sync) {
            bool needless = sync.getShared() && met && met->contains(Group::of(sync));
            if (needless)
              found_.insert(sync);
            else
              found_.erase(sync);
            if (!needless)
              met = Group::of(sync);
          })
          .Default([&](Operation *op) {
            for (Region &region : op->getRegions())
              for (Block &inside : region) {
                Met unknown;
                go(inside, unknown);
              }
            if (op->getNumRegions() != 0 || touchesShared(op))
              met.reset();
          });
  }

  static void goAround(Met &met, function_ref<void(Met &)> body) {
    for (;;) {
      Met end = met;
      body(end);
      Met both = merged(met, end);
      if (same(both, met))
        return;
      met = both;
    }
  }

  // Everything that is not known to leave it alone.
  static bool touchesShared(Operation *op) {
    return !isMemoryEffectFree(op) && !op->hasTrait<OpTrait::IsTerminator>() &&
           !isa<LoadGlobalOp, StoreGlobalOp, NVVM::ShflOp, LLVM::FenceOp, NVVM::ClusterArriveRelaxedOp>(op);
  }

  DenseSet<Operation *> found_;
};

struct ChooseBarriers : impl::TileGpuChooseBarriersBase<ChooseBarriers> {
  void runOnOperation() override {
    SmallVector<SyncOp> syncs;
    getOperation().walk([&](SyncOp sync) { syncs.push_back(sync); });
    llvm::MapVector<std::pair<unsigned, unsigned>, size_t> numbers;   // by first warp and warps
    NeedlessSyncs needless(getOperation());
    for (SyncOp sync : syncs) {
      if (needless.contains(sync)) {
        sync.erase();
        continue;
      }
      ImplicitLocOpBuilder b(sync.getLoc(), sync);
      auto number = [&](int64_t value) -> Value { return arith::ConstantIntOp::create(b, value, 32); };
      if (!sync.getWarps()) {
        NVVM::Barrier0Op::create(b);
      } else if (*sync.getWarps() == 1) {
        NVVM::SyncWarpOp::create(b, number(-1));
      } else {
        size_t next = numbers.size() + 1;
        size_t id = numbers.try_emplace({*sync.getFirstWarp(), *sync.getWarps()}, next).first->second;
        if (id > LastNumber) {
          sync.emitError("needs a barrier for one more group of warps, and a CTA has only ")
              << LastNumber << " named barriers";
          return signalPassFailure();
        }
        Value barrier = number(static_cast<int64_t>(id)), threads = number(32 * int64_t(*sync.getWarps()));
        NVVM::BarrierOp::create(b, TypeRange(), barrier, threads, NVVM::BarrierReductionAttr(), Value());
      }
      sync.erase();
    }
  }
};

}   // namespace
}   // namespace tile::gpu
