// SPDX-License-Identifier: MIT
// Casts that stay alone: of a GPU without the instruction, toward zero, of f64, from e5m2, between 8-bit
// floats, of two kinds, and where the first is used before the second.
// RUN: tile-opt %s --tile-gpu-pair-casts | FileCheck %s

// CHECK-LABEL: func.func @older(
// CHECK-NOT: call_intrinsic
// CHECK-LABEL: func.func @alone(
// CHECK-NOT: call_intrinsic
// CHECK: return
func.func @older(%a: f32, %b: f32, %p: !tile.ptr<f8E4M3FN>)
    attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_86"} {
  %x = tile.fp_cast %a : f32 -> f8E4M3FN
  %y = tile.fp_cast %b : f32 -> f8E4M3FN
  tile_gpu.store_global %p, %x, %y : !tile.ptr<f8E4M3FN>, f8E4M3FN, f8E4M3FN
  return
}

func.func @alone(%a: f32, %b: f64, %c: f8E5M2, %d: f8E4M3FN, %p: !tile.ptr<f8E4M3FN>, %q: !tile.ptr<f16>)
    attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %u = tile.fp_cast %a rounding = rtz : f32 -> f8E4M3FN
  %v = tile.fp_cast %a rounding = rtz : f32 -> f8E4M3FN
  tile_gpu.store_global %p, %u, %v : !tile.ptr<f8E4M3FN>, f8E4M3FN, f8E4M3FN
  %w = tile.fp_cast %b : f64 -> f8E4M3FN
  %x = tile.fp_cast %b : f64 -> f8E4M3FN
  tile_gpu.store_global %p, %w, %x : !tile.ptr<f8E4M3FN>, f8E4M3FN, f8E4M3FN
  %h = tile.fp_cast %c : f8E5M2 -> f16
  %i = tile.fp_cast %c : f8E5M2 -> f16
  tile_gpu.store_global %q, %h, %i : !tile.ptr<f16>, f16, f16
  %j = tile.fp_cast %d : f8E4M3FN -> f8E5M2
  %k = tile.fp_cast %d : f8E4M3FN -> f8E5M2
  %l = tile.fp_cast %j : f8E5M2 -> f8E4M3FN
  %m = tile.fp_cast %k : f8E5M2 -> f8E4M3FN
  tile_gpu.store_global %p, %l, %m : !tile.ptr<f8E4M3FN>, f8E4M3FN, f8E4M3FN
  %n = tile.fp_cast %a : f32 -> f8E4M3FN
  tile_gpu.store_global %p, %n : !tile.ptr<f8E4M3FN>, f8E4M3FN
  %o = tile.fp_cast %a : f32 -> f8E4M3FN
  tile_gpu.store_global %p, %o : !tile.ptr<f8E4M3FN>, f8E4M3FN
  return
}
