// SPDX-License-Identifier: MIT
// The places of a tile's elements in a row-major array of them, as a thread computes those of its registers:
// a part that depends on the thread, which many registers share, and a constant.
#pragma once

#include "compiler/lowering/distribute/distribution.h"

namespace tile::gpu {

struct Index {
  mlir::Value ofThread;   // i32; null: 0
  std::int64_t constant = 0;
};

class ElementIndex {
 public:
  // `strides`: of each axis, in elements; those of a row-major tile without padding where none are given.
  ElementIndex(Distribution &distribution, const layout::TileLayout &layout,
               std::vector<std::int64_t> strides = {});
  Index at(std::int64_t reg);
  mlir::Value valueAt(std::int64_t reg);   // as one i32

 private:
  struct Axis {
    mlir::Value ofThread;
    std::uint64_t reach = 0;   // the bits of the coordinate that it gives
  };
  mlir::Value ofThreads(const std::vector<std::int64_t> &xored);

  Distribution &d_;
  const layout::TileLayout &layout_;
  std::vector<std::int64_t> strides_;
  std::vector<Axis> axes_;
  // Registers that XOR bits which the thread gives have another sum: by those bits of each axis.
  std::map<std::vector<std::int64_t>, mlir::Value> sums_;
};

}   // namespace tile::gpu
