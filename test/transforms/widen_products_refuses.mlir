// SPDX-License-Identifier: MIT
// What the matrix unit takes stays as it is.
// RUN: tile-opt %s --tile-widen-products | FileCheck %s

// CHECK-LABEL: func.func @taken(
// CHECK-NOT: tile.fp_cast
// CHECK: tile.dot %arg0, %arg1, %arg2 : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
// CHECK: tile.dot %arg3, %arg4, %arg5 : tensor<64x32xi8>, tensor<32x64xi8>, tensor<64x64xi32>
// CHECK-NOT: tile.fp_cast
func.func @taken(%a: tensor<64x32xbf16>, %b: tensor<32x64xbf16>, %c: tensor<64x64xf32>, %d: tensor<64x32xi8>, %e: tensor<32x64xi8>, %f: tensor<64x64xi32>) -> (tensor<64x64xf32>, tensor<64x64xi32>) {
  %0 = tile.dot %a, %b, %c : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
  %1 = tile.dot %d, %e, %f : tensor<64x32xi8>, tensor<32x64xi8>, tensor<64x64xi32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xi32>
}
