// SPDX-License-Identifier: MIT
// Builds calls of the simulator's runtime, for the parts of `tile-gpu-to-simulator`.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

#include <optional>
#include <string>
#include <vector>

namespace tile::gpu {

// As llvm::TypeSwitch over operations. Without one, it notes the names of those that it has cases for: the
// list of what the simulator knows is the code that knows it.
template <class Result> class OpSwitch {
 public:
  OpSwitch(mlir::Operation *op, std::vector<std::string> &names) : op_(op), names_(names) {}

  template <class... Ops, class Callable> OpSwitch &Case(Callable &&make) {
    if constexpr (sizeof...(Ops) == 0)
      one<typename llvm::function_traits<std::decay_t<Callable>>::template arg_t<0>>(make, true);
    else
      (one<Ops>(make, true), ...);
    return *this;
  }
  // A case that gives a reason not to know the operation.
  template <class Op, class Callable> OpSwitch &Refuse(Callable &&make) {
    one<Op>(make, false);
    return *this;
  }
  template <class Callable> Result Default(Callable &&make) {
    if (!op_) {
      if constexpr (std::is_default_constructible_v<Result>)
        return Result();
      else
        return llvm::success();
    }
    return result_ ? std::move(*result_) : Result(make(op_));
  }

 private:
  template <class Op, class Callable> void one(Callable &make, bool isKnown) {
    if (!op_) {
      if (isKnown)
        names_.push_back(Op::getOperationName().str());
    } else if (!result_) {
      if (auto op = llvm::dyn_cast<Op>(op_))
        result_.emplace(make(op));
    }
  }
  mlir::Operation *op_;
  std::vector<std::string> &names_;
  std::optional<Result> result_;
};

class SimulatorCalls {
 public:
  // Of registers that an operation takes and gives: the accumulators of m64n256 and four of A.
  static constexpr unsigned MaxWords = 132;
  static constexpr unsigned Global = 1, Shared = 3, SharedCluster = 7;

  SimulatorCalls(mlir::ModuleOp module, mlir::Location loc) : module_(module), b_(loc, module.getContext()) {}
  mlir::ArrayAttr sites() { return b_.getArrayAttr(sites_); }

  // An error that names the operation, or what of it is not known.
  llvm::LogicalResult unknown(mlir::Operation *op, llvm::StringRef name = {});

  // ---- building

  mlir::Value number(std::int64_t value);
  mlir::Value bytes(mlir::Value word) { return number(word.getType().getIntOrFloatBitWidth() / 8); }
  mlir::Value wide(mlir::Value word);
  mlir::Value narrow(mlir::Value word, mlir::Type type);
  mlir::Value predicate(mlir::Value condition);

  // What a report calls the operation, and its place: a number that the runtime looks up.
  mlir::Value site(llvm::StringRef what) { return number(siteNumber(what)); }
  std::int64_t siteNumber(llvm::StringRef what);
  // A function of the runtime, whose first argument is the thread. A pure one always says the same to it.
  mlir::Value call(llvm::StringRef name, mlir::Type result, llvm::ArrayRef<mlir::Value> arguments,
                   bool isPure = false, bool withThread = true);

  llvm::LogicalResult replace(mlir::Operation *op, mlir::ValueRange values);
  template <class Op> llvm::LogicalResult replace(Op op, mlir::Value value) {
    return replace(op.getOperation(), value ? mlir::ValueRange(value) : mlir::ValueRange());
  }
  template <class Op>
  llvm::LogicalResult ask(Op op, llvm::StringRef name, std::optional<int> axis = {}) {
    llvm::SmallVector<mlir::Value> arguments;
    if (axis)
      arguments.push_back(number(*axis));
    return replace(op, call(name, b_.getI32Type(), arguments, /*isPure=*/true));
  }

  // ---- registers of a warp, as words on the stack

  mlir::Value wordAddress(unsigned byte);
  void put(unsigned byte, mlir::Value word);
  mlir::Value take(unsigned byte, mlir::Type type);
  mlir::Value takeAll(mlir::Type type);   // as a struct, or alone

  static unsigned spaceOf(mlir::Value pointer) {
    return llvm::cast<mlir::LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace();
  }

  // Null for `op`: its cases go to `names`.
  template <class Result> OpSwitch<Result> choose(mlir::Operation *op) { return {op, names}; }
  std::vector<std::string> names;

  mlir::ModuleOp module_;
  mlir::ImplicitLocOpBuilder b_;
  mlir::Value thread_, words_;

 private:
  llvm::SmallVector<mlir::Attribute> sites_;
  llvm::DenseMap<mlir::Attribute, std::int64_t> siteNumbers_;
};

// The operations that came with Hopper. `retarget` gives nothing for another operation; null lists the names.
class HopperCalls {
 public:
  explicit HopperCalls(SimulatorCalls &calls) : calls_(calls) {}
  std::optional<llvm::LogicalResult> retarget(mlir::Operation *op);
  // What may not happen before all operations have their calls.
  void finish();
  // Whether threads are ordered by more than the barrier of the whole CTA.
  bool hasPartialOrder() const { return hasPartialOrder_; }
  // Whether tensor maps change while the kernel runs.
  bool changesMaps() const { return changesMaps_; }

 private:
  std::optional<llvm::LogicalResult> synchronization(mlir::Operation *op);
  std::optional<llvm::LogicalResult> mbarrier(mlir::Operation *op);
  std::optional<llvm::LogicalResult> bulkCopy(mlir::Operation *op);
  std::optional<llvm::LogicalResult> matrix(mlir::Operation *op);
  std::optional<llvm::LogicalResult> specialRegister(mlir::Operation *op);
  std::optional<llvm::LogicalResult> tensorMap(mlir::Operation *op);

  SimulatorCalls &calls_;
  bool hasPartialOrder_ = false, changesMaps_ = false;
  // Accumulators that stand for an operation on its way, with the word that all of them hold.
  llvm::MapVector<mlir::Value, mlir::Value> running_;
};

}   // namespace tile::gpu
