// SPDX-License-Identifier: MIT
// What a loop does not change is moved to where it is wanted before the loop, with what it is computed from.
// RUN: tile-opt %s --tile-gpu-hoist-conversions | FileCheck %s

#rows = #tile_gpu.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = [], repeats = [1]>
#columns = #tile_gpu.layout<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>

// Out of both loops; the sum with what the outer loop changes out of the inner one alone.
// CHECK-LABEL: func.func @loops(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<64xf32,
// CHECK: %[[DOUBLE:.*]] = arith.addf %[[X]], %[[X]]
// CHECK-NEXT: tile_gpu.convert_layout %[[DOUBLE]]
// CHECK-NEXT: scf.for
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[X]], %{{.*}}
// CHECK-NEXT: tile_gpu.convert_layout %[[SUM]]
// CHECK-NEXT: scf.for
// CHECK-NEXT: arith.addf
// CHECK-NEXT: arith.addf
// CHECK-NEXT: scf.yield
func.func @loops(%x: tensor<64xf32, #rows>, %y: tensor<64xf32, #columns>, %n: i32) -> tensor<64xf32, #columns> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r, %s = scf.for %i = %zero to %n step %one iter_args(%a = %y, %b = %x) -> (tensor<64xf32, #columns>, tensor<64xf32, #rows>) : i32 {
    %inner = scf.for %j = %zero to %n step %one iter_args(%c = %a) -> (tensor<64xf32, #columns>) : i32 {
      %double = arith.addf %x, %x : tensor<64xf32, #rows>
      %p = tile_gpu.convert_layout %double : tensor<64xf32, #rows> -> tensor<64xf32, #columns>
      %sum = arith.addf %x, %b : tensor<64xf32, #rows>
      %q = tile_gpu.convert_layout %sum : tensor<64xf32, #rows> -> tensor<64xf32, #columns>
      %d = arith.addf %c, %p : tensor<64xf32, #columns>
      %e = arith.addf %d, %q : tensor<64xf32, #columns>
      scf.yield %e : tensor<64xf32, #columns>
    }
    %next = arith.addf %b, %x : tensor<64xf32, #rows>
    scf.yield %inner, %next : tensor<64xf32, #columns>, tensor<64xf32, #rows>
  }
  return %r : tensor<64xf32, #columns>
}
