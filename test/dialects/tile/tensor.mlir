// SPDX-License-Identifier: MIT
// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --emit-bytecode | tile-opt | FileCheck %s

// CHECK-LABEL: func.func @products(
func.func @products(%a: tensor<128x64xf16>, %b: tensor<64x96xf16>, %c: tensor<128x96xf32>, %h: tensor<128x96xf16>,
                    %e: tensor<2x16x32xf8E4M3FN>, %f: tensor<2x32x16xf8E5M2>, %g: tensor<2x16x16xf32>,
                    %i: tensor<1x32xi8>, %j: tensor<32x2xi8>, %k: tensor<1x2xi32>,
                    %x: tensor<8x8xf32>, %y: tensor<8x8xf64>) {
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<128x64xf16>, tensor<64x96xf16>, tensor<128x96xf32>
  %0 = tile.dot %a, %b, %c : tensor<128x64xf16>, tensor<64x96xf16>, tensor<128x96xf32>
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<128x64xf16>, tensor<64x96xf16>, tensor<128x96xf16>
  %1 = tile.dot %a, %b, %h : tensor<128x64xf16>, tensor<64x96xf16>, tensor<128x96xf16>
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} {max_imprecise_acc = 32 : i32} : tensor<2x16x32xf8E4M3FN>, tensor<2x32x16xf8E5M2>, tensor<2x16x16xf32>
  %2 = tile.dot %e, %f, %g {max_imprecise_acc = 32 : i32} : tensor<2x16x32xf8E4M3FN>, tensor<2x32x16xf8E5M2>, tensor<2x16x16xf32>
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} {unsigned_a} : tensor<1x32xi8>, tensor<32x2xi8>, tensor<1x2xi32>
  %3 = tile.dot %i, %j, %k {unsigned_a} : tensor<1x32xi8>, tensor<32x2xi8>, tensor<1x2xi32>
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} precision = ieee : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  %4 = tile.dot %x, %x, %x precision = ieee : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  %5 = tile.dot %x, %x, %x precision = tf32 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>
  %6 = tile.dot %y, %y, %y : tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>
  return
}

// CHECK-LABEL: func.func @reductions(
func.func @reductions(%x: tensor<4x128xf32>, %i: tensor<4x128xi32>, %v: tensor<128xf32>) {
  // CHECK: tile.reduce(%{{.*}}) axis = 0 : (tensor<128xf32>) -> f32 {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
  // CHECK-NEXT:   %[[C:.*]] = arith.addf %[[A]], %[[B]] : f32
  // CHECK-NEXT:   tile.yield %[[C]] : f32
  // CHECK-NEXT: }
  %0 = tile.reduce(%v) axis = 0 : (tensor<128xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  // CHECK: tile.reduce(%{{.*}}, %{{.*}}) axis = 1 : (tensor<4x128xf32>, tensor<4x128xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  // CHECK:   tile.yield %{{.*}}, %{{.*}} : f32, i32
  %1, %2 = tile.reduce(%x, %i) axis = 1 : (tensor<4x128xf32>, tensor<4x128xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %c = arith.cmpf ogt, %a, %b : f32
    %d = arith.select %c, %a, %b : f32
    %e = arith.select %c, %ai, %bi : i32
    tile.yield %d, %e : f32, i32
  }
  return
}

// CHECK-LABEL: func.func @scans(
func.func @scans(%x: tensor<4x128xi32>) {
  // CHECK: tile.scan(%{{.*}}) axis = 1 : (tensor<4x128xi32>) -> tensor<4x128xi32> {
  %0 = tile.scan(%x) axis = 1 : (tensor<4x128xi32>) -> tensor<4x128xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  // CHECK: tile.scan(%{{.*}}) axis = 0 reverse : (tensor<4x128xi32>) -> tensor<4x128xi32> {
  %1 = tile.scan(%x) axis = 0 reverse : (tensor<4x128xi32>) -> tensor<4x128xi32> {
  ^bb0(%a: i32, %b: i32):
    %one = arith.constant 1 : i32
    %c = arith.addi %a, %one : i32
    tile.yield %c : i32
  }
  return
}

// CHECK-LABEL: func.func @histograms(
func.func @histograms(%x: tensor<2048xi32>, %m: tensor<2048xi1>) {
  // CHECK: tile.histogram %{{[^,]*}} : tensor<2048xi32> -> tensor<8xi32>
  %0 = tile.histogram %x : tensor<2048xi32> -> tensor<8xi32>
  // CHECK: tile.histogram %{{[^,]*}}, %{{[^,]*}} : tensor<2048xi32> -> tensor<8xi32>
  %1 = tile.histogram %x, %m : tensor<2048xi32> -> tensor<8xi32>
  return
}
