// SPDX-License-Identifier: MIT
// What is added to a product of shared memory is known to be a number only when roles are made: the product stays
// where its blocks are.
// RUN: tile fuzz --replay %s --device simulator | FileCheck %s
// CHECK: agrees
// fuzz: seed 1 floats small grid 1 1 elements 2048 256 512 512 scalars
func.func @fuzz(%a: !tile.ptr<i8> {tile.name = "in_i8", tile.divisibility = 16 : i32},
               %b: !tile.ptr<i8> {tile.name = "in2_i8", tile.divisibility = 16 : i32},
               %c: !tile.ptr<i32> {tile.name = "out_i32", tile.divisibility = 16 : i32},
               %d: !tile.ptr<i32> {tile.name = "in_i32", tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %i0 = arith.constant 0 : i64
  %i1 = arith.constant 1 : i64
  %i8 = arith.constant 8 : i64
  %i32 = arith.constant 32 : i64
  %i64 = arith.constant 64 : i64
  %c0 = arith.constant 0 : i32
  %three = arith.constant dense<3> : tensor<64x8xi32>
  %zero = arith.constant dense<0> : tensor<64x8xi32>
  %A = tile.make_descriptor %a, [%i64, %i32], [%i32, %i1] : !tile.ptr<i8> -> !tile.desc<64x32xi8>
  %B = tile.make_descriptor %b, [%i8, %i32], [%i32, %i1] : !tile.ptr<i8> -> !tile.desc<8x32xi8>
  %C = tile.make_descriptor %c, [%i64, %i8], [%i8, %i1] : !tile.ptr<i32> -> !tile.desc<64x8xi32>
  %empty = tile.make_descriptor %d, [%i64, %i0], [%i8, %i1] : !tile.ptr<i32> -> !tile.desc<64x8xi32>
  %p = tile.descriptor_load %A[%c0, %c0] : !tile.desc<64x32xi8> -> tensor<64x32xi8>
  %q = tile.descriptor_load %B[%c0, %c0] : !tile.desc<8x32xi8> -> tensor<8x32xi8>
  %t = tile.permute %q [1, 0] : tensor<8x32xi8> -> tensor<32x8xi8>
  %product = tile.dot %p, %t, %zero : tensor<64x32xi8>, tensor<32x8xi8>, tensor<64x8xi32>
  %nothing = tile.descriptor_load %empty[%c0, %c0] : !tile.desc<64x8xi32> -> tensor<64x8xi32>
  %sum = arith.addi %product, %nothing : tensor<64x8xi32>
  %more = arith.addi %sum, %three : tensor<64x8xi32>
  tile.descriptor_store %C[%c0, %c0], %more : !tile.desc<64x8xi32>, tensor<64x8xi32>
  return
}
