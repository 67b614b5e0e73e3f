// SPDX-License-Identifier: MIT
// Products that are awaited where they are made.
// RUN: tile-opt %s --tile-layout-pipeline=target=sm_90a -split-input-file | FileCheck %s --implicit-check-not=in_flight --implicit-check-not=await_products
// RUN: tile-opt %s --tile-layout-pipeline=target=sm_90a -split-input-file -o %t.once
// RUN: tile-opt %t.once --tile-gpu-await-products-late -split-input-file | FileCheck %s --implicit-check-not=in_flight --implicit-check-not=await_products

// Registers do not hold p, p16 and t beside the sums: each product is awaited before the next one begins.
// CHECK-LABEL: func.func @too_many_sums(
// CHECK: tile_gpu.roles
// CHECK: tile.dot
// CHECK: tile.dot
// CHECK: tile.dot
// CHECK: tile.dot
// CHECK-NOT: tile.dot
func.func @too_many_sums(%pk: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %po: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %length = arith.constant 64 : i64
  %block = arith.constant 128 : i32
  %no_scores = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %none = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
  %k = tile.make_descriptor %pk, [%m, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %o = tile.make_descriptor %po, [%m, %length], [%length, %unit] : !tile.ptr<f32> -> !tile.desc<128x64xf32>
  %key = tile.descriptor_load %k[%zero, %zero] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
  %value = tile.descriptor_load %k[%block, %zero] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
  %all:2 = scf.for %i = %zero to %steps step %one iter_args(%a = %none, %b = %none) -> (tensor<128x64xf32>, tensor<128x64xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %query = tile.descriptor_load %k[%from, %zero] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %transposed = tile.permute %query [1, 0] : tensor<128x64xf16> -> tensor<64x128xf16>
    %s = tile.dot %key, %transposed, %no_scores : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %p = math.exp2 %s : tensor<128x128xf32>
    %p16 = tile.fp_cast %p : tensor<128x128xf32> -> tensor<128x128xf16>
    %more_a = tile.dot %p16, %query, %a : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
    %t = tile.dot %value, %transposed, %no_scores : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %d = arith.mulf %p, %t : tensor<128x128xf32>
    %d16 = tile.fp_cast %d : tensor<128x128xf32> -> tensor<128x128xf16>
    %more_b = tile.dot %d16, %query, %b : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
    scf.yield %more_a, %more_b : tensor<128x64xf32>, tensor<128x64xf32>
  }
  %sum = arith.addf %all#0, %all#1 : tensor<128x64xf32>
  tile.descriptor_store %o[%zero, %zero], %sum : !tile.desc<128x64xf32>, tensor<128x64xf32>
  return
}

// -----

// Without roles all warps copy, and the loop is pipelined otherwise.
// CHECK-LABEL: func.func @no_roles(
// CHECK: tile.dot
// CHECK: tile.dot
// CHECK-NOT: tile.dot
func.func @no_roles(%at: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %x = arith.constant dense<1.000000e+00> : tensor<64x64xf16>
  %y = arith.constant dense<2.000000e+00> : tensor<64x64xf16>
  %p = tile.splat %at : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %a = tile.dot %x, %y, %none : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %b = tile.dot %y, %x, %none : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %sum = arith.addf %a, %b : tensor<64x64xf32>
  tile.store %p, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// -----

// A product adds to these sums in place, and something else looks at them, too.
// CHECK-LABEL: func.func @sums_of_two_uses(
// CHECK: tile_gpu.roles
// CHECK: tile.dot
// CHECK: tile.dot
// CHECK: tile.dot
// CHECK-NOT: tile.dot
func.func @sums_of_two_uses(%pk: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %po: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %length = arith.constant 64 : i64
  %block = arith.constant 128 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
  %k = tile.make_descriptor %pk, [%m, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %q = tile.make_descriptor %pk, [%m, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %o = tile.make_descriptor %po, [%m, %length], [%length, %unit] : !tile.ptr<f32> -> !tile.desc<128x64xf32>
  %key = tile.descriptor_load %k[%zero, %zero] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
  %all = scf.for %i = %zero to %steps step %one iter_args(%sum = %none) -> (tensor<128x64xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %q[%from, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %y = tile.descriptor_load %q[%i, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %xt = tile.permute %x [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
    %yt = tile.permute %y [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
    %s1 = tile.dot %key, %xt, %none : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %s2 = tile.dot %key, %yt, %s1 : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %p = math.exp2 %s1 : tensor<128x64xf32>
    %t = tile.dot %key, %y, %none : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %less = arith.subf %t, %s2 : tensor<128x64xf32>
    %d = arith.mulf %p, %less : tensor<128x64xf32>
    %more = arith.addf %sum, %d : tensor<128x64xf32>
    scf.yield %more : tensor<128x64xf32>
  }
  tile.descriptor_store %o[%zero, %zero], %all : !tile.desc<128x64xf32>, tensor<128x64xf32>
  return
}
