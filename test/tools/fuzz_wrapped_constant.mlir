// SPDX-License-Identifier: MIT
// A sum whose constants lie at an end of 32 bits: the compiler adds them modulo 2^32, and the offset is right. The
// simulator does not say that it overflowed.
// RUN: tile fuzz --replay %s --device simulator | FileCheck %s
// CHECK: agrees
// fuzz: seed 20275272 floats ring grid 1 1 elements 32768 0 32768 0 32768 0 73744 55296 scalars 0 0 0 0 0
func.func @fuzz(%v0: !tile.ptr<i32> {tile.name = "in_i32", tile.divisibility = 16 : i32},
               %v1: !tile.ptr<i32> {tile.name = "out_i32", tile.divisibility = 16 : i32},
               %v2: !tile.ptr<f32> {tile.name = "ring_f32", tile.divisibility = 16 : i32},
               %v3: !tile.ptr<f32> {tile.name = "out_f32", tile.divisibility = 16 : i32},
               %v4: !tile.ptr<bf16> {tile.name = "ring_bf16", tile.divisibility = 16 : i32},
               %v5: !tile.ptr<bf16> {tile.name = "out_bf16", tile.divisibility = 16 : i32},
               %v23: !tile.ptr<bf16> {tile.name = "ring2_bf16", tile.divisibility = 16 : i32},
               %v58: !tile.ptr<f32> {tile.name = "out3_f32", tile.divisibility = 16 : i32},
               %v6: i32 {tile.name = "n0"},
               %v7: i32 {tile.name = "n1"},
               %v8: i32 {tile.name = "n2"},
               %v59: i32 {tile.name = "n3"},
               %v62: i32 {tile.name = "n4"}) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.num_stages = 1 : i32, tile.fp_fusion = false} {
  %v71 = arith.constant 0 : i32
  %v14 = arith.constant 1 : i32
  %v15 = arith.divui %v71, %v14 : i32
  %v16 = arith.constant 3 : i32
  %v17 = arith.remui %v15, %v16 : i32
  %v18 = arith.remui %v71, %v14 : i32
  %v19 = arith.constant 8 : i32
  %v20 = arith.muli %v17, %v19 : i32
  %v21 = arith.constant 8 : i32
  %v22 = arith.muli %v18, %v21 : i32
  %v24 = arith.constant 16 : i32
  %v25 = tile.addptr %v23, %v24 : !tile.ptr<bf16>, i32
  %v26 = tile.assume %v25 {divisible = 16 : i64} : !tile.ptr<bf16>
  %v27 = arith.constant 127 : i32
  %v28 = arith.constant 4883 : i32
  %own16b = tile.addptr %v0, %v28 : !tile.ptr<i32>, i32
  %v29 = tile.load %own16b : !tile.ptr<i32>
  %v30 = arith.constant 127 : i32
  %v31 = arith.andi %v29, %v30 : i32
  %v32 = arith.maxsi %v31, %v27 : i32
  %v33 = tile.assume %v32 {range = array<i64: 0, 65536>} : i32
  %v34 = arith.extsi %v33 : i32 to i64
  %v35 = arith.constant 384 : i64
  %v36 = arith.constant 384 : i64
  %v37 = arith.constant 1 : i64
  %v38 = tile.make_descriptor %v26, [%v34, %v35], [%v36, %v37] : !tile.ptr<bf16> -> !tile.desc<16x8xbf16>
  %v39 = arith.constant dense<0.0> : tensor<8x8xf32>
  %v40 = arith.constant 3 : i32
  %v41 = arith.constant 5 : i32
  %v42 = arith.constant 2147483645 : i32
  %v43 = arith.constant 2147483645 : i32
  %v44 = arith.addi %v43, %v40 : i32
  %v45 = arith.constant 1 : i32
  %v57 = scf.for unsigned %v46 = %v42 to %v44 step %v45 iter_args(%v47 = %v39) -> (tensor<8x8xf32>) : i32 {
    %v48 = arith.constant 2147483645 : i32
    %v49 = arith.subi %v46, %v48 : i32
    %v50 = arith.subi %v41, %v49 : i32
    %v53 = tile.descriptor_load %v38[%v50, %v20] : !tile.desc<16x8xbf16> -> tensor<16x8xbf16>
    %v54 = tile.permute %v53 [1, 0] : tensor<16x8xbf16> -> tensor<8x16xbf16>
    %v70 = arith.constant dense<0.0> : tensor<16x8xbf16>
    %v56 = tile.dot %v54, %v70, %v47 : tensor<8x16xbf16>, tensor<16x8xbf16>, tensor<8x8xf32>
    scf.yield %v56 : tensor<8x8xf32>
  }
  %v60 = tile.assume %v59 {range = array<i64: 0, 65536>} : i32
  %v61 = arith.extsi %v60 : i32 to i64
  %v63 = tile.assume %v62 {range = array<i64: 0, 65536>} : i32
  %v64 = arith.extsi %v63 : i32 to i64
  %v65 = arith.constant 144 : i64
  %v66 = arith.constant 1 : i64
  %v67 = tile.make_descriptor %v58, [%v61, %v64], [%v65, %v66] : !tile.ptr<f32> -> !tile.desc<8x8xf32>
  %v68 = arith.constant 8 : i32
  %v69 = arith.muli %v15, %v68 : i32
  tile.descriptor_store %v67[%v69, %v22], %v57 : !tile.desc<8x8xf32>, tensor<8x8xf32>
  return
}
