// SPDX-License-Identifier: MIT
// What a loop only adds up is reduced across threads behind the loop.
// RUN: tile-opt %s --tile-gpu-reduce-after-loops --canonicalize -split-input-file | FileCheck %s

#tile = #tile_gpu.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = [], repeats = [1, 1]>
#row = #tile_gpu.layout<register = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [], block = [], repeats = [1]>

// A row's 16 columns are 2 x 4 x 2: of a thread, the threads, and again of a thread.
// CHECK-LABEL: func.func @running_sum(
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<16x16xf32, {{.*}}>, %[[SHRINK:[a-z0-9]+]]: tensor<16xf32
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<16x4xf32, #tile_gpu.layout<register = {{\[\[}}8, 0{{\]\]}}, lane = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 0], [4, 0{{\]\]}}{{.*}}>
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[BEFORE:[a-z0-9]+]] = %[[ZERO]]) -> (tensor<16x4xf32,
// CHECK: %[[SPLIT:.*]] = tile.reshape %[[P]] : {{.*}} -> tensor<16x2x4x2xf32
// CHECK: %[[PAIRS:.*]] = tile.reduce(%[[SPLIT]]) axis = 3 :
// CHECK: arith.addf
// CHECK: %[[OWN:.*]] = tile.reduce(%[[PAIRS]]) axis = 1 : {{.*}} -> tensor<16x4xf32
// CHECK: %[[ONE:.*]] = tile.expand_dims %[[SHRINK]] {axis = 1
// CHECK: %[[FACTORS:.*]] = tile.broadcast %[[ONE]] : {{.*}} -> tensor<16x4xf32
// CHECK: %[[SCALED:.*]] = arith.mulf %[[BEFORE]], %[[FACTORS]]
// CHECK: %[[NEXT:.*]] = arith.addf %[[SCALED]], %[[OWN]]
// CHECK: scf.yield %[[NEXT]]
// CHECK: %[[ALL:.*]] = tile.reduce(%[[SUM]]) axis = 1 : {{.*}} -> tensor<16xf32
// CHECK: return %[[ALL]]
func.func @running_sum(%p: tensor<16x16xf32, #tile>, %shrink: tensor<16xf32, #row>, %n: i32) -> tensor<16xf32, #row> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<16xf32, #row>
  %sum = scf.for %i = %zero to %n step %one iter_args(%total = %none) -> (tensor<16xf32, #row>) : i32 {
    %s = tile.reduce (%p) axis = 1 : (tensor<16x16xf32, #tile>) -> tensor<16xf32, #row> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %scaled = arith.mulf %total, %shrink : tensor<16xf32, #row>
    %next = arith.addf %scaled, %s : tensor<16xf32, #row>
    scf.yield %next : tensor<16xf32, #row>
  }
  return %sum : tensor<16xf32, #row>
}

// -----

#line = #tile_gpu.layout<register = [[1], [256]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]], block = [], repeats = [3]>

// A scalar, and an odd factor of the extent. The first value is added once.
// CHECK-LABEL: func.func @scalar_sum(
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<1536xf32, {{.*}}>, %[[FIRST:[a-z0-9]+]]: f32
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<128xf32
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[BEFORE:[a-z0-9]+]] = %[[ZERO]])
// CHECK: tile.reshape %[[P]] : {{.*}} -> tensor<6x128x2xf32
// CHECK: tile.reduce({{.*}}) axis = 2
// CHECK: %[[OWN:.*]] = tile.reduce({{.*}}) axis = 0
// CHECK: arith.addf %[[BEFORE]], %[[OWN]] : tensor<128xf32
// CHECK: %[[ALL:.*]] = tile.reduce(%[[SUM]]) axis = 0 {tile_gpu.over_ctas} :
// CHECK: %[[WITH_FIRST:.*]] = arith.addf {{.*}}%[[ALL]]
// CHECK: return %[[WITH_FIRST]]
func.func @scalar_sum(%p: tensor<1536xf32, #line>, %first: f32, %n: i32) -> f32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sum = scf.for %i = %zero to %n step %one iter_args(%total = %first) -> (f32) : i32 {
    %s = tile.reduce (%p) axis = 0 {tile_gpu.over_ctas} : (tensor<1536xf32, #line>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %next = arith.addf %s, %total : f32
    scf.yield %next : f32
  }
  return %sum : f32
}

// -----

#tile = #tile_gpu.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = [], repeats = [1, 1]>
#row = #tile_gpu.layout<register = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [], block = [], repeats = [1]>

// The first value of an extremum may meet it as often as there are threads. Two values of a loop.
// CHECK-LABEL: func.func @extrema(
// CHECK-SAME: %[[FIRST:[a-z0-9]+]]: tensor<16xf32
// CHECK: %[[ONE:.*]] = tile.expand_dims %[[FIRST]]
// CHECK: %[[FIRSTS:.*]] = tile.broadcast %[[ONE]] : {{.*}} -> tensor<16x4xf32
// CHECK: %[[BOTH:.*]]:2 = scf.for {{.*}} = %[[FIRSTS]], {{.*}}) -> (tensor<16x4xf32, {{.*}}>, tensor<16x4xi32
// CHECK-DAG: tile.maximum %{{.*}} : tensor<16x4xf32
// CHECK-DAG: arith.minsi %{{.*}} : tensor<16x4xi32
// CHECK-DAG: tile.reduce(%[[BOTH]]#0) axis = 1
// CHECK-DAG: tile.reduce(%[[BOTH]]#1) axis = 1
// CHECK-NOT: tile.maximum %{{.*}} : tensor<
// CHECK: return
func.func @extrema(%p: tensor<16x16xf32, #tile>, %q: tensor<16x16xi32, #tile>, %first: tensor<16xf32, #row>, %firsts: tensor<16xi32, #row>, %n: i32) -> (tensor<16xf32, #row>, tensor<16xi32, #row>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %most:2 = scf.for %i = %zero to %n step %one iter_args(%high = %first, %low = %firsts) -> (tensor<16xf32, #row>, tensor<16xi32, #row>) : i32 {
    %m = tile.reduce (%p) axis = 1 : (tensor<16x16xf32, #tile>) -> tensor<16xf32, #row> {
    ^bb0(%a: f32, %b: f32):
      %c = tile.maximum %a, %b nan = propagate : f32
      tile.yield %c : f32
    }
    %next = tile.maximum %high, %m nan = propagate : tensor<16xf32, #row>
    %l = tile.reduce (%q) axis = 1 : (tensor<16x16xi32, #tile>) -> tensor<16xi32, #row> {
    ^bb0(%a: i32, %b: i32):
      %c = arith.minsi %a, %b : i32
      tile.yield %c : i32
    }
    %lower = arith.minsi %l, %low : tensor<16xi32, #row>
    scf.yield %next, %lower : tensor<16xf32, #row>, tensor<16xi32, #row>
  }
  return %most#0, %most#1 : tensor<16xf32, #row>, tensor<16xi32, #row>
}

// -----

#tile = #tile_gpu.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = [], repeats = [1, 1]>
#row = #tile_gpu.layout<register = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [], block = [], repeats = [1]>
#line = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [0]], warp = [], block = [], repeats = [1]>

// A sum that other threads add up goes to them behind the loop.
// CHECK-LABEL: func.func @for_other_threads(
// CHECK: %[[SUM:.*]] = scf.for {{.*}} -> (tensor<16x4xf32,
// CHECK-NOT: tile_gpu.convert_layout
// CHECK: scf.yield
// CHECK: %[[WHOLE:.*]] = tile.reduce(%[[SUM]]) axis = 1 : {{.*}} -> tensor<16xf32
// CHECK: %[[MOVED:.*]] = tile_gpu.convert_layout %[[WHOLE]]
// CHECK: return %[[MOVED]]
func.func @for_other_threads(%p: tensor<16x16xf32, #tile>, %n: i32) -> tensor<16xf32, #line> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<16xf32, #line>
  %sum = scf.for %i = %zero to %n step %one iter_args(%total = %none) -> (tensor<16xf32, #line>) : i32 {
    %s = tile.reduce (%p) axis = 1 : (tensor<16x16xf32, #tile>) -> tensor<16xf32, #row> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %moved = tile_gpu.convert_layout %s : tensor<16xf32, #row> -> tensor<16xf32, #line>
    %next = arith.addf %moved, %total : tensor<16xf32, #line>
    scf.yield %next : tensor<16xf32, #line>
  }
  return %sum : tensor<16xf32, #line>
}
