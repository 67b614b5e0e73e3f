// SPDX-License-Identifier: MIT
// What tile-simplify knows about integers and does with it.
// RUN: tile-opt %s --tile-simplify | FileCheck %s
// RUN: tile-opt %s --tile-simplify > %t.once
// RUN: tile-opt %t.once --tile-simplify > %t.twice
// RUN: diff %t.once %t.twice

// CHECK-LABEL: func.func @positive_divisor(
// CHECK: arith.divsi
// CHECK: arith.remsi
// CHECK: arith.ceildivsi
// CHECK: arith.divui
// CHECK: arith.remui
// CHECK: arith.ceildivui
// CHECK-NOT: tile.{{(ceil)?(div|rem)}}
func.func @positive_divisor(%x: i32, %n: i32) -> (i32, i32, i32, i32, i32, i32) {
  %m = tile.assume %n {range = array<i64: 1, 100>} : i32
  %0 = tile.divsi %x, %m : i32
  %1 = tile.remsi %x, %m : i32
  %2 = tile.ceildivsi %x, %m : i32
  %3 = tile.divui %x, %m : i32
  %4 = tile.remui %x, %m : i32
  %5 = tile.ceildivui %x, %m : i32
  return %0, %1, %2, %3, %4, %5 : i32, i32, i32, i32, i32, i32
}

// max(n, 1) is the usual way to make a divisor safe.
// CHECK-LABEL: func.func @at_least_one(
// CHECK: arith.divsi
func.func @at_least_one(%x: i32, %n: i32) -> i32 {
  %one = arith.constant 1 : i32
  %m = arith.maxsi %n, %one : i32
  %0 = tile.divsi %x, %m : i32
  return %0 : i32
}

// A divisor of -1 is harmless where the dividend is not MIN.
// CHECK-LABEL: func.func @negative_divisor(
// CHECK: arith.divsi
// CHECK: tile.divsi
func.func @negative_divisor(%x: i32, %n: i32) -> (i32, i32) {
  %m = tile.assume %n {range = array<i64: -8, -1>} : i32
  %pid = tile.program_id x
  %0 = tile.divsi %pid, %m : i32
  %1 = tile.divsi %x, %m : i32
  return %0, %1 : i32, i32
}

// CHECK-LABEL: func.func @small_shifts(
// CHECK: arith.shli
// CHECK: arith.shrsi
// CHECK: arith.shrui
func.func @small_shifts(%x: tensor<32xi32>) -> (tensor<32xi32>, tensor<32xi32>, tensor<32xi32>) {
  %r = tile.arange 0 to 32 : tensor<32xi32>
  %0 = tile.shli %x, %r : tensor<32xi32>
  %1 = tile.shrsi %x, %r : tensor<32xi32>
  %2 = tile.shrui %x, %r : tensor<32xi32>
  return %0, %1, %2 : tensor<32xi32>, tensor<32xi32>, tensor<32xi32>
}

// CHECK-LABEL: func.func @mask_that_holds(
// CHECK: tile.load %{{[^,]*}} : tensor<64x!tile.ptr<f32>>
func.func @mask_that_holds(%p: tensor<64x!tile.ptr<f32>>, %n: i32) -> tensor<64xf32> {
  %r = tile.arange 0 to 64 : tensor<64xi32>
  %m = tile.assume %n {range = array<i64: 64, 4096>} : i32
  %s = tile.splat %m : i32 -> tensor<64xi32>
  %c = arith.cmpi slt, %r, %s : tensor<64xi32>
  %x = tile.load %p, %c : tensor<64x!tile.ptr<f32>>
  return %x : tensor<64xf32>
}

// CHECK-LABEL: func.func @mask_that_never_holds(
// CHECK: arith.constant dense<0.000000e+00>
// CHECK-NOT: tile.load
func.func @mask_that_never_holds(%p: tensor<64x!tile.ptr<f32>>) -> tensor<64xf32> {
  %pid = tile.program_id y
  %s = tile.splat %pid : i32 -> tensor<64xi32>
  %zero = arith.constant dense<0> : tensor<64xi32>
  %c = arith.cmpi slt, %s, %zero : tensor<64xi32>
  %x = tile.load %p, %c : tensor<64x!tile.ptr<f32>>
  return %x : tensor<64xf32>
}

// CHECK-LABEL: func.func @remainder_of_small(
// CHECK: %[[R:.*]] = tile.arange 0 to 64
// CHECK: return %[[R]], %[[R]]
func.func @remainder_of_small(%n: i32) -> (tensor<64xi32>, tensor<64xi32>) {
  %r = tile.arange 0 to 64 : tensor<64xi32>
  %m = tile.assume %n {range = array<i64: 64, 4096>} : i32
  %s = tile.splat %m : i32 -> tensor<64xi32>
  %0 = tile.remsi %r, %s : tensor<64xi32>
  %1 = arith.remui %r, %s : tensor<64xi32>
  return %0, %1 : tensor<64xi32>, tensor<64xi32>
}

// CHECK-LABEL: func.func @bounded(
// CHECK-DAG: %[[P:.*]] = tile.program_id x
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: return %[[P]], %[[ZERO]]
func.func @bounded() -> (i32, i32) {
  %zero = arith.constant 0 : i32
  %pid = tile.program_id x
  %0 = arith.maxsi %pid, %zero : i32
  %1 = arith.minsi %pid, %zero : i32
  return %0, %1 : i32, i32
}

// The grid has at least one program; x has at most 2^31 - 1, so pid + 1 does not overflow.
// CHECK-LABEL: func.func @grid(
// CHECK: %[[TRUE:.*]] = arith.constant true
// CHECK: return %[[TRUE]], %[[TRUE]]
func.func @grid() -> (i1, i1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = tile.num_programs z
  %pid = tile.program_id x
  %next = arith.addi %pid, %one : i32
  %0 = arith.cmpi sgt, %n, %zero : i32
  %1 = arith.cmpi sgt, %next, %zero : i32
  return %0, %1 : i1, i1
}

// Loop bounds count too.
// CHECK-LABEL: func.func @in_loop(
// CHECK: scf.for
// CHECK: arith.shli
func.func @in_loop(%x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %end = arith.constant 31 : i32
  %r = scf.for %i = %zero to %end step %one iter_args(%s = %zero) -> i32 : i32 {
    %0 = tile.shli %x, %i : i32
    %1 = arith.xori %s, %0 : i32
    scf.yield %1 : i32
  }
  return %r : i32
}

// 0x7ffffff8 up to 0x80000008: as signed numbers the loop would end before it begins.
// CHECK-LABEL: func.func @in_unsigned_loop(
// CHECK: scf.for unsigned
// CHECK-NEXT: tile.load %{{[^,]*}} : !tile.ptr<i32>
func.func @in_unsigned_loop(%p: !tile.ptr<i32>) -> i32 {
  %start = arith.constant 0x7ffffff8 : i32
  %end = arith.constant 0x80000008 : i32
  %one = arith.constant 1 : i32
  %r = scf.for unsigned %i = %start to %end step %one iter_args(%s = %one) -> i32 : i32 {
    %m = arith.cmpi uge, %i, %start : i32
    %x = tile.load %p, %m : !tile.ptr<i32>
    %n = arith.xori %s, %x : i32
    scf.yield %n : i32
  }
  return %r : i32
}

// Shapes do not change what is known.
// CHECK-LABEL: func.func @through_shapes(
// CHECK-NOT: tile.remsi
// CHECK: return
func.func @through_shapes(%x: tensor<2x8x8xi32>) -> tensor<2x8x8xi32> {
  %lo = tile.arange 1 to 9 : tensor<8xi32>
  %a = tile.expand_dims %lo {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %b = tile.broadcast %a : tensor<8x1xi32> -> tensor<8x8xi32>
  %c = tile.permute %b [1, 0] : tensor<8x8xi32> -> tensor<8x8xi32>
  %d = tile.join %c, %b : tensor<8x8xi32> -> tensor<8x8x2xi32>
  %e = tile.reshape %d : tensor<8x8x2xi32> -> tensor<2x8x8xi32>
  %0 = tile.remsi %x, %e : tensor<2x8x8xi32>
  return %0 : tensor<2x8x8xi32>
}

// The ranges of the total ops themselves: a zero divisor acts as 1, a long shift leaves nothing.
// CHECK-LABEL: func.func @total(
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK: return %[[TRUE]], %[[TRUE]], %[[TRUE]], %[[TRUE]]
func.func @total(%n: i32) -> (i1, i1, i1, i1) {
  %zero = arith.constant 0 : i32
  %m = tile.assume %n {range = array<i64: 0, 8>} : i32
  %pid = tile.program_id y
  %q = tile.divsi %pid, %m : i32
  %r = tile.remsi %pid, %m : i32
  %s = tile.shrsi %pid, %n : i32
  %u = tile.shrui %pid, %n : i32
  %c8 = arith.constant 8 : i32
  %0 = arith.cmpi sge, %q, %zero : i32
  %1 = arith.cmpi slt, %r, %c8 : i32
  %2 = arith.cmpi sge, %s, %zero : i32
  %3 = arith.cmpi sge, %u, %zero : i32
  return %0, %1, %2, %3 : i1, i1, i1, i1
}

// CHECK-LABEL: func.func @counts(
// CHECK: arith.constant dense<true> : tensor<8xi1>
func.func @counts(%x: tensor<64xi32>) -> tensor<8xi1> {
  %h = tile.histogram %x : tensor<64xi32> -> tensor<8xi32>
  %most = arith.constant dense<64> : tensor<8xi32>
  %0 = arith.cmpi sle, %h, %most : tensor<8xi32>
  return %0 : tensor<8xi1>
}

// What counts up to a number is less than it.
// CHECK-LABEL: func.func @counts_up_to_the_divisor(
// CHECK-NOT: {{div|rem}}
// CHECK: scf.for %[[I:.*]] = %c0
// CHECK-NEXT: tile.print "i"(%c0{{.*}}, %[[I]])
// CHECK: return
func.func @counts_up_to_the_divisor(%n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    %head = tile.divsi %i, %n : i32
    %block = tile.remsi %i, %n : i32
    tile.print "i"(%head, %block) : i32, i32
  }
  return
}

// Not from a number that may be negative, and not as unsigned numbers; nor is the bound of another loop one.
// CHECK-LABEL: func.func @counts_to_something_else(
// CHECK: tile.divsi
// CHECK: tile.remsi
// CHECK: tile.divsi
// CHECK: tile.divsi
func.func @counts_to_something_else(%from: i32, %n: i32, %m: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %from to %n step %one : i32 {
    %head = tile.divsi %i, %n : i32
    %block = tile.remsi %i, %n : i32
    tile.print "i"(%head, %block) : i32, i32
  }
  scf.for unsigned %i = %zero to %n step %one : i32 {
    %head = tile.divsi %i, %n : i32
    tile.print "i"(%head) : i32
  }
  scf.for %i = %zero to %m step %one : i32 {
    %head = tile.divsi %i, %n : i32
    tile.print "i"(%head) : i32
  }
  return
}
