// SPDX-License-Identifier: MIT
// Products of f32 in several of what the matrix unit takes, and products of 8-bit floats.
// RUN: tile-opt %s --tile-gpu-distribute --cse --canonicalize | FileCheck %s

#acc = #tile_gpu.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = [], repeats = [1, 1]>
#a32 = #tile_gpu.layout<register = [[8, 0], [0, 4]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [], block = [], repeats = [1, 1]>
#b32 = #tile_gpu.layout<register = [[4, 0]], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]], warp = [], block = [], repeats = [1, 1]>
#a16 = #tile_gpu.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = [], repeats = [1, 1]>
#b16 = #tile_gpu.layout<register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [], block = [], repeats = [1, 1]>
#a8 = #tile_gpu.layout<register = [[0, 1], [0, 2], [8, 0], [0, 16], [0, 32]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [], block = [], repeats = [1, 1]>
#b8 = #tile_gpu.layout<register = [[1, 0], [2, 0], [16, 0], [32, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = [], block = [], repeats = [1, 1]>

// The rest of each operand with the other one's first part, then both first parts; where the rest is no number the
// operand is 0 in the former.
// CHECK-LABEL: func.func @tf32x3(
// CHECK-DAG: %[[HIGH:.*]] = arith.constant -8192 : i32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[BITS:.*]] = arith.bitcast %[[X:.*]] : f32 to i32
// CHECK: %[[CUT:.*]] = arith.andi %[[BITS]], %[[HIGH]]
// CHECK: %[[FIRST:.*]] = arith.bitcast %[[CUT]] : i32 to f32
// CHECK: %[[REST:.*]] = arith.subf %[[X]], %[[FIRST]]
// CHECK: %[[ORDERED:.*]] = arith.cmpf ord, %[[REST]], %[[REST]]
// CHECK-DAG: arith.select %[[ORDERED]], %[[REST]], %[[ZERO]]
// CHECK-DAG: arith.select %[[ORDERED]], %[[X]], %[[ZERO]]
// CHECK-COUNT-3: nvvm.mma.sync A[{{.*}}] B[{{.*}}] C[{{.*}}] {{.*}}multiplicandAPtxType = #nvvm.mma_type<tf32>
// CHECK-NOT: nvvm.mma.sync
func.func @tf32x3(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %c: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %pa = tile.splat %a : !tile.ptr<f32> -> tensor<16x8x!tile.ptr<f32>, #a32>
  %pb = tile.splat %b : !tile.ptr<f32> -> tensor<8x8x!tile.ptr<f32>, #b32>
  %pc = tile.splat %c : !tile.ptr<f32> -> tensor<16x8x!tile.ptr<f32>, #acc>
  %x = tile.load %pa : tensor<16x8x!tile.ptr<f32>, #a32>
  %y = tile.load %pb : tensor<8x8x!tile.ptr<f32>, #b32>
  %z = tile.load %pc : tensor<16x8x!tile.ptr<f32>, #acc>
  %d = tile.dot %x, %y, %z precision = tf32x3 : tensor<16x8xf32, #a32>, tensor<8x8xf32, #b32>, tensor<16x8xf32, #acc>
  tile.store %pc, %d : tensor<16x8x!tile.ptr<f32>, #acc>
  return
}

// CHECK-LABEL: func.func @bf16x6(
// CHECK-COUNT-6: nvvm.mma.sync A[{{.*}}] B[{{.*}}] C[{{.*}}] {{.*}}multiplicandAPtxType = #nvvm.mma_type<bf16>
// CHECK-NOT: nvvm.mma.sync
func.func @bf16x6(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %c: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %pa = tile.splat %a : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>, #a16>
  %pb = tile.splat %b : !tile.ptr<f32> -> tensor<16x8x!tile.ptr<f32>, #b16>
  %pc = tile.splat %c : !tile.ptr<f32> -> tensor<16x8x!tile.ptr<f32>, #acc>
  %x = tile.load %pa : tensor<16x16x!tile.ptr<f32>, #a16>
  %y = tile.load %pb : tensor<16x8x!tile.ptr<f32>, #b16>
  %z = tile.load %pc : tensor<16x8x!tile.ptr<f32>, #acc>
  %d = tile.dot %x, %y, %z precision = bf16x6 : tensor<16x16xf32, #a16>, tensor<16x8xf32, #b16>, tensor<16x8xf32, #acc>
  tile.store %pc, %d : tensor<16x8x!tile.ptr<f32>, #acc>
  return
}

// Two instructions of K = 32; their sums are added in f32, as the limit of 32 asks.
// CHECK-LABEL: func.func @fp8(
// CHECK: tile_gpu.ptx_mma[{{.*}}] * [{{.*}}] onto[{{.*}}] {type_a = f8E4M3FN, type_b = f8E5M2} : !llvm.struct<(f32, f32, f32, f32)>
// CHECK-COUNT-4: arith.addf
// CHECK: tile_gpu.ptx_mma
// CHECK-COUNT-4: arith.addf
// CHECK-NOT: arith.addf
// CHECK-LABEL: func.func @fp8_at_once(
// CHECK-COUNT-2: tile_gpu.ptx_mma
// CHECK-NOT: arith.addf
func.func @fp8(%a: !tile.ptr<f8E4M3FN>, %b: !tile.ptr<f8E5M2>, %c: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_89"} {
  %pa = tile.splat %a : !tile.ptr<f8E4M3FN> -> tensor<16x64x!tile.ptr<f8E4M3FN>, #a8>
  %pb = tile.splat %b : !tile.ptr<f8E5M2> -> tensor<64x8x!tile.ptr<f8E5M2>, #b8>
  %pc = tile.splat %c : !tile.ptr<f32> -> tensor<16x8x!tile.ptr<f32>, #acc>
  %x = tile.load %pa : tensor<16x64x!tile.ptr<f8E4M3FN>, #a8>
  %y = tile.load %pb : tensor<64x8x!tile.ptr<f8E5M2>, #b8>
  %z = tile.load %pc : tensor<16x8x!tile.ptr<f32>, #acc>
  %d = tile.dot %x, %y, %z {max_imprecise_acc = 32 : i32} : tensor<16x64xf8E4M3FN, #a8>, tensor<64x8xf8E5M2, #b8>, tensor<16x8xf32, #acc>
  tile.store %pc, %d : tensor<16x8x!tile.ptr<f32>, #acc>
  return
}
func.func @fp8_at_once(%a: !tile.ptr<f8E4M3FN>, %b: !tile.ptr<f8E5M2>, %c: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_89"} {
  %pa = tile.splat %a : !tile.ptr<f8E4M3FN> -> tensor<16x64x!tile.ptr<f8E4M3FN>, #a8>
  %pb = tile.splat %b : !tile.ptr<f8E5M2> -> tensor<64x8x!tile.ptr<f8E5M2>, #b8>
  %pc = tile.splat %c : !tile.ptr<f32> -> tensor<16x8x!tile.ptr<f32>, #acc>
  %x = tile.load %pa : tensor<16x64x!tile.ptr<f8E4M3FN>, #a8>
  %y = tile.load %pb : tensor<64x8x!tile.ptr<f8E5M2>, #b8>
  %z = tile.load %pc : tensor<16x8x!tile.ptr<f32>, #acc>
  %d = tile.dot %x, %y, %z : tensor<16x64xf8E4M3FN, #a8>, tensor<64x8xf8E5M2, #b8>, tensor<16x8xf32, #acc>
  tile.store %pc, %d : tensor<16x8x!tile.ptr<f32>, #acc>
  return
}
