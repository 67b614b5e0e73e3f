// SPDX-License-Identifier: MIT
// Where the channels of a kernel lie in shared memory, and where in the kernel they are at work. Channels
// that are never at work at the same time share memory:
//
//    for (…) dot(a, b)      channel A, 96 KB     |0 ------------------ 96|
//    for (…) dot(c, d)      channel B, 64 KB     |0 ---------- 64|
//
// A channel is at work from the first to the last op that uses it, in the innermost block that holds all of
// them: two loops in the body of a third share memory, too. That is right because a channel ends empty, and
// begins with an acquire at which the threads meet (channel_schedule.h). A loop that carries a channel's
// cursor counts as an op that uses it: a ring that runs on through an outer loop is at work all the time.
#pragma once

#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tile::gpu {

class ChannelPlan {
 public:
  explicit ChannelPlan(mlir::func::FuncOp kernel);

  std::int64_t offset(mlir::Value channel) const { return places_[number(channel)].offset; }
  // Of its mbarriers, which share memory with nothing.
  std::int64_t barriers(mlir::Value channel) const { return places_[number(channel)].barriers; }
  std::int64_t bytes() const { return bytes_; }   // of all channels

  // Channels are numbered.
  size_t count() const { return places_.size(); }
  size_t number(mlir::Value channel) const { return index_.at(channel); }

  // Whether a matrix unit reads the slots of this channel, which threads fill.
  bool isReadByUnits(size_t channel) const { return places_[channel].isReadByUnits; }
  // Whether each thread reads what it has copied itself, and nobody else does: they need not meet for that.
  bool isOfOneThread(size_t channel) const { return places_[channel].isOfOneThread; }
  // Whether no channel is at work where `op` is.
  bool restAt(mlir::Operation *op) const;
  // The channels that rest after `op`.
  mlir::SmallVector<size_t> endingWith(mlir::Operation *op) const;

 private:
  struct Place {
    ChannelType channel;
    mlir::Operation *first = nullptr, *last = nullptr;   // ops of one block
    std::int64_t offset = 0, barriers = 0;
    bool isStored = false;   // to global memory, by an engine that reads it some time later
    bool isReadByUnits = false, isOfOneThread = false;
  };
  static bool overlap(const Place &a, const Place &b);

  mlir::SmallVector<Place> places_;
  mlir::DenseMap<mlir::Value, size_t> index_;
  std::int64_t bytes_ = 0;
};

}   // namespace tile::gpu
