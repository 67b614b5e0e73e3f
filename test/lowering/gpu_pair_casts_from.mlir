// SPDX-License-Identifier: MIT
// Two e4m3 become two f16, and what else is asked for from there.
// RUN: tile-opt %s --tile-gpu-pair-casts | FileCheck %s
// RUN: tile-opt %s --tile-gpu-pair-casts --tile-gpu-to-llvm --tile-gpu-to-simulator | FileCheck %s --check-prefix=SIM

// CHECK-LABEL: func.func @from_e4m3(
// CHECK-SAME: %[[A:[a-z0-9]+]]: f8E4M3FN, %[[B:[a-z0-9]+]]: f8E4M3FN
// CHECK: %[[A_CODE:.*]] = arith.bitcast %[[A]] : f8E4M3FN to i8
// CHECK: %[[LOW:.*]] = arith.extui %[[A_CODE]] : i8 to i16
// CHECK: %[[B_CODE:.*]] = arith.bitcast %[[B]] : f8E4M3FN to i8
// CHECK: %[[HIGH:.*]] = arith.extui %[[B_CODE]] : i8 to i16
// CHECK: %[[ABOVE:.*]] = arith.shli %[[HIGH]], %c8_i16
// CHECK: %[[BOTH:.*]] = arith.ori %[[ABOVE]], %[[LOW]]
// CHECK: %[[HALVES:.*]] = llvm.call_intrinsic "llvm.nvvm.e4m3x2.to.f16x2.rn"(%[[BOTH]]) : (i16) -> vector<2xf16>
// CHECK: %[[X:.*]] = llvm.extractelement %[[HALVES]][%c0_i32 : i32]
// CHECK: tile.fp_cast %[[X]] : f16 -> f32
// CHECK: %[[Y:.*]] = llvm.extractelement %[[HALVES]][%c1_i32 : i32]
// CHECK: tile.fp_cast %[[Y]] : f16 -> f32
// SIM: %[[WORD:.*]] = llvm.call @tile_sim_from_e4m3x2(%{{.*}}) : (i16) -> i32
// SIM: llvm.bitcast %[[WORD]] : i32 to vector<2xf16>
func.func @from_e4m3(%a: f8E4M3FN, %b: f8E4M3FN, %p: !tile.ptr<f32>)
    attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %x = tile.fp_cast %a : f8E4M3FN -> f32
  %y = tile.fp_cast %b : f8E4M3FN -> f32
  tile_gpu.store_global %p, %x, %y : !tile.ptr<f32>, f32, f32
  return
}
