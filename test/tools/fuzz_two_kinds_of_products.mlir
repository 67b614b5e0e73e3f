// SPDX-License-Identifier: MIT
// A product out of shared memory and one of computed tiles add to the same sums, which units hold in different
// registers.
// RUN: tile fuzz --replay %s --device simulator | FileCheck %s
// CHECK: agrees
// fuzz: seed 1 floats small grid 1 1 elements 2048 2048 4096 scalars
func.func @fuzz(%a: !tile.ptr<bf16> {tile.name = "in_bf16", tile.divisibility = 16 : i32},
               %b: !tile.ptr<bf16> {tile.name = "in2_bf16", tile.divisibility = 16 : i32},
               %c: !tile.ptr<f32> {tile.name = "out_f32", tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %i1 = arith.constant 1 : i64
  %i16 = arith.constant 16 : i64
  %i64 = arith.constant 64 : i64
  %i32 = arith.constant 32 : i64
  %i128 = arith.constant 128 : i64
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %c64 = arith.constant 64 : i32
  %A = tile.make_descriptor %a, [%i128, %i16], [%i16, %i1] : !tile.ptr<bf16> -> !tile.desc<64x16xbf16>
  %B = tile.make_descriptor %b, [%i32, %i64], [%i64, %i1] : !tile.ptr<bf16> -> !tile.desc<16x64xbf16>
  %C = tile.make_descriptor %c, [%i64, %i64], [%i64, %i1] : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %p = tile.descriptor_load %A[%c0, %c0] : !tile.desc<64x16xbf16> -> tensor<64x16xbf16>
  %q = tile.descriptor_load %B[%c0, %c0] : !tile.desc<16x64xbf16> -> tensor<16x64xbf16>
  %r = tile.descriptor_load %A[%c64, %c0] : !tile.desc<64x16xbf16> -> tensor<64x16xbf16>
  %s = arith.negf %r : tensor<64x16xbf16>
  %u = tile.descriptor_load %B[%c16, %c0] : !tile.desc<16x64xbf16> -> tensor<16x64xbf16>
  %v = arith.addf %u, %u : tensor<16x64xbf16>
  %d = tile.dot %p, %q, %zero : tensor<64x16xbf16>, tensor<16x64xbf16>, tensor<64x64xf32>
  %e = tile.dot %s, %v, %d : tensor<64x16xbf16>, tensor<16x64xbf16>, tensor<64x64xf32>
  tile.descriptor_store %C[%c0, %c0], %e : !tile.desc<64x64xf32>, tensor<64x64xf32>
  return
}
