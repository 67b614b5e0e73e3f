// SPDX-License-Identifier: MIT
// A GPU whose CTAs form no clusters.
// RUN: tile-opt %s --tile-gpu-plan=target=sm_89 -verify-diagnostics

// expected-error @+1 {{this kernel cannot be shared by 2 CTAs on sm_89, which has no clusters of CTAs; use num_ctas = 1}}
func.func @stored(%x: !tile.ptr<f32>) attributes {tile.kernel, tile.num_ctas = 2 : i32} {
  %i = tile.arange 0 to 64 : tensor<64xi32>
  %p = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %at = tile.addptr %p, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = arith.constant dense<0.0> : tensor<64xf32>
  tile.store %at, %v : tensor<64x!tile.ptr<f32>>
  return
}
