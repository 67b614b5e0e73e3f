// SPDX-License-Identifier: MIT
// Channels that are never at work at the same time share memory; others do not.
// RUN: tile-opt %s --tile-gpu-distribute -canonicalize | FileCheck %s
#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!two = !tile_gpu.channel<2 x (tensor<32xf32, #shared>)>
!one = !tile_gpu.channel<1 x (tensor<32xf32, #shared>)>

// One after the other: the second lies where the first did. What ran ahead of the first loop is waited for.
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
  %a = tile_gpu.channel : !two
  %b = tile_gpu.channel : !one
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #lanes>
  tile_gpu.acquire %a[%c0] first : !two
  tile_gpu.commit %a[%c0] : !two
  scf.for %i = %c0 to %n step %c1 : i32 {
    tile_gpu.wait %a[%c0] ahead 0 : !two
    tile_gpu.acquire %a[%c1] : !two
    tile_gpu.copy %ps to %a[%c1] tile 0 : tensor<32x!tile.ptr<f32>, #lanes>, !two
    tile_gpu.commit %a[%c1] : !two
    %x = tile_gpu.read %a[%c0] tile 0 : !two -> tensor<32xf32, #lanes>
    tile_gpu.release %a[%c0] : !two
    tile.store %ps, %x : tensor<32x!tile.ptr<f32>, #lanes>
  }
  tile_gpu.acquire %b[%c0] first : !one
  tile_gpu.copy %ps to %b[%c0] tile 0 : tensor<32x!tile.ptr<f32>, #lanes>, !one
  tile_gpu.commit %b[%c0] : !one
  tile_gpu.wait %b[%c0] ahead 0 : !one
  %y = tile_gpu.read %b[%c0] tile 0 : !one -> tensor<32xf32, #lanes>
  tile_gpu.release %b[%c0] : !one
  tile.store %ps, %y : tensor<32x!tile.ptr<f32>, #lanes>
  return
}

// In the body of one loop, one after the other in each iteration.
// CHECK-LABEL: func.func @in_turn_within_a_loop(
// CHECK-SAME: tile_gpu.shared_bytes = 1024
func.func @in_turn_within_a_loop(%p: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tile_gpu.channel : !one
  %b = tile_gpu.channel : !one
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #lanes>
  scf.for %i = %c0 to %n step %c1 : i32 {
    tile_gpu.acquire %a[%c0] first : !one
    tile_gpu.copy %ps to %a[%c0] tile 0 : tensor<32x!tile.ptr<f32>, #lanes>, !one
    tile_gpu.commit %a[%c0] : !one
    tile_gpu.wait %a[%c0] ahead 0 : !one
    %x = tile_gpu.read %a[%c0] tile 0 : !one -> tensor<32xf32, #lanes>
    tile_gpu.release %a[%c0] : !one
    tile_gpu.acquire %b[%c0] first : !one
    tile_gpu.copy %ps to %b[%c0] tile 0 : tensor<32x!tile.ptr<f32>, #lanes>, !one
    tile_gpu.commit %b[%c0] : !one
    tile_gpu.wait %b[%c0] ahead 0 : !one
    %y = tile_gpu.read %b[%c0] tile 0 : !one -> tensor<32xf32, #lanes>
    tile_gpu.release %b[%c0] : !one
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
  %a = tile_gpu.channel : !one
  %b = tile_gpu.channel : !one
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #lanes>
  tile_gpu.acquire %a[%c0] first : !one
  tile_gpu.copy %ps to %a[%c0] tile 0 : tensor<32x!tile.ptr<f32>, #lanes>, !one
  tile_gpu.commit %a[%c0] : !one
  tile_gpu.acquire %b[%c0] first : !one
  tile_gpu.copy %ps to %b[%c0] tile 0 : tensor<32x!tile.ptr<f32>, #lanes>, !one
  tile_gpu.commit %b[%c0] : !one
  tile_gpu.wait %a[%c0] ahead 1 : !one
  %x = tile_gpu.read %a[%c0] tile 0 : !one -> tensor<32xf32, #lanes>
  tile_gpu.release %a[%c0] : !one
  tile_gpu.wait %b[%c0] ahead 0 : !one
  %y = tile_gpu.read %b[%c0] tile 0 : !one -> tensor<32xf32, #lanes>
  tile_gpu.release %b[%c0] : !one
  tile.store %ps, %x : tensor<32x!tile.ptr<f32>, #lanes>
  tile.store %ps, %y : tensor<32x!tile.ptr<f32>, #lanes>
  return
}
