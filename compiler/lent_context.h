// SPDX-License-Identifier: MIT
// Contexts that go from one kernel to the next: to make the dialects known takes as long as all passes of a
// small kernel.
#pragma once

#include "mlir/IR/MLIRContext.h"

#include <memory>
#include <mutex>
#include <vector>

namespace tile {

class ContextPool;

class ContextReturner {
 public:
  ContextReturner() = default;
  ContextReturner(ContextPool &pool, int kernels) : pool_(&pool), kernels_(kernels) {}
  void operator()(mlir::MLIRContext *context) const;

 private:
  ContextPool *pool_ = nullptr;
  int kernels_ = 0;   // that it has seen
};
// Nobody else has it meanwhile.
using LentContext = std::unique_ptr<mlir::MLIRContext, ContextReturner>;

// Any thread may ask and give back. Never destroyed: static objects may hold kernels.
class ContextPool {
 public:
  using Maker = std::unique_ptr<mlir::MLIRContext> (*)();
  explicit ContextPool(Maker make) : make_(make) {}
  LentContext lend();

 private:
  friend ContextReturner;
  Maker make_;
  std::mutex mutex_;
  std::vector<LentContext> atRest_;
};

}   // namespace tile
