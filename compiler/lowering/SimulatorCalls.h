// SPDX-License-Identifier: MIT
// Builds calls of the simulator's runtime, for the parts of `tile-gpu-to-simulator`.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

#include <optional>

namespace tile::gpu {

using namespace mlir;

class SimulatorCalls {
 public:
  // Of registers that an operation takes and gives: the accumulators of m64n256 and four of A.
  static constexpr unsigned MaxWords = 132;
  static constexpr unsigned Global = 1, Shared = 3, SharedCluster = 7;

  SimulatorCalls(ModuleOp module, mlir::Location loc) : module_(module), b_(loc, module.getContext()) {}
  ArrayAttr sites() { return b_.getArrayAttr(sites_); }

  LogicalResult unknown(Operation *op, StringRef name = {}) {
    return op->emitError("the simulator has no twin of `")
           << (name.empty() ? op->getName().getStringRef() : name) << "`";
  }

  // ---- building

  Value number(std::int64_t value) { return LLVM::ConstantOp::create(b_, b_.getI32Type(), value); }
  Value bytes(Value word) { return number(word.getType().getIntOrFloatBitWidth() / 8); }
  Value wide(Value word) {
    return word.getType().isInteger(64) ? word : Value(LLVM::ZExtOp::create(b_, b_.getI64Type(), word));
  }
  Value narrow(Value word, Type type) {
    return word.getType() == type ? word : Value(LLVM::TruncOp::create(b_, type, word));
  }
  Value predicate(Value condition) {
    return condition ? Value(LLVM::ZExtOp::create(b_, b_.getI32Type(), condition)) : number(1);
  }

  // What a report calls the operation, and its place: a number that the runtime looks up.
  Value site(StringRef what) {
    Attribute row = b_.getArrayAttr({b_.getStringAttr(what), LocationAttr(b_.getLoc())});
    auto [it, fresh] = siteNumbers_.try_emplace(row, static_cast<std::int64_t>(sites_.size()));
    if (fresh)
      sites_.push_back(row);
    return number(it->second);
  }

  // A function of the runtime, whose first argument is the thread. A pure one always says the same to it.
  Value call(StringRef name, Type result, ArrayRef<Value> arguments, bool isPure = false,
             bool withThread = true) {
    SmallVector<Value> operands;
    if (withThread)
      operands.push_back(thread_);
    llvm::append_range(operands, arguments);
    auto function = module_.lookupSymbol<LLVM::LLVMFuncOp>(name);
    if (!function) {
      OpBuilder::InsertionGuard guard(b_);
      b_.setInsertionPointToStart(module_.getBody());
      auto type = LLVM::LLVMFunctionType::get(result ? result : LLVM::LLVMVoidType::get(b_.getContext()),
                                              llvm::to_vector(ValueRange(operands).getTypes()));
      function = LLVM::LLVMFuncOp::create(b_, module_.getLoc(), name, type);
      function.setNoUnwind(true);
      // Threads meet there: no call moves below a branch that others do not take.
      function.setConvergent(!isPure);
      function.setWillReturn(isPure);
      if (isPure)
        function.setMemoryEffectsAttr(LLVM::MemoryEffectsAttr::get(
            b_.getContext(), SmallVector<LLVM::ModRefInfo>(6, LLVM::ModRefInfo::NoModRef)));
    }
    auto made = LLVM::CallOp::create(b_, function, operands);
    return made.getNumResults() ? made.getResult() : Value();
  }

  LogicalResult replace(Operation *op, ValueRange values) {
    if (op->getNumResults())
      op->replaceAllUsesWith(values);
    op->erase();
    return success();
  }
  template <class Op> LogicalResult replace(Op op, Value value) {
    return replace(op.getOperation(), value ? ValueRange(value) : ValueRange());
  }
  template <class Op> LogicalResult ask(Op op, StringRef name, std::optional<int> axis = {}) {
    SmallVector<Value> arguments;
    if (axis)
      arguments.push_back(number(*axis));
    return replace(op, call(name, b_.getI32Type(), arguments, /*isPure=*/true));
  }

  // ---- registers of a warp, as words on the stack

  Value wordAddress(unsigned byte) {
    return LLVM::GEPOp::create(b_, words_.getType(), b_.getI8Type(), words_,
                               ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(byte)});
  }
  void put(unsigned byte, Value word) { LLVM::StoreOp::create(b_, word, wordAddress(byte)); }
  Value take(unsigned byte, Type type) { return LLVM::LoadOp::create(b_, type, wordAddress(byte)); }
  // As a struct, or alone.
  Value takeAll(Type type) {
    auto fields = dyn_cast<LLVM::LLVMStructType>(type);
    if (!fields)
      return take(0, type);
    Value all = LLVM::UndefOp::create(b_, type);
    for (auto [i, field] : llvm::enumerate(fields.getBody()))
      all = LLVM::InsertValueOp::create(b_, all, take(4 * static_cast<unsigned>(i), field),
                                        ArrayRef<int64_t>{static_cast<int64_t>(i)});
    return all;
  }

  static unsigned spaceOf(Value pointer) {
    return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace();
  }

  ModuleOp module_;
  ImplicitLocOpBuilder b_;
  Value thread_, words_;

 private:
  SmallVector<Attribute> sites_;
  DenseMap<Attribute, std::int64_t> siteNumbers_;
};

// The operations that came with Hopper. Nothing where the operation is none of them.
class HopperCalls {
 public:
  explicit HopperCalls(SimulatorCalls &calls) : calls_(calls) {}
  std::optional<LogicalResult> retarget(Operation *op);
  // What may not happen before all operations have their calls.
  void finish();
  // Whether threads are ordered by more than the barrier of the whole CTA.
  bool hasPartialOrder() const { return hasPartialOrder_; }

 private:
  std::optional<LogicalResult> synchronization(Operation *op);
  std::optional<LogicalResult> mbarrier(Operation *op);
  std::optional<LogicalResult> bulkCopy(Operation *op);
  std::optional<LogicalResult> matrix(Operation *op);
  std::optional<LogicalResult> specialRegister(Operation *op);

  SimulatorCalls &calls_;
  bool hasPartialOrder_ = false;
  // Accumulators that stand for an operation on its way, with the word that all of them hold.
  llvm::MapVector<Value, Value> running_;
};

}   // namespace tile::gpu
