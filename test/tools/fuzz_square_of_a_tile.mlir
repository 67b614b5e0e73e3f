// SPDX-License-Identifier: MIT
// A tile multiplied by itself, of a type whose operands the unit reads along K alone: nothing says along which axis it
// is stored, and it cannot lie along both.
// RUN: tile fuzz --replay %s --device simulator | FileCheck %s
// CHECK: agrees
// fuzz: seed 20304927 floats small grid 1 1 elements 32768 32768 32768 24576 32768 16384 32768 0 32768 24576 scalars 0 0 0
func.func @fuzz(%v0: !tile.ptr<i32> {tile.name = "in_i32", tile.divisibility = 16 : i32},
               %v1: !tile.ptr<i32> {tile.name = "out_i32", tile.divisibility = 16 : i32},
               %v2: !tile.ptr<i8> {tile.name = "in_i8", tile.divisibility = 16 : i32},
               %v3: !tile.ptr<i8> {tile.name = "out_i8", tile.divisibility = 16 : i32},
               %v4: !tile.ptr<i64> {tile.name = "in_i64", tile.divisibility = 16 : i32},
               %v5: !tile.ptr<i64> {tile.name = "out_i64", tile.divisibility = 16 : i32},
               %v6: !tile.ptr<bf16> {tile.name = "in_bf16", tile.divisibility = 16 : i32},
               %v7: !tile.ptr<bf16> {tile.name = "out_bf16", tile.divisibility = 16 : i32},
               %v8: !tile.ptr<f32> {tile.name = "in_f32", tile.divisibility = 16 : i32},
               %v9: !tile.ptr<f32> {tile.name = "out_f32", tile.divisibility = 16 : i32},
               %v10: i32 {tile.name = "n0"},
               %v11: i32 {tile.name = "n1"},
               %v12: i32 {tile.name = "n2"}) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_stages = 1 : i32, tile.fp_fusion = true} {
  %v562 = arith.constant 0 : i32
  tile.barrier
  %v561 = arith.constant dense<0> : tensor<64x64xi32>
  %own4a = tile.splat %v8 : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %own4b = tile.addptr %own4a, %v561 : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %v481 = tile.load %own4b : tensor<64x64x!tile.ptr<f32>>
  %v482 = arith.constant dense<0.0> : tensor<64x64xf32>
  %v483 = tile.dot %v481, %v481, %v482 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  %v484 = arith.constant 8192 : i32
  %v485 = arith.muli %v562, %v484 : i32
  %v486 = arith.constant 0 : i32
  %v487 = arith.addi %v485, %v486 : i32
  %v488 = tile.arange 0 to 64 : tensor<64xi32>
  %v489 = tile.expand_dims %v488 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %v490 = arith.constant dense<64> : tensor<64x1xi32>
  %v491 = arith.muli %v489, %v490 : tensor<64x1xi32>
  %v492 = tile.broadcast %v491 : tensor<64x1xi32> -> tensor<64x64xi32>
  %v493 = tile.arange 0 to 64 : tensor<64xi32>
  %v494 = tile.expand_dims %v493 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %v495 = tile.broadcast %v494 : tensor<1x64xi32> -> tensor<64x64xi32>
  %v496 = arith.addi %v492, %v495 : tensor<64x64xi32>
  %v497 = tile.splat %v487 : i32 -> tensor<64x64xi32>
  %v498 = arith.addi %v496, %v497 : tensor<64x64xi32>
  %own22a = tile.splat %v9 : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %own22b = tile.addptr %own22a, %v498 : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %own22b, %v483 evict = first : tensor<64x64x!tile.ptr<f32>>
  return
}
