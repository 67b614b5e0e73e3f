// SPDX-License-Identifier: MIT
#include "mutation.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"

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
  return isa<NVVM::LdMatrixOp, NVVM::CpAsyncOp>(op);
}

// The mistakes are counted off; the one whose turn it is happens.
class Mistakes {
 public:
  Mistakes(unsigned number, std::string &what, std::string only)
      : left_(number), what_(what), only_(std::move(only)) {}

  bool turn(const char *what) {
    if (!only_.empty() && only_ != what)
      return false;
    if (left_ > 0) {
      --left_;
      return false;
    }
    what_ = what;
    return true;
  }

  // Whether one has happened.
  bool at(Operation *op) {
    if (isa<NVVM::Barrier0Op>(op))
      return ordering(op, "no barrier", "barrier one access too late", "barrier one access too early");
    if (auto wait = dyn_cast<NVVM::CpAsyncWaitGroupOp>(op)) {
      if (turn("waits for one group less")) {
        wait.setN(wait.getN() + 1);
        return true;
      }
      return dropped(op, "no wait");
    }
    if (isa<NVVM::CpAsyncCommitGroupOp>(op))
      return dropped(op, "no commit");
    if (auto copy = dyn_cast<NVVM::CpAsyncOp>(op))
      return shifted(copy.getDstMutable(), "a copy goes to another place");
    if (auto matrix = dyn_cast<NVVM::LdMatrixOp>(op))
      return shifted(matrix.getPtrMutable(), "a matrix is read at another place");
    return false;
  }

 private:
  bool dropped(Operation *op, const char *what) {
    if (!turn(what))
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
  std::string &what_;
  std::string only_;
  std::map<std::string, int> shifts_;
};

}   // namespace

Alteration mistake(unsigned number, std::string &what, const std::string &only) {
  what.clear();
  return [number, &what, only](Operation *module) {
    Mistakes mistakes(number, what, only);
    SmallVector<Operation *> ops;
    module->walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      if (mistakes.at(op))
        return;
  };
}

}   // namespace tile::simulator
