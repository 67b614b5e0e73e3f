// SPDX-License-Identifier: MIT
// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --emit-bytecode | tile-opt | FileCheck %s

// CHECK-LABEL: func.func @total(
func.func @total(%a: i32, %b: i32, %t: tensor<64xi8>, %u: tensor<64xi8>) {
  // CHECK: tile.divsi %{{.*}}, %{{.*}} : i32
  %0 = tile.divsi %a, %b : i32
  // CHECK: tile.divui %{{.*}}, %{{.*}} : tensor<64xi8>
  %1 = tile.divui %t, %u : tensor<64xi8>
  // CHECK: tile.remsi %{{.*}}, %{{.*}} : i32
  %2 = tile.remsi %a, %b : i32
  // CHECK: tile.remui %{{.*}}, %{{.*}} : tensor<64xi8>
  %3 = tile.remui %t, %u : tensor<64xi8>
  // CHECK: tile.ceildivsi %{{.*}}, %{{.*}} : i32
  %4 = tile.ceildivsi %a, %b : i32
  // CHECK: tile.ceildivui %{{.*}}, %{{.*}} : i32
  %5 = tile.ceildivui %a, %b : i32
  // CHECK: tile.shli %{{.*}}, %{{.*}} : i32
  %6 = tile.shli %a, %b : i32
  // CHECK: tile.shrsi %{{.*}}, %{{.*}} : i32
  %7 = tile.shrsi %a, %b : i32
  // CHECK: tile.shrui %{{.*}}, %{{.*}} : i32
  %8 = tile.shrui %a, %b : i32
  // CHECK: tile.mulhiui %{{.*}}, %{{.*}} : i32
  %9 = tile.mulhiui %a, %b : i32
  // CHECK: tile.mulhisi %{{.*}}, %{{.*}} : tensor<64xi8>
  %10 = tile.mulhisi %t, %u : tensor<64xi8>
  return
}

// CHECK-LABEL: func.func @extrema(
func.func @extrema(%a: f32, %t: tensor<64xbf16>) {
  // CHECK: tile.maximum %{{.*}}, %{{.*}} nan = ignore : f32
  %0 = tile.maximum %a, %a nan = ignore : f32
  // CHECK: tile.minimum %{{.*}}, %{{.*}} nan = propagate : tensor<64xbf16>
  %1 = tile.minimum %t, %t nan = propagate : tensor<64xbf16>
  // CHECK: tile.clamp %{{.*}}, %{{.*}}, %{{.*}} nan = propagate : f32
  %2 = tile.clamp %a, %a, %a nan = propagate : f32
  return
}

// CHECK-LABEL: func.func @conversions(
func.func @conversions(%a: f32, %t: tensor<64xf8E5M2>) {
  // CHECK: tile.fp_cast %{{.*}} : f32 -> bf16
  %0 = tile.fp_cast %a : f32 -> bf16
  // CHECK: tile.fp_cast %{{.*}} rounding = rtz : f32 -> f8E4M3FN
  %1 = tile.fp_cast %a rounding = rtz : f32 -> f8E4M3FN
  // CHECK: tile.fp_cast %{{.*}} : f32 -> f16
  %2 = tile.fp_cast %a rounding = rtne : f32 -> f16
  // CHECK: tile.fp_cast %{{.*}} : tensor<64xf8E5M2> -> tensor<64xf64>
  %3 = tile.fp_cast %t : tensor<64xf8E5M2> -> tensor<64xf64>
  // CHECK: tile.fptosi %{{.*}} : f32 -> i8
  %4 = tile.fptosi %a : f32 -> i8
  // CHECK: tile.fptoui %{{.*}} : tensor<64xf8E5M2> -> tensor<64xi64>
  %5 = tile.fptoui %t : tensor<64xf8E5M2> -> tensor<64xi64>
  return
}

// CHECK-LABEL: func.func @random(
func.func @random(%seed: i64, %c: i32, %t: tensor<128xi32>) {
  // CHECK: tile.philox %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : i32
  %0:4 = tile.philox %seed, %c, %c, %c, %c : i32
  // CHECK: tile.philox %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<128xi32>
  %1:4 = tile.philox %seed, %t, %t, %t, %t : tensor<128xi32>
  return
}
