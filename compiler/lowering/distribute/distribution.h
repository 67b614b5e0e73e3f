// SPDX-License-Identifier: MIT
// `tile-gpu-distribute`: from tiles with layouts to what one thread does. Each tile becomes the
// registers in which a thread holds its elements, as separate values; ops on tiles become ops on
// those, scalar ops stay as they are. One file per family of ops; which op is whose stands in handlers.h.
//
// A `Distribution` is what a handler works with. It is of one role: its threads, its barrier, its scratch.
#pragma once

#include "compiler/analysis/axis_analysis.h"
#include "compiler/lowering/distribute/channel_schedule.h"
#include "compiler/lowering/distribute/faults.h"
#include "compiler/lowering/distribute/handlers.h"
#include "compiler/lowering/distribute/registers.h"
#include "compiler/lowering/distribute/shared_allocation.h"
#include "compiler/lowering/distribute/threads.h"
#include "compiler/target/target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tile::gpu {

// What the roles of a kernel have in common.
struct DistributedKernel {
  explicit DistributedKernel(mlir::func::FuncOp kernel);

  mlir::func::FuncOp kernel;
  Target target;
  AxisAnalysis facts;
  mlir::ImplicitLocOpBuilder builder;
  TileRegisters values;
  SharedAllocation memory;
  Faults faults;
  std::optional<ChannelSchedule> schedule;   // known before the first op is distributed
  mlir::Value exchanges;                     // where a thread counts those between CTAs (clusters.h)
};

class Distribution {
 public:
  // `entry`: where the role's part of the new kernel begins; `program`: all that its threads run, in the old
  // one.
  Distribution(DistributedKernel &kernel, Role role, mlir::Block *entry, mlir::Region &program);

  // Fails, with a diagnostic at the op, on an op that has no handler.
  mlir::LogicalResult distribute(mlir::Block &from);
  // Block arguments become registers, then the ops follow.
  mlir::LogicalResult distributeRegion(mlir::Region &from, mlir::Region &to);
  // The program of a role, from here on in a block that only its threads enter.
  mlir::LogicalResult distributeRole(Role role, mlir::Block *to, mlir::Region &program);

  mlir::ImplicitLocOpBuilder &build() { return kernel_.builder; }
  mlir::Value constant(std::int64_t value);   // i32

  // The registers of a tile, or the one value of a scalar; good until the next value is asked for or set.
  mlir::ArrayRef<mlir::Value> registers(mlir::Value v) { return kernel_.values.of(v); }
  void set(mlir::Value v, Registers registers) { kernel_.values.set(v, std::move(registers)); }
  TileRegisters &values() { return kernel_.values; }

  Threads &threads() { return threads_; }
  // All threads of the role wait for each other.
  void barrier() { sync(/*shared=*/false); }
  // The same, where it is for shared memory alone: left away where nobody has used that since they last met.
  void sync(bool shared);
  // Until nobody looks any more at what is in the memory in which they exchange values.
  void awaitScratch() { sync(/*shared=*/true); }
  // What the body makes, only threads run for which the condition holds.
  void inBranch(mlir::Value condition, llvm::function_ref<void()> body);
  mlir::Value scratch(std::int64_t bytes);
  std::int64_t bytesForExchange() const;

  mlir::Region &program() { return program_; }
  const AxisAnalysis &facts() const { return kernel_.facts; }
  // How many elements of a tile of pointers lie side by side, in memory and in the registers of a thread, and
  // have one mask.
  std::int64_t vectorOf(mlir::Value pointers, mlir::Value mask) const;
  const Target &target() const { return kernel_.target; }
  SharedAllocation &memory() { return kernel_.memory; }
  Faults &faults() { return kernel_.faults; }
  mlir::Value &exchanges() { return kernel_.exchanges; }
  const ChannelSchedule &schedule() const { return *kernel_.schedule; }

 private:
  mlir::LogicalResult distribute(mlir::Operation *op);

  DistributedKernel &kernel_;
  Threads threads_;
  mlir::Region &program_;
  mlir::Operation *at_ = nullptr;   // what is distributed now
};

// Fails, with a diagnostic at a step, where two roles use one channel.
mlir::LogicalResult checkChannels(RolesOp roles);

}   // namespace tile::gpu
