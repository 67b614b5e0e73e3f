// SPDX-License-Identifier: MIT
// Powers and quotients of f32 by one instruction, where what it takes as 0 cannot matter.
// RUN: tile-opt %s --tile-gpu-short-forms | FileCheck %s
// RUN: tile-opt %s --tile-gpu-short-forms --tile-gpu-to-llvm --tile-gpu-to-simulator | FileCheck %s --check-prefix=SIM

// CHECK-LABEL: func.func @sigmoid(
// CHECK-SAME: %[[X:[a-z0-9]+]]: f32
// CHECK: %[[SIGN:.*]] = llvm.fneg %[[X]] : f32
// CHECK: %[[LOG2_E:.*]] = llvm.mlir.constant(1.44269502 : f32)
// CHECK: %[[POWER:.*]] = llvm.fmul %[[SIGN]], %[[LOG2_E]] : f32
// CHECK: %[[E:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"(%[[POWER]])
// CHECK: %[[Y:.*]] = arith.addf %[[E]], %{{.*}} : f32
// CHECK: %[[S:.*]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[Y]])
// CHECK-NEXT: tile_gpu.store_global %{{.*}}, %[[S]]
// SIM: llvm.call @tile_sim_exp2_ftz(
// SIM: llvm.call @tile_sim_reciprocal_ftz(
func.func @sigmoid(%x: f32, %p: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %one = arith.constant 1.0 : f32
  %n = arith.negf %x : f32
  %e = math.exp %n : f32
  %y = arith.addf %e, %one : f32
  %s = arith.divf %one, %y fastmath<arcp> : f32
  tile_gpu.store_global %p, %s : !tile.ptr<f32>, f32
  return
}
