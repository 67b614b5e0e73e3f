// SPDX-License-Identifier: MIT
// RUN: tile-opt %s --tile-gpu-distribute -allow-unregistered-dialect -split-input-file -verify-diagnostics

func.func @no_layout(%x: f32) {
  // expected-error @+1 {{this tile has no layout: tile-assign-layouts comes before tile-gpu-distribute}}
  %0 = tile.splat %x : f32 -> tensor<64xf32>
  return
}

// -----

// expected-error @+1 {{this function takes or returns tiles: a kernel takes pointers and scalars, and loads and stores its tiles}}
func.func @takes_a_tile(%t: tensor<64xf32>) {
  return
}

// -----

// expected-error @+1 {{this function takes or returns tiles}}
func.func @returns_a_tile() -> tensor<64xf32> {
  %0 = arith.constant dense<1.0> : tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----
#lanes = #tile_gpu.layout<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>

// An op that the code generator does not know is named, at its place.
func.func @no_rule(%x: f32) {
  %0 = tile.splat %x : f32 -> tensor<64xf32, #lanes>
  // expected-error @+1 {{`test.unheard_of` cannot run on this target yet}}
  %1 = "test.unheard_of"(%0) : (tensor<64xf32, #lanes>) -> tensor<64xf32, #lanes>
  return
}

// -----
#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf32, #shared>)>

// Those who fill a slot and those who read it meet at one barrier, which two roles do not have.
func.func @from_role_to_role() attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %c = tile_gpu.channel : !ring
  tile_gpu.roles warps 1 {
    // expected-error @+1 {{this channel has no barriers, so only one role may use it; roles hand tiles over through channels with barriers}}
    %slot = tile_gpu.acquire %c[%at] : !ring
    tile_gpu.commit %slot
  } warps 1 {
    // expected-note @+1 {{used here, too}}
    %lease = tile_gpu.wait %c[%at] : !ring
    tile_gpu.release %lease
  }
  return
}

// -----
#acc = #tile_gpu.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = [], repeats = [1, 1]>
#rows = #tile_gpu.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [], block = [], repeats = [1, 1]>
#narrow = #tile_gpu.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [], block = [], repeats = [1, 1]>

// The operands lie by rows, and the matrix unit takes them otherwise.
func.func @elsewhere(%x: f16, %y: f32) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %a = tile.splat %x : f16 -> tensor<16x16xf16, #rows>
  %b = tile.splat %x : f16 -> tensor<16x8xf16, #narrow>
  %c = tile.splat %y : f32 -> tensor<16x8xf32, #acc>
  // expected-error @+1 {{the layouts of these tiles do not fit the matrix unit of this target; tile-assign-layouts chooses layouts that fit}}
  %d = tile.dot %a, %b, %c : tensor<16x16xf16, #rows>, tensor<16x8xf16, #narrow>, tensor<16x8xf32, #acc>
  return
}

// -----
#rows = #tile_gpu.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [], block = [], repeats = [1, 1]>
#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], repeats = [1, 1]>

func.func @not_shared(%x: f16) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90a"} {
  %a = tile.splat %x : f16 -> tensor<16x16xf16, #rows>
  // expected-error @+1 {{this tile has a layout of shared memory; only tile-gpu-share-operands puts tiles there, through a channel}}
  %b = tile_gpu.convert_layout %a : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #shared>
  return
}

// -----
#acc = #tile_gpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [], repeats = [1, 1]>
#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!x = tensor<64x64xf16, #shared>
!sums = tensor<64x64xf32, #acc>
!ring = !tile_gpu.channel<1 x (!x)>

// In a kernel without roles, too.
func.func @not_awaited(%y: f32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile_gpu.target = "sm_90a"} {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<1>
  %lease = tile_gpu.wait %c[%at] : !ring
  %a = tile_gpu.view %lease tile 0 : !x
  %none = tile.splat %y : f32 -> !sums
  // expected-error @+1 {{runs asynchronously and is never awaited: await_products is missing}}
  %d = tile.dot %a, %a, %none {tile_gpu.in_flight} : !x, !x, !sums
  tile_gpu.release %lease
  return
}

// -----
#acc = #tile_gpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [], repeats = [1, 1]>
#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!ring = !tile_gpu.channel<1 x (tensor<64x64xf16, #shared>)>

// What passes for sm_90a have put into shared memory, no unit of sm_80 reads there.
func.func @of_another_gpu(%y: f32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile_gpu.target = "sm_80"} {
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<1>
  %channel = tile_gpu.channel : !ring
  %slot = tile_gpu.acquire %channel[%at] : !ring
  tile_gpu.commit %slot
  %lease = tile_gpu.wait %channel[%at] : !ring
  %x = tile_gpu.view %lease tile 0 : tensor<64x64xf16, #shared>
  %c = tile.splat %y : f32 -> tensor<64x64xf32, #acc>
  // expected-error @+1 {{an operand of this product is in shared memory, and no matrix unit of sm_80 multiplies these tiles there: give tile-assign-layouts the same target as the passes before it}}
  %d = tile.dot %x, %x, %c : tensor<64x64xf16, #shared>, tensor<64x64xf16, #shared>, tensor<64x64xf32, #acc>
  tile_gpu.release %lease
  return
}
