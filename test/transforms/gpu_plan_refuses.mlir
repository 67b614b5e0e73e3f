// SPDX-License-Identifier: MIT
// Kernels that get no plan, and why; gpu_specialize_warps_refuses.mlir has all reasons.
// RUN: tile-opt %s --tile-gpu-plan="target=sm_90a remarks=true" -split-input-file -verify-diagnostics
// RUN: tile-opt %S/gpu_specialize_warps.mlir --tile-gpu-plan=target=sm_89 -split-input-file | FileCheck %s --check-prefix=OTHER

// A GPU whose copy engine knows no boxes.
// OTHER-NOT: tile_gpu

// The copies would load what the check guards.
func.func @guarding(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %list: !tile.ptr<i32>, %m: i64, %k: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %unit = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %block = arith.constant 64 : i32
  %id = tile.program_id x
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %b = tile.make_descriptor %pb, [%k, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %c = tile.make_descriptor %pc, [%m, %k], [%k, %unit] : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  %acc = scf.for %i = %zero to %steps step %one iter_args(%sum = %none) -> (tensor<64x64xf32>) : i32 {
    %far = arith.cmpi slt, %i, %block : i32
    // expected-remark @+1 {{this kernel gets no roles of warps: which block is loaded depends on a load after this check, which would come before it; check kernel arguments at the beginning of the kernel, or remove it}}
    tile.assert %far, "far" : i1
    %place = tile.addptr %list, %i : !tile.ptr<i32>, i32
    %at = tile.load %place : !tile.ptr<i32>
    %whole = arith.muli %at, %block : i32
    %kk = tile.assume %whole {divisible = 64 : i64} : i32
    %x = tile.descriptor_load %a[%zero, %kk] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %y = tile.descriptor_load %b[%kk, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %acc : !tile.desc<64x64xf32>, tensor<64x64xf32>
  return
}

// -----

// expected-error @+1 {{this kernel cannot run in ping-pong on sm_90a}}
func.func @asserting_in_turn(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %k: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.ping_pong} {
  %unit = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %block = arith.constant 64 : i32
  %id = tile.program_id x
  %far = arith.cmpi slt, %id, %steps : i32
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
  // expected-remark @+2 {{this kernel gets no roles of warps}}
  // expected-note @+1 {{this check would end only some of the warps, and the others would wait for them; check kernel arguments at the beginning of the kernel, or remove it, or do without ping_pong, num_ctas and tensors that the program describes}}
  tile.assert %far, "far" : i1
  return
}

// -----

// expected-error @+1 {{this kernel cannot be shared by 2 CTAs on sm_90a}}
func.func @few_rows(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %k: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_ctas = 2 : i32} {
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
    // expected-note @+1 {{no matrix unit reads tiles}}
    %d = tile.dot %x, %y, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %acc : !tile.desc<64x64xf32>, tensor<64x64xf32>
  return
}

// -----

func.func @seven_slots(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %k: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %unit = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<64x256xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %b = tile.make_descriptor %pb, [%k, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x256xf16>
  %c = tile.make_descriptor %pc, [%m, %k], [%k, %unit] : !tile.ptr<f32> -> !tile.desc<64x256xf32>
  %acc = scf.for %i = %zero to %steps step %one iter_args(%sum = %none) -> (tensor<64x256xf32>) : i32 {
    %kk = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %kk] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %y = tile.descriptor_load %b[%kk, %zero] : !tile.desc<64x256xf16> -> tensor<64x256xf16>
    // expected-remark @+1 {{shared memory holds 5 slots of this product's blocks, not 7; use a smaller block or a lower num_stages}}
    %d = tile.dot %x, %y, %sum : tensor<64x64xf16>, tensor<64x256xf16>, tensor<64x256xf32>
    scf.yield %d : tensor<64x256xf32>
  } {tile.num_stages = 7 : i32}
  tile.descriptor_store %c[%zero, %zero], %acc : !tile.desc<64x256xf32>, tensor<64x256xf32>
  return
}

// -----

// A product that adds up by itself before needs registers of its own.
func.func @chain_of_imprecise_sums(%pa: !tile.ptr<f8E4M3FN> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f8E4M3FN> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %k: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %unit = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<64x160xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f8E4M3FN> -> !tile.desc<64x64xf8E4M3FN>
  %b = tile.make_descriptor %pb, [%k, %k], [%k, %unit] : !tile.ptr<f8E4M3FN> -> !tile.desc<160x64xf8E4M3FN>
  %c = tile.make_descriptor %pc, [%m, %k], [%k, %unit] : !tile.ptr<f32> -> !tile.desc<64x160xf32>
  %acc = scf.for %i = %zero to %steps step %one iter_args(%sum = %none) -> (tensor<64x160xf32>) : i32 {
    %kk = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %kk] : !tile.desc<64x64xf8E4M3FN> -> tensor<64x64xf8E4M3FN>
    %rows = tile.descriptor_load %b[%kk, %zero] : !tile.desc<160x64xf8E4M3FN> -> tensor<160x64xf8E4M3FN>
    %y = tile.permute %rows [1, 0] : tensor<160x64xf8E4M3FN> -> tensor<64x160xf8E4M3FN>
    %d = tile.dot %x, %y, %sum : tensor<64x64xf8E4M3FN>, tensor<64x160xf8E4M3FN>, tensor<64x160xf32>
    %x2 = tile.descriptor_load %a[%one, %kk] : !tile.desc<64x64xf8E4M3FN> -> tensor<64x64xf8E4M3FN>
    // expected-remark @+1 {{the sums need too many registers of a thread}}
    %d2 = tile.dot %x2, %y, %d {max_imprecise_acc = 32 : i32} : tensor<64x64xf8E4M3FN>, tensor<64x160xf8E4M3FN>, tensor<64x160xf32>
    scf.yield %d2 : tensor<64x160xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %acc : !tile.desc<64x160xf32>, tensor<64x160xf32>
  return
}

// -----

// expected-error @+1 {{this kernel cannot be shared by 8 CTAs: 4 at most share the tile of a product; use num_ctas = 4}}
func.func @eight(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f16>, %m: i64, %k: i64, %steps: i32, %at: i32)
    attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_ctas = 8 : i32} {
  %unit = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<512x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<512x64xf16>
  %b = tile.make_descriptor %pb, [%k, %m], [%m, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %m], [%m, %unit] : !tile.ptr<f16> -> !tile.desc<512x128xf16>
  %acc = scf.for %i = %zero to %steps step %one iter_args(%sum = %none) -> (tensor<512x128xf32>) : i32 {
    %kk = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%at, %kk] : !tile.desc<512x64xf16> -> tensor<512x64xf16>
    %aligned = tile.assume %at {divisible = 8 : i64} : i32
    %y = tile.descriptor_load %b[%kk, %aligned] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %sum : tensor<512x64xf16>, tensor<64x128xf16>, tensor<512x128xf32>
    scf.yield %d : tensor<512x128xf32>
  }
  %twice = arith.addf %acc, %acc : tensor<512x128xf32>
  %r = tile.fp_cast %twice : tensor<512x128xf32> -> tensor<512x128xf16>
  tile.descriptor_store %c[%at, %at], %r : !tile.desc<512x128xf16>, tensor<512x128xf16>
  return
}
