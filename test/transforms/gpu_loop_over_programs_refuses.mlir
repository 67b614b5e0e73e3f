// SPDX-License-Identifier: MIT
// Kernels whose CTAs run one program each: those that are not split (gpu_specialize_warps_refuses.mlir has all reasons), and
// all of a target that splits none.
// RUN: tile-opt %s --tile-gpu-plan=target=sm_90a --tile-gpu-loop-over-programs | FileCheck %s
// RUN: tile-opt %S/gpu_loop_over_programs.mlir --tile-gpu-plan=target=sm_89 --tile-gpu-loop-over-programs -split-input-file | FileCheck %s --check-prefix OTHER
// OTHER: tile.program_id
// OTHER-NOT: tile_gpu.

// A kernel that is not split runs one program in each CTA.
// CHECK-LABEL: func.func @not_split(
// CHECK-NOT: tile_gpu.
// CHECK: tile.program_id
func.func @not_split(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %i = tile.program_id x
  %q = tile.addptr %p, %i : !tile.ptr<i32>, i32
  tile.store %q, %i : !tile.ptr<i32>
  return
}
