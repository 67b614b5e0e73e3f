// SPDX-License-Identifier: MIT
#pragma once

#include "compiler/analysis/role_partition.h"

namespace tile {

// A load group, and what feeds it.
struct CopiedGroup : LoadGroup {
  mlir::SmallVector<bool, 2> isShared;      // by load: all CTAs of a cluster want the same
  mlir::SmallVector<mlir::Value, 2> maps;   // of the loads; the program makes some of them
  gpu::ChannelOp channel;

  gpu::ChannelType type() const { return gpu::ChannelOp(channel).getChannel().getType(); }
};

}   // namespace tile
