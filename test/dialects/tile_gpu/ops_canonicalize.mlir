// SPDX-License-Identifier: MIT
// RUN: tile-opt %s -canonicalize -cse | FileCheck %s
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
#reversed = #tile_gpu.layout<register = [], lane = [[16], [8], [4], [2], [1]], warp = [], block = [], repeats = [1]>
#shifted = #tile_gpu.layout<register = [], lane = [[2], [4], [8], [16], [1]], warp = [], block = [], repeats = [1]>

// tile_gpu.convert_layout to the same layout, and there and back.
// CHECK-LABEL: func.func @nothing(
// CHECK-SAME: %[[X:.*]]: tensor
// CHECK-NEXT: return %[[X]], %[[X]]
func.func @nothing(%x: tensor<32xf16, #lanes>) -> (tensor<32xf16, #lanes>, tensor<32xf16, #lanes>) {
  %0 = tile_gpu.convert_layout %x : tensor<32xf16, #lanes> -> tensor<32xf16, #lanes>
  %1 = tile_gpu.convert_layout %x : tensor<32xf16, #lanes> -> tensor<32xf16, #reversed>
  %2 = tile_gpu.convert_layout %1 : tensor<32xf16, #reversed> -> tensor<32xf16, #lanes>
  return %0, %2 : tensor<32xf16, #lanes>, tensor<32xf16, #lanes>
}

// CHECK-LABEL: func.func @twice(
// CHECK-SAME: %[[X:.*]]: tensor
// CHECK-NEXT: %[[Y:.*]] = tile_gpu.convert_layout %[[X]]
// CHECK-NEXT: return %[[Y]]
func.func @twice(%x: tensor<32xf16, #lanes>) -> tensor<32xf16, #shifted> {
  %0 = tile_gpu.convert_layout %x : tensor<32xf16, #lanes> -> tensor<32xf16, #reversed>
  %1 = tile_gpu.convert_layout %0 : tensor<32xf16, #reversed> -> tensor<32xf16, #shifted>
  return %1 : tensor<32xf16, #shifted>
}

// CHECK-LABEL: func.func @splat(
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<2.000000e+00> : tensor<32xf16, #{{.*}}>
// CHECK-NEXT: return %[[C]]
func.func @splat() -> tensor<32xf16, #reversed> {
  %c = arith.constant dense<2.0> : tensor<32xf16, #lanes>
  %0 = tile_gpu.convert_layout %c : tensor<32xf16, #lanes> -> tensor<32xf16, #reversed>
  return %0 : tensor<32xf16, #reversed>
}

// Plain loads of one address are one load; volatile ones and those that ask memory each time are not.
// CHECK-LABEL: func.func @loads(
// CHECK-COUNT-1: tile_gpu.load_global %{{[^{]*}} :
// CHECK-COUNT-2: tile_gpu.load_global %{{.*}} {is_volatile}
// CHECK-COUNT-2: tile_gpu.load_global %{{.*}} {cache = #tile.cache<cv>}
// CHECK-NOT: tile_gpu.load_global
func.func @loads(%p: !tile.ptr<f32>) -> (f32, f32, f32, f32, f32, f32) {
  %0 = tile_gpu.load_global %p : (!tile.ptr<f32>) -> (f32)
  %1 = tile_gpu.load_global %p : (!tile.ptr<f32>) -> (f32)
  %2 = tile_gpu.load_global %p {is_volatile} : (!tile.ptr<f32>) -> (f32)
  %3 = tile_gpu.load_global %p {is_volatile} : (!tile.ptr<f32>) -> (f32)
  %4 = tile_gpu.load_global %p {cache = #tile.cache<cv>} : (!tile.ptr<f32>) -> (f32)
  %5 = tile_gpu.load_global %p {cache = #tile.cache<cv>} : (!tile.ptr<f32>) -> (f32)
  return %0, %1, %2, %3, %4, %5 : f32, f32, f32, f32, f32, f32
}
