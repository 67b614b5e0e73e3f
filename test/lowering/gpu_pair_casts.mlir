// SPDX-License-Identifier: MIT
// Two casts of 8-bit floats by one instruction.
// RUN: tile-opt %s --tile-gpu-pair-casts | FileCheck %s
// RUN: tile-opt %s --tile-gpu-pair-casts --tile-gpu-to-llvm --tile-gpu-to-simulator | FileCheck %s --check-prefix=SIM

// The first one is in the low byte. What is smaller than f32 is extended first, which is exact. The third has
// no partner.
// CHECK-LABEL: func.func @to_float8(
// CHECK-SAME: %[[A:[a-z0-9]+]]: f32, %[[B:[a-z0-9]+]]: f32, %[[C:[a-z0-9]+]]: f32,
// CHECK: %[[BOTH:.*]] = llvm.call_intrinsic "llvm.nvvm.ff.to.e4m3x2.rn"(%[[B]], %[[A]]) : (f32, f32) -> i16
// CHECK: %[[HIGH:.*]] = arith.shrui %[[BOTH]], %c8_i16
// CHECK: %[[LOW_CODE:.*]] = arith.trunci %[[BOTH]] : i16 to i8
// CHECK: %[[LOW:.*]] = arith.bitcast %[[LOW_CODE]] : i8 to f8E4M3FN
// CHECK: arith.trunci %[[HIGH]] : i16 to i8
// CHECK: tile.fp_cast %[[C]] : f32 -> f8E4M3FN
// CHECK: %[[X:.*]] = tile.fp_cast %{{.*}} : bf16 -> f32
// CHECK: %[[Y:.*]] = tile.fp_cast %{{.*}} : bf16 -> f32
// CHECK: llvm.call_intrinsic "llvm.nvvm.ff.to.e5m2x2.rn"(%[[Y]], %[[X]]) : (f32, f32) -> i16
// CHECK: tile_gpu.store_global %{{.*}}, %[[LOW]],
// SIM: llvm.call @tile_sim_to_e4m3x2(%{{.*}}, %{{.*}}) : (f32, f32) -> i16
// SIM: llvm.call @tile_sim_to_e5m2x2(%{{.*}}, %{{.*}}) : (f32, f32) -> i16
func.func @to_float8(%a: f32, %b: f32, %c: f32, %d: bf16, %e: bf16, %p: !tile.ptr<f8E4M3FN>, %q: !tile.ptr<f8E5M2>)
    attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_89"} {
  %w = tile.fp_cast %a : f32 -> f8E4M3FN
  %x = tile.fp_cast %b : f32 -> f8E4M3FN
  %y = tile.fp_cast %c : f32 -> f8E4M3FN
  %u = tile.fp_cast %d : bf16 -> f8E5M2
  %v = tile.fp_cast %e : bf16 -> f8E5M2
  tile_gpu.store_global %p, %w, %x : !tile.ptr<f8E4M3FN>, f8E4M3FN, f8E4M3FN
  tile_gpu.store_global %p, %y : !tile.ptr<f8E4M3FN>, f8E4M3FN
  tile_gpu.store_global %q, %u, %v : !tile.ptr<f8E5M2>, f8E5M2, f8E5M2
  return
}
