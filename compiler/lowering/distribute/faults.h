// SPDX-License-Identifier: MIT
// The checks of a kernel that a program may fail. A program leaves the number of the check; the host knows
// the rest by `tile_gpu.faults` of the kernel.
#pragma once

#include "mlir/IR/Builders.h"

namespace tile::gpu {

class Faults {
 public:
  explicit Faults(mlir::MLIRContext *context) : builder_(context) {}

  // The number of the check. `shape`: of the tile that is checked.
  std::int32_t add(llvm::StringRef message, llvm::ArrayRef<std::int64_t> shape, mlir::Location where) {
    list_.push_back(
        builder_.getDictionaryAttr({builder_.getNamedAttr("message", builder_.getStringAttr(message)),
                                    builder_.getNamedAttr("shape", builder_.getDenseI64ArrayAttr(shape)),
                                    builder_.getNamedAttr("where", mlir::LocationAttr(where))}));
    return static_cast<std::int32_t>(list_.size()) - 1;
  }
  bool empty() const { return list_.empty(); }
  mlir::ArrayAttr list() { return builder_.getArrayAttr(list_); }

 private:
  mlir::Builder builder_;
  mlir::SmallVector<mlir::Attribute> list_;
};

}   // namespace tile::gpu
