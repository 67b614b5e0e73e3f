// SPDX-License-Identifier: MIT
// RUN: tile-opt %s --tile-gpu-distribute -allow-unregistered-dialect -split-input-file -verify-diagnostics

func.func @no_layout(%x: f32) {
  // expected-error @+1 {{this tile has no layout: tile-assign-layouts comes before tile-gpu-distribute}}
  %0 = tile.splat %x : f32 -> tensor<64xf32>
  return
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
