// SPDX-License-Identifier: MIT
// Where tile-assign-layouts lets the elements of tiles lie.
// RUN: tile-opt %s --tile-assign-layouts=target=sm_90 | FileCheck %s

//===------------------------------------------------------------------------===//
// Memory: vectors as wide as the pointers allow
//===------------------------------------------------------------------------===//

// 16 bytes of f16 to a lane, and the ranges, splats and masks along with them.
// CHECK-LABEL: func.func @eight_halves(
// CHECK-SAME: tile_gpu.target = "sm_90"
// CHECK: tile.arange 0 to 1024 : tensor<1024xi32, #tile_gpu.layout<register = {{\[\[}}1], [2], [4]],
// CHECK: arith.cmpi {{.*}} : tensor<1024xi32, #tile_gpu.layout<register = {{\[\[}}1], [2], [4]],
// CHECK: tile.load {{.*}} : tensor<1024x!tile.ptr<f16>, #tile_gpu.layout<register = {{\[\[}}1], [2], [4]], lane = {{\[\[}}8], [16], [32], [64], [128]], warp = {{\[\[}}256], [512]], block = [], repeats = [1]>>
// CHECK-NOT: convert_layout
func.func @eight_halves(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %i = tile.arange 0 to 1024 : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<1024xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %q = tile.addptr %ps, %i : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %x = tile.load %q, %m : tensor<1024x!tile.ptr<f16>>
  tile.store %q, %x, %m : tensor<1024x!tile.ptr<f16>>
  return
}

// CHECK-LABEL: func.func @four_floats(
// CHECK: tile.load {{.*}} : tensor<1024x!tile.ptr<f32>, #tile_gpu.layout<register = {{\[\[}}1], [2], [512]], lane = {{\[\[}}4], [8],
func.func @four_floats(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %i = tile.arange 0 to 1024 : tensor<1024xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %q = tile.addptr %ps, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %q : tensor<1024x!tile.ptr<f32>>
  return
}

// CHECK-LABEL: func.func @sixteen_bytes(
// CHECK: tile.load {{.*}} : tensor<1024x!tile.ptr<i8>, #tile_gpu.layout<register = {{\[\[}}1], [2], [4], [8]], lane = {{\[\[}}16],
func.func @sixteen_bytes(%p: !tile.ptr<i8> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %i = tile.arange 0 to 1024 : tensor<1024xi32>
  %ps = tile.splat %p : !tile.ptr<i8> -> tensor<1024x!tile.ptr<i8>>
  %q = tile.addptr %ps, %i : tensor<1024x!tile.ptr<i8>>, tensor<1024xi32>
  %x = tile.load %q : tensor<1024x!tile.ptr<i8>>
  return
}

// Eight bytes where no more is promised.
// CHECK-LABEL: func.func @two_floats(
// CHECK: tile.load {{.*}} : tensor<1024x!tile.ptr<f32>, #tile_gpu.layout<register = {{\[\[}}1], [256], [512]], lane = {{\[\[}}2],
func.func @two_floats(%p: !tile.ptr<f32> {tile.divisibility = 8 : i32}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %i = tile.arange 0 to 1024 : tensor<1024xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %q = tile.addptr %ps, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %q : tensor<1024x!tile.ptr<f32>>
  return
}

// Of an unknown pointer one element at a time, still side by side.
// CHECK-LABEL: func.func @unknown(
// CHECK: tile.load {{.*}} : tensor<1024x!tile.ptr<f16>, #tile_gpu.layout<register = {{\[\[}}128], [256], [512]], lane = {{\[\[}}1], [2],
func.func @unknown(%p: !tile.ptr<f16>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %i = tile.arange 0 to 1024 : tensor<1024xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %q = tile.addptr %ps, %i : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %x = tile.load %q : tensor<1024x!tile.ptr<f16>>
  return
}

// A start that is not a multiple of anything leaves no alignment.
// CHECK-LABEL: func.func @unaligned_start(
// CHECK: tile.load {{.*}} : tensor<1024x!tile.ptr<f16>, #tile_gpu.layout<register = {{\[\[}}128],
func.func @unaligned_start(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %start: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %i = tile.arange 0 to 1024 : tensor<1024xi32>
  %s = tile.splat %start : i32 -> tensor<1024xi32>
  %j = arith.addi %i, %s : tensor<1024xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %q = tile.addptr %ps, %j : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %x = tile.load %q : tensor<1024x!tile.ptr<f16>>
  return
}

// All threads at work rather than wide vectors in a few: 256 elements for 128 threads are two each.
// CHECK-LABEL: func.func @small(
// CHECK: tile.load {{.*}} : tensor<256x!tile.ptr<f16>, #tile_gpu.layout<register = {{\[\[}}1]], lane = {{\[\[}}2], [4], [8], [16], [32]], warp = {{\[\[}}64], [128]],
// CHECK: tile.load {{.*}} : tensor<16x!tile.ptr<f16>, #tile_gpu.layout<register = [], lane = {{\[\[}}1], [2], [4], [8], [0]], warp = {{\[\[}}0], [0]],
func.func @small(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %i = tile.arange 0 to 256 : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>>
  %q = tile.addptr %ps, %i : tensor<256x!tile.ptr<f16>>, tensor<256xi32>
  %x = tile.load %q : tensor<256x!tile.ptr<f16>>
  %i1 = tile.arange 0 to 16 : tensor<16xi32>
  %ps1 = tile.splat %p : !tile.ptr<f16> -> tensor<16x!tile.ptr<f16>>
  %q1 = tile.addptr %ps1, %i1 : tensor<16x!tile.ptr<f16>>, tensor<16xi32>
  %x1 = tile.load %q1 : tensor<16x!tile.ptr<f16>>
  return
}

// 96 is three times 32: each lane has an element of every run of 32, not vectors in half of the lanes.
// CHECK-LABEL: func.func @odd(
// CHECK: tile.load {{.*}} : tensor<96x!tile.ptr<f32>, #tile_gpu.layout<register = [], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = [], block = [], repeats = [3]>>
// CHECK: tile.load {{.*}} : tensor<192x!tile.ptr<f32>, #tile_gpu.layout<register = {{\[\[}}1]], lane = {{\[\[}}2], [4], [8], [16], [32]], warp = [], block = [], repeats = [3]>>
func.func @odd(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %i = tile.arange 0 to 96 : tensor<96xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<96x!tile.ptr<f32>>
  %q = tile.addptr %ps, %i : tensor<96x!tile.ptr<f32>>, tensor<96xi32>
  %x = tile.load %q : tensor<96x!tile.ptr<f32>>
  %i1 = tile.arange 0 to 192 : tensor<192xi32>
  %ps1 = tile.splat %p : !tile.ptr<f32> -> tensor<192x!tile.ptr<f32>>
  %q1 = tile.addptr %ps1, %i1 : tensor<192x!tile.ptr<f32>>, tensor<192xi32>
  %x1 = tile.load %q1 : tensor<192x!tile.ptr<f32>>
  return
}

// A matrix stored by columns is read along them.
// CHECK-LABEL: func.func @column_major(
// CHECK: tile.load {{.*}} : tensor<64x32x!tile.ptr<f32>, #tile_gpu.layout<register = {{\[\[}}1, 0], [2, 0], {{.*}}], lane = {{\[\[}}4, 0], [8, 0], [16, 0], [32, 0],
func.func @column_major(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %stride: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.arange 0 to 64 : tensor<64xi32>
  %c = tile.arange 0 to 32 : tensor<32xi32>
  %s = tile.splat %stride : i32 -> tensor<32xi32>
  %cs = arith.muli %c, %s : tensor<32xi32>
  %re = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %ce = tile.expand_dims %cs {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %rb = tile.broadcast %re : tensor<64x1xi32> -> tensor<64x32xi32>
  %cb = tile.broadcast %ce : tensor<1x32xi32> -> tensor<64x32xi32>
  %o = arith.addi %rb, %cb : tensor<64x32xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
  %q = tile.addptr %ps, %o : tensor<64x32x!tile.ptr<f32>>, tensor<64x32xi32>
  %x = tile.load %q : tensor<64x32x!tile.ptr<f32>>
  return
}

// What is not used needs no place of its own, but must not be in the way.
// CHECK-LABEL: func.func @unused(
// CHECK: tile.arange 0 to 64 : tensor<64xi32, #tile_gpu.layout
func.func @unused() attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %i = tile.arange 0 to 64 : tensor<64xi32>
  return
}

//===------------------------------------------------------------------------===//
// Products: where the matrix unit has its accumulator
//===------------------------------------------------------------------------===//

// CHECK-LABEL: func.func @one_warp(
// CHECK: %[[A:.*]] = tile_gpu.convert_layout {{.*}} -> tensor<32x32xf16, #tile_gpu.layout<register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [16, 0]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [],
// CHECK: %[[B:.*]] = tile_gpu.convert_layout {{.*}} -> tensor<32x32xf16, #tile_gpu.layout<register = {{\[\[}}1, 0], [8, 0], [16, 0], [0, 8], [0, 16]], lane = {{\[\[}}2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [],
// CHECK: tile.dot %[[A]], %[[B]], {{.*}} tensor<32x32xf32, #tile_gpu.layout<register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [16, 0]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = [], repeats = [1, 1]>>
func.func @one_warp(%x: f16, %y: f16) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %a = tile.splat %x : f16 -> tensor<32x32xf16>
  %b = tile.splat %y : f16 -> tensor<32x32xf16>
  %c = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tile.dot %a, %b, %c : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
  return
}

// CHECK-LABEL: func.func @four_warps(
// CHECK: tile.dot {{.*}} tensor<64x64xf32, #tile_gpu.layout<{{.*}} warp = {{\[\[}}16, 0], [0, 8]], block = [], repeats = [1, 1]>>
func.func @four_warps(%x: f16, %y: f16) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %a = tile.splat %x : f16 -> tensor<64x32xf16>
  %b = tile.splat %y : f16 -> tensor<32x64xf16>
  %c = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %a, %b, %c : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  return
}

// A wide tile has its warps side by side; 192 columns are three times 64.
// CHECK-LABEL: func.func @eight_warps(
// CHECK: tile.dot {{.*}} tensor<64x192xf32, #tile_gpu.layout<{{.*}} warp = {{\[\[}}16, 0], [0, 8], [0, 16]], block = [], repeats = [1, 3]>>
func.func @eight_warps(%x: f16, %y: f16) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %a = tile.splat %x : f16 -> tensor<64x32xf16>
  %b = tile.splat %y : f16 -> tensor<32x192xf16>
  %c = arith.constant dense<0.0> : tensor<64x192xf32>
  %d = tile.dot %a, %b, %c : tensor<64x32xf16>, tensor<32x192xf16>, tensor<64x192xf32>
  return
}

// The accumulator of a loop stays where it is; what is stored moves once, behind the loop.
// CHECK-LABEL: func.func @accumulated(
// CHECK: arith.constant dense<0.000000e+00> : tensor<64x64xf32, #tile_gpu.layout<register = {{\[\[}}0, 1], [8, 0],
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: tile.dot
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK: %[[C:.*]] = tile_gpu.convert_layout %[[SUM]] : tensor<64x64xf32, #tile_gpu.layout<register = {{\[\[}}0, 1], [8, 0],{{.*}} -> tensor<64x64xf32, #tile_gpu.layout<register = {{\[\[}}0, 1], [0, 2],
// CHECK-NEXT: tile.store {{.*}}, %[[C]] : tensor<64x64x!tile.ptr<f32>, #tile_gpu.layout<register = {{\[\[}}0, 1], [0, 2],
func.func @accumulated(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32, %x: f16) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %a = tile.splat %x : f16 -> tensor<64x32xf16>
    %b = tile.splat %x : f16 -> tensor<32x64xf16>
    %d = tile.dot %a, %b, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %r = tile.arange 0 to 64 : tensor<64xi32>
  %w = arith.constant dense<64> : tensor<64xi32>
  %rw = arith.muli %r, %w : tensor<64xi32>
  %j = tile.arange 0 to 64 : tensor<64xi32>
  %re = tile.expand_dims %rw {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %je = tile.expand_dims %j {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rb = tile.broadcast %re : tensor<64x1xi32> -> tensor<64x64xi32>
  %jb = tile.broadcast %je : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.addi %rb, %jb : tensor<64x64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %q = tile.addptr %ps, %o : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %q, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

//===------------------------------------------------------------------------===//
// What follows from a neighbour
//===------------------------------------------------------------------------===//

// The sums of rows lie as a slice of the rows and stay there through the loop; what is stored moves behind it.
// CHECK-LABEL: func.func @reduced(
// CHECK: scf.for
// CHECK: tile.reduce
// CHECK-SAME: (tensor<64x32xf32, #tile_gpu.layout<register = {{\[\[}}4, 0], [8, 0], [16, 0], [32, 0]], lane = {{\[\[}}0, 1], {{.*}} warp = {{\[\[}}1, 0], [2, 0]],
// CHECK-SAME: -> tensor<64xf32, #tile_gpu.layout<register = {{\[\[}}4], [8], [16], [32]], lane = {{\[\[}}0], [0], [0], [0], [0]], warp = {{\[\[}}1], [2]],
// CHECK-NOT: convert_layout
// CHECK: scf.yield
// CHECK: tile_gpu.convert_layout
// CHECK-NEXT: tile.store
func.func @reduced(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %r = tile.arange 0 to 64 : tensor<64xi32>
  %j = tile.arange 0 to 32 : tensor<32xi32>
  %s = tile.splat %n : i32 -> tensor<64xi32>
  %rw = arith.muli %r, %s : tensor<64xi32>
  %re = tile.expand_dims %rw {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %je = tile.expand_dims %j {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %rb = tile.broadcast %re : tensor<64x1xi32> -> tensor<64x32xi32>
  %jb = tile.broadcast %je : tensor<1x32xi32> -> tensor<64x32xi32>
  %o = arith.addi %rb, %jb : tensor<64x32xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
  %q = tile.addptr %ps, %o : tensor<64x32x!tile.ptr<f32>>, tensor<64x32xi32>
  %sums = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<64xf32> : i32 {
    %x = tile.load %q : tensor<64x32x!tile.ptr<f32>>
    %y = tile.reduce (%x) axis = 1 : (tensor<64x32xf32>) -> tensor<64xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %z = arith.addf %acc, %y : tensor<64xf32>
    scf.yield %z : tensor<64xf32>
  }
  %i = tile.arange 0 to 64 : tensor<64xi32>
  %ts = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %t = tile.addptr %ts, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %t, %sums : tensor<64x!tile.ptr<f32>>
  return
}

// A permutation's operand and result are two views of the same registers.
// CHECK-LABEL: func.func @permuted(
// CHECK: tile.permute {{.*}} : tensor<64x32xf32, #tile_gpu.layout<register = {{\[\[}}0, 1], [0, 2], [16, 0], [32, 0]], {{.*}} -> tensor<32x64xf32, #tile_gpu.layout<register = {{\[\[}}1, 0], [2, 0], [0, 16], [0, 32]],
// CHECK-NOT: convert_layout
func.func @permuted(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %i = tile.arange 0 to 32 : tensor<32xi32>
  %e = tile.expand_dims %i {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %b = tile.broadcast %e : tensor<1x32xi32> -> tensor<64x32xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
  %q = tile.addptr %ps, %b : tensor<64x32x!tile.ptr<f32>>, tensor<64x32xi32>
  %x = tile.load %q : tensor<64x32x!tile.ptr<f32>>
  %y = tile.permute %x [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>
  %z = arith.addf %y, %y : tensor<32x64xf32>
  return
}

//===------------------------------------------------------------------------===//
// Offsets along one axis that two tiles share are made for each of them, not moved
//===------------------------------------------------------------------------===//

// CHECK-LABEL: func.func @rows_and_columns(
// CHECK-NOT: convert_layout
// CHECK: return
func.func @rows_and_columns(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %i = tile.arange 0 to 64 : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %k = arith.addi %i, %ns : tensor<64xi32>
  %m = arith.cmpi slt, %k, %ns : tensor<64xi32>
  %scaled = arith.muli %k, %ns : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %qs = tile.addptr %ps, %scaled : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %row = tile.expand_dims %k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %below = tile.expand_dims %m {axis = 1 : i32} : tensor<64xi1> -> tensor<64x1xi1>
  %mask = tile.broadcast %below : tensor<64x1xi1> -> tensor<64x64xi1>
  %column = tile.expand_dims %qs {axis = 1 : i32} : tensor<64x!tile.ptr<f16>> -> tensor<64x1x!tile.ptr<f16>>
  %columns = tile.broadcast %column : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
  %q = tile.addptr %columns, %rows : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %x = tile.load %q, %mask : tensor<64x64x!tile.ptr<f16>>
  tile.store %q, %x, %mask : tensor<64x64x!tile.ptr<f16>>
  return
}

//===------------------------------------------------------------------------===//
// Products whose rows are wanted together
//===------------------------------------------------------------------------===//

// Each of the four warps has 32 rows of the product, for they are reduced as often as it is made: not the 64 x 64
// for which it reads the least.
// CHECK-LABEL: func.func @reduced_rows(
// CHECK: tile.dot {{.*}} warp = {{\[\[}}16, 0], [32, 0]], block = [], repeats = [1, 1]>>{{$}}
// CHECK: tile.reduce
func.func @reduced_rows() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %a = arith.constant dense<1.000000e+00> : tensor<128x32xf16>
  %b = arith.constant dense<1.000000e+00> : tensor<32x128xf16>
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %d = tile.dot %a, %b, %none : tensor<128x32xf16>, tensor<32x128xf16>, tensor<128x128xf32>
  %twice = arith.addf %d, %d : tensor<128x128xf32>
  %sum = tile.reduce(%twice) axis = 1 : (tensor<128x128xf32>) -> tensor<128xf32> {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    tile.yield %s : f32
  }
  return
}

// Columns that are reduced, and rows that are reduced once behind a loop, change nothing.
// CHECK-LABEL: func.func @reduced_otherwise(
// CHECK: tile.dot {{.*}} warp = {{\[\[}}16, 0], [0, 8]], block = [], repeats = [1, 1]>>{{$}}
// CHECK: tile.dot {{.*}} warp = {{\[\[}}16, 0], [0, 8]], block = [], repeats = [1, 1]>>{{$}}
func.func @reduced_otherwise(%n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %a = arith.constant dense<1.000000e+00> : tensor<128x32xf16>
  %b = arith.constant dense<1.000000e+00> : tensor<32x128xf16>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %d = tile.dot %a, %b, %none : tensor<128x32xf16>, tensor<32x128xf16>, tensor<128x128xf32>
  %columns = tile.reduce(%d) axis = 0 : (tensor<128x128xf32>) -> tensor<128xf32> {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    tile.yield %s : f32
  }
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %e = tile.dot %a, %b, %acc : tensor<128x32xf16>, tensor<32x128xf16>, tensor<128x128xf32>
    scf.yield %e : tensor<128x128xf32>
  }
  %rows = tile.reduce(%r) axis = 1 : (tensor<128x128xf32>) -> tensor<128xf32> {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    tile.yield %s : f32
  }
  return
}

// A product of a product: what the first one makes is the second one's operand where it lies.
// CHECK-LABEL: func.func @chained(
// CHECK: tile.dot {{.*}} warp = {{\[\[}}16, 0], [32, 0]], block = [], repeats = [1, 1]>>{{$}}
// CHECK: tile.dot {{.*}} warp = {{\[\[}}16, 0], [32, 0]], block = [], repeats = [1, 1]>>{{$}}
func.func @chained() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %a = arith.constant dense<1.000000e+00> : tensor<64x32xf16>
  %b = arith.constant dense<1.000000e+00> : tensor<32x64xf16>
  %c = arith.constant dense<1.000000e+00> : tensor<64x64xf16>
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %d = tile.dot %a, %b, %none : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  %p = tile.fp_cast %d : tensor<64x64xf32> -> tensor<64x64xf16>
  %e = tile.dot %p, %c, %none : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  return
}

//===------------------------------------------------------------------------===//
// Tiles that are read along one axis and written along the other one
//===------------------------------------------------------------------------===//

// Each access moves 16 bytes at once: the tile is moved in between, its mask and its offsets are made twice.
// CHECK-LABEL: func.func @transposed_store(
// CHECK: %[[X:.*]] = tile.load {{.*}} : tensor<64x64x!tile.ptr<f16>, #tile_gpu.layout<register = {{\[\[}}0, 1], [0, 2], [0, 4],
// CHECK: %[[MOVED:.*]] = tile_gpu.convert_layout %[[X]]
// CHECK-NOT: convert_layout
// CHECK: tile.store %{{.*}}, %[[MOVED]], %{{.*}} : tensor<64x64x!tile.ptr<f16>, #tile_gpu.layout<register = {{\[\[}}1, 0], [2, 0], [4, 0],
func.func @transposed_store(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i32 {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.arange 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %col = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %i = tile.broadcast %row : tensor<64x1xi32> -> tensor<64x64xi32>
  %j = tile.broadcast %col : tensor<1x64xi32> -> tensor<64x64xi32>
  %ms = tile.splat %m : i32 -> tensor<64x64xi32>
  %ns = tile.splat %n : i32 -> tensor<64x64xi32>
  %in_m = arith.cmpi slt, %i, %ms : tensor<64x64xi32>
  %in_n = arith.cmpi slt, %j, %ns : tensor<64x64xi32>
  %inside = arith.andi %in_m, %in_n : tensor<64x64xi1>
  %i_n = arith.muli %i, %ns : tensor<64x64xi32>
  %j_m = arith.muli %j, %ms : tensor<64x64xi32>
  %from = arith.addi %i_n, %j : tensor<64x64xi32>
  %to = arith.addi %j_m, %i : tensor<64x64xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %ys = tile.splat %y : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %px = tile.addptr %xs, %from : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %py = tile.addptr %ys, %to : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %t = tile.load %px, %inside : tensor<64x64x!tile.ptr<f16>>
  tile.store %py, %t, %inside : tensor<64x64x!tile.ptr<f16>>
  return
}

// What is added to a tile lies as the access that gains most has it, here the floats; the others are moved to there.
// CHECK-LABEL: func.func @plus_transposed(
// CHECK: tile.load {{.*}} : tensor<64x64x!tile.ptr<f16>, #tile_gpu.layout<register = {{\[\[}}1, 0], [2, 0], [4, 0],
// CHECK: tile.load {{.*}} : tensor<64x64x!tile.ptr<f32>, #tile_gpu.layout<register = {{\[\[}}0, 1], [0, 2],
// CHECK: tile.store {{.*}} : tensor<64x64x!tile.ptr<f32>, #tile_gpu.layout<register = {{\[\[}}0, 1], [0, 2],
func.func @plus_transposed(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.arange 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %col = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %i = tile.broadcast %row : tensor<64x1xi32> -> tensor<64x64xi32>
  %j = tile.broadcast %col : tensor<1x64xi32> -> tensor<64x64xi32>
  %ns = tile.splat %n : i32 -> tensor<64x64xi32>
  %i_n = arith.muli %i, %ns : tensor<64x64xi32>
  %j_n = arith.muli %j, %ns : tensor<64x64xi32>
  %ij = arith.addi %i_n, %j : tensor<64x64xi32>
  %ji = arith.addi %j_n, %i : tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %pa = tile.addptr %as, %ji : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pb = tile.addptr %bs, %ij : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %x = tile.load %pa : tensor<64x64x!tile.ptr<f16>>
  %y = tile.load %pb : tensor<64x64x!tile.ptr<f32>>
  %wide = arith.extf %x : tensor<64x64xf16> to tensor<64x64xf32>
  %sum = arith.addf %wide, %y : tensor<64x64xf32>
  tile.store %pb, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

//===------------------------------------------------------------------------===//
// Vectors that a loop loads
//===------------------------------------------------------------------------===//

// Each thread loads the scales of its own rows: nothing is moved.
// CHECK-LABEL: func.func @scales_of_rows(
// CHECK: tile.load {{.*}} : tensor<32x!tile.ptr<f32>, #tile_gpu.layout<register = {{\[\[}}8]], lane = {{\[\[}}0], [0], [1], [2], [4]], warp = {{\[\[}}16]]
// CHECK-NOT: convert_layout
// CHECK: return
func.func @scales_of_rows(%p: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %a = arith.constant dense<1.000000e+00> : tensor<32x16xf16>
  %b = arith.constant dense<1.000000e+00> : tensor<16x16xf16>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<32x16xf32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %none) -> (tensor<32x16xf32>) : i32 {
    %d = tile.dot %a, %b, %none : tensor<32x16xf16>, tensor<16x16xf16>, tensor<32x16xf32>
    %r = tile.arange 0 to 32 : tensor<32xi32>
    %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
    %q = tile.addptr %ps, %r : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
    %x = tile.load %q : tensor<32x!tile.ptr<f32>>
    %e = tile.expand_dims %x {axis = 1 : i32} : tensor<32xf32> -> tensor<32x1xf32>
    %w = tile.broadcast %e : tensor<32x1xf32> -> tensor<32x16xf32>
    %z = arith.mulf %d, %w : tensor<32x16xf32>
    %s = arith.addf %acc, %z : tensor<32x16xf32>
    scf.yield %s : tensor<32x16xf32>
  }
  return
}

// More than four registers of a thread, as scales of columns: loaded once each, and moved.
// CHECK-LABEL: func.func @scales_of_columns(
// CHECK: tile.load {{.*}} : tensor<64x!tile.ptr<f32>, #tile_gpu.layout<register = [], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}32]]
// CHECK: convert_layout
// CHECK: return
func.func @scales_of_columns(%p: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %a = arith.constant dense<1.000000e+00> : tensor<32x16xf16>
  %b = arith.constant dense<1.000000e+00> : tensor<16x64xf16>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<32x64xf32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %none) -> (tensor<32x64xf32>) : i32 {
    %d = tile.dot %a, %b, %none : tensor<32x16xf16>, tensor<16x64xf16>, tensor<32x64xf32>
    %r = tile.arange 0 to 64 : tensor<64xi32>
    %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
    %q = tile.addptr %ps, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    %x = tile.load %q : tensor<64x!tile.ptr<f32>>
    %e = tile.expand_dims %x {axis = 0 : i32} : tensor<64xf32> -> tensor<1x64xf32>
    %w = tile.broadcast %e : tensor<1x64xf32> -> tensor<32x64xf32>
    %z = arith.mulf %d, %w : tensor<32x64xf32>
    %s = arith.addf %acc, %z : tensor<32x64xf32>
    scf.yield %s : tensor<32x64xf32>
  }
  return
}
