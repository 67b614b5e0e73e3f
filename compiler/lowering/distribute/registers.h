// SPDX-License-Identifier: MIT
// What has become of the values of a kernel: the registers in which one thread holds a tile, or the new value
// of a scalar.
#pragma once

#include "dialects/tile_gpu/dialect.h"

#include "mlir/IR/IRMapping.h"

namespace tile::gpu {

using Registers = mlir::SmallVector<mlir::Value>;

bool isTile(mlir::Value v);
layout::TileLayout layoutOf(mlir::Value tile);

class TileRegisters {
 public:
  // The registers of a tile, or the one value of a scalar.
  mlir::ArrayRef<mlir::Value> of(mlir::Value v);
  void set(mlir::Value v, Registers registers);

  // The values of a list with tiles replaced by their registers, and the types likewise. Two floats of 16
  // bits go in one word.
  Registers flat(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange values);
  static mlir::Type scalarType(mlir::Type type);
  static mlir::SmallVector<mlir::Type> flatTypes(mlir::TypeRange types);
  void setFlat(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange olds, mlir::ValueRange news);

  mlir::IRMapping &scalars() { return scalars_; }

 private:
  mlir::IRMapping scalars_;
  mlir::DenseMap<mlir::Value, Registers> tiles_;
};

}   // namespace tile::gpu
