// SPDX-License-Identifier: MIT
// 104 columns of sums of 8-bit integers are no instruction's: they are made 96 and 8 at a time.
// RUN: tile fuzz --replay %s --device simulator | FileCheck %s
// CHECK: agrees
// fuzz: seed 1 floats small grid 1 1 elements 2048 3328 6656 scalars
func.func @fuzz(%a: !tile.ptr<i8> {tile.name = "in_i8", tile.divisibility = 16 : i32},
               %b: !tile.ptr<i8> {tile.name = "in2_i8", tile.divisibility = 16 : i32},
               %c: !tile.ptr<i32> {tile.name = "out_i32", tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %i1 = arith.constant 1 : i64
  %i104 = arith.constant 104 : i64
  %i32 = arith.constant 32 : i64
  %i64 = arith.constant 64 : i64
  %c0 = arith.constant 0 : i32
  %A = tile.make_descriptor %a, [%i64, %i32], [%i32, %i1] : !tile.ptr<i8> -> !tile.desc<64x32xi8>
  %B = tile.make_descriptor %b, [%i104, %i32], [%i32, %i1] : !tile.ptr<i8> -> !tile.desc<104x32xi8>
  %C = tile.make_descriptor %c, [%i64, %i104], [%i104, %i1] : !tile.ptr<i32> -> !tile.desc<64x104xi32>
  %first = arith.constant dense<5> : tensor<64x104xi32>
  %p = tile.descriptor_load %A[%c0, %c0] : !tile.desc<64x32xi8> -> tensor<64x32xi8>
  %q = tile.descriptor_load %B[%c0, %c0] : !tile.desc<104x32xi8> -> tensor<104x32xi8>
  %t = tile.permute %q [1, 0] : tensor<104x32xi8> -> tensor<32x104xi8>
  %d = tile.dot %p, %t, %first : tensor<64x32xi8>, tensor<32x104xi8>, tensor<64x104xi32>
  tile.descriptor_store %C[%c0, %c0], %d : !tile.desc<64x104xi32>, tensor<64x104xi32>
  return
}
