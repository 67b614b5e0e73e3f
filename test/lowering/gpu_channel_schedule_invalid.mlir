// SPDX-License-Identifier: MIT
// Steps that could never be taken.
// RUN: tile-opt %s --tile-gpu-distribute -split-input-file -verify-diagnostics

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!one = !tile_gpu.channel<1 x (tensor<32xf32, #shared>)>
!two = !tile_gpu.channel<2 x (tensor<32xf32, #shared>)>
!three = !tile_gpu.channel<3 x (tensor<32xf32, #shared>)>

func.func @wait_without_a_commit(%p: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one0 = tile_gpu.cursor 0 : !tile_gpu.cursor<1>
  %a = tile_gpu.channel : !one
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #lanes>
  // expected-error @+1 {{this waits forever: no slot of the channel is full, or will be}}
  %l = tile_gpu.wait %a[%one0] : !one
  tile_gpu.release %l
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!one = !tile_gpu.channel<1 x (tensor<32xf32, #shared>)>
!two = !tile_gpu.channel<2 x (tensor<32xf32, #shared>)>
!three = !tile_gpu.channel<3 x (tensor<32xf32, #shared>)>

func.func @no_slot(%p: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one0 = tile_gpu.cursor 0 : !tile_gpu.cursor<1>
  %a = tile_gpu.channel : !one
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #lanes>
  %s = tile_gpu.acquire %a[%one0] : !one
  tile_gpu.commit %s
  // expected-error @+1 {{this waits forever: no slot of the channel has been released}}
  %t = tile_gpu.acquire %a[%one0] : !one
  tile_gpu.commit %t
  tile_gpu.drain %a : !one
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!one = !tile_gpu.channel<1 x (tensor<32xf32, #shared>)>
!two = !tile_gpu.channel<2 x (tensor<32xf32, #shared>)>
!three = !tile_gpu.channel<3 x (tensor<32xf32, #shared>)>

func.func @left_full(%p: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %two0 = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %two1 = tile_gpu.cursor 1 : !tile_gpu.cursor<2>
  %a = tile_gpu.channel : !two
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #lanes>
  %s = tile_gpu.acquire %a[%two0] : !two
  // expected-error @+1 {{a channel ends here with slots that are full or still in use; drain it first}}
  tile_gpu.commit %s
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!one = !tile_gpu.channel<1 x (tensor<32xf32, #shared>)>
!two = !tile_gpu.channel<2 x (tensor<32xf32, #shared>)>
!three = !tile_gpu.channel<3 x (tensor<32xf32, #shared>)>

func.func @drained_early(%p: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %two0 = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %two1 = tile_gpu.cursor 1 : !tile_gpu.cursor<2>
  %a = tile_gpu.channel : !two
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #lanes>
  %s = tile_gpu.acquire %a[%two0] : !two
  tile_gpu.commit %s
  %l = tile_gpu.wait %a[%two0] : !two
  // expected-error @+1 {{this takes back slots that are still in use; release them first}}
  tile_gpu.drain %a : !two
  tile_gpu.release %l
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!one = !tile_gpu.channel<1 x (tensor<32xf32, #shared>)>
!two = !tile_gpu.channel<2 x (tensor<32xf32, #shared>)>
!three = !tile_gpu.channel<3 x (tensor<32xf32, #shared>)>

func.func @scattered(%p: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %two0 = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %two1 = tile_gpu.cursor 1 : !tile_gpu.cursor<2>
  %a = tile_gpu.channel : !two
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #lanes>
  %s = tile_gpu.acquire %a[%two0] : !two
  // expected-error @+1 {{'tile_gpu.copy' op copies 4 elements at a time, but only 1 are contiguous in the slot}}
  tile_gpu.copy %ps to %s tile 0 async 4 : tensor<32x!tile.ptr<f32>, #lanes>
  tile_gpu.commit %s
  tile_gpu.drain %a : !two
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!one = !tile_gpu.channel<1 x (tensor<32xf32, #shared>)>
!two = !tile_gpu.channel<2 x (tensor<32xf32, #shared>)>
!three = !tile_gpu.channel<3 x (tensor<32xf32, #shared>)>

func.func @left_somehow(%p: !tile.ptr<f32>, %b: i1) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %two0 = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %two1 = tile_gpu.cursor 1 : !tile_gpu.cursor<2>
  %a = tile_gpu.channel : !two
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #lanes>
  // expected-error @+1 {{a channel ends here with slots that are full or still in use; drain it first}}
  scf.if %b {
    %s = tile_gpu.acquire %a[%two0] : !two
    tile_gpu.commit %s
    %t = tile_gpu.acquire %a[%two1] : !two
    tile_gpu.commit %t
  } else {
    %s = tile_gpu.acquire %a[%two0] : !two
    tile_gpu.commit %s
  }
  return
}
