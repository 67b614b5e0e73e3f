// SPDX-License-Identifier: MIT
// RUN: tile-opt %s --tile-gpu-plan=target=sm_90a --tile-gpu-specialize-warps=target=sm_90a -verify-diagnostics

// Two groups of eight warps have 104 registers for each thread, and the sums would take 96 of them.
// expected-error @+1 {{this kernel cannot run in ping-pong on sm_}}
func.func @wide(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %k: i64, %steps: i32)
    attributes {tile.kernel, tile.num_warps = 8 : i32, tile.ping_pong} {
  %unit = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x192xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %m], [%m, %unit] : !tile.ptr<f16> -> !tile.desc<64x192xf16>
  %c = tile.make_descriptor %pc, [%m, %m], [%m, %unit] : !tile.ptr<f32> -> !tile.desc<128x192xf32>
  scf.for %tile = %zero to %steps step %one : i32 {
    %acc = scf.for %i = %zero to %steps step %one iter_args(%sum = %none) -> (tensor<128x192xf32>) : i32 {
      %kk = arith.muli %i, %block : i32
      %x = tile.descriptor_load %a[%zero, %kk] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
      %y = tile.descriptor_load %b[%kk, %zero] : !tile.desc<64x192xf16> -> tensor<64x192xf16>
        // expected-note @+1 {{the sums need too many registers of a thread; use a smaller block or more warps}}
      %d = tile.dot %x, %y, %sum : tensor<128x64xf16>, tensor<64x192xf16>, tensor<128x192xf32>
      scf.yield %d : tensor<128x192xf32>
    }
    tile.descriptor_store %c[%zero, %zero], %acc : !tile.desc<128x192xf32>, tensor<128x192xf32>
  } {tile.specialize_warps}
  return
}
