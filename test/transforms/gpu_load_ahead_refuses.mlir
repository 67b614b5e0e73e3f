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

#wide = #tile_gpu.layout<register = [[1], [2], [4], [8], [16], [32], [64]], lane = [[128], [256], [512], [1024], [2048]], warp = [[4096], [8192], [16384]], block = [], repeats = [1]>

// In loops over programs: what follows a store, an assert or a barrier, what takes more than a quarter of a
// thread's registers, and loops with products.
// CHECK-LABEL: func.func @programs(
// CHECK: scf.for unsigned %{{[a-z0-9]+}} = %{{[a-z0-9]+}} to %{{[a-z0-9]+}} step %{{[a-z0-9]+}} : i32 {
// CHECK: scf.for unsigned %{{[a-z0-9]+}} = %{{[a-z0-9]+}} to %{{[a-z0-9]+}} step %{{[a-z0-9]+}} : i32 {
// CHECK: scf.for unsigned %{{[a-z0-9]+}} = %{{[a-z0-9]+}} to %{{[a-z0-9]+}} step %{{[a-z0-9]+}} : i32 {
// CHECK: scf.for unsigned %{{[a-z0-9]+}} = %{{[a-z0-9]+}} to %{{[a-z0-9]+}} step %{{[a-z0-9]+}} : i32 {
func.func @programs(%value: f32, %p: !tile.ptr<f32>, %rows: tensor<32768x!tile.ptr<f32>, #wide>, %from: i32, %to: i32, %step: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  scf.for unsigned %i = %from to %to step %step : i32 {
    %q = tile.addptr %p, %i : !tile.ptr<f32>, i32
    tile.store %p, %value : !tile.ptr<f32>
    %x = tile.load %q : !tile.ptr<f32>
    tile.print "v"(%x) : f32
  } {tile_gpu.programs}
  scf.for unsigned %i = %from to %to step %step : i32 {
    %q = tile.addptr %p, %i : !tile.ptr<f32>, i32
    %is = arith.cmpi slt, %i, %to : i32
    tile.assert %is, "inside" : i1
    %x = tile.load %q : !tile.ptr<f32>
    tile.print "v"(%x) : f32
  } {tile_gpu.programs}
  scf.for unsigned %i = %from to %to step %step : i32 {
    %q = tile.addptr %p, %i : !tile.ptr<f32>, i32
    tile.barrier
    %x = tile.load %q : !tile.ptr<f32>
    tile.print "v"(%x) : f32
  } {tile_gpu.programs}
  scf.for unsigned %i = %from to %to step %step : i32 {
    %is = tile.splat %i : i32 -> tensor<32768xi32, #wide>
    %at = tile.addptr %rows, %is : tensor<32768x!tile.ptr<f32>, #wide>, tensor<32768xi32, #wide>
    %x = tile.load %at : tensor<32768x!tile.ptr<f32>, #wide>
    tile.print "v"(%x) : tensor<32768xf32, #wide>
  } {tile_gpu.programs}
  return
}

#row = #tile_gpu.layout<register = [[1], [2], [4], [8], [16]], lane = [[32], [64], [128], [256], [512]], warp = [[1024], [2048], [4096]], block = [], repeats = [1]>

// Two rows of 32 registers each are more than the 63 of a quarter of a thread's: only the first is loaded ahead.
// CHECK-LABEL: func.func @two_rows(
// CHECK: scf.for unsigned %{{[a-z0-9]+}} = %{{[a-z0-9]+}} to %{{[a-z0-9]+}} step %{{[a-z0-9]+}} iter_args(%[[ROW:[a-z0-9]+]] = %{{[a-z0-9]+}}) -> (tensor<8192xf32, {{.*}}>) : i32 {
// CHECK: tile.load %{{[a-z0-9]+}}, %{{[a-z0-9]+}}
// CHECK: %[[OTHER:[a-z0-9]+]] = tile.load %{{[a-z0-9]+}} :
// CHECK: arith.addf %[[ROW]], %[[OTHER]]
func.func @two_rows(%rows: tensor<8192x!tile.ptr<f32>, #row>, %others: tensor<8192x!tile.ptr<f32>, #row>, %from: i32, %to: i32, %step: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  scf.for unsigned %i = %from to %to step %step : i32 {
    %is = tile.splat %i : i32 -> tensor<8192xi32, #row>
    %at = tile.addptr %rows, %is : tensor<8192x!tile.ptr<f32>, #row>, tensor<8192xi32, #row>
    %x = tile.load %at : tensor<8192x!tile.ptr<f32>, #row>
    %other = tile.addptr %others, %is : tensor<8192x!tile.ptr<f32>, #row>, tensor<8192xi32, #row>
    %y = tile.load %other : tensor<8192x!tile.ptr<f32>, #row>
    %sum = arith.addf %x, %y : tensor<8192xf32, #row>
    tile.print "v"(%sum) : tensor<8192xf32, #row>
  } {tile_gpu.programs}
  return
}

// CHECK-LABEL: func.func @products(
// CHECK: scf.for unsigned %{{[a-z0-9]+}} = %{{[a-z0-9]+}} to %{{[a-z0-9]+}} step %{{[a-z0-9]+}} : i32 {
func.func @products(%p: !tile.ptr<f32>, %from: i32, %to: i32, %step: i32, %a: tensor<16x16xf16>, %sums: tensor<16x16xf32>) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  scf.for unsigned %i = %from to %to step %step : i32 {
    %q = tile.addptr %p, %i : !tile.ptr<f32>, i32
    %x = tile.load %q : !tile.ptr<f32>
    %d = tile.dot %a, %a, %sums : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    tile.print "v"(%x) : f32
    tile.print "v"(%d) : tensor<16x16xf32>
  } {tile_gpu.programs}
  return
}

// Without products: a loop around another one, a loop that writes, and 32 warps, whose threads have no registers
// to spare.
// CHECK-LABEL: func.func @loops(
// CHECK: scf.for %{{[a-z0-9]+}} = %{{[a-z0-9]+}} to %{{[a-z0-9]+}} step %{{[a-z0-9]+}} : i32 {
// CHECK-NEXT: tile.addptr
// CHECK-NEXT: tile.load
// CHECK-NEXT: scf.for %{{[a-z0-9]+}} = %{{[a-z0-9]+}} to %{{[a-z0-9]+}} step %{{[a-z0-9]+}} : i32 {
// CHECK: scf.for %{{[a-z0-9]+}} = %{{[a-z0-9]+}} to %{{[a-z0-9]+}} step %{{[a-z0-9]+}} : i32 {
// CHECK-NEXT: tile.addptr
// CHECK-NEXT: tile.load
// CHECK-LABEL: func.func @many_warps(
// CHECK: scf.for %{{[a-z0-9]+}} = %{{[a-z0-9]+}} to %{{[a-z0-9]+}} step %{{[a-z0-9]+}} : i32 {
// CHECK-NEXT: tile.addptr
// CHECK-NEXT: tile.load
func.func @loops(%p: !tile.ptr<f32>, %from: i32, %to: i32, %step: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  scf.for %i = %from to %to step %step : i32 {
    %q = tile.addptr %p, %i : !tile.ptr<f32>, i32
    %x = tile.load %q : !tile.ptr<f32>
    scf.for %j = %from to %to step %step : i32 {
      tile.print "v"(%x) : f32
    }
  }
  scf.for %i = %from to %to step %step : i32 {
    %q = tile.addptr %p, %i : !tile.ptr<f32>, i32
    %x = tile.load %q : !tile.ptr<f32>
    tile.store %p, %x : !tile.ptr<f32>
  }
  return
}
func.func @many_warps(%p: !tile.ptr<f32>, %from: i32, %to: i32, %step: i32) attributes {tile.kernel, tile.num_warps = 32 : i32} {
  scf.for %i = %from to %to step %step : i32 {
    %q = tile.addptr %p, %i : !tile.ptr<f32>, i32
    %x = tile.load %q : !tile.ptr<f32>
    tile.print "v"(%x) : f32
  }
  return
}
