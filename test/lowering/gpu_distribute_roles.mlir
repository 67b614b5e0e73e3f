// SPDX-License-Identifier: MIT
// Roles: a branch for each, with threads, barrier and scratch of its own.
// RUN: tile-opt %s --tile-gpu-distribute -canonicalize -cse | FileCheck %s
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
#two = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = [], repeats = [1]>
#four = #tile_gpu.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]], block = [], repeats = [1]>
#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
!one = !tile_gpu.channel<1 x (tensor<32xf32, #shared>)>

// The warps of the second role count from 0. What its pointers are known for holds in it, too: two elements
// make one access.
// CHECK-LABEL: func.func @numbers(
// CHECK-SAME: tile_gpu.shared_bytes = 0 : i64
// CHECK-SAME: tile_gpu.warps = 6 : i32
// CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[WARP:.*]] = arith.shrui %[[THREAD]], %c5
// CHECK: %[[UNIFORM:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[WARP]], %c0
// CHECK: tile_gpu.sync{{( shared)?$}}
// CHECK: %[[FIRST:.*]] = arith.cmpi ult, %[[UNIFORM]], %c2
// CHECK: scf.if %[[FIRST]] {
// CHECK: arith.andi %[[WARP]], %c1
// CHECK: } else {
// CHECK: %[[OWN:.*]] = arith.subi %[[WARP]], %c2
// CHECK: %[[BITS:.*]] = arith.andi %[[OWN]], %c3
// CHECK: arith.shli %[[BITS]], %c6
// CHECK: tile_gpu.store_global %{{.*}}, %{{.*}}, %{{.*}} : <i32>, i32, i32
// CHECK-NOT: tile_gpu.sync
func.func @numbers(%p: !tile.ptr<i32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  tile_gpu.roles warps 2 {
    %i = tile.arange 0 to 64 : tensor<64xi32, #two>
    %ps = tile.splat %p : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>, #two>
    %q = tile.addptr %ps, %i : tensor<64x!tile.ptr<i32>, #two>, tensor<64xi32, #two>
    tile.store %q, %i : tensor<64x!tile.ptr<i32>, #two>
  } warps 4 {
    %i = tile.arange 0 to 256 : tensor<256xi32, #four>
    %ps = tile.splat %p : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>, #four>
    %q = tile.addptr %ps, %i : tensor<256x!tile.ptr<i32>, #four>, tensor<256xi32, #four>
    tile.store %q, %i : tensor<256x!tile.ptr<i32>, #four>
  }
  return
}

// A reduction before the roles takes scratch that the first role uses again; the second role's is another,
// although no channel is at work: it may be used at the same time. Each role's barriers are its own.
// CHECK-LABEL: func.func @scratch(
// CHECK-SAME: tile_gpu.shared_bytes = 136
// CHECK: tile_gpu.sync{{( shared)?$}}
// CHECK: tile_gpu.shared offset 0
// CHECK: tile_gpu.sync{{( shared)?$}}
// CHECK: tile_gpu.sync{{( shared)?$}}
// CHECK: scf.if
// CHECK: tile_gpu.sync {{(shared )?}}warps 2 from 0
// CHECK-NOT: tile_gpu.shared
// CHECK: tile_gpu.sync {{(shared )?}}warps 2 from 0
// CHECK-NOT: tile_gpu.shared
// CHECK: } else {
// CHECK-NOT: from 0
// CHECK: tile_gpu.sync {{(shared )?}}warps 2 from 2
// CHECK: tile_gpu.shared offset 128
// CHECK: tile_gpu.sync {{(shared )?}}warps 2 from 2
#all = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = [], repeats = [1]>
func.func @scratch(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 4 : i32, tile_gpu.target = "sm_90"} {
  %i = tile.arange 0 to 128 : tensor<128xi32, #all>
  %s = tile.reduce (%i) axis = 0 : (tensor<128xi32, #all>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  tile.store %p, %s : !tile.ptr<i32>
  tile_gpu.roles warps 2 {
    %j = tile.arange 0 to 64 : tensor<64xi32, #two>
    %t = tile.reduce (%j) axis = 0 : (tensor<64xi32, #two>) -> i32 {
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tile.yield %c : i32
    }
    tile.store %p, %t : !tile.ptr<i32>
  } warps 2 {
    %j = tile.arange 0 to 64 : tensor<64xi32, #two>
    %t = tile.reduce (%j) axis = 0 : (tensor<64xi32, #two>) -> i32 {
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tile.yield %c : i32
    }
    tile.store %p, %t : !tile.ptr<i32>
  }
  return
}

// Channels of two roles share memory with nothing, those of one role where they are never at work together. No
// role's scratch is a channel's memory.
// CHECK-LABEL: func.func @channels(
// CHECK-SAME: tile_gpu.shared_bytes = 2056
// CHECK: scf.if
// CHECK: tile_gpu.shared offset 0
// CHECK-NOT: tile_gpu.shared
// CHECK: } else {
// CHECK: tile_gpu.sync {{(shared )?}}warps 2 from 1
// CHECK: tile_gpu.shared offset 2048
// CHECK: } else {
// CHECK: tile_gpu.shared offset 1024
func.func @channels(%p: !tile.ptr<f32>, %q: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 4 : i32, tile_gpu.target = "sm_90"} {
  %first = tile_gpu.cursor 0 : !tile_gpu.cursor<1>
  %a = tile_gpu.channel : !one
  %b = tile_gpu.channel : !one
  %c = tile_gpu.channel : !one
  tile_gpu.roles warps 1 {
    %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #lanes>
    %sa = tile_gpu.acquire %a[%first] : !one
    tile_gpu.copy %ps to %sa tile 0 async 1 : tensor<32x!tile.ptr<f32>, #lanes>
    tile_gpu.commit %sa
    tile_gpu.drain %a : !one
    %sb = tile_gpu.acquire %b[%first] : !one
    tile_gpu.copy %ps to %sb tile 0 async 1 : tensor<32x!tile.ptr<f32>, #lanes>
    tile_gpu.commit %sb
    tile_gpu.drain %b : !one
  } warps 2 {
    %j = tile.arange 0 to 64 : tensor<64xi32, #two>
    %t = tile.reduce (%j) axis = 0 : (tensor<64xi32, #two>) -> i32 {
    ^bb0(%x: i32, %y: i32):
      %z = arith.addi %x, %y : i32
      tile.yield %z : i32
    }
    tile.store %q, %t : !tile.ptr<i32>
  } warps 1 {
    %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #lanes>
    %sc = tile_gpu.acquire %c[%first] : !one
    tile_gpu.copy %ps to %sc tile 0 async 1 : tensor<32x!tile.ptr<f32>, #lanes>
    tile_gpu.commit %sc
    tile_gpu.drain %c : !one
  }
  return
}

// A failed assert is the role's: its warps vote, tell each other and end; nobody else is asked.
// CHECK-LABEL: func.func @asserts(
// CHECK: scf.if
// CHECK: %[[VOTE:.*]] = nvvm.vote.sync any %{{.*}}, %{{.*}} -> i1
// CHECK-NEXT: tile_gpu.sync {{(shared )?}}warps 2 from 0
// CHECK: tile_gpu.sync {{(shared )?}}warps 2 from 0
// CHECK: scf.if
// CHECK: nvvm.exit
// CHECK: } else {
// CHECK: %[[ALONE:.*]] = nvvm.vote.sync any
// CHECK-NOT: tile_gpu.sync
// CHECK: scf.if %[[ALONE]] {
// CHECK: nvvm.exit
func.func @asserts(%n: i32) attributes {tile.kernel, tile.num_warps = 2 : i32, tile_gpu.target = "sm_90"} {
  tile_gpu.roles warps 2 {
    %i = tile.arange 0 to 64 : tensor<64xi32, #two>
    %ns = tile.splat %n : i32 -> tensor<64xi32, #two>
    %c = arith.cmpi slt, %i, %ns : tensor<64xi32, #two>
    tile.assert %c, "of two warps" : tensor<64xi1, #two>
  } warps 1 {
    %i = tile.arange 0 to 32 : tensor<32xi32, #lanes>
    %ns = tile.splat %n : i32 -> tensor<32xi32, #lanes>
    %c = arith.cmpi slt, %i, %ns : tensor<32xi32, #lanes>
    tile.assert %c, "of one warp" : tensor<32xi1, #lanes>
  }
  return
}
