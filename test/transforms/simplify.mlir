// SPDX-License-Identifier: MIT
// What tile-simplify does; what it leaves alone is in simplify_refuses.mlir. Running it again changes nothing.
// RUN: tile-opt %s --tile-simplify | FileCheck %s
// RUN: tile-opt %s --tile-simplify > %t.once
// RUN: tile-opt %t.once --tile-simplify > %t.twice
// RUN: diff %t.once %t.twice

// The picture of Passes.td.
// CHECK-LABEL: func.func @rows_of_pointers(
// CHECK-SAME: %[[X:.*]]: !tile.ptr<f16>, %[[STRIDE:.*]]: i32
// CHECK-DAG: %[[R:.*]] = tile.arange 0 to 64 : tensor<64xi32>
// CHECK-DAG: %[[S:.*]] = tile.splat %[[STRIDE]] : i32 -> tensor<64xi32>
// CHECK-DAG: %[[P:.*]] = tile.splat %[[X]] : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
// CHECK-DAG: %[[O:.*]] = arith.muli %[[R]], %[[S]] : tensor<64xi32>
// CHECK: %[[A:.*]] = tile.addptr %[[P]], %[[O]] : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
// CHECK: %[[C:.*]] = tile.expand_dims %[[A]] {axis = 1 : i32}
// CHECK: %[[Q:.*]] = tile.broadcast %[[C]] : tensor<64x1x!tile.ptr<f16>> -> tensor<64x32x!tile.ptr<f16>>
// CHECK: return %[[Q]]
func.func @rows_of_pointers(%x: !tile.ptr<f16>, %stride: i32) -> tensor<64x32x!tile.ptr<f16>> {
  %r = tile.arange 0 to 64 : tensor<64xi32>
  %s = tile.splat %stride : i32 -> tensor<64x1xi32>
  %c = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %o = arith.muli %c, %s : tensor<64x1xi32>
  %b = tile.broadcast %o : tensor<64x1xi32> -> tensor<64x32xi32>
  %p = tile.splat %x : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
  %q = tile.addptr %p, %b : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
  return %q : tensor<64x32x!tile.ptr<f16>>
}

// CHECK-LABEL: func.func @scalars(
// CHECK-SAME: %[[A:.*]]: f32, %[[B:.*]]: f32
// CHECK: %[[HALF:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[E:.*]] = math.exp %[[A]] : f32
// CHECK: %[[M:.*]] = arith.mulf %[[E]], %[[HALF]] : f32
// CHECK: %[[C:.*]] = arith.cmpf olt, %[[M]], %[[B]] : f32
// CHECK: %[[S:.*]] = arith.select %[[C]], %[[M]], %[[B]] : f32
// CHECK: %[[T:.*]] = tile.splat %[[S]] : f32 -> tensor<32x8xf32>
// CHECK: return %[[T]]
func.func @scalars(%a: f32, %b: f32) -> tensor<32x8xf32> {
  %half = arith.constant dense<0.5> : tensor<32x8xf32>
  %as = tile.splat %a : f32 -> tensor<32x8xf32>
  %bs = tile.splat %b : f32 -> tensor<32x8xf32>
  %e = math.exp %as : tensor<32x8xf32>
  %m = arith.mulf %e, %half : tensor<32x8xf32>
  %c = arith.cmpf olt, %m, %bs : tensor<32x8xf32>
  %s = arith.select %c, %m, %bs : tensor<32x8xi1>, tensor<32x8xf32>
  return %s : tensor<32x8xf32>
}

// An axis that only one operand fills is filled before the op, the other after it.
// CHECK-LABEL: func.func @partly(
// CHECK-SAME: %[[X:.*]]: tensor<1x8x1xf32>, %[[Y:.*]]: tensor<4x1x1xf32>
// CHECK-DAG: %[[BX:.*]] = tile.broadcast %[[X]] : tensor<1x8x1xf32> -> tensor<4x8x1xf32>
// CHECK-DAG: %[[BY:.*]] = tile.broadcast %[[Y]] : tensor<4x1x1xf32> -> tensor<4x8x1xf32>
// CHECK: %[[S:.*]] = arith.addf %[[BX]], %[[BY]] : tensor<4x8x1xf32>
// CHECK: %[[R:.*]] = tile.broadcast %[[S]] : tensor<4x8x1xf32> -> tensor<4x8x16xf32>
// CHECK: return %[[R]]
func.func @partly(%x: tensor<1x8x1xf32>, %y: tensor<4x1x1xf32>) -> tensor<4x8x16xf32> {
  %bx = tile.broadcast %x : tensor<1x8x1xf32> -> tensor<4x8x16xf32>
  %by = tile.broadcast %y : tensor<4x1x1xf32> -> tensor<4x8x16xf32>
  %s = arith.addf %bx, %by : tensor<4x8x16xf32>
  return %s : tensor<4x8x16xf32>
}

// Several results, and an operand that is a scalar anyway.
// CHECK-LABEL: func.func @random(
// CHECK: %{{.*}}, %{{.*}}, %{{.*}}, %[[W:.*]] = tile.philox {{.*}} : tensor<8xi32>
// CHECK: tile.expand_dims %[[W]]
func.func @random(%seed: i64, %c: tensor<8xi32>, %z: i32) -> tensor<8x1xi32> {
  %e = tile.expand_dims %c {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %zs = tile.splat %z : i32 -> tensor<8x1xi32>
  %w:4 = tile.philox %seed, %e, %zs, %zs, %zs : tensor<8x1xi32>
  return %w#3 : tensor<8x1xi32>
}

// Splats that meet in a chain of pointers add up before they are spread.
// CHECK-LABEL: func.func @pointer_chain(
// CHECK: %[[C5:.*]] = arith.constant 5 : i32
// CHECK: %[[Q:.*]] = tile.addptr %{{.*}}, %[[C5]] : !tile.ptr<f32>, i32
// CHECK: tile.splat %[[Q]] : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
func.func @pointer_chain(%p: !tile.ptr<f32>) -> tensor<64x!tile.ptr<f32>> {
  %two = arith.constant dense<2> : tensor<64xi32>
  %three = arith.constant dense<3> : tensor<64xi64>
  %0 = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %1 = tile.addptr %0, %two : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %2 = tile.addptr %1, %three : tensor<64x!tile.ptr<f32>>, tensor<64xi64>
  return %2 : tensor<64x!tile.ptr<f32>>
}

// CHECK-LABEL: func.func @accumulate(
// CHECK-SAME: %[[A:.*]]: tensor<16x16xf16>, %[[C:.*]]: tensor<16x16xf32>
// CHECK: %[[D:.*]] = tile.dot %[[A]], %[[A]], %[[C]] : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
// CHECK: return %[[D]]
func.func @accumulate(%a: tensor<16x16xf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tile.dot %a, %a, %zero : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %s = arith.addf %c, %d : tensor<16x16xf32>
  return %s : tensor<16x16xf32>
}

// The options of the product stay. Integers are exact, so `fp_fusion` has no say.
// CHECK-LABEL: func.func @accumulate_integers(
// CHECK: tile.dot %{{.*}}, %{{.*}}, %arg1 {unsigned_b}
// CHECK-NOT: arith.addi
func.func @accumulate_integers(%a: tensor<32x32xi8>, %c: tensor<32x32xi32>) -> tensor<32x32xi32>
    attributes {tile.fp_fusion = false} {
  %zero = arith.constant dense<0> : tensor<32x32xi32>
  %d = tile.dot %a, %a, %zero {unsigned_b} : tensor<32x32xi8>, tensor<32x32xi8>, tensor<32x32xi32>
  %s = arith.addi %d, %c : tensor<32x32xi32>
  return %s : tensor<32x32xi32>
}

// CHECK-LABEL: func.func @accumulate_in_loop(
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}})
// CHECK: %[[D:.*]] = tile.dot %{{.*}}, %{{.*}}, %[[ACC]] precision = ieee
// CHECK: scf.yield %[[D]]
// CHECK: } {tile.num_stages = 3 : i32, tile.unroll = 2 : i32}
func.func @accumulate_in_loop(%p: tensor<16x16x!tile.ptr<f32>>, %n: i32) -> tensor<16x16xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<16x16xf32>
  %r = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> tensor<16x16xf32> : i32 {
    %x = tile.load %p : tensor<16x16x!tile.ptr<f32>>
    %d = tile.dot %x, %x, %none precision = ieee : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
    %s = arith.addf %acc, %d : tensor<16x16xf32>
    scf.yield %s : tensor<16x16xf32>
  } {tile.num_stages = 3 : i32, tile.unroll = 2 : i32}
  return %r : tensor<16x16xf32>
}

// CHECK-LABEL: func.func @choose(
// CHECK-SAME: %[[P:.*]]: tensor<8x!tile.ptr<f32>>, %[[M:.*]]: tensor<8xi1>, %[[Y:.*]]: tensor<8xf32>
// CHECK: %[[ONES:.*]] = arith.constant dense<1.000000e+00>
// CHECK: %[[A:.*]] = tile.load %[[P]], %[[M]], %[[Y]] evict = last : tensor<8x!tile.ptr<f32>>
// CHECK: %[[B:.*]] = tile.load %[[P]], %[[M]], %[[ONES]] : tensor<8x!tile.ptr<f32>>
// CHECK: return %[[A]], %[[B]]
func.func @choose(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %x = tile.load %p, %m evict = last : tensor<8x!tile.ptr<f32>>
  %0 = arith.select %m, %x, %y : tensor<8xi1>, tensor<8xf32>
  %z = tile.load %p, %m : tensor<8x!tile.ptr<f32>>
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %1 = arith.select %m, %z, %ones : tensor<8xi1>, tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @choose_in_loop(
// CHECK: %[[Y:.*]] = math.exp
// CHECK: scf.for
// CHECK-NEXT: %[[X:.*]] = tile.load %{{[^,]*}}, %{{[^,]*}}, %[[Y]]
// CHECK-NEXT: tile.store %{{[^,]*}}, %[[X]]
func.func @choose_in_loop(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %z: tensor<8xf32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %y = math.exp %z : tensor<8xf32>
  scf.for %i = %zero to %n step %one : i32 {
    %x = tile.load %p, %m : tensor<8x!tile.ptr<f32>>
    %0 = arith.select %m, %x, %y : tensor<8xi1>, tensor<8xf32>
    tile.store %p, %0 : tensor<8x!tile.ptr<f32>>
  }
  return
}

// CHECK-LABEL: func.func @common(
// CHECK-COUNT-1: tile.program_id
// CHECK-COUNT-1: tile.load
// CHECK-NOT: tile.load
// CHECK: tile.store
// CHECK: tile.load
// CHECK: return
func.func @common(%p: !tile.ptr<f32>) -> f32 {
  %0 = tile.program_id x
  %1 = tile.program_id x
  %2 = tile.addptr %p, %0 : !tile.ptr<f32>, i32
  %3 = tile.addptr %p, %1 : !tile.ptr<f32>, i32
  %x = tile.load %2 : !tile.ptr<f32>
  %y = tile.load %3 : !tile.ptr<f32>
  %s = arith.addf %x, %y : f32
  tile.store %2, %s : !tile.ptr<f32>
  %z = tile.load %2 : !tile.ptr<f32>         // after a store: not the same
  return %z : f32
}

// CHECK-LABEL: func.func @merged_masks(
// CHECK-SAME: %[[A:.*]]: tensor<8xi1>, %[[B:.*]]: tensor<8xi1>
// CHECK: %[[AB:.*]] = arith.andi %[[A]], %[[B]]
// CHECK-NEXT: return %[[AB]], %[[A]]
func.func @merged_masks(%a: tensor<8xi1>, %b: tensor<8xi1>) -> (tensor<8xi1>, tensor<8xi1>) {
  %all = arith.constant dense<true> : tensor<8xi1>
  %0 = arith.andi %a, %b : tensor<8xi1>
  %1 = arith.andi %0, %all : tensor<8xi1>
  %2 = arith.andi %1, %a : tensor<8xi1>
  %3 = arith.andi %a, %a : tensor<8xi1>
  return %2, %3 : tensor<8xi1>, tensor<8xi1>
}
