// SPDX-License-Identifier: MIT
// Two groups of warps that take the iterations of a loop in turn: which loop that may be, and what becomes of
// the program of one of them.
//
//    for g {                    mine = is first
//      for t { work }           for g {
//    }                            for t { if (mine) { work } else { nothing yet }; mine = !mine }
//                               }
#pragma once

#include "compiler/analysis/role_partition.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tile {

// The innermost loop around all products whose iterations are independent and carry nothing. Around it the
// kernel only reads: both groups do that. Nothing if it does more. Null for the loop over programs, before
// there is one.
std::optional<mlir::scf::ForOp> loopOfTurns(mlir::func::FuncOp kernel, const RolePartition &roles);

// Which slots a load group needs so that two groups of warps each know their own. While it has the turn, a
// group of warps waits for blocks of products, and for what is loaded among them: any number will do. What it
// waits for later needs a slot for each, filled in each iteration: a barrier tells a round from the next one
// only. `turns` is null for the loop over programs, before there is one.
enum class SlotsInTurn : std::uint8_t { any, two, impossible };
SlotsInTurn slotsInTurn(const LoadGroup &group, const RolePartition &roles, mlir::scf::ForOp turns);

// Every second iteration of the loop is this group's, counted through all loops around it.
void takeTurns(mlir::ImplicitLocOpBuilder &b, mlir::scf::ForOp loop, bool isFirst);

// Where a group's program asks whether an iteration is its own.
class Turn {
 public:
  explicit Turn(mlir::SmallVector<mlir::Operation *> around) : around_(std::move(around)) {}
  mlir::scf::IfOp branch() const { return mlir::cast<mlir::scf::IfOp>(around_.back()); }
  // What `loop` of the kernel and those around it count and carry, in this program.
  void mapLoops(mlir::scf::ForOp loop, mlir::IRMapping &map) const;

 private:
  mlir::SmallVector<mlir::Operation *> around_;   // from the role inwards
};

// Of the program that `work`, of an iteration, is in. `turns` is the kernel's loop.
Turn turnOf(mlir::Operation *work, gpu::RolesOp roles, mlir::scf::ForOp turns);

// A group waits for slots while it has the turn: before, the other one's tiles may be rounds of the ring
// away, and a barrier tells this round from the next one only. It hands the turn on when its last product has
// begun, so that the other one's comes right behind. `isOfProduct`: whether what it waits for is multiplied.
void multiplyInTurn(mlir::ImplicitLocOpBuilder &b, const Turn &turn, gpu::ChannelOp channel,
                    llvm::function_ref<bool(gpu::WaitOp)> isOfProduct, bool isFirst);

}   // namespace tile
