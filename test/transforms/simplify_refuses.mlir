// SPDX-License-Identifier: MIT
// What tile-simplify leaves alone, because it would change results or repeat work.
// RUN: tile-opt %s --tile-simplify | FileCheck %s

// Two axes that two operands fill: each element is a different sum.
// CHECK-LABEL: func.func @outer_sum(
// CHECK: tile.broadcast
// CHECK: tile.broadcast
// CHECK: arith.addf {{.*}} : tensor<8x16xf32>
func.func @outer_sum(%x: tensor<8x1xf32>, %y: tensor<1x16xf32>) -> tensor<8x16xf32> {
  %bx = tile.broadcast %x : tensor<8x1xf32> -> tensor<8x16xf32>
  %by = tile.broadcast %y : tensor<1x16xf32> -> tensor<8x16xf32>
  %s = arith.addf %bx, %by : tensor<8x16xf32>
  return %s : tensor<8x16xf32>
}

// CHECK-LABEL: func.func @different_axes(
// CHECK: arith.addi {{.*}} : tensor<1x1xi32>
func.func @different_axes(%x: tensor<1xi32>, %y: tensor<1xi32>) -> tensor<1x1xi32> {
  %a = tile.expand_dims %x {axis = 0 : i32} : tensor<1xi32> -> tensor<1x1xi32>
  %b = tile.expand_dims %y {axis = 1 : i32} : tensor<1xi32> -> tensor<1x1xi32>
  %s = arith.addi %a, %b : tensor<1x1xi32>
  return %s : tensor<1x1xi32>
}

// A load is no arithmetic: how often memory is read is the program's choice.
// CHECK-LABEL: func.func @loads(
// CHECK: %[[P:.*]] = tile.splat
// CHECK: tile.load %[[P]] : tensor<8x!tile.ptr<f32>>
func.func @loads(%p: !tile.ptr<f32>) -> tensor<8xf32> {
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %x = tile.load %s : tensor<8x!tile.ptr<f32>>
  return %x : tensor<8xf32>
}

// CHECK-LABEL: func.func @no_fusion(
// CHECK: tile.dot
// CHECK: arith.addf
func.func @no_fusion(%a: tensor<16x16xf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32>
    attributes {tile.fp_fusion = false} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tile.dot %a, %a, %zero : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %s = arith.addf %c, %d : tensor<16x16xf32>
  return %s : tensor<16x16xf32>
}

// The product is wanted by itself too: it would be computed twice.
// CHECK-LABEL: func.func @product_used_twice(
// CHECK: tile.dot
// CHECK-NOT: tile.dot
// CHECK: arith.addf
func.func @product_used_twice(%a: tensor<16x16xf16>, %c: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tile.dot %a, %a, %zero : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %s = arith.addf %c, %d : tensor<16x16xf32>
  return %d, %s : tensor<16x16xf32>, tensor<16x16xf32>
}

// CHECK-LABEL: func.func @accumulator_in_use(
// CHECK: tile.dot
// CHECK: arith.addf
func.func @accumulator_in_use(%a: tensor<16x16xf16>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = tile.dot %a, %a, %b : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %s = arith.addf %c, %d : tensor<16x16xf32>
  return %s : tensor<16x16xf32>
}

// The product does not move into the loop.
// CHECK-LABEL: func.func @product_before_loop(
// CHECK: tile.dot
// CHECK: scf.for
// CHECK: arith.addf
func.func @product_before_loop(%a: tensor<16x16xf16>, %n: i32) -> tensor<16x16xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tile.dot %a, %a, %none : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %r = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> tensor<16x16xf32> : i32 {
    %s = arith.addf %acc, %d : tensor<16x16xf32>
    scf.yield %s : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}

// Another mask; a value made after the load; a load that others see.
// CHECK-LABEL: func.func @choices(
// CHECK-COUNT-3: arith.select
func.func @choices(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %n: tensor<8xi1>, %y: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %a = tile.load %p, %m cache = ca : tensor<8x!tile.ptr<f32>>
  %0 = arith.select %n, %a, %y : tensor<8xi1>, tensor<8xf32>
  %b = tile.load %p, %m cache = cg : tensor<8x!tile.ptr<f32>>
  %late = tile.load %p, %n : tensor<8x!tile.ptr<f32>>
  %1 = arith.select %m, %b, %late : tensor<8xi1>, tensor<8xf32>
  %c = tile.load %p, %m cache = cv : tensor<8x!tile.ptr<f32>>
  %2 = arith.select %m, %c, %y : tensor<8xi1>, tensor<8xf32>
  return %0, %1, %2, %c : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// Nothing is known about the right operand, or not enough.
// CHECK-LABEL: func.func @unknown(
// CHECK: tile.divsi
// CHECK: tile.divsi
// CHECK: tile.shli
// CHECK: tile.remsi
func.func @unknown(%x: i32, %n: i32, %r: tensor<64xi32>) -> (i32, i32, tensor<64xi32>, i32) {
  %m = tile.assume %n {range = array<i64: 0, 100>} : i32
  %amounts = tile.arange 0 to 64 : tensor<64xi32>
  %0 = tile.divsi %x, %n : i32
  %1 = tile.divsi %x, %m : i32
  %2 = tile.shli %r, %amounts : tensor<64xi32>
  %d = tile.assume %n {divisible = 16 : i64} : i32
  %3 = tile.remsi %x, %d : i32
  return %0, %1, %2, %3 : i32, i32, tensor<64xi32>, i32
}

// The induction variable of an unsigned loop may be negative when it is read as signed.
// CHECK-LABEL: func.func @unsigned_loop(
// CHECK: arith.cmpi sge
func.func @unsigned_loop(%p: !tile.ptr<i1>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for unsigned %i = %zero to %n step %one : i32 {
    %c = arith.cmpi sge, %i, %zero : i32
    tile.store %p, %c : !tile.ptr<i1>
  }
  return
}

// The ceiling of MIN / 2^31-1 is -1; MLIR's range analysis would have it positive.
// CHECK-LABEL: func.func @ceiling_of_min(
// CHECK: %[[Q:.*]] = arith.ceildivsi
// CHECK: arith.cmpi slt, %[[Q]]
func.func @ceiling_of_min(%p: !tile.ptr<i1>) {
  %min = arith.constant -2147483648 : i32
  %max = arith.constant 2147483647 : i32
  %zero = arith.constant 0 : i32
  %q = arith.ceildivsi %min, %max : i32
  %c = arith.cmpi slt, %q, %zero : i32
  tile.store %p, %c : !tile.ptr<i1>
  return
}

// A promise that contradicts what is known is not believed.
// CHECK-LABEL: func.func @broken_promise(
// CHECK: tile.divsi
func.func @broken_promise(%x: i32) -> i32 {
  %pid = tile.program_id x
  %m = tile.assume %pid {range = array<i64: -8, -1>} : i32
  %0 = tile.divsi %x, %m : i32
  return %0 : i32
}

// A combine region keeps its constants: nothing moves in or out.
// CHECK-LABEL: func.func @combine(
// CHECK: tile.reduce
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.constant 0.000000e+00
func.func @combine(%x: tensor<8xf32>) -> f32 {
  %0 = tile.reduce(%x) axis = 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %zero = arith.constant 0.0 : f32
    %c = arith.cmpf olt, %a, %zero : f32
    %d = arith.select %c, %a, %b : f32
    tile.yield %d : f32
  }
  return %0 : f32
}
