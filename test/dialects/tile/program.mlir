// SPDX-License-Identifier: MIT
// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --emit-bytecode | tile-opt | FileCheck %s

// CHECK-LABEL: func.func @places(
func.func @places() {
  // CHECK: tile.program_id x
  %x = tile.program_id x
  // CHECK: tile.program_id y
  %y = tile.program_id y
  // CHECK: tile.num_programs z
  %z = tile.num_programs z
  return
}

// CHECK-LABEL: func.func @facts(
func.func @facts(%n: i32, %t: tensor<2x128xi64>, %p: !tile.ptr<f16>, %f: tensor<64xf32>, %c: i1, %m: tensor<4xi1>) {
  // CHECK: tile.assume %{{.*}} {divisible = 16 : i64} : i32
  %0 = tile.assume %n {divisible = 16 : i64} : i32
  // CHECK: tile.assume %{{.*}} {range = array<i64: 0, 127>} : i32
  %1 = tile.assume %n {range = array<i64: 0, 127>} : i32
  // CHECK: tile.assume %{{.*}} {contiguous = 8 : i64, divisible = 4 : i64} : tensor<2x128xi64>
  %2 = tile.assume %t {contiguous = 8 : i64, divisible = 4 : i64} : tensor<2x128xi64>
  // CHECK: tile.assume %{{.*}} {divisible = 16 : i64} : !tile.ptr<f16>
  %3 = tile.assume %p {divisible = 16 : i64} : !tile.ptr<f16>
  // CHECK: tile.assume %{{.*}} {constant = 32 : i64} : tensor<64xf32>
  %4 = tile.assume %f {constant = 32 : i64} : tensor<64xf32>
  // CHECK: tile.assume_true %{{.*}} : i1
  tile.assume_true %c : i1
  // CHECK: tile.assume_true %{{.*}} : tensor<4xi1>
  tile.assume_true %m : tensor<4xi1>
  // CHECK: tile.assume_apart %{{.*}}, %{{.*}} : !tile.ptr<f16>, !tile.ptr<f16>
  tile.assume_apart %p, %p : !tile.ptr<f16>, !tile.ptr<f16>
  return
}

// CHECK-LABEL: func.func @checks(
func.func @checks(%c: i1, %t: tensor<128xi1>, %m: tensor<128xi1>) {
  // CHECK: tile.assert %{{.*}}, "one \22word\22" : i1
  tile.assert %c, "one \"word\"" : i1
  // CHECK: tile.assert %{{.*}}, "in range", %{{.*}} : tensor<128xi1>
  tile.assert %t, "in range", %m : tensor<128xi1>
  return
}

// CHECK-LABEL: func.func @words(
func.func @words(%x: tensor<8xf32>, %n: i32, %p: !tile.ptr<i8>) {
  // CHECK: tile.print "none"()
  tile.print "none"()
  // CHECK: tile.print "x"(%{{.*}}, %{{.*}}) {unsigned_operands = array<i1: false, true>} : tensor<8xf32>, i32
  tile.print "x"(%x, %n) {unsigned_operands = array<i1: false, true>} : tensor<8xf32>, i32
  // CHECK: tile.print "p" hex(%{{.*}}) : !tile.ptr<i8>
  tile.print "p" hex(%p) : !tile.ptr<i8>
  return
}

// CHECK-LABEL: func.func @order(
func.func @order() {
  // CHECK: tile.barrier
  tile.barrier
  return
}
