// SPDX-License-Identifier: MIT
// Once warps have roles, a loop of products is found to have no iterations: nobody is left to empty its slots.
// RUN: tile fuzz --replay %s --device simulator | FileCheck %s
// CHECK: agrees
// fuzz: seed 1 floats small grid 1 1 elements 3072 3072 4096 1 scalars
func.func @fuzz(%a: !tile.ptr<f16> {tile.name = "in_f16", tile.divisibility = 16 : i32},
               %b: !tile.ptr<f16> {tile.name = "in2_f16", tile.divisibility = 16 : i32},
               %c: !tile.ptr<f32> {tile.name = "out_f32", tile.divisibility = 16 : i32},
               %n: !tile.ptr<i32> {tile.name = "in_i32", tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %i1 = arith.constant 1 : i64
  %i48 = arith.constant 48 : i64
  %i64 = arith.constant 64 : i64
  %c0 = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %c16 = arith.constant 16 : i32
  %c64 = arith.constant 64 : i32
  %A = tile.make_descriptor %a, [%i64, %i48], [%i48, %i1] : !tile.ptr<f16> -> !tile.desc<64x16xf16>
  %B = tile.make_descriptor %b, [%i48, %i64], [%i64, %i1] : !tile.ptr<f16> -> !tile.desc<16x64xf16>
  %C = tile.make_descriptor %c, [%i64, %i64], [%i64, %i1] : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %some = tile.load %n : !tile.ptr<i32>
  %few = arith.andi %some, %c3 : i32
  %end = arith.muli %few, %c16 : i32
  %sum = scf.for %k = %c64 to %end step %c16 iter_args(%s = %zero) -> (tensor<64x64xf32>) : i32 {
    %x = tile.descriptor_load %A[%c0, %k] : !tile.desc<64x16xf16> -> tensor<64x16xf16>
    %y = tile.descriptor_load %B[%k, %c0] : !tile.desc<16x64xf16> -> tensor<16x64xf16>
    %d = tile.dot %x, %y, %s : tensor<64x16xf16>, tensor<16x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.descriptor_store %C[%c0, %c0], %sum : !tile.desc<64x64xf32>, tensor<64x64xf32>
  return
}
