// SPDX-License-Identifier: MIT
// Who asks for two groups in turn and cannot have them is told why.
// RUN: tile-opt %s --tile-gpu-specialize-warps=target=sm_90a -split-input-file -verify-diagnostics
// RUN: tile-opt %s --tile-gpu-specialize-warps=target=sm_80 -split-input-file -verify-diagnostics=only-expected 2>&1 | FileCheck %s --allow-empty

// CHECK-NOT: tile_gpu.roles

// expected-error @+1 {{two groups of warps cannot take the programs of this kernel in turn on sm_}}
func.func @no_product(%p: !tile.ptr<f32>) attributes {tile.kernel, tile.ping_pong} {
  return
}

// -----

// Without the loop over programs there is nothing to take turns at.
// expected-error @+1 {{two groups of warps cannot take the programs of this kernel in turn on sm_}}
func.func @one_program(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %k: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.ping_pong} {
  %unit = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %b = tile.make_descriptor %pb, [%k, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %c = tile.make_descriptor %pc, [%m, %k], [%k, %unit] : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  %acc = scf.for %i = %zero to %steps step %one iter_args(%sum = %none) -> (tensor<64x64xf32>) : i32 {
    %kk = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %kk] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %y = tile.descriptor_load %b[%kk, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %acc : !tile.desc<64x64xf32>, tensor<64x64xf32>
  return
}
