// SPDX-License-Identifier: MIT
// Channels whose producers and consumers are different roles. Each slot has two mbarriers:
//
//    full    one arrival, of who fills the slot, and the bytes that the copy engine moves
//    empty   an arrival of each warp that has looked at it
//
//    producer                                    consumers
//      acquire   empty[slot] past parity ^ 1       wait      full[slot] past parity
//                full[slot] expects the bytes      view, products
//      copy_box  signals full[slot]                release   empty[slot], one lane of each warp
//
// In the first round a producer waits for the parity of the phase before the first one, which counts as over.
// A channel without tiles hands the turn from role to role: full takes an arrival of each warp of the role
// that commits. Roles that take turns release their slots one role at a time.
//
// A channel without tiles that the roles name as their end has one phase, which is over when a role has
// ended.
//
// In a cluster each CTA has its own ring. What all want lands in all, so that a slot is empty when the warps
// of all CTAs have told each of them, and the bytes are those that land here, whoever had them copied.
//
// A cursor is one number: the slot, and from bit 16 on the parity of the round.
#pragma once

#include "compiler/lowering/distribute/distribution.h"

namespace tile::gpu {

// Makes the barriers. All threads meet before anybody uses them.
void initBarriers(ChannelOp channel, Distribution &d);
mlir::Value advanceWithParity(mlir::ImplicitLocOpBuilder &b, mlir::Value cursor, std::int64_t slots);
void waitForPhase(Distribution &d, mlir::Value mbarrier, mlir::Value parity);
// The number of the slot.
mlir::Value acquireEmpty(AcquireOp acquire, Distribution &d);
// Copies signal by themselves that a slot is full; a turn is handed over here.
void fillSlot(CommitOp commit, Distribution &d);
void awaitCopies(AwaitCopiesOp await, Distribution &d);
// A role whose assert has failed tells the one that copies, which asks while it waits, once its stores have
// been read. `roles` may be null.
void tellEnd(RolesOp roles, Distribution &d);
void awaitSlotOrEnd(AwaitSlotOrEndOp await, Distribution &d);
// What stands for the slot of a lease of none.
mlir::Value noSlot(Distribution &d);
mlir::Value waitFull(WaitOp wait, Distribution &d);
void releaseSlot(ReleaseOp release, Distribution &d);
// Of the box that is so far from a corner, as the copy engine counts: the fastest axis first.
llvm::SmallVector<mlir::Value> boxCoordinates(Distribution &d, llvm::ArrayRef<mlir::Value> corner,
                                              llvm::ArrayRef<std::int64_t> at);
// `to`: where the tile lies.
void copyBoxes(CopyBoxOp copy, mlir::Value to, Distribution &d);

}   // namespace tile::gpu
