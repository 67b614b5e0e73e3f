// SPDX-License-Identifier: MIT
// Slots of puts that are written by hand, and that cannot be followed.
// RUN: tile-opt %s --tile-layout-pipeline=target=sm_90a -split-input-file -verify-diagnostics

func.func @hands_on_nothing(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile_gpu.plan = #tile_gpu.plan<warps = [4, 8], registers = [40, 232]>} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] {tile_gpu.fill = #tile_gpu.fill<channel = 0, slots = 3>} : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] {tile_gpu.fill = #tile_gpu.fill<channel = 0, slots = 3>} : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %w = arith.negf %y : tensor<64x128xf16>
    // expected-error @+1 {{the plan of this kernel cannot be followed: `tile_gpu.put_slots` needs a product alone in its loop}}
    %d = tile.dot %x, %w, %acc {tile_gpu.put_slots = 3 : i64} : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %e = arith.negf %d : tensor<128x128xf32>
    scf.yield %e : tensor<128x128xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// The next blocks would need the slot that the product on its way reads.
func.func @one_slot(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile_gpu.plan = #tile_gpu.plan<warps = [4, 8], registers = [40, 232]>} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] {tile_gpu.fill = #tile_gpu.fill<channel = 0, slots = 1>} : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] {tile_gpu.fill = #tile_gpu.fill<channel = 0, slots = 1>} : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %w = arith.negf %y : tensor<64x128xf16>
    // expected-error @+1 {{the plan of this kernel cannot be followed: `tile_gpu.put_slots` needs a product alone in its loop}}
    %d = tile.dot %x, %w, %acc {tile_gpu.put_slots = 3 : i64} : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}
