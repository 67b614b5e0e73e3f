// SPDX-License-Identifier: MIT
// Channels that are never at work at the same time share memory; others do not.
// RUN: tile-opt %s --tile-gpu-distribute -canonicalize | FileCheck %s
#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!two = !tile_gpu.channel<2 x (tensor<32xf32, #shared>)>
!one = !tile_gpu.channel<1 x (tensor<32xf32, #shared>)>

// One after the other: the second lies where the first did. Nothing of the first is on its way by then.
// CHECK-LABEL: func.func @in_turn(
// CHECK-SAME: tile_gpu.shared_bytes = 2048
// CHECK: scf.for
// CHECK: tile_gpu.shared offset 0 :
// CHECK: {{^    }}}
// CHECK-NEXT: nvvm.cp.async.wait.group 0
// CHECK: tile_gpu.shared offset 0 :
func.func @in_turn(%p: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %first = tile_gpu.cursor 0 : !tile_gpu.cursor<1>
  %at0 = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %at1 = tile_gpu.cursor 1 : !tile_gpu.cursor<2>
  %a = tile_gpu.channel : !two
  %b = tile_gpu.channel : !one
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #lanes>
  %s1 = tile_gpu.acquire %a[%at0] : !two
  tile_gpu.commit %s1
  scf.for %i = %c0 to %n step %c1 : i32 {
    %l2 = tile_gpu.wait %a[%at0] : !two
    %s3 = tile_gpu.acquire %a[%at1] : !two
    tile_gpu.copy %ps to %s3 tile 0 async 1 : tensor<32x!tile.ptr<f32>, #lanes>
    tile_gpu.commit %s3
    %v4 = tile_gpu.view %l2 tile 0 : tensor<32xf32, #shared>
    %x = tile_gpu.read %v4 : tensor<32xf32, #shared> -> tensor<32xf32, #lanes>
    tile_gpu.release %l2
    tile.store %ps, %x : tensor<32x!tile.ptr<f32>, #lanes>
  }
  tile_gpu.drain %a : !two
  %s5 = tile_gpu.acquire %b[%first] : !one
  tile_gpu.copy %ps to %s5 tile 0 async 1 : tensor<32x!tile.ptr<f32>, #lanes>
  tile_gpu.commit %s5
  %l6 = tile_gpu.wait %b[%first] : !one
  %v7 = tile_gpu.view %l6 tile 0 : tensor<32xf32, #shared>
  %y = tile_gpu.read %v7 : tensor<32xf32, #shared> -> tensor<32xf32, #lanes>
  tile_gpu.release %l6
  tile.store %ps, %y : tensor<32x!tile.ptr<f32>, #lanes>
  return
}

// In the body of one loop, one after the other in each iteration.
// CHECK-LABEL: func.func @in_turn_within_a_loop(
// CHECK-SAME: tile_gpu.shared_bytes = 1024
func.func @in_turn_within_a_loop(%p: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %first = tile_gpu.cursor 0 : !tile_gpu.cursor<1>
  %a = tile_gpu.channel : !one
  %b = tile_gpu.channel : !one
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #lanes>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %s8 = tile_gpu.acquire %a[%first] : !one
    tile_gpu.copy %ps to %s8 tile 0 async 1 : tensor<32x!tile.ptr<f32>, #lanes>
    tile_gpu.commit %s8
    %l9 = tile_gpu.wait %a[%first] : !one
    %v10 = tile_gpu.view %l9 tile 0 : tensor<32xf32, #shared>
    %x = tile_gpu.read %v10 : tensor<32xf32, #shared> -> tensor<32xf32, #lanes>
    tile_gpu.release %l9
    %s11 = tile_gpu.acquire %b[%first] : !one
    tile_gpu.copy %ps to %s11 tile 0 async 1 : tensor<32x!tile.ptr<f32>, #lanes>
    tile_gpu.commit %s11
    %l12 = tile_gpu.wait %b[%first] : !one
    %v13 = tile_gpu.view %l12 tile 0 : tensor<32xf32, #shared>
    %y = tile_gpu.read %v13 : tensor<32xf32, #shared> -> tensor<32xf32, #lanes>
    tile_gpu.release %l12
    tile.store %ps, %x : tensor<32x!tile.ptr<f32>, #lanes>
    tile.store %ps, %y : tensor<32x!tile.ptr<f32>, #lanes>
  }
  return
}

// The second is filled before the first has been read.
// CHECK-LABEL: func.func @together(
// CHECK-SAME: tile_gpu.shared_bytes = 2048
// CHECK: tile_gpu.shared offset 0 :
// CHECK: tile_gpu.shared offset 1024 :
func.func @together(%p: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %first = tile_gpu.cursor 0 : !tile_gpu.cursor<1>
  %a = tile_gpu.channel : !one
  %b = tile_gpu.channel : !one
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #lanes>
  %s14 = tile_gpu.acquire %a[%first] : !one
  tile_gpu.copy %ps to %s14 tile 0 async 1 : tensor<32x!tile.ptr<f32>, #lanes>
  tile_gpu.commit %s14
  %s15 = tile_gpu.acquire %b[%first] : !one
  tile_gpu.copy %ps to %s15 tile 0 async 1 : tensor<32x!tile.ptr<f32>, #lanes>
  tile_gpu.commit %s15
  %l16 = tile_gpu.wait %a[%first] : !one
  %v17 = tile_gpu.view %l16 tile 0 : tensor<32xf32, #shared>
  %x = tile_gpu.read %v17 : tensor<32xf32, #shared> -> tensor<32xf32, #lanes>
  tile_gpu.release %l16
  %l18 = tile_gpu.wait %b[%first] : !one
  %v19 = tile_gpu.view %l18 tile 0 : tensor<32xf32, #shared>
  %y = tile_gpu.read %v19 : tensor<32xf32, #shared> -> tensor<32xf32, #lanes>
  tile_gpu.release %l18
  tile.store %ps, %x : tensor<32x!tile.ptr<f32>, #lanes>
  tile.store %ps, %y : tensor<32x!tile.ptr<f32>, #lanes>
  return
}
