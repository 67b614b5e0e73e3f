// SPDX-License-Identifier: MIT
#include "runtime/cuda/workspace_pool.h"

#include <cstdint>
#include <limits>

namespace tile::cuda {

MemoryPool WorkspacePool::handle() {
  const std::lock_guard lock(mutex_);
  if (pool_)
    return pool_;
  MemoryPoolProperties properties;
  properties.device = context_->device();
  check(Driver::get().memPoolCreate(&pool_, &properties), "make a pool for the workspaces of kernels");
  // It keeps what it has: else it would go back to the system with each synchronisation.
  std::uint64_t kept = std::numeric_limits<std::uint64_t>::max();
  check(Driver::get().memPoolSetAttribute(pool_, MemoryPoolProperties::releaseThreshold, &kept),
        "keep the workspaces of kernels");
  return pool_;
}

WorkspacePool::~WorkspacePool() {
  if (pool_)
    Driver::get().memPoolDestroy(pool_);
}

WorkspacePool::Lease::Lease(WorkspacePool &pool, std::size_t bytes, Stream stream) : stream_(stream) {
  if (bytes)
    check(Driver::get().memAllocFromPoolAsync(&address_, bytes, pool.handle(), stream),
          "take " + std::to_string(bytes) + " bytes for the workspace of a kernel");
}

WorkspacePool::Lease::~Lease() {
  if (address_)
    Driver::get().memFreeAsync(address_, stream_);
}

}   // namespace tile::cuda
