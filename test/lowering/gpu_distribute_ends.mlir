// SPDX-License-Identifier: MIT
// A role whose assert fails, and the role that copies, which learns of it while it waits for a slot.
// RUN: tile-opt %s --tile-gpu-distribute --canonicalize --cse | FileCheck %s
#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!ring = !tile_gpu.channel<2 x (tensor<64x64xf16, #shared>) barriers = true>
!end = !tile_gpu.channel<1 x () barriers = true>

// The barrier of the end takes one arrival. The wait tries the slot, then asks for the end. Before the role ends it waits
// until the copies into both slots have landed.
// CHECK-LABEL: func.func @ends(
// CHECK: %[[END:.*]] = tile_gpu.shared offset 16416 : <3>
// CHECK-NEXT: nvvm.mbarrier.init %[[END]], %c1_i32
// CHECK: nvvm.fence.mbarrier.init
// CHECK: scf.while
// CHECK-NEXT: nvvm.mbarrier.try_wait %{{.*}} : !llvm.ptr<3>, i32 -> i1
// CHECK: scf.condition
// CHECK: %[[ENDED:.*]] = tile_gpu.shared offset 16416 : <3>
// CHECK-NEXT: %[[HAS_ENDED:.*]] = nvvm.mbarrier.test.wait %[[ENDED]], %c0_i32 : !llvm.ptr<3>, i32 -> i1
// CHECK-NEXT: scf.if %[[HAS_ENDED]] {
// CHECK-COUNT-2: nvvm.mbarrier.try_wait.parity
// CHECK-NEXT: nvvm.exit
// CHECK: } else {

// The record, the stores that are under way, the end; then all threads of the role exit.
// CHECK: tile_gpu.swap_global
// CHECK: scf.if
// CHECK-NEXT: nvvm.cp.async.bulk.wait_group 0
// CHECK-NEXT: %[[TOLD:.*]] = tile_gpu.shared offset 16416 : <3>
// CHECK-NEXT: nvvm.mbarrier.arrive %[[TOLD]]
// CHECK-NEXT: }
// CHECK-NEXT: nvvm.exit
func.func @ends(%p: !tile.ptr<f16>, %s: i32, %holds: i1) attributes {tile.kernel, tile.num_warps = 4 : i32, tile_gpu.target = "sm_90a"} {
  %map = tile_gpu.tensor_map of 0 extents [64, 64] strides [64] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  %c = tile_gpu.channel : !ring
  %end = tile_gpu.channel : !end
  tile_gpu.roles end %end : !end warps 4 registers 40 alone {
    %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2 parity = true>
    tile_gpu.await_slot_or_end %c[%at] copied (%c) [%at] : !ring, !tile_gpu.cursor<2 parity = true> copied (!ring) [!tile_gpu.cursor<2 parity = true>]
    %slot = tile_gpu.acquire %c[%at] : !ring
    tile_gpu.copy_box %map[%s, %s] to %slot tile 0 : !llvm.ptr
    tile_gpu.commit %slot
  } warps 4 registers 240 {
    %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2 parity = true>
    tile.assert %holds, "does not hold" : i1
    %lease = tile_gpu.wait %c[%at] : !ring
    tile_gpu.release %lease
  }
  return
}
