// SPDX-License-Identifier: MIT
// What is loaded where it stands.
// RUN: tile-opt %s --tile-gpu-load-ahead | FileCheck %s

#many = #tile_gpu.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = [[0], [0], [0]], block = [], repeats = [1]>

// A volatile load, eight registers of a thread, a pointer that the loop carries, one that was loaded. The last
// one's own pointer is loaded ahead.
// CHECK-LABEL: func.func @stay(
// CHECK: %[[FIRST:.*]] = tile.load
// CHECK: scf.for {{.*}} iter_args(%{{.*}}, %[[CARRIED:.*]] = %{{.*}}, %[[INDEX:.*]] = %[[FIRST]])
// CHECK: tile.load
// CHECK: tile.dot
// CHECK: tile.load %{{.*}} volatile
// CHECK: tile.load {{.*}} tensor<256x
// CHECK: tile.load %[[CARRIED]]
// CHECK: %[[AT:.*]] = tile.addptr %{{.*}}, %[[INDEX]]
// CHECK: tile.load %[[AT]]
func.func @stay(%p: !tile.ptr<f32>, %index: !tile.ptr<i32>, %rows: tensor<256x!tile.ptr<f32>, #many>, %to: i32, %a: tensor<16x16xf16>) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  tile_gpu.roles warps 4 {
  } warps 8 {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %none = arith.constant dense<0.000000e+00> : tensor<16x16xf32>
    %sum, %last = scf.for %i = %zero to %to step %one iter_args(%acc = %none, %carried = %p) -> (tensor<16x16xf32>, !tile.ptr<f32>) : i32 {
      %d = tile.dot %a, %a, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
      %q = tile.addptr %p, %i : !tile.ptr<f32>, i32
      %v = tile.load %q volatile : !tile.ptr<f32>
      %many = tile.load %rows : tensor<256x!tile.ptr<f32>, #many>
      %c = tile.load %carried : !tile.ptr<f32>
      %j = tile.addptr %index, %i : !tile.ptr<i32>, i32
      %number = tile.load %j : !tile.ptr<i32>
      %at = tile.addptr %p, %number : !tile.ptr<f32>, i32
      %w = tile.load %at : !tile.ptr<f32>
      tile.print "v"(%v) : f32
      tile.print "v"(%c) : f32
      tile.print "v"(%w) : f32
      tile.print "v"(%many) : tensor<256xf32, #many>
      %next = tile.addptr %carried, %one : !tile.ptr<f32>, i32
      scf.yield %d, %next : tensor<16x16xf32>, !tile.ptr<f32>
    }
  }
  return
}

// The loop writes to memory: an earlier load might not see it.
// CHECK-LABEL: func.func @written(
// CHECK-NOT: tile.load
// CHECK: tile.dot
// CHECK: tile.load
// CHECK-NOT: tile.load
// CHECK: return
func.func @written(%p: !tile.ptr<f32>, %to: i32, %a: tensor<16x16xf16>) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  tile_gpu.roles warps 4 {
  } warps 8 {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %none = arith.constant dense<0.000000e+00> : tensor<16x16xf32>
    %sum = scf.for %i = %zero to %to step %one iter_args(%acc = %none) -> (tensor<16x16xf32>) : i32 {
      %d = tile.dot %a, %a, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
      %q = tile.addptr %p, %i : !tile.ptr<f32>, i32
      %x = tile.load %q : !tile.ptr<f32>
      %r = tile.addptr %q, %one : !tile.ptr<f32>, i32
      tile.store %r, %x : !tile.ptr<f32>
      scf.yield %d : tensor<16x16xf32>
    }
  }
  return
}

// The loop waits for others, who may write.
// CHECK-LABEL: func.func @waits(
// CHECK-NOT: tile.load
// CHECK: tile.dot
// CHECK: tile.load
// CHECK-NOT: tile.load
// CHECK: return
func.func @waits(%p: !tile.ptr<f32>, %to: i32, %a: tensor<16x16xf16>) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  tile_gpu.roles warps 4 {
  } warps 8 {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %none = arith.constant dense<0.000000e+00> : tensor<16x16xf32>
    %sum = scf.for %i = %zero to %to step %one iter_args(%acc = %none) -> (tensor<16x16xf32>) : i32 {
      %d = tile.dot %a, %a, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
      %q = tile.addptr %p, %i : !tile.ptr<f32>, i32
      %x = tile.load %q : !tile.ptr<f32>
      tile.barrier
      tile.print "v"(%x) : f32
      scf.yield %d : tensor<16x16xf32>
    }
  }
  return
}

// No roles; and a loop without a product.
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-2: tile.load
// CHECK-NOT: tile.load
// CHECK: return
func.func @others(%p: !tile.ptr<f32>, %to: i32, %a: tensor<16x16xf16>) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<16x16xf32>
  %sum = scf.for %i = %zero to %to step %one iter_args(%acc = %none) -> (tensor<16x16xf32>) : i32 {
    %d = tile.dot %a, %a, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %q = tile.addptr %p, %i : !tile.ptr<f32>, i32
    %x = tile.load %q : !tile.ptr<f32>
    tile.print "v"(%x) : f32
    scf.yield %d : tensor<16x16xf32>
  }
  tile_gpu.roles warps 4 {
  } warps 8 {
    scf.for %i = %zero to %to step %one : i32 {
      %q = tile.addptr %p, %i : !tile.ptr<f32>, i32
      %x = tile.load %q : !tile.ptr<f32>
      tile.print "v"(%x) : f32
    }
  }
  return
}
