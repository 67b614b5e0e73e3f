// SPDX-License-Identifier: MIT
// Two CTAs do not divide eight rows, in which the swizzle's pattern is once: each copies them all.
// RUN: tile fuzz --replay %s --device simulator | FileCheck %s
// CHECK: agrees
// fuzz: seed 1 floats small grid 1 1 elements 8192 512 1024 scalars
func.func @fuzz(%a: !tile.ptr<i8> {tile.name = "in_i8", tile.divisibility = 16 : i32},
               %b: !tile.ptr<i8> {tile.name = "in2_i8", tile.divisibility = 16 : i32},
               %c: !tile.ptr<i32> {tile.name = "out_i32", tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_ctas = 2 : i32} {
  %i1 = arith.constant 1 : i64
  %i8 = arith.constant 8 : i64
  %i64 = arith.constant 64 : i64
  %i128 = arith.constant 128 : i64
  %c0 = arith.constant 0 : i32
  %A = tile.make_descriptor %a, [%i128, %i64], [%i64, %i1] : !tile.ptr<i8> -> !tile.desc<128x64xi8>
  %B = tile.make_descriptor %b, [%i8, %i64], [%i64, %i1] : !tile.ptr<i8> -> !tile.desc<8x64xi8>
  %C = tile.make_descriptor %c, [%i128, %i8], [%i8, %i1] : !tile.ptr<i32> -> !tile.desc<128x8xi32>
  %zero = arith.constant dense<0> : tensor<128x8xi32>
  %p = tile.descriptor_load %A[%c0, %c0] : !tile.desc<128x64xi8> -> tensor<128x64xi8>
  %q = tile.descriptor_load %B[%c0, %c0] : !tile.desc<8x64xi8> -> tensor<8x64xi8>
  %t = tile.permute %q [1, 0] : tensor<8x64xi8> -> tensor<64x8xi8>
  %d = tile.dot %p, %t, %zero : tensor<128x64xi8>, tensor<64x8xi8>, tensor<128x8xi32>
  tile.descriptor_store %C[%c0, %c0], %d : !tile.desc<128x8xi32>, tensor<128x8xi32>
  return
}
