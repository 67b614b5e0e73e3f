// SPDX-License-Identifier: MIT
// Global memory that kernels ask for, for the length of a launch. It is taken and given back in the order of
// a stream, so launches on several streams never share any, nor do those of a graph and others.
#pragma once

#include "runtime/cuda/context.h"

#include <cstddef>
#include <memory>
#include <mutex>

namespace tile::cuda {

// Of one GPU. Costs nothing until the first kernel asks.
class WorkspacePool {
 public:
  explicit WorkspacePool(std::shared_ptr<const PrimaryContext> context) : context_(std::move(context)) {}
  ~WorkspacePool();
  WorkspacePool(const WorkspacePool &) = delete;
  WorkspacePool &operator=(const WorkspacePool &) = delete;

  // Memory for the work that is put on the stream while this lives. The context is current.
  class Lease {
   public:
    Lease(WorkspacePool &pool, std::size_t bytes, Stream stream);
    ~Lease();
    Lease(const Lease &) = delete;
    Lease &operator=(const Lease &) = delete;
    Address address() const { return address_; }

   private:
    Address address_ = 0;
    Stream stream_;
  };

 private:
  MemoryPool handle();

  std::shared_ptr<const PrimaryContext> context_;
  std::mutex mutex_;
  MemoryPool pool_ = nullptr;
};

}   // namespace tile::cuda
