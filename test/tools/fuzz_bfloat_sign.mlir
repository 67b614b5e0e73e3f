// SPDX-License-Identifier: MIT
// The sign of a bf16 from memory is read by an integer comparison; found as seed 68768 of mixed floats.
// RUN: tile fuzz --replay %s --device simulator | FileCheck %s
// CHECK: agrees
// fuzz: seed 68768 floats ring grid 1 1 elements 32768 6144 32768 0 32768 1536 32768 3072 32768 4608 32768 4608 scalars 0 0 0
func.func @fuzz(%v0: !tile.ptr<i32> {tile.name = "in_i32", tile.divisibility = 16 : i32},
               %v1: !tile.ptr<i32> {tile.name = "out_i32", tile.divisibility = 16 : i32},
               %v2: !tile.ptr<i8> {tile.name = "in_i8", tile.divisibility = 16 : i32},
               %v3: !tile.ptr<i8> {tile.name = "out_i8", tile.divisibility = 16 : i32},
               %v4: !tile.ptr<i16> {tile.name = "in_i16", tile.divisibility = 16 : i32},
               %v5: !tile.ptr<i16> {tile.name = "out_i16", tile.divisibility = 16 : i32},
               %v6: !tile.ptr<f16> {tile.name = "ring_f16", tile.divisibility = 16 : i32},
               %v7: !tile.ptr<f16> {tile.name = "out_f16", tile.divisibility = 16 : i32},
               %v8: !tile.ptr<bf16> {tile.name = "ring_bf16", tile.divisibility = 16 : i32},
               %v9: !tile.ptr<bf16> {tile.name = "out_bf16", tile.divisibility = 16 : i32},
               %v10: !tile.ptr<f32> {tile.name = "ring_f32", tile.divisibility = 16 : i32},
               %v11: !tile.ptr<f32> {tile.name = "out_f32", tile.divisibility = 16 : i32},
               %v12: i32 {tile.name = "n0"},
               %v13: i32 {tile.name = "n1"},
               %v14: i32 {tile.name = "n2"}) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.num_stages = 1 : i32, tile.fp_fusion = false} {
  %v16 = tile.program_id y
  %v17 = tile.num_programs x
  %v18 = arith.muli %v16, %v17 : i32
  %v130 = tile.arange 0 to 2 : tensor<2xi32>
  %v131 = arith.constant 12510 : i32
  %v132 = tile.splat %v131 : i32 -> tensor<2xi32>
  %v133 = arith.addi %v130, %v132 : tensor<2xi32>
  %own8a = tile.splat %v8 : !tile.ptr<bf16> -> tensor<2x!tile.ptr<bf16>>
  %own8b = tile.addptr %own8a, %v133 : tensor<2x!tile.ptr<bf16>>, tensor<2xi32>
  %v134 = tile.load %own8b : tensor<2x!tile.ptr<bf16>>
  %v135 = arith.constant dense<0.0> : tensor<2xbf16>
  %v136 = arith.cmpf olt, %v134, %v135 : tensor<2xbf16>
  %v489 = arith.constant dense<0.0> : tensor<1x128xbf16>
  %v243 = arith.constant 512 : i32
  %v244 = arith.muli %v18, %v243 : i32
  %v245 = arith.constant 1536 : i32
  %v246 = arith.addi %v244, %v245 : i32
  %v247 = tile.splat %v246 : i32 -> tensor<1x128xi32>
  %v248 = tile.arange 0 to 1 : tensor<1xi32>
  %v249 = tile.expand_dims %v248 {axis = 1 : i32} : tensor<1xi32> -> tensor<1x1xi32>
  %v250 = arith.constant dense<128> : tensor<1x1xi32>
  %v251 = arith.muli %v249, %v250 : tensor<1x1xi32>
  %v252 = tile.broadcast %v251 : tensor<1x1xi32> -> tensor<1x128xi32>
  %v253 = tile.arange 0 to 128 : tensor<128xi32>
  %v254 = tile.expand_dims %v253 {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %v255 = arith.addi %v252, %v254 : tensor<1x128xi32>
  %v256 = arith.addi %v255, %v247 : tensor<1x128xi32>
  %own26a = tile.splat %v9 : !tile.ptr<bf16> -> tensor<1x128x!tile.ptr<bf16>>
  %own26b = tile.addptr %own26a, %v256 : tensor<1x128x!tile.ptr<bf16>>, tensor<1x128xi32>
  %v257 = tile.atomic_rmw fadd, %own26b, %v489 ordering = acq_rel scope = gpu : tensor<1x128x!tile.ptr<bf16>>
  %v279 = arith.constant dense<0.0> : tensor<2xf32>
  %v488 = arith.constant dense<0> : tensor<2xi32>
  %own29a = tile.splat %v10 : !tile.ptr<f32> -> tensor<2x!tile.ptr<f32>>
  %own29b = tile.addptr %own29a, %v488 : tensor<2x!tile.ptr<f32>>, tensor<2xi32>
  %v284 = tile.load %own29b cache = ca : tensor<2x!tile.ptr<f32>>
  %v285 = arith.select %v136, %v279, %v284 : tensor<2xi1>, tensor<2xf32>
  %v444 = arith.constant 512 : i32
  %v445 = arith.muli %v18, %v444 : i32
  %v446 = arith.constant 3072 : i32
  %v447 = arith.addi %v445, %v446 : i32
  %v448 = tile.arange 0 to 2 : tensor<2xi32>
  %v449 = tile.splat %v447 : i32 -> tensor<2xi32>
  %v450 = arith.addi %v448, %v449 : tensor<2xi32>
  %own38a = tile.splat %v11 : !tile.ptr<f32> -> tensor<2x!tile.ptr<f32>>
  %own38b = tile.addptr %own38a, %v450 : tensor<2x!tile.ptr<f32>>, tensor<2xi32>
  tile.store %own38b, %v285 : tensor<2x!tile.ptr<f32>>
  return
}
