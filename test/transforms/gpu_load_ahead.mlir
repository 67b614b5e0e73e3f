// SPDX-License-Identifier: MIT
// What a role that multiplies loads by itself is loaded an iteration ahead.
// RUN: tile-opt %s --tile-gpu-load-ahead | FileCheck %s

#rows = #tile_gpu.layout<register = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [32], [64]], block = [], repeats = [1]>

// A scalar, and rows with a mask of their own. What the pointers are computed from goes along. The first ones
// are loaded if there is an iteration, the others if there is a next one. Then their pointers are its own.
// CHECK-LABEL: func.func @scales(
// CHECK-SAME: %[[P:[a-z0-9]+]]: !tile.ptr<f32>, %{{[a-z0-9]+}}: tensor<128x!tile.ptr<f32>,
// CHECK-SAME: %[[MASK:[a-z0-9]+]]: tensor<128xi1,
// CHECK-SAME: %[[FROM:[a-z0-9]+]]: i32, %[[TO:[a-z0-9]+]]: i32
// CHECK: %[[STEP:.*]] = arith.constant 2 : i32
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %[[FROM]], %[[TO]] : i32
// CHECK: %[[AT:.*]] = tile.addptr %[[P]], %[[FROM]]
// CHECK: %[[FIRST:.*]] = tile.load %[[AT]], %[[ANY]]
// CHECK: %[[ALL:.*]] = tile.splat %[[ANY]]
// CHECK: %[[BOTH:.*]] = arith.andi %[[MASK]], %[[ALL]]
// CHECK: %[[FIRST_ROWS:.*]] = tile.load %{{.*}}, %[[BOTH]]
// CHECK: scf.for %[[I:.*]] = %[[FROM]] to %[[TO]] step %[[STEP]] iter_args(%{{.*}}, %[[X:.*]] = %[[FIRST]], %[[Y:.*]] = %[[FIRST_ROWS]])
// CHECK: %[[LEFT:.*]] = arith.subi %[[TO]], %[[I]]
// CHECK: %[[IS_NEXT:.*]] = arith.cmpi ugt, %[[LEFT]], %[[STEP]]
// CHECK: %[[BEHIND:.*]] = arith.addi %[[I]], %[[STEP]]
// CHECK: %[[NEXT:.*]] = arith.select %[[IS_NEXT]], %[[BEHIND]], %[[I]]
// CHECK: %[[AT_NEXT:.*]] = tile.addptr %[[P]], %[[NEXT]]
// CHECK: %[[NEXT_X:.*]] = tile.load %[[AT_NEXT]], %[[IS_NEXT]]
// CHECK: %[[NEXT_Y:.*]] = tile.load
// CHECK: tile.dot
// CHECK-NOT: tile.load
// CHECK: tile.splat %[[X]]
// CHECK: arith.mulf %[[Y]]
// CHECK: scf.yield %{{.*}}, %[[NEXT_X]], %[[NEXT_Y]]
// CHECK-NEXT: } {tile.unroll = 2 : i32}
func.func @scales(%p: !tile.ptr<f32>, %rows: tensor<128x!tile.ptr<f32>, #rows>, %mask: tensor<128xi1, #rows>, %from: i32, %to: i32, %a: tensor<16x16xf16>) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  tile_gpu.roles warps 4 {
  } warps 8 {
    %step = arith.constant 2 : i32
    %none = arith.constant dense<0.000000e+00> : tensor<16x16xf32>
    %sum = scf.for %i = %from to %to step %step iter_args(%acc = %none) -> (tensor<16x16xf32>) : i32 {
      %d = tile.dot %a, %a, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
      %q = tile.addptr %p, %i : !tile.ptr<f32>, i32
      %x = tile.load %q : !tile.ptr<f32>
      %is = tile.splat %i : i32 -> tensor<128xi32, #rows>
      %r = tile.addptr %rows, %is : tensor<128x!tile.ptr<f32>, #rows>, tensor<128xi32, #rows>
      %y = tile.load %r, %mask : tensor<128x!tile.ptr<f32>, #rows>
      %xs = tile.splat %x : f32 -> tensor<128xf32, #rows>
      %z = arith.mulf %y, %xs : tensor<128xf32, #rows>
      tile.print "v"(%z) : tensor<128xf32, #rows>
      scf.yield %d : tensor<16x16xf32>
    }
  }
  return
}

// Of a loop that counts without a sign. It is unrolled as often as the kernel says.
// CHECK-LABEL: func.func @unsigned_loop(
// CHECK: arith.cmpi ult
// CHECK: tile.load
// CHECK: scf.for unsigned
// CHECK: } {tile.unroll = 4 : i32}
func.func @unsigned_loop(%p: !tile.ptr<f32>, %to: i32, %a: tensor<16x16xf16>) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  tile_gpu.roles warps 4 {
  } warps 8 {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %none = arith.constant dense<0.000000e+00> : tensor<16x16xf32>
    %sum = scf.for unsigned %i = %zero to %to step %one iter_args(%acc = %none) -> (tensor<16x16xf32>) : i32 {
      %q = tile.addptr %p, %i : !tile.ptr<f32>, i32
      %x = tile.load %q : !tile.ptr<f32>
      %xs = tile.splat %x : f32 -> tensor<16x16xf32>
      %sums = arith.mulf %acc, %xs : tensor<16x16xf32>
      %d = tile.dot %a, %a, %sums : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
      scf.yield %d : tensor<16x16xf32>
    } {tile.unroll = 4 : i32}
  }
  return
}

#row = #tile_gpu.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = [[256], [512], [1024]], block = [], repeats = [1]>

// In a loop over programs, the row of the next program, whatever this one stores. Its pointers are those of a
// program that there is. What all rows share is loaded once.
// CHECK-LABEL: func.func @programs(
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: tensor<2048x!tile.ptr<bf16>,
// CHECK-SAME: %[[WEIGHTS:[a-z0-9]+]]: tensor<2048x!tile.ptr<bf16>,
// CHECK: %[[FIRST:.*]] = tile.load
// CHECK: %[[WEIGHT:.*]] = tile.load %[[WEIGHTS]],
// CHECK: scf.for unsigned %[[I:.*]] = %{{.*}} to %[[TO:.*]] step %[[STEP:.*]] iter_args(%[[ROW:.*]] = %[[FIRST]]) -> (tensor<2048xbf16,
// CHECK: %[[LEFT:.*]] = arith.subi %[[TO]], %[[I]]
// CHECK: %[[IS_NEXT:.*]] = arith.cmpi ugt, %[[LEFT]], %[[STEP]]
// CHECK: %[[BEHIND:.*]] = arith.addi %[[I]], %[[STEP]]
// CHECK: %[[AT:.*]] = arith.select %[[IS_NEXT]], %[[BEHIND]], %[[I]]
// CHECK: tile.splat %[[AT]]
// CHECK: %[[MASK:.*]] = tile.splat %[[IS_NEXT]]
// CHECK: %[[NEXT:.*]] = tile.load %{{.*}}, %[[MASK]]
// CHECK-NOT: tile.load
// CHECK: arith.mulf %[[ROW]], %[[WEIGHT]]
// CHECK: tile.store
// CHECK: scf.yield %[[NEXT]]
// CHECK-NEXT: } {tile_gpu.programs}
func.func @programs(%rows: tensor<2048x!tile.ptr<bf16>, #row>, %weights: tensor<2048x!tile.ptr<bf16>, #row>, %from: i32, %to: i32, %step: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  scf.for unsigned %i = %from to %to step %step : i32 {
    %is = tile.splat %i : i32 -> tensor<2048xi32, #row>
    %at = tile.addptr %rows, %is : tensor<2048x!tile.ptr<bf16>, #row>, tensor<2048xi32, #row>
    %row = tile.load %at : tensor<2048x!tile.ptr<bf16>, #row>
    %weight = tile.load %weights : tensor<2048x!tile.ptr<bf16>, #row>
    %y = arith.mulf %row, %weight : tensor<2048xbf16, #row>
    tile.store %at, %y : tensor<2048x!tile.ptr<bf16>, #row>
  } {tile_gpu.programs}
  return
}

// In an innermost loop that does not write, of a kernel without products. It is not unrolled.
// CHECK-LABEL: func.func @blocks(
// CHECK: %[[FIRST:.*]] = tile.load
// CHECK: scf.for %[[I:.*]] = %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[X:.*]] = %[[FIRST]])
// CHECK: %[[NEXT:.*]] = tile.load
// CHECK: %[[MORE:.*]] = arith.addf %[[SUM]], %[[X]]
// CHECK: scf.yield %[[MORE]], %[[NEXT]]
// CHECK-NEXT: }
// CHECK-NOT: tile.unroll
func.func @blocks(%rows: tensor<2048x!tile.ptr<f32>, #row>, %none: tensor<2048xf32, #row>, %from: i32, %to: i32, %step: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %sum = scf.for %i = %from to %to step %step iter_args(%acc = %none) -> (tensor<2048xf32, #row>) : i32 {
    %is = tile.splat %i : i32 -> tensor<2048xi32, #row>
    %at = tile.addptr %rows, %is : tensor<2048x!tile.ptr<f32>, #row>, tensor<2048xi32, #row>
    %x = tile.load %at : tensor<2048x!tile.ptr<f32>, #row>
    %more = arith.addf %acc, %x : tensor<2048xf32, #row>
    scf.yield %more : tensor<2048xf32, #row>
  }
  tile.print "sum"(%sum) : tensor<2048xf32, #row>
  return
}

// The loop stores into another buffer.
// CHECK-LABEL: func.func @stores_apart(
// CHECK: %[[FIRST:.*]] = tile.load
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[FIRST]])
// CHECK: tile.load
// CHECK: tile.store
func.func @stores_apart(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %to: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  tile.assume_apart %q, %p : !tile.ptr<f32>, !tile.ptr<f32>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %to step %one : i32 {
    %from = tile.addptr %p, %i : !tile.ptr<f32>, i32
    %v = tile.load %from : !tile.ptr<f32>
    %to_place = tile.addptr %q, %i : !tile.ptr<f32>, i32
    tile.store %to_place, %v : !tile.ptr<f32>
  }
  return
}

// It may be the same one.
// CHECK-LABEL: func.func @stores_anywhere(
// CHECK: scf.for
// CHECK-NEXT: tile.addptr
// CHECK-NEXT: tile.load
func.func @stores_anywhere(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %to: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %to step %one : i32 {
    %from = tile.addptr %p, %i : !tile.ptr<f32>, i32
    %v = tile.load %from : !tile.ptr<f32>
    %to_place = tile.addptr %q, %i : !tile.ptr<f32>, i32
    tile.store %to_place, %v : !tile.ptr<f32>
  }
  return
}
