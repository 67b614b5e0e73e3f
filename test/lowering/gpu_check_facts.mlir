// SPDX-License-Identifier: MIT
// RUN: tile-opt %s --tile-gpu-check-facts | FileCheck %s
// RUN: tile-opt %s --tile-gpu-check-facts=checks-promises=false | FileCheck %s --check-prefix=STEPS
// RUN: tile-opt %s --pass-pipeline='builtin.module(func.func(tile-gpu-check-facts,loop-invariant-code-motion))' \
// RUN:   | FileCheck %s --check-prefix=MOVED

// CHECK-LABEL: func.func @promises(
// CHECK-SAME: %[[N:.*]]: i32, %[[P:.*]]: !tile.ptr<f16>
// CHECK: %[[WIDE:.*]] = arith.extsi %[[N]] : i32 to i64
// CHECK: %[[REST:.*]] = arith.remsi %[[WIDE]], %[[BY:.*]] : i64
// CHECK: %[[HOLDS:.*]] = arith.cmpi eq, %[[REST]]
// CHECK: llvm.intr.assume %[[HOLDS]] ["tile.divisible"(%[[WIDE]], %[[BY]] : i64, i64)] : i1
// CHECK: tile.assume %[[N]] {divisible = 16 : i64}
// CHECK: %[[AT:.*]] = tile.ptr_to_int %[[P]]
// CHECK: llvm.intr.assume %{{.*}} ["tile.aligned"(%[[AT]], %{{.*}} : i64, i64)] : i1
// CHECK: %[[AGAIN:.*]] = arith.extsi %[[N]] : i32 to i64
// CHECK: arith.cmpi sge, %[[AGAIN]], %[[LOW:.*]] : i64
// CHECK: arith.cmpi sle, %[[AGAIN]], %[[HIGH:.*]] : i64
// CHECK: llvm.intr.assume %{{.*}} ["tile.range"(%[[AGAIN]], %[[LOW]], %[[HIGH]] : i64, i64, i64)] : i1
func.func @promises(%n: i32, %p: !tile.ptr<f16>) -> (i32, !tile.ptr<f16>, i32) {
  %0 = tile.assume %n {divisible = 16 : i64} : i32
  %1 = tile.assume %p {divisible = 16 : i64} : !tile.ptr<f16>
  %2 = tile.assume %n {range = array<i64: 1, 100>} : i32
  return %0, %1, %2 : i32, !tile.ptr<f16>, i32
}

// A promise in a loop that never runs is not checked: its condition stays in the loop, though the value may move.
// MOVED-LABEL: func.func @in_a_loop(
// MOVED: scf.for
// MOVED: llvm.intr.assume
func.func @in_a_loop(%n: i32, %trips: i32, %p: !tile.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %k = %c0 to %trips step %c1 : i32 {
    %0 = tile.assume %n {range = array<i64: 1, 100>} : i32
    tile.store %p, %0 : !tile.ptr<i32>
  }
  return
}

// Of whole tiles nothing is asked: distribution has made numbers of them.
// CHECK-LABEL: func.func @tiles(
// CHECK-NOT: llvm.intr.assume
func.func @tiles(%t: tensor<64xi32>) -> tensor<64xi32> {
  %0 = tile.assume %t {divisible = 4 : i64} : tensor<64xi32>
  return %0 : tensor<64xi32>
}

// The comparison says which loop's step it is about: no promise, but it is checked in the same way.
// CHECK-LABEL: func.func @step(
// CHECK: %[[GOES:.*]] = arith.cmpi sgt, %[[S:.*]], %{{.*}} {tile_gpu.loop_step} : i32
// CHECK-NEXT: %[[WIDE:.*]] = arith.extsi %[[S]] : i32 to i64
// CHECK-NEXT: llvm.intr.assume %[[GOES]] ["tile.step"(%[[WIDE]] : i64)] : i1
// STEPS-LABEL: func.func @promises(
// STEPS-NOT: llvm.intr.assume
// STEPS-LABEL: func.func @step(
// STEPS: ["tile.step"(
func.func @step(%s: i32) -> i1 {
  %c0 = arith.constant 0 : i32
  %0 = arith.cmpi sgt, %s, %c0 {tile_gpu.loop_step} : i32
  return %0 : i1
}
