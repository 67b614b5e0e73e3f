// SPDX-License-Identifier: MIT
// What each iteration needs, or what would not be the same behind the loop, stays in the loop.
// RUN: tile-opt %s --tile-gpu-reduce-after-loops --canonicalize -split-input-file | FileCheck %s --implicit-check-not=tile.reshape

#tile = #tile_gpu.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = [], repeats = [1, 1]>
#row = #tile_gpu.layout<register = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [], block = [], repeats = [1]>

// The iteration looks at the value.
// CHECK-LABEL: func.func @looked_at(
func.func @looked_at(%p: tensor<16x16xf32, #tile>, %n: i32) -> tensor<16xf32, #row> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<16xf32, #row>
  %sum = scf.for %i = %zero to %n step %one iter_args(%total = %none) -> (tensor<16xf32, #row>) : i32 {
    %s = tile.reduce (%p) axis = 1 : (tensor<16x16xf32, #tile>) -> tensor<16xf32, #row> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    tile.print "so far"(%total) : tensor<16xf32, #row>
    %next = arith.addf %total, %s : tensor<16xf32, #row>
    scf.yield %next : tensor<16xf32, #row>
  }
  return %sum : tensor<16xf32, #row>
}

// It looks at the sum with this iteration's part.
// CHECK-LABEL: func.func @next_looked_at(
func.func @next_looked_at(%p: tensor<16x16xf32, #tile>, %n: i32) -> tensor<16xf32, #row> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<16xf32, #row>
  %sum = scf.for %i = %zero to %n step %one iter_args(%total = %none) -> (tensor<16xf32, #row>) : i32 {
    %s = tile.reduce (%p) axis = 1 : (tensor<16x16xf32, #tile>) -> tensor<16xf32, #row> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %next = arith.addf %total, %s : tensor<16xf32, #row>
    tile.print "so far"(%next) : tensor<16xf32, #row>
    scf.yield %next : tensor<16xf32, #row>
  }
  return %sum : tensor<16xf32, #row>
}

// It looks at its own sum.
// CHECK-LABEL: func.func @part_looked_at(
func.func @part_looked_at(%p: tensor<16x16xf32, #tile>, %n: i32) -> tensor<16xf32, #row> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<16xf32, #row>
  %sum = scf.for %i = %zero to %n step %one iter_args(%total = %none) -> (tensor<16xf32, #row>) : i32 {
    %s = tile.reduce (%p) axis = 1 : (tensor<16x16xf32, #tile>) -> tensor<16xf32, #row> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    tile.print "own"(%s) : tensor<16xf32, #row>
    %next = arith.addf %total, %s : tensor<16xf32, #row>
    scf.yield %next : tensor<16xf32, #row>
  }
  return %sum : tensor<16xf32, #row>
}

// A first value that iterations scale would have to be one thread's.
// CHECK-LABEL: func.func @scaled_from_something(
func.func @scaled_from_something(%p: tensor<16x16xf32, #tile>, %first: tensor<16xf32, #row>, %shrink: tensor<16xf32, #row>, %n: i32) -> tensor<16xf32, #row> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sum = scf.for %i = %zero to %n step %one iter_args(%total = %first) -> (tensor<16xf32, #row>) : i32 {
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

// A square of the value, and a multiple of it to which extrema are compared.
// CHECK-LABEL: func.func @other_arithmetic(
func.func @other_arithmetic(%p: tensor<16x16xf32, #tile>, %shrink: tensor<16xf32, #row>, %n: i32) -> (tensor<16xf32, #row>, tensor<16xf32, #row>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<16xf32, #row>
  %sum:2 = scf.for %i = %zero to %n step %one iter_args(%total = %none, %high = %none) -> (tensor<16xf32, #row>, tensor<16xf32, #row>) : i32 {
    %s = tile.reduce (%p) axis = 1 : (tensor<16x16xf32, #tile>) -> tensor<16xf32, #row> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %square = arith.mulf %total, %total : tensor<16xf32, #row>
    %next = arith.addf %square, %s : tensor<16xf32, #row>
    %m = tile.reduce (%p) axis = 1 : (tensor<16x16xf32, #tile>) -> tensor<16xf32, #row> {
    ^bb0(%a: f32, %b: f32):
      %c = tile.maximum %a, %b nan = propagate : f32
      tile.yield %c : f32
    }
    %scaled = arith.mulf %high, %shrink : tensor<16xf32, #row>
    %higher = tile.maximum %scaled, %m nan = propagate : tensor<16xf32, #row>
    scf.yield %next, %higher : tensor<16xf32, #row>, tensor<16xf32, #row>
  }
  return %sum#0, %sum#1 : tensor<16xf32, #row>, tensor<16xf32, #row>
}

// The maximum of a row ignores NaN, and that of rows does not.
// CHECK-LABEL: func.func @rules_of_nan(
func.func @rules_of_nan(%p: tensor<16x16xf32, #tile>, %first: tensor<16xf32, #row>, %n: i32) -> tensor<16xf32, #row> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %most = scf.for %i = %zero to %n step %one iter_args(%high = %first) -> (tensor<16xf32, #row>) : i32 {
    %m = tile.reduce (%p) axis = 1 : (tensor<16x16xf32, #tile>) -> tensor<16xf32, #row> {
    ^bb0(%a: f32, %b: f32):
      %c = tile.maximum %a, %b nan = ignore : f32
      tile.yield %c : f32
    }
    %next = tile.maximum %high, %m nan = propagate : tensor<16xf32, #row>
    scf.yield %next : tensor<16xf32, #row>
  }
  return %most : tensor<16xf32, #row>
}

// Sums of maxima are not sums.
// CHECK-LABEL: func.func @sum_of_maxima(
func.func @sum_of_maxima(%p: tensor<16x16xf32, #tile>, %n: i32) -> tensor<16xf32, #row> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<16xf32, #row>
  %sum = scf.for %i = %zero to %n step %one iter_args(%total = %none) -> (tensor<16xf32, #row>) : i32 {
    %s = tile.reduce (%p) axis = 1 : (tensor<16x16xf32, #tile>) -> tensor<16xf32, #row> {
    ^bb0(%a: f32, %b: f32):
      %c = tile.maximum %a, %b nan = propagate : f32
      tile.yield %c : f32
    }
    %next = arith.addf %total, %s : tensor<16xf32, #row>
    scf.yield %next : tensor<16xf32, #row>
  }
  return %sum : tensor<16xf32, #row>
}

// Products have no first value here; differences do not commute.
// CHECK-LABEL: func.func @products(
func.func @products(%p: tensor<16x16xf32, #tile>, %first: tensor<16xf32, #row>, %n: i32) -> (tensor<16xf32, #row>, tensor<16xf32, #row>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %all:2 = scf.for %i = %zero to %n step %one iter_args(%product = %first, %rest = %first) -> (tensor<16xf32, #row>, tensor<16xf32, #row>) : i32 {
    %s = tile.reduce (%p) axis = 1 : (tensor<16x16xf32, #tile>) -> tensor<16xf32, #row> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.mulf %a, %b : f32
      tile.yield %c : f32
    }
    %next = arith.mulf %product, %s : tensor<16xf32, #row>
    %d = tile.reduce (%p) axis = 1 : (tensor<16x16xf32, #tile>) -> tensor<16xf32, #row> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.subf %a, %b : f32
      tile.yield %c : f32
    }
    %left = arith.subf %rest, %d : tensor<16xf32, #row>
    scf.yield %next, %left : tensor<16xf32, #row>, tensor<16xf32, #row>
  }
  return %all#0, %all#1 : tensor<16xf32, #row>, tensor<16xf32, #row>
}

// The reduction stands in a loop of its own, whose result is added.
// CHECK-LABEL: func.func @in_another_loop(
// CHECK: scf.for
// CHECK: scf.for
// CHECK: tile.reduce
func.func @in_another_loop(%p: tensor<16x16xf32, #tile>, %n: i32) -> tensor<16xf32, #row> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<16xf32, #row>
  %sum = scf.for %i = %zero to %n step %one iter_args(%total = %none) -> (tensor<16xf32, #row>) : i32 {
    %last = scf.for %j = %zero to %i step %one iter_args(%before = %none) -> (tensor<16xf32, #row>) : i32 {
      %s = tile.reduce (%p) axis = 1 : (tensor<16x16xf32, #tile>) -> tensor<16xf32, #row> {
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        tile.yield %c : f32
      }
      scf.yield %s : tensor<16xf32, #row>
    }
    %next = arith.addf %total, %last : tensor<16xf32, #row>
    scf.yield %next : tensor<16xf32, #row>
  }
  return %sum : tensor<16xf32, #row>
}

// -----

#rows = #tile_gpu.layout<register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [], block = [], repeats = [1, 1]>
#row = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
#mixed = #tile_gpu.layout<register = [[2]], lane = [[1], [4], [8], [16], [32]], warp = [], block = [], repeats = [1]>
#swizzled = #tile_gpu.layout<register = [[3]], lane = [[1], [4], [8], [16], [32]], warp = [], block = [], repeats = [1]>

// A thread has its whole row; threads have bits on both sides of its own; a register's bit moves two.
// CHECK-LABEL: func.func @layouts(
func.func @layouts(%p: tensor<32x4xf32, #rows>, %q: tensor<64xf32, #mixed>, %r: tensor<64xf32, #swizzled>, %n: i32) -> (tensor<32xf32, #row>, f32, f32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<32xf32, #row>
  %no = arith.constant 0.000000e+00 : f32
  %sum:3 = scf.for %i = %zero to %n step %one iter_args(%total = %none, %x = %no, %y = %no) -> (tensor<32xf32, #row>, f32, f32) : i32 {
    %s = tile.reduce (%p) axis = 1 : (tensor<32x4xf32, #rows>) -> tensor<32xf32, #row> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %next = arith.addf %total, %s : tensor<32xf32, #row>
    %t = tile.reduce (%q) axis = 0 : (tensor<64xf32, #mixed>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %x2 = arith.addf %x, %t : f32
    %u = tile.reduce (%r) axis = 0 : (tensor<64xf32, #swizzled>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %y2 = arith.addf %y, %u : f32
    scf.yield %next, %x2, %y2 : tensor<32xf32, #row>, f32, f32
  }
  return %sum#0, %sum#1, %sum#2 : tensor<32xf32, #row>, f32, f32
}

// -----

#tile = #tile_gpu.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = [], repeats = [1, 1]>
#row = #tile_gpu.layout<register = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [], block = [], repeats = [1]>
#line = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [0]], warp = [], block = [], repeats = [1]>

// Other threads need each iteration's part.
// CHECK-LABEL: func.func @moved_part_looked_at(
func.func @moved_part_looked_at(%p: tensor<16x16xf32, #tile>, %n: i32) -> tensor<16xf32, #line> {
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
    tile.print "own"(%moved) : tensor<16xf32, #line>
    %next = arith.addf %total, %moved : tensor<16xf32, #line>
    scf.yield %next : tensor<16xf32, #line>
  }
  return %sum : tensor<16xf32, #line>
}
