// SPDX-License-Identifier: MIT
// Loops whose copies may not run ahead.
// RUN: tile-opt %s --tile-simplify --tile-assign-layouts --cse --canonicalize --tile-gpu-share-operands --tile-gpu-pipeline-loops | FileCheck %s

// One stage: the copies of an iteration are read in the same one.
// CHECK-LABEL: func.func @one(
// CHECK: tile_gpu.channel : <1 x
// CHECK: scf.for
// CHECK: tile_gpu.acquire
// CHECK: tile_gpu.wait
func.func @one(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_stages = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %ahead = arith.constant dense<64> : tensor<64x64xi32>
  %r = tile.arange 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %col = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tile.broadcast %row : tensor<64x1xi32> -> tensor<64x64xi32>
  %cols = tile.broadcast %col : tensor<1x64xi32> -> tensor<64x64xi32>
  %wide = arith.muli %rows, %ahead : tensor<64x64xi32>
  %offset = arith.addi %wide, %cols : tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %pa = tile.addptr %as, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pb = tile.addptr %bs, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pc = tile.addptr %cs, %offset : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %sum, %end = scf.for %i = %zero to %steps step %one iter_args(%acc = %none, %at = %pa) -> (tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>) : i32 {
    %x = tile.load %at : tensor<64x64x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %next = tile.addptr %at, %ahead : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %next : tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>
  }
  tile.store %pc, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// The loop stores what a later iteration may load.
// CHECK-LABEL: func.func @storing(
// CHECK: tile_gpu.channel : <1 x
// CHECK: scf.for
// CHECK: tile_gpu.acquire
// CHECK: tile_gpu.wait
func.func @storing(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %ahead = arith.constant dense<64> : tensor<64x64xi32>
  %r = tile.arange 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %col = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tile.broadcast %row : tensor<64x1xi32> -> tensor<64x64xi32>
  %cols = tile.broadcast %col : tensor<1x64xi32> -> tensor<64x64xi32>
  %wide = arith.muli %rows, %ahead : tensor<64x64xi32>
  %offset = arith.addi %wide, %cols : tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %pa = tile.addptr %as, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pb = tile.addptr %bs, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pc = tile.addptr %cs, %offset : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %sum, %end = scf.for %i = %zero to %steps step %one iter_args(%acc = %none, %at = %pa) -> (tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>) : i32 {
    %x = tile.load %at : tensor<64x64x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    tile.store %pc, %d : tensor<64x64x!tile.ptr<f32>>
    %next = tile.addptr %at, %ahead : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %next : tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>
  }
  tile.store %pc, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}
