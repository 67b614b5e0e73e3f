// SPDX-License-Identifier: MIT
// Quotients by one reciprocal: other numerators than 1, and divisors that are 1 and more for another reason.
// RUN: tile-opt %s --tile-gpu-short-forms | FileCheck %s

// CHECK-LABEL: func.func @others(
// CHECK: %[[Y:.*]] = arith.addf
// CHECK: %[[R:.*]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[Y]])
// CHECK: %[[S:.*]] = llvm.fmul %arg0, %[[R]] : f32
// CHECK: %[[Z:.*]] = arith.addf
// CHECK: llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[Z]])
// CHECK-NOT: divf
func.func @others(%x: f32) -> (f32, f32) {
  %two = arith.constant 2.0 : f32
  %square = arith.mulf %x, %x : f32
  %y = arith.addf %two, %square : f32
  %s = arith.divf %x, %y fastmath<arcp> : f32
  %size = math.absf %x : f32
  %z = arith.addf %size, %two : f32
  %t = arith.divf %two, %z fastmath<arcp> : f32
  return %s, %t : f32, f32
}
