// SPDX-License-Identifier: MIT
// What each operation becomes in one thread: a table from op to handler. Every family of ops has a file,
// whose `add…` function puts its handlers here; a new op is one function and one line there. Ops that are in
// no family are copied where they have no tiles, and repeated for each register where they are elementwise.
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>

namespace tile::gpu {

class Distribution;

class Handlers {
 public:
  // Fails with a diagnostic at the op.
  using Handler = std::function<llvm::LogicalResult(mlir::Operation *, Distribution &)>;

  // Those of all families.
  static const Handlers &all();
  // The handler of the op; null if it has no handler.
  Handler find(mlir::Operation *op) const;

  // For one op: `LogicalResult f(SomeOp, Distribution &)`, or `void` where it cannot fail.
  template <class Result, class Op> void add(Result (*handler)(Op, Distribution &)) {
    insert(mlir::TypeID::get<Op>(), [handler](mlir::Operation *op, Distribution &d) {
      if constexpr (std::is_void_v<Result>) {
        handler(llvm::cast<Op>(op), d);
        return llvm::success();
      } else {
        return handler(llvm::cast<Op>(op), d);
      }
    });
  }
  // One for several ops.
  template <class... Ops> void addFor(llvm::LogicalResult (*handler)(mlir::Operation *, Distribution &)) {
    (insert(mlir::TypeID::get<Ops>(), handler), ...);
  }

 private:
  void insert(mlir::TypeID op, Handler handler);

  llvm::DenseMap<mlir::TypeID, Handler> handlers_;
};

void addAtomics(Handlers &handlers);
void addChannels(Handlers &handlers);
void addConstants(Handlers &handlers);
void addControlFlow(Handlers &handlers);
void addConversions(Handlers &handlers);
void addDeviceMaps(Handlers &handlers);
void addDiagnostics(Handlers &handlers);
void addElementwise(Handlers &handlers);
void addHistograms(Handlers &handlers);
void addMemory(Handlers &handlers);
void addMovement(Handlers &handlers);
void addProducts(Handlers &handlers);
void addReductions(Handlers &handlers);
void addRoles(Handlers &handlers);
void addScans(Handlers &handlers);
void addShapes(Handlers &handlers);
void addStoreBoxes(Handlers &handlers);

// For ops of no family: the same op, of scalars; the same op for each register.
llvm::LogicalResult copyScalars(mlir::Operation *op, Distribution &d);
llvm::LogicalResult repeatForRegisters(mlir::Operation *op, Distribution &d);

}   // namespace tile::gpu
