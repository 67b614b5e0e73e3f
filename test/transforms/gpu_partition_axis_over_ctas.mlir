// SPDX-License-Identifier: MIT
// The axis that several CTAs share, and what hangs together with it.
// RUN: tile-opt --split-input-file --tile-gpu-partition-axis-over-ctas %s | FileCheck %s

// A row of 1024 elements: four CTAs have 256 each, and all have its sum. Only the first of them stores it.
// CHECK-LABEL: func.func @row(
// CHECK: %[[RANK:.*]] = tile_gpu.cta_rank
// CHECK: %[[OWN:.*]] = tile.arange 0 to 256 : tensor<256xi32>
// CHECK: %[[FIRST:.*]] = arith.muli %[[RANK]], %c256_i32 : i32
// CHECK: %[[AT:.*]] = tile.splat %[[FIRST]] : i32 -> tensor<256xi32>
// CHECK: arith.addi %[[OWN]], %[[AT]] : tensor<256xi32>
// CHECK: tile.load {{.*}} : tensor<256x!tile.ptr<f32>>
// CHECK: tile.reduce({{.*}}) axis = 0 {tile_gpu.over_ctas} : (tensor<256xf32>) -> f32
// CHECK: %[[ONE:.*]] = arith.cmpi eq, %[[RANK]], %c0_i32
// CHECK: scf.if %[[ONE]] {
// CHECK-NEXT: tile.store %{{.*}}, %{{.*}} : !tile.ptr<f32>
// CHECK-NEXT: }
// CHECK: tile.store {{.*}} : tensor<256x!tile.ptr<f32>>
func.func @row(%x: !tile.ptr<f32>, %sum: !tile.ptr<f32>) attributes {tile.kernel, tile.num_ctas = 4 : i32} {
  %i = tile.arange 0 to 1024 : tensor<1024xi32>
  %p = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %at = tile.addptr %p, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %at : tensor<1024x!tile.ptr<f32>>
  %s = tile.reduce (%v) axis = 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %sum, %s : !tile.ptr<f32>
  %t = tile.splat %s : f32 -> tensor<1024xf32>
  %d = arith.subf %v, %t : tensor<1024xf32>
  tile.store %at, %d : tensor<1024x!tile.ptr<f32>>
  return
}

// -----

// The longest axis that is reduced is divided: the second. Sums along the first are each CTA's own. The
// constant has two uses, of a whole tile and of a part.
// CHECK-LABEL: func.func @two_axes(
// CHECK: tile.load {{.*}} : tensor<4x256x!tile.ptr<f32>>
// CHECK: tile.reduce({{.*}}) axis = 0 : (tensor<4x256xf32>) -> tensor<256xf32>
// CHECK: tile.reduce({{.*}}) axis = 1 {tile_gpu.over_ctas} : (tensor<4x256xf32>) -> tensor<4xf32>
// CHECK: scf.if
// CHECK-NEXT: tile.store {{.*}} : tensor<4x!tile.ptr<f32>>
// CHECK: tile.store {{.*}} : tensor<256x!tile.ptr<f32>>
func.func @two_axes(%x: !tile.ptr<f32>, %rows: !tile.ptr<f32>, %cols: !tile.ptr<f32>)
    attributes {tile.kernel, tile.num_ctas = 2 : i32} {
  %i = tile.arange 0 to 4 : tensor<4xi32>
  %j = tile.arange 0 to 512 : tensor<512xi32>
  %i2 = tile.expand_dims %i {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %j2 = tile.expand_dims %j {axis = 0 : i32} : tensor<512xi32> -> tensor<1x512xi32>
  %ib = tile.broadcast %i2 : tensor<4x1xi32> -> tensor<4x512xi32>
  %jb = tile.broadcast %j2 : tensor<1x512xi32> -> tensor<4x512xi32>
  %ij = arith.addi %ib, %jb : tensor<4x512xi32>
  %p = tile.splat %x : !tile.ptr<f32> -> tensor<4x512x!tile.ptr<f32>>
  %at = tile.addptr %p, %ij : tensor<4x512x!tile.ptr<f32>>, tensor<4x512xi32>
  %v = tile.load %at : tensor<4x512x!tile.ptr<f32>>
  %c = tile.reduce (%v) axis = 0 : (tensor<4x512xf32>) -> tensor<512xf32> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    tile.yield %r : f32
  }
  %s = tile.reduce (%v) axis = 1 : (tensor<4x512xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    tile.yield %r : f32
  }
  %pr = tile.splat %rows : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %pri = tile.addptr %pr, %i : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  tile.store %pri, %s : tensor<4x!tile.ptr<f32>>
  %pc = tile.splat %cols : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %pcj = tile.addptr %pc, %j : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  tile.store %pcj, %c : tensor<512x!tile.ptr<f32>>
  return
}

// -----

// A tile that a loop carries, and a branch.
// CHECK-LABEL: func.func @loop(
// CHECK: scf.for {{.*}} -> (tensor<128xf32>)
// CHECK: scf.if {{.*}} -> (tensor<128xf32>)
// CHECK: tile.reduce({{.*}}) axis = 0 {tile_gpu.over_ctas} : (tensor<128xf32>) -> f32
func.func @loop(%x: !tile.ptr<f32>, %sum: !tile.ptr<f32>, %n: i32, %twice: i1)
    attributes {tile.kernel, tile.num_ctas = 2 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 256 : i32
  %none = arith.constant dense<0.0> : tensor<256xf32>
  %i = tile.arange 0 to 256 : tensor<256xi32>
  %p = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %sums = scf.for %begin = %zero to %n step %step iter_args(%before = %none) -> (tensor<256xf32>) : i32 {
    %b = tile.splat %begin : i32 -> tensor<256xi32>
    %bi = arith.addi %b, %i : tensor<256xi32>
    %at = tile.addptr %p, %bi : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
    %v = tile.load %at : tensor<256x!tile.ptr<f32>>
    %w = scf.if %twice -> (tensor<256xf32>) {
      %d = arith.addf %v, %v : tensor<256xf32>
      scf.yield %d : tensor<256xf32>
    } else {
      scf.yield %v : tensor<256xf32>
    }
    %after = arith.addf %before, %w : tensor<256xf32>
    scf.yield %after : tensor<256xf32>
  }
  %s = tile.reduce (%sums) axis = 0 : (tensor<256xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %sum, %s : !tile.ptr<f32>
  return
}

// -----

// One CTA, or a plan: nothing is changed.
// CHECK-LABEL: func.func @alone(
// CHECK-NOT: cta_rank
func.func @alone(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.arange 0 to 256 : tensor<256xi32>
  %p = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %at = tile.addptr %p, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %at : tensor<256x!tile.ptr<f32>>
  tile.store %at, %v : tensor<256x!tile.ptr<f32>>
  return
}

// -----

// Runs of a fact are no longer than the part. Facts of an axis that is whole stay as they are.
// CHECK-LABEL: func.func @runs(
// CHECK: tile.assume %{{.*}} {constant = 16 : i64, contiguous = 8 : i64} : tensor<16xi32>
// CHECK: tile.assume %{{.*}} {contiguous = 4 : i64} : tensor<16x4xi32>
func.func @runs(%x: !tile.ptr<i32>, %from: !tile.ptr<i32>) attributes {tile.kernel, tile.num_ctas = 4 : i32} {
  %i = tile.arange 0 to 64 : tensor<64xi32>
  %f = tile.splat %from : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %q = tile.addptr %f, %i : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %j = tile.load %q : tensor<64x!tile.ptr<i32>>
  %k = tile.assume %j {constant = 32 : i64, contiguous = 8 : i64} : tensor<64xi32>
  %s = tile.reduce (%k) axis = 0 : (tensor<64xi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  tile.store %x, %s : !tile.ptr<i32>
  %rows = tile.expand_dims %k {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %all = tile.broadcast %rows : tensor<64x1xi32> -> tensor<64x4xi32>
  %l = tile.assume %all {contiguous = 4 : i64} : tensor<64x4xi32>
  %t = tile.reduce (%l) axis = 0 : (tensor<64x4xi32>) -> tensor<4xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  %o = tile.arange 0 to 4 : tensor<4xi32>
  %p = tile.splat %x : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %at = tile.addptr %p, %o : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  tile.store %at, %t : tensor<4x!tile.ptr<i32>>
  return
}

// -----

// Numbers that are reduced as they are.
// CHECK-LABEL: func.func @numbers(
// CHECK: tile.reduce({{.*}}) axis = 0 {tile_gpu.over_ctas} : (tensor<4xi32>) -> i32
func.func @numbers(%x: !tile.ptr<i32>) attributes {tile.kernel, tile.num_ctas = 2 : i32} {
  %i = tile.arange 0 to 8 : tensor<8xi32>
  %s = tile.reduce (%i) axis = 0 : (tensor<8xi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  tile.store %x, %s : !tile.ptr<i32>
  return
}

// -----

// Nothing uses the constant.
// CHECK-LABEL: func.func @unused(
// CHECK: tile.store {{.*}} : tensor<32x!tile.ptr<f32>>
func.func @unused(%x: !tile.ptr<f32>) attributes {tile.kernel, tile.num_ctas = 2 : i32} {
  %i = tile.arange 0 to 64 : tensor<64xi32>
  %zero = arith.constant dense<0.000000e+00> : tensor<64xf32>
  %p = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %at = tile.addptr %p, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %at : tensor<64x!tile.ptr<f32>>
  tile.store %at, %v : tensor<64x!tile.ptr<f32>>
  return
}
