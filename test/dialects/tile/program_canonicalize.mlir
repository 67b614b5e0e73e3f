// SPDX-License-Identifier: MIT
// RUN: tile-opt %s -canonicalize | FileCheck %s

// A constant needs no promise about it, but a broken one stays for the checks to find.
// CHECK-LABEL: func.func @promises
// CHECK-DAG: %[[C48:.*]] = arith.constant 48 : i32
// CHECK-DAG: %[[C7:.*]] = arith.constant 7 : i32
// CHECK-DAG: %[[T:.*]] = arith.constant dense<5> : tensor<4xi32>
// CHECK: %[[BROKEN:.*]] = tile.assume %[[C7]] {divisible = 16 : i64} : i32
// CHECK: %[[OUTSIDE:.*]] = tile.assume %[[C7]] {range = array<i64: 0, 6>} : i32
// CHECK: %[[RUNS:.*]] = tile.assume %[[T]] {contiguous = 4 : i64} : tensor<4xi32>
// CHECK: return %[[C48]], %[[BROKEN]], %[[OUTSIDE]], %[[RUNS]], %[[T]]
func.func @promises() -> (i32, i32, i32, tensor<4xi32>, tensor<4xi32>) {
  %c48 = arith.constant 48 : i32
  %c7 = arith.constant 7 : i32
  %t = arith.constant dense<5> : tensor<4xi32>
  %0 = tile.assume %c48 {divisible = 16 : i64, range = array<i64: 0, 64>} : i32
  %1 = tile.assume %c7 {divisible = 16 : i64} : i32
  %2 = tile.assume %c7 {range = array<i64: 0, 6>} : i32
  %3 = tile.assume %t {contiguous = 4 : i64} : tensor<4xi32>
  %4 = tile.assume %t {constant = 4 : i64} : tensor<4xi32>
  return %0, %1, %2, %3, %4 : i32, i32, i32, tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: func.func @checks(
// CHECK-SAME: %[[C:.*]]: tensor<4xi1>
// CHECK-NEXT: tile.assert %[[C]], "kept" : tensor<4xi1>
// CHECK-NEXT: return
func.func @checks(%c: tensor<4xi1>) {
  %all = arith.constant dense<true> : tensor<4xi1>
  %none = arith.constant dense<false> : tensor<4xi1>
  tile.assume_true %all : tensor<4xi1>
  tile.assert %all, "always" : tensor<4xi1>
  tile.assert %c, "never looked at", %none : tensor<4xi1>
  tile.assert %c, "kept", %all : tensor<4xi1>
  return
}

// A check that always fails stays.
// CHECK-LABEL: func.func @failures
// CHECK: tile.assume_true
// CHECK: tile.assert
func.func @failures() {
  %false = arith.constant false
  tile.assume_true %false : i1
  tile.assert %false, "always" : i1
  return
}
