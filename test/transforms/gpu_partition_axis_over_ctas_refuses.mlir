// SPDX-License-Identifier: MIT
// What cannot be shared by the CTAs of a cluster is told, with the reason.
// RUN: tile-opt %s --tile-gpu-partition-axis-over-ctas -split-input-file -verify-diagnostics

// expected-error @+1 {{this kernel has no tile that 2 CTAs could share: it reduces and stores none; use num_ctas = 1}}
func.func @no_tile(%p: !tile.ptr<f32>, %v: f32) attributes {tile.kernel, tile.num_ctas = 2 : i32} {
  tile.store %p, %v : !tile.ptr<f32>
  return
}

// -----

func.func @scan(%x: !tile.ptr<f32>) attributes {tile.kernel, tile.num_ctas = 2 : i32} {
  %i = tile.arange 0 to 64 : tensor<64xi32>
  %p = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %at = tile.addptr %p, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %at : tensor<64x!tile.ptr<f32>>
  // expected-error @+1 {{here an axis cannot be divided among 2 CTAs: this operation needs the elements of all of them; use num_ctas = 1}}
  %s = tile.scan (%v) axis = 0 : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %at, %s : tensor<64x!tile.ptr<f32>>
  return
}

// -----

func.func @odd(%x: !tile.ptr<f32>) attributes {tile.kernel, tile.num_ctas = 8 : i32} {
  %i = tile.arange 0 to 12 : tensor<12xi32>
  %p = tile.splat %x : !tile.ptr<f32> -> tensor<12x!tile.ptr<f32>>
  // expected-error @+1 {{here an axis cannot be divided among 8 CTAs: it has 12 elements}}
  %at = tile.addptr %p, %i : tensor<12x!tile.ptr<f32>>, tensor<12xi32>
  %v = arith.constant dense<0.0> : tensor<12xf32>
  tile.store %at, %v : tensor<12x!tile.ptr<f32>>
  return
}

// -----

// x[i] - x[j]: a CTA would need its own elements along one axis, and those of all along the other.
func.func @both_axes(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel, tile.num_ctas = 2 : i32} {
  %i = tile.arange 0 to 64 : tensor<64xi32>
  %p = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %at = tile.addptr %p, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %at : tensor<64x!tile.ptr<f32>>
  %r = tile.expand_dims %v {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
  %c = tile.expand_dims %v {axis = 0 : i32} : tensor<64xf32> -> tensor<1x64xf32>
  %rb = tile.broadcast %r : tensor<64x1xf32> -> tensor<64x64xf32>
  // expected-error @+1 {{here an axis cannot be divided among 2 CTAs: the same elements lie along two axes of a tile}}
  %cb = tile.broadcast %c : tensor<1x64xf32> -> tensor<64x64xf32>
  %d = arith.subf %rb, %cb : tensor<64x64xf32>
  %q = tile.splat %y : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %d : tensor<64x64x!tile.ptr<f32>>
  return
}

// -----

func.func @checked(%x: !tile.ptr<f32>) attributes {tile.kernel, tile.num_ctas = 2 : i32} {
  %i = tile.arange 0 to 64 : tensor<64xi32>
  %p = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %at = tile.addptr %p, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %at : tensor<64x!tile.ptr<f32>>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %positive = arith.cmpf ogt, %v, %zero : tensor<64xf32>
  // expected-error @+1 {{here an axis cannot be divided among 2 CTAs: the CTAs that go on would wait for one whose elements fail}}
  tile.assert %positive, "x is positive" : tensor<64xi1>
  tile.store %at, %v : tensor<64x!tile.ptr<f32>>
  return
}

// -----

// A number that the first CTA takes is not known to the others.
func.func @ticket(%x: !tile.ptr<f32>, %count: !tile.ptr<i32>) attributes {tile.kernel, tile.num_ctas = 2 : i32} {
  %one = arith.constant 1 : i32
  // expected-error @+1 {{here an axis cannot be divided among 2 CTAs: one of them changes this memory, and the others need what it finds}}
  %ticket = tile.atomic_rmw add, %count, %one ordering = relaxed scope = gpu : !tile.ptr<i32>
  %i = tile.arange 0 to 64 : tensor<64xi32>
  %p = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %at = tile.addptr %p, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %f = arith.sitofp %ticket : i32 to f32
  %v = tile.splat %f : f32 -> tensor<64xf32>
  tile.store %at, %v : tensor<64x!tile.ptr<f32>>
  return
}
