// SPDX-License-Identifier: MIT
// What is no promise is left as it is: tiles, whose elements are checked as registers, and kernels without any.
// RUN: tile-opt %s --tile-gpu-check-facts | FileCheck %s

// CHECK-LABEL: func.func @none(
// CHECK-NEXT: arith.addi
// CHECK-NEXT: return
func.func @none(%n: i32) -> i32 {
  %0 = arith.addi %n, %n : i32
  return %0 : i32
}
