// SPDX-License-Identifier: MIT
#include "compiler/lent_context.h"

namespace tile {

// What kernels are made of stays in a context: attributes, types and places.
static constexpr int MostKernels = 32;
static constexpr std::size_t MostAtRest = 16;

LentContext ContextPool::lend() {
  {
    const std::lock_guard lock(mutex_);
    if (!atRest_.empty()) {
      LentContext context = std::move(atRest_.back());
      atRest_.pop_back();
      return context;
    }
  }
  return {make_().release(), ContextReturner(*this, 1)};
}

void ContextReturner::operator()(mlir::MLIRContext *context) const {
  std::unique_ptr<mlir::MLIRContext> own(context);
  if (kernels_ >= MostKernels)
    return;
  const std::lock_guard lock(pool_->mutex_);
  if (pool_->atRest_.size() < MostAtRest)
    pool_->atRest_.push_back({own.release(), ContextReturner(*pool_, kernels_ + 1)});
}

}   // namespace tile
