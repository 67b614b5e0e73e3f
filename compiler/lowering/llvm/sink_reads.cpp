// SPDX-License-Identifier: MIT
// `tile-gpu-sink-reads`: operands of matrix instructions are read from shared memory when they are needed.
//
// The distribution reads a whole slot before the product that uses it, which would take more registers than a
// thread has. A read moves down to the instruction that is one step of K before its first user, so that
// it arrives in time:
//
//    read k0, k1, k2; mma k0; mma k1; mma k2     becomes     read k0, k1; mma k0; read k2; mma k1; mma k2
//
// Reads do not pass what writes memory or waits for other threads.
#include "compiler/lowering/passes.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tile::gpu {

#define GEN_PASS_DEF_TILEGPUSINKREADS
#include "compiler/lowering/passes.h.inc"

namespace {

bool readsSharedMemory(Operation &op) {
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return cast<LLVM::LLVMPointerType>(load.getAddr().getType()).getAddressSpace() == 3 &&
           !load.getVolatile_();
  return isa<NVVM::LdMatrixOp>(op);
}

bool isProduct(Operation *op) { return isa<NVVM::MmaOp, PtxMmaOp>(op); }

// Which op of a block comes before which, while ops move. MLIR numbers the whole block anew after each move
// that somebody asks about; here a moved op gets a number between those of its neighbours.
class Places {
 public:
  explicit Places(Block &block) : block_(block) { renumber(); }
  bool isBefore(Operation *a, Operation *b) const { return numbers_.lookup(a) < numbers_.lookup(b); }
  void move(Operation *op, Operation *before) {
    op->moveBefore(before);
    Operation *previous = op->getPrevNode();
    std::uint64_t low = previous ? numbers_.lookup(previous) : 0, high = numbers_.lookup(before);
    if (high - low < 2)
      return renumber();
    numbers_[op] = low + (high - low) / 2;
  }

 private:
  void renumber() {
    std::uint64_t number = 0;
    for (Operation &op : block_)
      numbers_[&op] = number += std::uint64_t(1) << 32;
  }
  Block &block_;
  DenseMap<Operation *, std::uint64_t> numbers_;
};

class Sinking {
 public:
  explicit Sinking(Block &block) : block_(block) {}

  void run() {
    for (Operation &op : block_)
      if (isProduct(&op)) {
        position_[&op] = products_.size();
        products_.push_back(&op);
      }
    if (products_.empty())
      return;
    places_.emplace(block_);
    SmallVector<Operation *> movable = collect();
    unsigned step = productsOfAStep();
    Operation *boundary = nullptr;   // nothing is read behind it
    Operation *next = &block_.back();
    for (Operation *op : llvm::reverse(movable)) {
      for (; next != op; next = next->getPrevNode())
        if (!moves_.contains(next) && !isProduct(next) && !isMemoryEffectFree(next))
          boundary = next;
      next = op->getPrevNode() ? op->getPrevNode() : op;
      sink(op, boundary, step);
    }
  }

 private:
  // Reads, and what becomes of their values up to the products, in order.
  SmallVector<Operation *> collect() {
    SmallVector<Operation *> movable;
    for (Operation &op : block_) {
      bool follows =
          isPure(&op) && op.getNumRegions() == 0 && !isProduct(&op) &&
          llvm::any_of(op.getOperands(), [&](Value v) { return moves_.contains(v.getDefiningOp()); });
      if (readsSharedMemory(op) || follows) {
        moves_.insert(&op);
        movable.push_back(&op);
      }
    }
    return movable;
  }

  // Products that begin with sums from elsewhere: each step of K has as many.
  unsigned productsOfAStep() {
    unsigned count = 0;
    for (Operation *product : products_)
      count += llvm::none_of(product->getOperands(), [&](Value v) {
        auto part = v.getDefiningOp<LLVM::ExtractValueOp>();
        return part && position_.contains(part.getContainer().getDefiningOp());
      });
    return count;
  }

  void sink(Operation *op, Operation *boundary, unsigned step) {
    Operation *target = nullptr;
    for (Operation *user : op->getUsers()) {
      Operation *place = block_.findAncestorOpInBlock(*user);
      if (!place)
        return;   // used behind the block, too
      if (auto at = position_.find(place); at != position_.end())
        place = products_[at->second < step ? 0 : at->second - step];
      if (!target || places_->isBefore(place, target))
        target = place;
    }
    bool reads = readsSharedMemory(*op);
    if (reads && boundary && target && places_->isBefore(boundary, target))
      target = boundary;
    if (!target || !places_->isBefore(op, target))
      return;
    // Last comes first here: what moves to one place keeps its order.
    Operation *&first = firstBefore_.try_emplace(target, target).first->second;
    places_->move(op, first);
    first = op;
  }

  Block &block_;
  std::optional<Places> places_;
  SmallVector<Operation *> products_;
  DenseMap<Operation *, unsigned> position_;
  DenseSet<Operation *> moves_;
  DenseMap<Operation *, Operation *> firstBefore_;   // of what has moved in front of an op
};

struct SinkReads : impl::TileGpuSinkReadsBase<SinkReads> {
  void runOnOperation() override {
    getOperation().walk([](Block *block) { Sinking(*block).run(); });
  }
};

}   // namespace
}   // namespace tile::gpu
