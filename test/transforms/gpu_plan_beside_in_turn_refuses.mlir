// SPDX-License-Identifier: MIT
// The same by hand, with one slot for two groups of warps.
// RUN: tile-opt %s --tile-gpu-loop-over-programs --tile-gpu-specialize-warps=target=sm_90a -verify-diagnostics
func.func @one_slot(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile_gpu.plan = #tile_gpu.plan<warps = [4, 4, 4], registers = [40, 232, 232], in_turn = true>} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %r = tile.make_descriptor %pb, [%m, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  // expected-error @+1 {{in ping-pong, a block that no product needs must be loaded right in the loop that is marked tile_gpu.in_turn, into 2 slots, or where the products are}}
  %early = tile.descriptor_load %r[%zero, %zero] {tile_gpu.fill = #tile_gpu.fill<channel = 1, slots = 1>} : !tile.desc<128x128xf16> -> tensor<128x128xf16>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] {tile_gpu.fill = #tile_gpu.fill<channel = 0, slots = 3>} : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] {tile_gpu.fill = #tile_gpu.fill<channel = 0, slots = 3>} : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %e = tile.fp_cast %early : tensor<128x128xf16> -> tensor<128x128xf32>
  %f = arith.addf %sum, %e : tensor<128x128xf32>
  tile.descriptor_store %c[%block, %zero], %f : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}
