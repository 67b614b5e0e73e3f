// SPDX-License-Identifier: MIT
// Loops that stay as they are; only the option goes.
// RUN: tile-opt %s --tile-unroll-loops | FileCheck %s

// Nobody asks, or for one iteration in a trip.
// CHECK-LABEL: func.func @once(
// CHECK: scf.for %{{.*}} = %arg0 to %arg1 step
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: }{{$}}
// CHECK-NEXT: scf.for %{{.*}} = %arg0 to %arg1 step
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: } {tile.num_stages = 4 : i32}
// CHECK-NEXT: return
func.func @once(%lb: i32, %ub: i32) {
  %one = arith.constant 1 : i32
  scf.for %i = %lb to %ub step %one : i32 {
    tile.barrier
  } {tile.unroll = 1 : i32}
  scf.for %i = %lb to %ub step %one : i32 {
    tile.barrier
  } {tile.num_stages = 4 : i32}
  return
}

// The type cannot count that far: there is no whole trip.
// CHECK-LABEL: func.func @narrow(
// CHECK: scf.for %{{.*}} = %arg0 to %arg1 step
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: }{{$}}
// CHECK-NEXT: return
func.func @narrow(%lb: i8, %ub: i8) {
  %one = arith.constant 1 : i8
  scf.for %i = %lb to %ub step %one : i8 {
    tile.barrier
  } {tile.unroll = 256 : i32}
  return
}

// A step that no loop has: it never runs, which the simulator reports where the loop stands.
// CHECK-LABEL: func.func @backwards(
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %[[ZERO:.*]] : i32
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: }{{$}}
// CHECK-NEXT: scf.for
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: }{{$}}
// CHECK-NEXT: return
func.func @backwards(%p: !tile.ptr<i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %minus = arith.constant -1 : i32
  scf.for %i = %zero to %one step %zero : i32 {
    tile.barrier
  } {tile.unroll = 2 : i32}
  scf.for %i = %zero to %one step %minus : i32 {
    tile.barrier
  } {tile.unroll = 2 : i32}
  return
}
