// SPDX-License-Identifier: MIT
// Which barrier of the machine the threads of a group meet at.
// RUN: tile-opt %s --tile-gpu-choose-barriers | FileCheck %s

// The CTA's; for others one number a group, the same wherever the group meets; one warp needs no number.
// CHECK-LABEL: func.func @groups(
// CHECK: nvvm.barrier0
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: %[[FOUR_WARPS:.*]] = arith.constant 128 : i32
// CHECK: nvvm.barrier id = %[[ONE]] number_of_threads = %[[FOUR_WARPS]]
// CHECK: scf.if
// CHECK: %[[TWO:.*]] = arith.constant 2 : i32
// CHECK: %[[TWO_WARPS:.*]] = arith.constant 64 : i32
// CHECK: nvvm.barrier id = %[[TWO]] number_of_threads = %[[TWO_WARPS]]
// CHECK: %[[ALL:.*]] = arith.constant -1 : i32
// CHECK: nvvm.bar.warp.sync %[[ALL]]
// CHECK: %[[AGAIN:.*]] = arith.constant 1 : i32
// CHECK: nvvm.barrier id = %[[AGAIN]] number_of_threads =
func.func @groups(%c: i1) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  tile_gpu.sync
  tile_gpu.sync warps 4 from 0
  scf.if %c {
    tile_gpu.sync warps 2 from 4
  }
  tile_gpu.sync warps 1 from 6
  tile_gpu.sync warps 4 from 0
  return
}
