// SPDX-License-Identifier: MIT
// RUN: tile-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @constants
// CHECK-DAG: %[[A:.*]] = arith.constant dense<3> : tensor<8x4xi32>
// CHECK-DAG: %[[B:.*]] = arith.constant dense<true> : tensor<2x16xi1>
// CHECK-DAG: %[[C:.*]] = arith.constant dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi32>
// CHECK-DAG: %[[D:.*]] = arith.constant dense<{{\[\[}}1, 2, 3, 4]]> : tensor<1x4xi32>
// CHECK-DAG: %[[E:.*]] = arith.constant dense<1.500000e+00> : tensor<4x8xf16>
// CHECK-DAG: %[[F:.*]] = arith.constant dense<3> : tensor<8xi32>
// CHECK-DAG: %[[G:.*]] = arith.constant dense<3> : tensor<8x4x2xi32>
// CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]], %[[F]], %[[F]], %[[G]]
func.func @constants() -> (tensor<8x4xi32>, tensor<2x16xi1>, tensor<2x2xi32>, tensor<1x4xi32>, tensor<4x8xf16>,
                           tensor<8xi32>, tensor<8xi32>, tensor<8x4x2xi32>) {
  %three = arith.constant 3 : i32
  %0 = tile.splat %three : i32 -> tensor<8x4xi32>
  %true = arith.constant dense<true> : tensor<2x1xi1>
  %1 = tile.broadcast %true : tensor<2x1xi1> -> tensor<2x16xi1>
  %four = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %2 = tile.reshape %four : tensor<4xi32> -> tensor<2x2xi32>
  %3 = tile.expand_dims %four {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  %half = arith.constant dense<1.5> : tensor<8x4xf16>
  %4 = tile.permute %half [1, 0] : tensor<8x4xf16> -> tensor<4x8xf16>
  %pairs = arith.constant dense<3> : tensor<8x2xi32>
  %5, %6 = tile.split %pairs : tensor<8x2xi32> -> tensor<8xi32>
  %7 = tile.join %0, %0 : tensor<8x4xi32> -> tensor<8x4x2xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<8x4xi32>, tensor<2x16xi1>, tensor<2x2xi32>, tensor<1x4xi32>,
      tensor<4x8xf16>, tensor<8xi32>, tensor<8xi32>, tensor<8x4x2xi32>
}

// CHECK-LABEL: func.func @identities(
// CHECK-SAME: %[[X:.*]]: tensor<8x4xf32>, %[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>, %[[P:.*]]: tensor<8x2xf32>
// CHECK: return %[[X]], %[[X]], %[[X]], %[[A]], %[[B]], %[[P]]
func.func @identities(%x: tensor<8x4xf32>, %a: tensor<8xf32>, %b: tensor<8xf32>, %p: tensor<8x2xf32>)
    -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x2xf32>) {
  %0 = tile.broadcast %x : tensor<8x4xf32> -> tensor<8x4xf32>
  %1 = tile.reshape %x : tensor<8x4xf32> -> tensor<8x4xf32>
  %2 = tile.permute %x [0, 1] : tensor<8x4xf32> -> tensor<8x4xf32>
  %3 = tile.join %a, %b : tensor<8xf32> -> tensor<8x2xf32>
  %4, %5 = tile.split %3 : tensor<8x2xf32> -> tensor<8xf32>
  %6, %7 = tile.split %p : tensor<8x2xf32> -> tensor<8xf32>
  %8 = tile.join %6, %7 : tensor<8xf32> -> tensor<8x2xf32>
  return %0, %1, %2, %4, %5, %8 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x2xf32>
}

// CHECK-LABEL: func.func @swapped_halves(
// CHECK: tile.split
// CHECK: tile.join
func.func @swapped_halves(%p: tensor<8x2xf32>) -> tensor<8x2xf32> {
  %0, %1 = tile.split %p : tensor<8x2xf32> -> tensor<8xf32>
  %2 = tile.join %1, %0 : tensor<8xf32> -> tensor<8x2xf32>
  return %2 : tensor<8x2xf32>
}

// CHECK-LABEL: func.func @chains(
// CHECK-SAME: %[[X:.*]]: tensor<1x4x1xf32>
// CHECK: %[[B:.*]] = tile.broadcast %[[X]] : tensor<1x4x1xf32> -> tensor<2x4x8xf32>
// CHECK: %[[R:.*]] = tile.reshape %[[X]] any_order : tensor<1x4x1xf32> -> tensor<2x2xf32>
// CHECK: %[[P:.*]] = tile.permute %[[X]] [1, 2, 0] : tensor<1x4x1xf32> -> tensor<4x1x1xf32>
// CHECK: %[[E:.*]] = tile.reshape %[[X]] : tensor<1x4x1xf32> -> tensor<4xf32>
// CHECK: return %[[B]], %[[R]], %[[P]], %[[E]]
func.func @chains(%x: tensor<1x4x1xf32>) -> (tensor<2x4x8xf32>, tensor<2x2xf32>, tensor<4x1x1xf32>, tensor<4xf32>) {
  %0 = tile.broadcast %x : tensor<1x4x1xf32> -> tensor<2x4x1xf32>
  %1 = tile.broadcast %0 : tensor<2x4x1xf32> -> tensor<2x4x8xf32>
  %2 = tile.reshape %x any_order : tensor<1x4x1xf32> -> tensor<4xf32>
  %3 = tile.reshape %2 : tensor<4xf32> -> tensor<2x2xf32>
  %4 = tile.permute %x [2, 0, 1] : tensor<1x4x1xf32> -> tensor<1x1x4xf32>
  %5 = tile.permute %4 [2, 0, 1] : tensor<1x1x4xf32> -> tensor<4x1x1xf32>
  %6 = tile.expand_dims %x {axis = 0 : i32} : tensor<1x4x1xf32> -> tensor<1x1x4x1xf32>
  %7 = tile.reshape %6 : tensor<1x1x4x1xf32> -> tensor<4xf32>
  return %1, %3, %5, %7 : tensor<2x4x8xf32>, tensor<2x2xf32>, tensor<4x1x1xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @splats(
// CHECK-SAME: %[[X:.*]]: f32
// CHECK-DAG: %[[A:.*]] = tile.splat %[[X]] : f32 -> tensor<8x4xf32>
// CHECK-DAG: %[[B:.*]] = tile.splat %[[X]] : f32 -> tensor<8x1x1xf32>
// CHECK-DAG: %[[C:.*]] = tile.splat %[[X]] : f32 -> tensor<8xf32>
// CHECK-DAG: %[[D:.*]] = tile.splat %[[X]] : f32 -> tensor<1x8xf32>
// CHECK-DAG: %[[E:.*]] = tile.splat %[[X]] : f32 -> tensor<4x1xf32>
// CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]]
func.func @splats(%x: f32, %i: tensor<4x1xi32>)
    -> (tensor<8x4xf32>, tensor<8x1x1xf32>, tensor<8xf32>, tensor<1x8xf32>, tensor<4x1xf32>) {
  %0 = tile.splat %x : f32 -> tensor<8x1xf32>
  %1 = tile.broadcast %0 : tensor<8x1xf32> -> tensor<8x4xf32>
  %2 = tile.expand_dims %0 {axis = 2 : i32} : tensor<8x1xf32> -> tensor<8x1x1xf32>
  %3 = tile.reshape %0 : tensor<8x1xf32> -> tensor<8xf32>
  %4 = tile.permute %0 [1, 0] : tensor<8x1xf32> -> tensor<1x8xf32>
  %5 = tile.gather %0[%i] {axis = 0 : i32} : tensor<8x1xf32>, tensor<4x1xi32> -> tensor<4x1xf32>
  return %1, %2, %3, %4, %5 : tensor<8x4xf32>, tensor<8x1x1xf32>, tensor<8xf32>, tensor<1x8xf32>, tensor<4x1xf32>
}
