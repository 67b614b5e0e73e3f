// SPDX-License-Identifier: MIT
// Loads that a copy cannot replace stay loads.
// RUN: tile-opt %s --tile-simplify --tile-assign-layouts=target=sm_90 --canonicalize --tile-gpu-hoist-conversions --cse --tile-gpu-share-operands | FileCheck %s

// Copy units of one byte: nothing is known of the alignment.
// CHECK-LABEL: func.func @bytes(
// CHECK-NOT: tile_gpu.channel
// CHECK: tile.load
// CHECK: tile.load
func.func @bytes(%a: !tile.ptr<i8> {tile.divisibility = 1 : i32}, %b: !tile.ptr<i8> {tile.divisibility = 1 : i32}, %c: !tile.ptr<i32> {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0> : tensor<64x64xi32>
  %ahead = arith.constant dense<64> : tensor<64x64xi32>
  %r = tile.arange 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %col = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tile.broadcast %row : tensor<64x1xi32> -> tensor<64x64xi32>
  %cols = tile.broadcast %col : tensor<1x64xi32> -> tensor<64x64xi32>
  %wide = arith.muli %rows, %ahead : tensor<64x64xi32>
  %offset = arith.addi %wide, %cols : tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<i8> -> tensor<64x64x!tile.ptr<i8>>
  %bs = tile.splat %b : !tile.ptr<i8> -> tensor<64x64x!tile.ptr<i8>>
  %cs = tile.splat %c : !tile.ptr<i32> -> tensor<64x64x!tile.ptr<i32>>
  %pa = tile.addptr %as, %offset : tensor<64x64x!tile.ptr<i8>>, tensor<64x64xi32>
  %pb = tile.addptr %bs, %offset : tensor<64x64x!tile.ptr<i8>>, tensor<64x64xi32>
  %pc = tile.addptr %cs, %offset : tensor<64x64x!tile.ptr<i32>>, tensor<64x64xi32>
  %sum, %end = scf.for %i = %zero to %steps step %one iter_args(%acc = %none, %at = %pa) -> (tensor<64x64xi32>, tensor<64x64x!tile.ptr<i8>>) : i32 {
    %x = tile.load %at : tensor<64x64x!tile.ptr<i8>>
    %y = tile.load %pb : tensor<64x64x!tile.ptr<i8>>
    %d = tile.dot %x, %y, %acc : tensor<64x64xi8>, tensor<64x64xi8>, tensor<64x64xi32>
    %next = tile.addptr %at, %ahead : tensor<64x64x!tile.ptr<i8>>, tensor<64x64xi32>
    scf.yield %d, %next : tensor<64x64xi32>, tensor<64x64x!tile.ptr<i8>>
  }
  tile.store %pc, %sum : tensor<64x64x!tile.ptr<i32>>
  return
}

// Between the loads and the product something is stored, which may be what the next load reads.
// CHECK-LABEL: func.func @stored_between(
// CHECK-NOT: tile_gpu.channel
// CHECK: tile.load
// CHECK: tile.load
func.func @stored_between(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
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
    tile.store %pc, %acc : tensor<64x64x!tile.ptr<f32>>
    %d = tile.dot %x, %y, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %next = tile.addptr %at, %ahead : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %next : tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>
  }
  tile.store %pc, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// An operand that takes few registers stays in them all through the loop.
// CHECK-LABEL: func.func @few(
// CHECK-NOT: tile_gpu.channel : <1 x(tensor<128x32xf16
// CHECK: %[[A:.*]] = tile_gpu.convert_layout %{{.*}} : tensor<128x32xf16,
// CHECK: scf.for
// CHECK: tile.dot %[[A]]
func.func @few(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
  %width_a = arith.constant dense<32> : tensor<128x32xi32>
  %width_b = arith.constant dense<64> : tensor<32x64xi32>
  %width_c = arith.constant dense<64> : tensor<128x64xi32>
  %r = tile.arange 0 to 128 : tensor<128xi32>
  %t = tile.arange 0 to 32 : tensor<32xi32>
  %s = tile.arange 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %r {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %col = tile.expand_dims %t {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %col_b = tile.expand_dims %s {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tile.broadcast %row : tensor<128x1xi32> -> tensor<128x32xi32>
  %cols = tile.broadcast %col : tensor<1x32xi32> -> tensor<128x32xi32>
  %row_b = tile.expand_dims %t {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %rows_b = tile.broadcast %row_b : tensor<32x1xi32> -> tensor<32x64xi32>
  %rows_c = tile.broadcast %row : tensor<128x1xi32> -> tensor<128x64xi32>
  %cols_b = tile.broadcast %col_b : tensor<1x64xi32> -> tensor<32x64xi32>
  %cols_c = tile.broadcast %col_b : tensor<1x64xi32> -> tensor<128x64xi32>
  %wide = arith.muli %rows, %width_a : tensor<128x32xi32>
  %offset = arith.addi %wide, %cols : tensor<128x32xi32>
  %wide_b = arith.muli %rows_b, %width_b : tensor<32x64xi32>
  %offset_b = arith.addi %wide_b, %cols_b : tensor<32x64xi32>
  %wide_c = arith.muli %rows_c, %width_c : tensor<128x64xi32>
  %offset_c = arith.addi %wide_c, %cols_c : tensor<128x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<128x32x!tile.ptr<f16>>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<128x64x!tile.ptr<f32>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<32x64x!tile.ptr<f16>>
  %pa = tile.addptr %as, %offset : tensor<128x32x!tile.ptr<f16>>, tensor<128x32xi32>
  %pb = tile.addptr %bs, %offset_b : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
  %pc = tile.addptr %cs, %offset_c : tensor<128x64x!tile.ptr<f32>>, tensor<128x64xi32>
  %x = tile.load %pa : tensor<128x32x!tile.ptr<f16>>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x64xf32>) : i32 {
    %y = tile.load %pb : tensor<32x64x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %acc : tensor<128x32xf16>, tensor<32x64xf16>, tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  }
  tile.store %pc, %sum : tensor<128x64x!tile.ptr<f32>>
  return
}
