// SPDX-License-Identifier: MIT
// `tile-gpu-distribute`: from tiles with layouts to what one thread does. Each tile becomes the
// registers in which a thread holds its elements, as separate values; ops on tiles become ops on
// those, scalar ops stay as they are. One file per family of ops.
#pragma once

#include "compiler/analysis/axis_analysis.h"
#include "compiler/lowering/distribute/channel_plan.h"
#include "compiler/target/target.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

#include <map>
#include <vector>

namespace tile::gpu {

using Registers = mlir::SmallVector<mlir::Value>;

class Distribution {
 public:
  explicit Distribution(mlir::func::FuncOp kernel);

  // Rewrites the kernel. Fails, with a diagnostic at the op, on an op that has no rule.
  mlir::LogicalResult run();

  // ---- for the families

  mlir::ImplicitLocOpBuilder &build() { return builder_; }
  const AxisAnalysis &facts() const { return facts_; }
  const Target &target() const { return target_; }

  static layout::TileLayout layoutOf(mlir::Value tile);
  // The registers of a tile, or the one value of a scalar.
  mlir::ArrayRef<mlir::Value> registers(mlir::Value v);
  void set(mlir::Value tile, Registers registers);

  mlir::Value lane();
  mlir::Value warp();
  mlir::Value constant(std::int64_t value);   // i32
  // The coordinate, along an axis, of what this thread holds in a register. i32.
  mlir::Value coordinate(const layout::TileLayout &layout, unsigned axis, std::int64_t reg);
  // What lane and warp give to a coordinate along an axis, and which bits of it they reach.
  struct ThreadPart {
    mlir::Value value;   // null where they reach none
    std::uint64_t reach = 0;
  };
  ThreadPart threadPart(const layout::TileLayout &layout, unsigned axis);
  // A linear function of the thread's lane and warp, by its columns. i32, computed where the kernel begins.
  mlir::Value ofThread(const std::vector<std::uint64_t> &lanes, const std::vector<std::uint64_t> &warps);
  // `thread` XOR the constant `own`, where the thread's part reaches the bits of `reach`.
  mlir::Value withConstant(mlir::Value thread, std::uint64_t reach, std::int64_t own);
  // Whether this thread's replica is the one that counts; null where there are no replicas.
  mlir::Value ownsReplica(const layout::TileLayout &layout);

  void barrier();
  mlir::Value scratch(std::int64_t bytes);
  // The tile's registers in another layout: the meaning of tile_gpu.convert_layout.
  Registers convert(mlir::ArrayRef<mlir::Value> registers, mlir::Type element, const layout::TileLayout &from,
                    const layout::TileLayout &to);
  // The number of a check that the program may fail; the host knows it by `tile_gpu.faults` of the kernel.
  std::int32_t addFault(llvm::StringRef message, llvm::ArrayRef<std::int64_t> shape, mlir::Location where);
  // The same combine region applied to scalars; N values with N values.
  Registers combine(mlir::Region &region, mlir::ValueRange a, mlir::ValueRange b);

 private:
  mlir::LogicalResult checkSharedMemory();
  mlir::LogicalResult distribute(mlir::Block &from);
  mlir::LogicalResult distribute(mlir::Operation *op);
  mlir::LogicalResult distributeRegion(mlir::Region &from, mlir::Region &to);
  // The values of a list with tiles replaced by their registers, and the types likewise.
  Registers flat(mlir::ValueRange values);
  mlir::SmallVector<mlir::Type> flatTypes(mlir::TypeRange types);
  void setFlat(mlir::ValueRange olds, mlir::ValueRange news);
  mlir::Value atEntry(mlir::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &)> make);

  mlir::LogicalResult controlFlow(mlir::Operation *op, bool &handled);
  mlir::LogicalResult elementwise(mlir::Operation *op, bool &handled);
  mlir::LogicalResult channels(mlir::Operation *op, bool &handled);
  mlir::LogicalResult shapes(mlir::Operation *op, bool &handled);
  mlir::LogicalResult memory(mlir::Operation *op, bool &handled);
  mlir::LogicalResult reductions(mlir::Operation *op, bool &handled);
  mlir::LogicalResult products(mlir::Operation *op, bool &handled);
  mlir::LogicalResult movement(mlir::Operation *op, bool &handled);
  mlir::LogicalResult constants(mlir::Operation *op, bool &handled);
  mlir::LogicalResult histograms(mlir::Operation *op, bool &handled);
  mlir::LogicalResult scans(mlir::Operation *op, bool &handled);
  mlir::LogicalResult atomics(mlir::Operation *op, bool &handled);
  mlir::LogicalResult diagnostics(mlir::Operation *op, bool &handled);

  mlir::func::FuncOp kernel_;
  Target target_;
  AxisAnalysis facts_;
  mlir::ImplicitLocOpBuilder builder_;
  mlir::IRMapping scalars_;
  mlir::DenseMap<mlir::Value, Registers> tiles_;
  mlir::Region body_;
  mlir::Block *entry_ = nullptr;
  mlir::Operation *lastAtEntry_ = nullptr;
  mlir::Value lane_, warp_;
  mlir::SmallVector<mlir::Attribute> faults_;
  // The part of a coordinate that lane and warp give, by the layout's columns for one axis.
  std::map<std::vector<std::uint64_t>, mlir::Value> threadParts_;
  mlir::LogicalResult countedLoop(mlir::scf::ForOp loop);
  void scalarProduct(ir::DotOp dot);
  mlir::Value slotAddress(mlir::Value channel, mlir::Value slot, unsigned tile);

  // Shared memory: the channels, then what all exchanges use in turn. Where no channel is at work, exchanges
  // take the channels' memory instead.
  ChannelPlan channels_;
  std::int64_t scratchBytes_ = 0, scratchBytesAtRest_ = 0;
  std::int64_t sharedBytes() const {
    return std::max(channels_.bytes() + scratchBytes_, scratchBytesAtRest_);
  }
  bool channelsRest() const { return channels_.restAt(at_); }
  mlir::Operation *at_ = nullptr;   // what is distributed now
};

}   // namespace tile::gpu
