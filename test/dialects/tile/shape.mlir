// SPDX-License-Identifier: MIT
// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --emit-bytecode | tile-opt | FileCheck %s

// CHECK-LABEL: func.func @make(
func.func @make(%x: f32, %p: !tile.ptr<f16>) {
  // CHECK: tile.arange 0 to 144 : tensor<144xi32>
  %0 = tile.arange 0 to 144 : tensor<144xi32>
  // CHECK: tile.arange -8 to 8 : tensor<16xi32>
  %1 = tile.arange -8 to 8 : tensor<16xi32>
  // CHECK: tile.splat %{{.*}} : f32 -> tensor<128x64xf32>
  %2 = tile.splat %x : f32 -> tensor<128x64xf32>
  // CHECK: tile.splat %{{.*}} : !tile.ptr<f16> -> tensor<1x!tile.ptr<f16>>
  %3 = tile.splat %p : !tile.ptr<f16> -> tensor<1x!tile.ptr<f16>>
  return
}

// CHECK-LABEL: func.func @shapes(
func.func @shapes(%a: tensor<32xi8>, %b: tensor<1x4x1xf16>, %p: tensor<4x8x!tile.ptr<f32>>) {
  // CHECK: tile.broadcast %{{.*}} : tensor<1x4x1xf16> -> tensor<2x4x16xf16>
  %0 = tile.broadcast %b : tensor<1x4x1xf16> -> tensor<2x4x16xf16>
  // CHECK: tile.expand_dims %{{.*}} {axis = 0 : i32} : tensor<32xi8> -> tensor<1x32xi8>
  %1 = tile.expand_dims %a {axis = 0 : i32} : tensor<32xi8> -> tensor<1x32xi8>
  // CHECK: tile.expand_dims %{{.*}} {axis = 1 : i32} : tensor<32xi8> -> tensor<32x1xi8>
  %2 = tile.expand_dims %a {axis = 1 : i32} : tensor<32xi8> -> tensor<32x1xi8>
  // CHECK: tile.reshape %{{.*}} : tensor<32xi8> -> tensor<2x16xi8>
  %3 = tile.reshape %a : tensor<32xi8> -> tensor<2x16xi8>
  // CHECK: tile.reshape %{{.*}} any_order : tensor<4x8x!tile.ptr<f32>> -> tensor<32x!tile.ptr<f32>>
  %4 = tile.reshape %p any_order : tensor<4x8x!tile.ptr<f32>> -> tensor<32x!tile.ptr<f32>>
  // CHECK: tile.permute %{{.*}} [2, 0, 1] : tensor<2x4x16xf16> -> tensor<16x2x4xf16>
  %5 = tile.permute %0 [2, 0, 1] : tensor<2x4x16xf16> -> tensor<16x2x4xf16>
  return
}

// CHECK-LABEL: func.func @pairs(
func.func @pairs(%a: tensor<32x4xi8>, %x: f32, %y: f32) {
  // CHECK: tile.join %{{.*}}, %{{.*}} : tensor<32x4xi8> -> tensor<32x4x2xi8>
  %0 = tile.join %a, %a : tensor<32x4xi8> -> tensor<32x4x2xi8>
  // CHECK: tile.join %{{.*}}, %{{.*}} : f32 -> tensor<2xf32>
  %1 = tile.join %x, %y : f32 -> tensor<2xf32>
  // CHECK: tile.split %{{.*}} : tensor<32x4x2xi8> -> tensor<32x4xi8>
  %2, %3 = tile.split %0 : tensor<32x4x2xi8> -> tensor<32x4xi8>
  // CHECK: tile.split %{{.*}} : tensor<2xf32> -> f32
  %4, %5 = tile.split %1 : tensor<2xf32> -> f32
  return
}

// CHECK-LABEL: func.func @choose(
func.func @choose(%a: tensor<64x8xf32>, %i: tensor<32x8xi64>) {
  // CHECK: tile.gather %{{.*}}[%{{.*}}] {axis = 0 : i32} : tensor<64x8xf32>, tensor<32x8xi64> -> tensor<32x8xf32>
  %0 = tile.gather %a[%i] {axis = 0 : i32} : tensor<64x8xf32>, tensor<32x8xi64> -> tensor<32x8xf32>
  return
}
