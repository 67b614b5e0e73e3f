// SPDX-License-Identifier: MIT
// The tensor maps that the copy engine of a kernel in roles takes: those that the launch encodes, and those
// that the program makes itself, in its workspace.
#pragma once

#include "dialects/tile/dialect.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/DenseSet.h"

namespace tile {

class DeviceMaps {
 public:
  DeviceMaps(mlir::func::FuncOp kernel, mlir::ImplicitLocOpBuilder &b) : kernel_(kernel), b_(b) {}

  // Notes an op that all programs see: a map or a channel. It stays in front of them.
  template <class Op> Op made(Op op) {
    made_.insert(op);
    return op;
  }
  bool isMade(mlir::Operation *op) const { return made_.contains(op); }

  // A map of a tensor whose boxes make up tiles like `boxed`. `sharers`: CTAs that each copy a part. Of a
  // tensor that is neither known at the launch nor anchored, the map is what its own ones are like.
  gpu::TensorMapOp mapOf(ir::MakeDescriptorOp tensor, mlir::RankedTensorType boxed, bool isWritten,
                         unsigned sharers = 1);

  // Whether the program makes the map of a tensor.
  static bool isOwn(ir::MakeDescriptorOp tensor);
  // The coordinates of a block in its map. `map`: of values that the program has for the kernel's.
  mlir::SmallVector<mlir::Value> coordinatesOf(ir::MakeDescriptorOp tensor, mlir::ValueRange block,
                                               const mlir::IRMapping &map);

  // Where the workspace has a place for a map that is `like` this one.
  std::uint32_t placeOfMap(mlir::Value like);

  // The program's own map of a tensor. `map`: of values that the program has for the kernel's. `now`: when it
  // is made anew, null for always.
  mlir::Value ownMapOf(ir::MakeDescriptorOp tensor, mlir::Value like, std::uint32_t at,
                       const mlir::IRMapping &map, mlir::Value now);

  // Puts a wait before a map is made anew.
  template <class Wait, class... Parts> void waitToMake(mlir::Value now, Parts... parts) {
    mlir::OpBuilder::InsertionGuard guard(b_);
    if (now)
      b_.setInsertionPointToStart(mlir::scf::IfOp::create(b_, now, /*withElseRegion=*/false).thenBlock());
    Wait::create(b_, parts...);
  }

 private:
  mlir::func::FuncOp kernel_;
  mlir::ImplicitLocOpBuilder &b_;
  gpu::WorkspaceOp workspace_;   // null until a map is made there
  llvm::DenseSet<mlir::Operation *> made_;
};

}   // namespace tile
