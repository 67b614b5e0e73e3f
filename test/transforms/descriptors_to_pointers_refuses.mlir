// SPDX-License-Identifier: MIT
// Coordinates are counted in 64 bits, so that none of them wraps; and what is no descriptor stays.
// RUN: tile-opt %s --tile-descriptors-to-pointers | FileCheck %s

// CHECK-LABEL: func.func @wide(
// CHECK: arith.extsi %arg2 : i32 to i64
// CHECK-NOT: arith.addi {{.*}} : tensor<64xi32>
// CHECK: arith.addi {{.*}} : tensor<64xi64>
func.func @wide(%p: !tile.ptr<f32>, %m: i64, %i: i32) -> tensor<64xf32> {
  %one = arith.constant 1 : i64
  %d = tile.make_descriptor %p, [%m], [%one] : !tile.ptr<f32> -> !tile.desc<64xf32>
  %x = tile.descriptor_load %d[%i] : !tile.desc<64xf32> -> tensor<64xf32>
  return %x : tensor<64xf32>
}

// CHECK-LABEL: func.func @pointers(
// CHECK-NEXT: tile.load %arg0 : tensor<64x!tile.ptr<f32>>
func.func @pointers(%p: tensor<64x!tile.ptr<f32>>) -> tensor<64xf32> {
  %x = tile.load %p : tensor<64x!tile.ptr<f32>>
  return %x : tensor<64xf32>
}
