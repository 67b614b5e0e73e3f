// SPDX-License-Identifier: MIT
// An operand that is transposed, and has an odd factor along both of its axes, is not read as it lies in
// shared memory.
// RUN: tile fuzz --replay %s --device simulator | FileCheck %s
// CHECK: agrees
// fuzz: seed 1 floats small grid 1 1 elements 1536 4608 768 scalars
func.func @fuzz(%a: !tile.ptr<bf16> {tile.name = "in_bf16", tile.divisibility = 16 : i32},
               %b: !tile.ptr<bf16> {tile.name = "in2_bf16", tile.divisibility = 16 : i32},
               %c: !tile.ptr<f32> {tile.name = "out_f32", tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %i1 = arith.constant 1 : i64
  %i16 = arith.constant 16 : i64
  %i48 = arith.constant 48 : i64
  %i96 = arith.constant 96 : i64
  %c0 = arith.constant 0 : i32
  %A = tile.make_descriptor %a, [%i16, %i96], [%i96, %i1] : !tile.ptr<bf16> -> !tile.desc<16x96xbf16>
  %B = tile.make_descriptor %b, [%i48, %i96], [%i96, %i1] : !tile.ptr<bf16> -> !tile.desc<48x96xbf16>
  %C = tile.make_descriptor %c, [%i16, %i48], [%i48, %i1] : !tile.ptr<f32> -> !tile.desc<16x48xf32>
  %zero = arith.constant dense<0.0> : tensor<16x48xf32>
  %p = tile.descriptor_load %A[%c0, %c0] : !tile.desc<16x96xbf16> -> tensor<16x96xbf16>
  %q = tile.descriptor_load %B[%c0, %c0] : !tile.desc<48x96xbf16> -> tensor<48x96xbf16>
  %t = tile.permute %q [1, 0] : tensor<48x96xbf16> -> tensor<96x48xbf16>
  %d = tile.dot %p, %t, %zero : tensor<16x96xbf16>, tensor<96x48xbf16>, tensor<16x48xf32>
  tile.descriptor_store %C[%c0, %c0], %d : !tile.desc<16x48xf32>, tensor<16x48xf32>
  return
}
