// SPDX-License-Identifier: MIT
// The one place where a CTA's shared memory is given away: to channels, and to the scratch in which threads
// exchange values. All exchanges of a role use the same bytes in turn, barriers of the role keep them apart.
//
//    one role      |0 -- channels -- |-- scratch --|         where channels are at work
//                  |0 -- scratch ---------|                  where they rest: the channels' memory is free
//    two roles     |0 -- channels -- |-- scratch of the first --|-- scratch of the second --|
//
// Roles run side by side, so that what one role uses is no other's. Before they begin, all threads have met:
// what the CTA used until then is free.
#pragma once

#include "compiler/lowering/distribute/channel_plan.h"
#include "compiler/lowering/distribute/threads.h"

#include <array>
#include <map>

namespace tile::gpu {

class SharedAllocation {
 public:
  explicit SharedAllocation(mlir::func::FuncOp kernel) : kernel_(kernel), channels_(kernel) {}

  const ChannelPlan &channels() const { return channels_; }
  // Where a channel's slots begin, or so many bytes further on.
  mlir::Value channel(mlir::ImplicitLocOpBuilder &builder, mlir::Value channel, std::int64_t bytesIn);

  // Where its mbarriers begin.
  mlir::Value barriers(mlir::ImplicitLocOpBuilder &builder, mlir::Value channel);

  // Scratch of a role for an exchange that takes so many bytes, in what becomes of `at`.
  mlir::Value scratch(mlir::ImplicitLocOpBuilder &builder, const Role &role, mlir::Operation *at,
                      std::int64_t bytes);
  // What the CTAs of a cluster tell each other, in two places. Nothing else uses them: other CTAs write them
  // when they are ready.
  mlir::Value betweenCtas(mlir::ImplicitLocOpBuilder &builder, unsigned place, std::int64_t bytes);
  // How much scratch an exchange should take at once.
  std::int64_t bytesForExchange(const Role &role, mlir::Operation *at) const;

  // After the last exchange: every part gets its place. Fails where the target has less, with the list of
  // what takes how much.
  mlir::LogicalResult allocate();
  std::int64_t bytes() const { return bytes_; }   // after `allocate`

 private:
  struct Scratch {
    std::int64_t bytes = 0;
    mlir::SmallVector<SharedOp> uses;
    void placeAt(std::int64_t offset);
  };
  bool channelsRest(const Role &role, mlir::Operation *at) const {
    return role.isWholeCta() && channels_.restAt(at);
  }
  mlir::LogicalResult checkFits() const;

  mlir::func::FuncOp kernel_;
  ChannelPlan channels_;
  Scratch atRest_;                    // of the whole CTA, where no channel is at work
  std::map<Role, Scratch> scratch_;   // else; the whole CTA's is the first
  std::array<Scratch, 2> betweenCtas_;
  std::int64_t bytes_ = 0;
};

}   // namespace tile::gpu
