// SPDX-License-Identifier: MIT
// RUN: tile-opt %s --tile-widen-products=target=sm_90 | FileCheck %s
// RUN: tile-opt %s --tile-widen-products=target=sm_86 | FileCheck %s
// RUN: tile-opt %s --tile-widen-products=target=sm_100 | FileCheck %s
// RUN: tile-opt %s --tile-widen-products=target=sm_89 | FileCheck %s --check-prefix=FP8
// RUN: tile-opt %s --tile-widen-products=target=sm_120 | FileCheck %s --check-prefix=FP8

// CHECK-LABEL: func.func @fp8(
// FP8-LABEL: func.func @fp8(
// FP8-NEXT: tile.dot %arg0, %arg1, %arg2 {max_imprecise_acc = 32 : i32} : tensor<64x32xf8E4M3FN>, tensor<32x64xf8E5M2>, tensor<64x64xf32>
// CHECK: %[[A:.*]] = tile.fp_cast %arg0 : tensor<64x32xf8E4M3FN> -> tensor<64x32xf16>
// CHECK: %[[B:.*]] = tile.fp_cast %arg1 : tensor<32x64xf8E5M2> -> tensor<32x64xf16>
// CHECK: tile.dot %[[A]], %[[B]], %arg2 : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
func.func @fp8(%a: tensor<64x32xf8E4M3FN>, %b: tensor<32x64xf8E5M2>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = tile.dot %a, %b, %c {max_imprecise_acc = 32 : i32} : tensor<64x32xf8E4M3FN>, tensor<32x64xf8E5M2>, tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// The sum is rounded once.
// CHECK-LABEL: func.func @narrow_sum(
// CHECK: %[[C:.*]] = tile.fp_cast %arg2 : tensor<64x64xf16> -> tensor<64x64xf32>
// CHECK: %[[D:.*]] = tile.dot %arg0, %arg1, %[[C]] : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
// CHECK: %[[R:.*]] = tile.fp_cast %[[D]] : tensor<64x64xf32> -> tensor<64x64xf16>
// CHECK: return %[[R]]
func.func @narrow_sum(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %c: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %0 = tile.dot %a, %b, %c : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf16>
  return %0 : tensor<64x64xf16>
}

// Less of K than an instruction takes, or a stack of products.
// FP8-LABEL: func.func @no_unit(
// FP8: tile.dot %{{.*}}, %{{.*}}, %arg2 : tensor<64x48xf16>, tensor<48x64xf16>, tensor<64x64xf32>
// FP8: tile.dot %{{.*}}, %{{.*}}, %arg5 : tensor<2x64x32xf16>, tensor<2x32x64xf16>, tensor<2x64x64xf32>
func.func @no_unit(%a: tensor<64x48xf8E4M3FN>, %b: tensor<48x64xf8E4M3FN>, %c: tensor<64x64xf32>, %d: tensor<2x64x32xf8E4M3FN>, %e: tensor<2x32x64xf8E4M3FN>, %f: tensor<2x64x64xf32>) -> (tensor<64x64xf32>, tensor<2x64x64xf32>) {
  %0 = tile.dot %a, %b, %c : tensor<64x48xf8E4M3FN>, tensor<48x64xf8E4M3FN>, tensor<64x64xf32>
  %1 = tile.dot %d, %e, %f : tensor<2x64x32xf8E4M3FN>, tensor<2x32x64xf8E4M3FN>, tensor<2x64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<2x64x64xf32>
}
