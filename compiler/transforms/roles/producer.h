// SPDX-License-Identifier: MIT
// The program of one thread that has blocks copied: what the kernel does that the copies depend on, and in
// place of the loads, the copies.
//
//    for i { x = load A[m, k]; y = load B[k, n]; ... }      for i { acquire; copy_box A; copy_box B; commit }
#pragma once

#include "compiler/transforms/roles/copied_group.h"
#include "compiler/transforms/roles/device_maps.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tile {

class Producer {
 public:
  Producer(const RolePartition &found, mlir::MutableArrayRef<CopiedGroup> groups, DeviceMaps &maps,
           mlir::ImplicitLocOpBuilder &b)
      : found_(found), groups_(groups), maps_(maps), b_(b) {}

  // The producer's part of a block, at the builder's place. `map`: of values that the program has for the
  // kernel's. `cursors`: of the load groups, which it takes on.
  void produce(mlir::Block &from, mlir::IRMapping &map, mlir::SmallVectorImpl<mlir::Value> &cursors);
  // The same, but nothing is copied: the cursors go on as the producer's do.
  void skip(mlir::Block &from, mlir::IRMapping &map, mlir::SmallVectorImpl<mlir::Value> &cursors);

 private:
  void describe(mlir::ArrayRef<ir::MakeDescriptorOp> tensors, const mlir::IRMapping &map,
                mlir::ArrayRef<mlir::Value> cursors);
  // `cursors`: of all groups.
  mlir::Value fill(CopiedGroup &group, mlir::IRMapping &map, mlir::Value cursor, mlir::ValueRange cursors);
  mlir::SmallVector<unsigned> groupsIn(mlir::Operation *op);
  void produceLoop(mlir::scf::ForOp loop, mlir::IRMapping &map, mlir::SmallVectorImpl<mlir::Value> &cursors);
  void produceBranch(mlir::scf::IfOp branch, mlir::IRMapping &map,
                     mlir::SmallVectorImpl<mlir::Value> &cursors);

  const RolePartition &found_;
  mlir::MutableArrayRef<CopiedGroup> groups_;
  DeviceMaps &maps_;
  mlir::ImplicitLocOpBuilder &b_;
  bool isSkipping_ = false;
};

}   // namespace tile
