// SPDX-License-Identifier: MIT
// Floats of 16 bits keep their bits on the way from a branch to a block further on; found as seed 249 of a ring.
// RUN: tile fuzz --replay %s --device simulator | FileCheck %s
// CHECK: agrees
// fuzz: seed 249 floats ring grid 1 1 elements 32768 20480 32768 8192 32768 4096 32768 4096 64 scalars 0 0 0
func.func @fuzz(%v0: !tile.ptr<i32> {tile.name = "in_i32", tile.divisibility = 16 : i32},
               %v1: !tile.ptr<i32> {tile.name = "out_i32", tile.divisibility = 16 : i32},
               %v2: !tile.ptr<bf16> {tile.name = "ring_bf16", tile.divisibility = 16 : i32},
               %v3: !tile.ptr<bf16> {tile.name = "out_bf16", tile.divisibility = 16 : i32},
               %v4: !tile.ptr<f64> {tile.name = "ring_f64", tile.divisibility = 16 : i32},
               %v5: !tile.ptr<f64> {tile.name = "out_f64", tile.divisibility = 16 : i32},
               %v6: !tile.ptr<f32> {tile.name = "ring_f32", tile.divisibility = 16 : i32},
               %v7: !tile.ptr<f32> {tile.name = "out_f32", tile.divisibility = 16 : i32},
               %v8: !tile.ptr<f32> {tile.name = "sums_f32", tile.divisibility = 16 : i32},
               %v9: i32 {tile.name = "n0"},
               %v10: i32 {tile.name = "n1"},
               %v11: i32 {tile.name = "n2"}) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.num_stages = 1 : i32, tile.fp_fusion = false} {
  %v631 = arith.constant 0 : i32
  %v92 = arith.constant 0 : i32
  %v140 = arith.constant 0 : i32
  %v141 = arith.constant 6195 : i32
  %v142 = arith.addi %v140, %v141 : i32
  %own6b = tile.addptr %v0, %v142 : !tile.ptr<i32>, i32
  %v143 = tile.load %own6b cache = ca : !tile.ptr<i32>
  %v144 = arith.cmpi slt, %v143, %v92 : i32
  %v219 = scf.if %v144 -> (tensor<1x4xbf16>) {
    %v629 = arith.constant dense<0.0> : tensor<1x4xbf16>
    scf.yield %v629 : tensor<1x4xbf16>
  } else {
    %v211 = tile.arange 0 to 4 : tensor<4xi32>
    %v212 = tile.expand_dims %v211 {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
    %own11a = tile.splat %v2 : !tile.ptr<bf16> -> tensor<1x4x!tile.ptr<bf16>>
    %own11b = tile.addptr %own11a, %v212 unsigned : tensor<1x4x!tile.ptr<bf16>>, tensor<1x4xi32>
    %v217 = tile.load %own11b : tensor<1x4x!tile.ptr<bf16>>
    scf.yield %v217 : tensor<1x4xbf16>
  }
  tile.barrier
  tile.barrier
  tile.barrier
  %v584 = arith.constant 2048 : i32
  %v585 = arith.muli %v631, %v584 : i32
  %v586 = arith.constant 4096 : i32
  %v587 = arith.addi %v585, %v586 : i32
  %v588 = tile.arange 0 to 1 : tensor<1xi32>
  %v589 = tile.expand_dims %v588 {axis = 1 : i32} : tensor<1xi32> -> tensor<1x1xi32>
  %v590 = arith.constant dense<4> : tensor<1x1xi32>
  %v591 = arith.muli %v589, %v590 : tensor<1x1xi32>
  %v592 = tile.broadcast %v591 : tensor<1x1xi32> -> tensor<1x4xi32>
  %v593 = tile.arange 0 to 4 : tensor<4xi32>
  %v594 = tile.expand_dims %v593 {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  %v595 = arith.addi %v592, %v594 : tensor<1x4xi32>
  %v596 = tile.splat %v587 : i32 -> tensor<1x4xi32>
  %v597 = arith.addi %v595, %v596 : tensor<1x4xi32>
  %own29a = tile.splat %v3 : !tile.ptr<bf16> -> tensor<1x4x!tile.ptr<bf16>>
  %own29b = tile.addptr %own29a, %v597 : tensor<1x4x!tile.ptr<bf16>>, tensor<1x4xi32>
  tile.store %own29b, %v219 cache = cg : tensor<1x4x!tile.ptr<bf16>>
  return
}
