// SPDX-License-Identifier: MIT
// What stays in its loop.
// RUN: tile-opt %s --tile-gpu-hoist-conversions | FileCheck %s

#rows = #tile_gpu.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = [], repeats = [1]>
#columns = #tile_gpu.layout<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>

// What memory holds may change from one iteration to the next; arithmetic that nobody moves is no business of
// this pass.
// CHECK-LABEL: func.func @stay(
// CHECK: scf.for
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile_gpu.convert_layout
// CHECK-NEXT: arith.addf
// CHECK-NEXT: arith.addf
// CHECK-NEXT: tile.store
func.func @stay(%p: tensor<64x!tile.ptr<f32>, #rows>, %o: tensor<64x!tile.ptr<f32>, #columns>, %y: tensor<64xf32, #columns>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    %x = tile.load %p : tensor<64x!tile.ptr<f32>, #rows>
    %q = tile_gpu.convert_layout %x : tensor<64xf32, #rows> -> tensor<64xf32, #columns>
    %twice = arith.addf %y, %y : tensor<64xf32, #columns>
    %sum = arith.addf %q, %twice : tensor<64xf32, #columns>
    tile.store %o, %sum : tensor<64x!tile.ptr<f32>, #columns>
  }
  return
}
