// SPDX-License-Identifier: MIT
// Results that the copy engine stores or adds, by boxes, while the warps that made them go on.
#pragma once

#include "compiler/analysis/apart_buffers.h"
#include "compiler/analysis/axis_analysis.h"
#include "compiler/target/target.h"
#include "compiler/transforms/roles/copied_group.h"
#include "compiler/transforms/roles/device_maps.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tile {

// A tile that is stored or added by the copy engine.
struct TileStore {
  mlir::Operation *store;                          // tile.descriptor_store, or an update that adds
  gpu::TensorMapOp map;                            // or what the program's own is like
  mlir::SmallVector<gpu::ChannelOp, 1> channels;   // by consumer
  mlir::Value allowed;                             // null where it always is
  bool isAwaitedBehindLoop = false;                // a promised one; else at the end of the role
};

class BoxStores {
 public:
  // `turns`: the loop whose iterations two consumers take in turn; null for one consumer.
  BoxStores(mlir::func::FuncOp kernel, const Target &target, const RolePartition &found,
            mlir::scf::ForOp turns, DeviceMaps &maps, mlir::ImplicitLocOpBuilder &b)
      : kernel_(kernel), target_(target), found_(found), turns_(turns), maps_(maps), facts_(kernel),
        apart_(kernel), b_(b) {}

  // Chooses those for which there is shared memory beside the channels of the groups.
  void find(mlir::ArrayRef<CopiedGroup> groups);
  // Replaces the stores of a consumer's program. `copies`: of what the kernel did.
  void give(unsigned consumer, mlir::Block &program, const mlir::IRMapping &copies);

 private:
  unsigned consumers() const { return turns_ ? 2 : 1; }
  bool isUnmetIn(mlir::scf::ForOp loop, mlir::Operation *store);
  void give(TileStore &found, unsigned consumer, const mlir::IRMapping &copies);
  // Whether a tile is not the first one of all, and what follows for the next.
  struct Later {
    mlir::Value isIt, next;
  };
  Later mapOfFirst(ir::MakeDescriptorOp tensor, mlir::Value like, std::uint32_t at, unsigned first);

  mlir::func::FuncOp kernel_;
  const Target &target_;
  const RolePartition &found_;
  mlir::scf::ForOp turns_;
  DeviceMaps &maps_;
  AxisAnalysis facts_;
  ApartBuffers apart_;
  mlir::ImplicitLocOpBuilder &b_;
  mlir::SmallVector<TileStore, 1> stores_;
};

}   // namespace tile
