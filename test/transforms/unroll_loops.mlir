// SPDX-License-Identifier: MIT
// Loops whose iterations are done several at a time.
// RUN: tile-opt %s --tile-unroll-loops --canonicalize --split-input-file | FileCheck %s

// Nothing is known of the bounds: whole trips of three, then what remains. What one iteration carries out the
// next one of the trip takes in. The option is gone, others stay, on both loops.
// CHECK-LABEL: func.func @any(
// CHECK-SAME: %[[LB:.*]]: i32, %[[UB:.*]]: i32, %[[STEP:.*]]: i32, %[[P:.*]]: !tile.ptr<i32>
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i32
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : i32
// CHECK: %[[LESS:.*]] = arith.cmpi slt, %[[LB]], %[[UB]]
// CHECK: %[[GOES:.*]] = arith.cmpi sgt, %[[STEP]], %[[C0]] {tile_gpu.loop_step}
// CHECK: %[[BY:.*]] = arith.select %[[GOES]], %[[STEP]], %[[C1]]
// CHECK: %[[RUNS:.*]] = arith.andi %[[LESS]], %[[GOES]]
// CHECK: %[[SPAN:.*]] = arith.subi %[[UB]], %[[LB]]
// CHECK: %[[LAST:.*]] = arith.subi %[[SPAN]], %[[C1]]
// CHECK: %[[STEPS:.*]] = arith.divui %[[LAST]], %[[BY]]
// CHECK: %[[COUNT:.*]] = arith.addi %[[STEPS]], %[[C1]]
// CHECK: %[[TRIPS:.*]] = arith.select %[[RUNS]], %[[COUNT]], %[[C0]]
// CHECK: %[[WHOLE:.*]] = arith.divui %[[TRIPS]], %[[C3]]
// CHECK: %[[DONE:.*]] = arith.muli %[[WHOLE]], %[[C3]]
// CHECK: %[[STRIDE:.*]] = arith.muli %[[STEP]], %[[C3]]
// CHECK: %[[SUM:.*]] = scf.for unsigned %[[J:.*]] = %[[C0]] to %[[WHOLE]] step %[[C1]] iter_args(%[[IN:.*]] = %[[C0]])
// CHECK-NEXT: %[[OFFSET:.*]] = arith.muli %[[J]], %[[STRIDE]]
// CHECK-NEXT: %[[I:.*]] = arith.addi %[[LB]], %[[OFFSET]]
// CHECK-NEXT: tile.store %[[P]], %[[I]]
// CHECK-NEXT: %[[S0:.*]] = arith.addi %[[IN]], %[[I]]
// CHECK-NEXT: %[[I1:.*]] = arith.addi %[[I]], %[[STEP]]
// CHECK-NEXT: tile.store %[[P]], %[[I1]]
// CHECK-NEXT: %[[S1:.*]] = arith.addi %[[S0]], %[[I1]]
// CHECK-NEXT: %[[TWO:.*]] = arith.muli %[[STEP]], %[[C2]]
// CHECK-NEXT: %[[I2:.*]] = arith.addi %[[I]], %[[TWO]]
// CHECK-NEXT: tile.store %[[P]], %[[I2]]
// CHECK-NEXT: %[[S2:.*]] = arith.addi %[[S1]], %[[I2]]
// CHECK-NEXT: scf.yield %[[S2]]
// CHECK-NEXT: } {tile.num_stages = 2 : i32}
// CHECK: %[[END:.*]] = scf.for unsigned %[[R:.*]] = %[[DONE]] to %[[TRIPS]] step %[[C1]] iter_args(%[[REST:.*]] = %[[SUM]])
// CHECK-NEXT: %[[AT:.*]] = arith.muli %[[R]], %[[STEP]]
// CHECK-NEXT: %[[K:.*]] = arith.addi %[[LB]], %[[AT]]
// CHECK-NEXT: tile.store %[[P]], %[[K]]
// CHECK-NEXT: %[[S:.*]] = arith.addi %[[REST]], %[[K]]
// CHECK-NEXT: scf.yield %[[S]]
// CHECK-NEXT: } {tile.num_stages = 2 : i32}
// CHECK: return %[[END]]
func.func @any(%lb: i32, %ub: i32, %step: i32, %p: !tile.ptr<i32>) -> i32 {
  %zero = arith.constant 0 : i32
  %sum = scf.for %i = %lb to %ub step %step iter_args(%in = %zero) -> (i32) : i32 {
    tile.store %p, %i : !tile.ptr<i32>
    %next = arith.addi %in, %i : i32
    scf.yield %next : i32
  } {tile.unroll = 3 : i32, tile.num_stages = 2 : i32}
  return %sum : i32
}

// -----

// Unsigned bounds are compared as such.
// CHECK-LABEL: func.func @unsigned(
// CHECK: arith.cmpi ult
// CHECK-COUNT-2: scf.for unsigned
func.func @unsigned(%lb: i64, %ub: i64, %step: i64, %p: !tile.ptr<i64>) {
  scf.for unsigned %i = %lb to %ub step %step : i64 {
    tile.store %p, %i : !tile.ptr<i64>
  } {tile.unroll = 2 : i32}
  return
}

// -----

// As often as it runs, up to the end of the type: no loop, and every value is a constant.
// CHECK-LABEL: func.func @whole(
// CHECK-SAME: %[[P:.*]]: !tile.ptr<i32>
// CHECK-DAG: %[[A:.*]] = arith.constant 2147483640 : i32
// CHECK-DAG: %[[B:.*]] = arith.constant 2147483643 : i32
// CHECK-DAG: %[[C:.*]] = arith.constant 2147483646 : i32
// CHECK-NOT: scf.for
// CHECK: tile.store %[[P]], %[[A]]
// CHECK-NEXT: tile.store %[[P]], %[[B]]
// CHECK-NEXT: tile.store %[[P]], %[[C]]
// CHECK-NEXT: return
func.func @whole(%p: !tile.ptr<i32>) {
  %lb = arith.constant 2147483640 : i32
  %ub = arith.constant 2147483647 : i32
  %step = arith.constant 3 : i32
  scf.for %i = %lb to %ub step %step : i32 {
    tile.store %p, %i : !tile.ptr<i32>
  } {tile.unroll = 3 : i32}
  return
}

// -----

// More often than it runs, from one end of the type to the other, signed and unsigned.
// CHECK-LABEL: func.func @more(
// CHECK-DAG: %[[A:.*]] = arith.constant -2147483648 : i32
// CHECK-DAG: %[[B:.*]] = arith.constant -1 : i32
// CHECK-DAG: %[[C:.*]] = arith.constant 2147483646 : i32
// CHECK-DAG: %[[D:.*]] = arith.constant 2147483647 : i32
// CHECK-DAG: %[[E:.*]] = arith.constant -2 : i32
// CHECK-NOT: scf.for
// CHECK: tile.store %{{.*}}, %[[A]]
// CHECK-NEXT: tile.store %{{.*}}, %[[B]]
// CHECK-NEXT: tile.store %{{.*}}, %[[C]]
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.store %{{.*}}, %[[D]]
// CHECK-NEXT: tile.store %{{.*}}, %[[E]]
// CHECK-NEXT: return
func.func @more(%p: !tile.ptr<i32>) {
  %least = arith.constant -2147483648 : i32
  %most = arith.constant 2147483647 : i32
  %all = arith.constant -1 : i32
  scf.for %i = %least to %most step %most : i32 {
    tile.store %p, %i : !tile.ptr<i32>
  } {tile.unroll = 8 : i32}
  tile.barrier
  scf.for unsigned %i = %most to %all step %most : i32 {
    tile.store %p, %i : !tile.ptr<i32>
  } {tile.unroll = 8 : i32}
  return
}

// -----

// Never: what goes in comes out.
// CHECK-LABEL: func.func @never(
// CHECK-SAME: %[[X:.*]]: i32
// CHECK-NEXT: return %[[X]]
func.func @never(%x: i32) -> i32 {
  %lb = arith.constant 5 : i32
  %ub = arith.constant -5 : i32
  %step = arith.constant 1 : i32
  %r = scf.for %i = %lb to %ub step %step iter_args(%in = %x) -> (i32) : i32 {
    %next = arith.muli %in, %i : i32
    scf.yield %next : i32
  } {tile.unroll = 4 : i32}
  return %r : i32
}

// -----

// 12 iterations in trips of 4 leave nothing; 14 leave two.
// CHECK-LABEL: func.func @known(
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : i32
// CHECK-DAG: %[[C12:.*]] = arith.constant 12 : i32
// CHECK-DAG: %[[C14:.*]] = arith.constant 14 : i32
// CHECK: scf.for unsigned %{{.*}} = %{{.*}} to %[[C3]] step
// CHECK-COUNT-4: tile.store
// CHECK-NOT: tile.store
// CHECK: tile.barrier
// CHECK: scf.for unsigned %{{.*}} = %{{.*}} to %[[C3]] step
// CHECK-COUNT-4: tile.store
// CHECK-NOT: tile.store
// CHECK: scf.for unsigned %{{.*}} = %[[C12]] to %[[C14]] step
// CHECK-COUNT-1: tile.store
// CHECK-NOT: tile.store
func.func @known(%p: !tile.ptr<i32>) {
  %lb = arith.constant 0 : i32
  %twelve = arith.constant 12 : i32
  %fourteen = arith.constant 14 : i32
  %step = arith.constant 1 : i32
  scf.for %i = %lb to %twelve step %step : i32 {
    tile.store %p, %i : !tile.ptr<i32>
  } {tile.unroll = 4 : i32}
  tile.barrier
  scf.for %i = %lb to %fourteen step %step : i32 {
    tile.store %p, %i : !tile.ptr<i32>
  } {tile.unroll = 4 : i32}
  return
}

// -----

// A loop in a loop: the outer trip has two inner loops, the remainder one; each inner trip has two stores.
// CHECK-LABEL: func.func @nested(
// CHECK: scf.for unsigned %{{.*}} = %{{.*}} to
// CHECK: scf.for unsigned %{{.*}} = %{{.*}} to
// CHECK-COUNT-2: tile.store
// CHECK-NOT: tile.store
// CHECK: scf.for unsigned %{{.*}} = %{{.*}} to
// CHECK-COUNT-2: tile.store
// CHECK-NOT: tile.store
// CHECK: scf.for unsigned %{{.*}} = %{{.*}} to
// CHECK-NEXT: scf.for unsigned %{{.*}} = %{{.*}} to
// CHECK-COUNT-2: tile.store
// CHECK-NOT: tile.store
func.func @nested(%n: i32, %p: !tile.ptr<i32>) {
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %four = arith.constant 4 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    scf.for %j = %zero to %four step %one : i32 {
      %k = arith.addi %i, %j : i32
      tile.store %p, %k : !tile.ptr<i32>
    } {tile.unroll = 2 : i32}
  } {tile.unroll = 2 : i32}
  return
}
