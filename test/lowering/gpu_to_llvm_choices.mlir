// SPDX-License-Identifier: MIT
// The launch asks the module what became of its kernel.
// RUN: tile-opt %s --tile-gpu-to-llvm | FileCheck %s
// CHECK: module attributes {
// CHECK-SAME: tile_gpu.role_count = 2 : i32
// CHECK-SAME: tile_gpu.unit = "wgmma"
// CHECK: llvm.func @both
// CHECK-NOT: tile_gpu.unit
func.func @both() attributes {tile.kernel, tile.num_warps = 4 : i32, tile_gpu.role_count = 2 : i32, tile_gpu.target = "sm_90a", tile_gpu.unit = "wgmma"} {
  return
}
