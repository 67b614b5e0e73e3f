// SPDX-License-Identifier: MIT
// A slot that boxes are stored from is still read while the next program's blocks are copied: they have memory of
// their own.
// RUN: tile fuzz --replay %s --device simulator | FileCheck %s
// CHECK: agrees
// fuzz: seed 1 floats small grid 300 1 elements 16384 4096 16384 scalars
func.func @fuzz(%a: !tile.ptr<bf16> {tile.name = "in_bf16", tile.divisibility = 16 : i32},
               %b: !tile.ptr<bf16> {tile.name = "in2_bf16", tile.divisibility = 16 : i32},
               %c: !tile.ptr<bf16> {tile.name = "out_bf16", tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %i1 = arith.constant 1 : i64
  %i32 = arith.constant 32 : i64
  %i64 = arith.constant 64 : i64
  %i128 = arith.constant 128 : i64
  %i256 = arith.constant 256 : i64
  %c0 = arith.constant 0 : i32
  %c128 = arith.constant 128 : i32
  %x = tile.program_id x
  %m = arith.muli %x, %c128 : i32
  %A = tile.make_descriptor %a, [%i256, %i64], [%i64, %i1] : !tile.ptr<bf16> -> !tile.desc<128x64xbf16>
  %B = tile.make_descriptor %b, [%i64, %i64], [%i64, %i1] : !tile.ptr<bf16> -> !tile.desc<64x64xbf16>
  %D = tile.make_descriptor %a, [%i256, %i64], [%i64, %i1] : !tile.ptr<bf16> -> !tile.desc<128x32xbf16>
  %E = tile.make_descriptor %b, [%i64, %i64], [%i64, %i1] : !tile.ptr<bf16> -> !tile.desc<32x64xbf16>
  %C = tile.make_descriptor %c, [%i256, %i64], [%i64, %i1] : !tile.ptr<bf16> -> !tile.desc<128x64xbf16>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %p = tile.descriptor_load %A[%m, %c0] : !tile.desc<128x64xbf16> -> tensor<128x64xbf16>
  %q = tile.descriptor_load %B[%c0, %c0] : !tile.desc<64x64xbf16> -> tensor<64x64xbf16>
  %s = arith.negf %p : tensor<128x64xbf16>
  %r = tile.descriptor_load %D[%m, %c0] : !tile.desc<128x32xbf16> -> tensor<128x32xbf16>
  %u = tile.descriptor_load %E[%c0, %c0] : !tile.desc<32x64xbf16> -> tensor<32x64xbf16>
  %d = tile.dot %s, %q, %zero : tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>
  %e = tile.dot %r, %u, %d : tensor<128x32xbf16>, tensor<32x64xbf16>, tensor<128x64xf32>
  %f = tile.fp_cast %e : tensor<128x64xf32> -> tensor<128x64xbf16>
  tile.descriptor_store %C[%m, %c0], %f : !tile.desc<128x64xbf16>, tensor<128x64xbf16>
  return
}
