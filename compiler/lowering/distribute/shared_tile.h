// SPDX-License-Identifier: MIT
// Elements in shared memory while threads exchange them: row-major, without padding, in the form
// that memory has for them (a condition is a byte, a pointer its 64 bits).
#pragma once

#include "compiler/lowering/distribute/element_index.h"

namespace tile::gpu {

// The form that memory has for an element, and the way into it and back.
mlir::Type storedType(mlir::Type element);
mlir::Value toStored(mlir::ImplicitLocOpBuilder &b, mlir::Value v);
mlir::Value fromStored(mlir::ImplicitLocOpBuilder &b, mlir::Value v, mlir::Type element);
// So many bytes further on.
mlir::Value offsetBy(mlir::ImplicitLocOpBuilder &b, mlir::Value address, mlir::Value bytes);
// Values that are neighbours in memory, as one access of up to 16 bytes.
void storeRun(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange values, mlir::Value at);
Registers loadRun(mlir::ImplicitLocOpBuilder &b, mlir::Type element, std::int64_t run, mlir::Value at);

class SharedTile {
 public:
  static std::int64_t bytesOf(mlir::Type element);

  // `byteOffset`: where in the scratch it begins, for several tiles at once.
  SharedTile(Distribution &distribution, mlir::Value scratch, mlir::Type element,
             std::int64_t byteOffset = 0);

  void store(mlir::Value v, const Index &index) const;
  mlir::Value load(const Index &index) const;
  mlir::Value address(const Index &index) const;

 private:
  Distribution &d_;
  mlir::Type element_, stored_;
  mlir::Value base_;
};

// The row-major number of the element at these coordinates. i32.
mlir::Value rowMajorIndex(Distribution &distribution, mlir::ValueRange coordinates,
                          const std::vector<std::int64_t> &shape);
std::int64_t elementCount(const std::vector<std::int64_t> &shape);

// All threads write the tile, wait for each other, and may then read any of it.
SharedTile share(Distribution &distribution, mlir::ValueRange registers, mlir::Type element,
                 const layout::TileLayout &layout);

}   // namespace tile::gpu
