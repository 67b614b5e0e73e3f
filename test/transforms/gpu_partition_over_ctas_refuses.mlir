// SPDX-License-Identifier: MIT
// Who asks for two CTAs and cannot have them is told why.
// RUN: tile-opt %s --tile-gpu-plan=target=sm_90a --tile-gpu-partition-over-ctas -split-input-file -verify-diagnostics

// Too few rows for a group of warps in each CTA.
// expected-error @+1 {{this kernel cannot be shared by 2 CTAs on sm_90a: this needs a GPU with tensor copies and wgmma, and products of blocks that are loaded through descriptors}}
func.func @few_rows(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %k: i64, %steps: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_ctas = 2 : i32} {
  %unit = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %b = tile.make_descriptor %pb, [%k, %m], [%m, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %c = tile.make_descriptor %pc, [%m, %m], [%m, %unit] : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  %acc = scf.for %i = %zero to %steps step %one iter_args(%sum = %none) -> (tensor<64x64xf32>) : i32 {
    %kk = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %kk] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %y = tile.descriptor_load %b[%kk, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    // expected-note @+1 {{no matrix unit reads tiles of these element types, shapes and orders from shared memory; docs/performance-guide.md lists those that fit}}
    %d = tile.dot %x, %y, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %acc : !tile.desc<64x64xf32>, tensor<64x64xf32>
  return
}

// -----

// Columns are summed over all rows, which no CTA has.
func.func @all_rows(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %k: i64, %steps: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_ctas = 2 : i32} {
  %unit = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %m], [%m, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %c = tile.make_descriptor %pc, [%m, %m], [%m, %unit] : !tile.ptr<f32> -> !tile.desc<128x64xf32>
  %acc = scf.for %i = %zero to %steps step %one iter_args(%sum = %none) -> (tensor<128x64xf32>) : i32 {
    %kk = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %kk] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%kk, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %sum : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  }
  // expected-error @+1 {{here the rows of the product's tile cannot be divided among 2 CTAs: this operation combines rows of the tile, and each CTA has only its own rows}}
  %s = tile.reduce (%acc) axis = 0 : (tensor<128x64xf32>) -> tensor<64xf32> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    tile.yield %r : f32
  }
  %i = tile.arange 0 to 64 : tensor<64xi32>
  %ps = tile.splat %pc : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %ptr = tile.addptr %ps, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %ptr, %s : tensor<64x!tile.ptr<f32>>
  tile.descriptor_store %c[%zero, %zero], %acc : !tile.desc<128x64xf32>, tensor<128x64xf32>
  return
}

// -----

// What is no part of the tile would be added twice.
func.func @counted(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %k: i64, %steps: i32, %count: !tile.ptr<i32>)
    attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_ctas = 2 : i32} {
  %unit = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %m], [%m, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %c = tile.make_descriptor %pc, [%m, %m], [%m, %unit] : !tile.ptr<f32> -> !tile.desc<128x64xf32>
  %acc = scf.for %i = %zero to %steps step %one iter_args(%sum = %none) -> (tensor<128x64xf32>) : i32 {
    %kk = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %kk] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%kk, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %sum : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %acc : !tile.desc<128x64xf32>, tensor<128x64xf32>
  // expected-error @+1 {{here each of 2 CTAs would change memory that the program changes once: only stores of the product's tile are divided; use num_ctas = 1}}
  %old = tile.atomic_rmw add, %count, %one ordering = relaxed scope = gpu : !tile.ptr<i32>
  return
}

// -----

// Which rows a CTA has of pointers that were one list, nobody says.
func.func @pointers(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %k: i64, %steps: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_ctas = 2 : i32} {
  %unit = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %m], [%m, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %acc = scf.for %i = %zero to %steps step %one iter_args(%sum = %none) -> (tensor<128x64xf32>) : i32 {
    %kk = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %kk] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%kk, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %sum : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  }
  %all = tile.arange 0 to 8192 : tensor<8192xi32>
  %list = tile.splat %pc : !tile.ptr<f32> -> tensor<8192x!tile.ptr<f32>>
  %each = tile.addptr %list, %all : tensor<8192x!tile.ptr<f32>>, tensor<8192xi32>
  %ps = tile.reshape %each : tensor<8192x!tile.ptr<f32>> -> tensor<128x64x!tile.ptr<f32>>
  // expected-error @+1 {{here the rows of the product's tile cannot be divided among 2 CTAs: this access goes through pointers that are not made of `arange`, loaded vectors and arithmetic alone; use `descriptor(p, shape, strides, block)`, or use num_ctas = 1}}
  tile.store %ps, %acc : tensor<128x64x!tile.ptr<f32>>
  return
}

// -----

// What a loop carries from row to row is not made anew.
func.func @carried(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %k: i64, %steps: i32, %at: i32)
    attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_ctas = 2 : i32} {
  %unit = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<256x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<256x64xf16>
  %b = tile.make_descriptor %pb, [%k, %m], [%m, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %m], [%m, %unit] : !tile.ptr<f32> -> !tile.desc<256x128xf32>
  %start = arith.constant dense<1.000000e+00> : tensor<256xf32>
  %acc, %last = scf.for %step = %zero to %steps step %one iter_args(%sum = %none, %s = %start) -> (tensor<256x128xf32>, tensor<256xf32>) : i32 {
    %kk = arith.muli %step, %block : i32
    %x = tile.descriptor_load %a[%at, %kk] : !tile.desc<256x64xf16> -> tensor<256x64xf16>
    %y = tile.descriptor_load %b[%kk, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %none : tensor<256x64xf16>, tensor<64x128xf16>, tensor<256x128xf32>
    %e = tile.expand_dims %s {axis = 1 : i32} : tensor<256xf32> -> tensor<256x1xf32>
    // expected-error @+1 {{here the rows of the product's tile cannot be divided among 2 CTAs}}
    %w = tile.broadcast %e : tensor<256x1xf32> -> tensor<256x128xf32>
    %f = arith.mulf %d, %w : tensor<256x128xf32>
    %g = arith.addf %sum, %f : tensor<256x128xf32>
    %t = arith.addf %s, %s : tensor<256xf32>
    scf.yield %g, %t : tensor<256x128xf32>, tensor<256xf32>
  }
  tile.descriptor_store %c[%at, %zero], %acc : !tile.desc<256x128xf32>, tensor<256x128xf32>
  return
}
