// SPDX-License-Identifier: MIT
// Channels with barriers, from role to role: one thread fills slots by the copy engine, others read them.
// RUN: tile-opt %s --tile-gpu-distribute -canonicalize -cse -split-input-file | FileCheck %s

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
#wide = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0], [0, 64]], repeats = [1, 1]>
!ring = !tile_gpu.channel<3 x (tensor<64x64xf16, #shared>, tensor<64x128xf16, #wide>) barriers = true>

// One thread sets up two barriers for each slot: full after one arrival and the bytes that it announces; empty after one
// arrival of each warp that reads. The fence, and all meet, before the roles begin.
//
// The producer's warps change their registers together; of the first one the elected lane goes on. It waits for the slot to be
// empty in the round before, announces the bytes of all boxes, also of those that lie outside of the tensor, and gives the
// boxes to the engine: a tile of 128 columns is two boxes.
//
// The consumer waits for the slot to be full in this round; lane 0 of each warp says that it has read.
//
// A cursor is the slot and, from bit 16 on, the parity: past the last slot comes slot 0 with the other parity.
// CHECK-LABEL: func.func @ring(
// CHECK-SAME: tile_gpu.shared_bytes = 73776
// CHECK-SAME: tile_gpu.warps = 12
// CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[LANE:.*]] = arith.andi %[[THREAD]], %c31
// CHECK: %[[WARP:.*]] = arith.shrui %[[THREAD]], %c5
// CHECK: %[[UNIFORM:.*]] = nvvm.shfl.sync idx %c-1_i32, %[[WARP]], %c0_i32, %c31_i32
// CHECK: %[[A:.*]] = tile_gpu.tensor_map of 0
// CHECK: %[[B:.*]] = tile_gpu.tensor_map of 1
// CHECK: scf.if
// CHECK-NEXT: %[[FULL:.*]] = tile_gpu.shared offset 73728
// CHECK-NEXT: nvvm.mbarrier.init %[[FULL]], %c1_i32
// CHECK-NEXT: %[[EMPTY:.*]] = llvm.getelementptr %[[FULL]][24]
// CHECK-NEXT: nvvm.mbarrier.init %[[EMPTY]], %c8_i32
// CHECK-COUNT-4: nvvm.mbarrier.init
// CHECK-NOT: nvvm.mbarrier.init
// CHECK: nvvm.fence.mbarrier.init
// CHECK-NEXT: }
// CHECK-NEXT: tile_gpu.sync{{$}}
// CHECK-NEXT: %[[IS:.*]] = arith.cmpi ult, %[[UNIFORM]], %c4_i32
// CHECK-NEXT: scf.if %[[IS]] {
// CHECK-NEXT: nvvm.setmaxregister decrease 40
// CHECK-NEXT: %[[FIRST:.*]] = arith.cmpi eq, %[[UNIFORM]], %c0_i32
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK-NEXT: %[[ELECTED:.*]] = nvvm.elect.sync
// CHECK-NEXT: scf.if %[[ELECTED]] {
// CHECK-NEXT: scf.for %[[I:.*]] = %c0_i32 to %arg5 step %c1_i32 iter_args(%[[AT:.*]] = %c0_i32) -> (i32)
// CHECK: %[[SLOT:.*]] = arith.andi %[[AT]], %c65535_i32
// CHECK-NEXT: %[[PARITY:.*]] = arith.shrui %[[AT]], %c16_i32
// CHECK-NEXT: %[[BEFORE:.*]] = arith.xori %[[PARITY]], %c1_i32
// CHECK-NEXT: %[[BARRIERS:.*]] = tile_gpu.shared offset 73728
// CHECK-NEXT: %[[EMPTIES:.*]] = llvm.getelementptr %[[BARRIERS]][24]
// CHECK-NEXT: %[[OFFSET:.*]] = arith.muli %[[SLOT]], %c8_i32
// CHECK-NEXT: %[[EMPTY:.*]] = llvm.getelementptr %[[EMPTIES]][%[[OFFSET]]]
// CHECK-NEXT: nvvm.mbarrier.try_wait.parity %[[EMPTY]], %[[BEFORE]]
// CHECK-NEXT: %[[FULL:.*]] = llvm.getelementptr %[[BARRIERS]][%[[OFFSET]]]
// CHECK-NEXT: nvvm.mbarrier.arrive.expect_tx %[[FULL]], %c24576_i32
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[A]], %[[FULL]], box[%[[I]], %c0_i32]
// CHECK: tile_gpu.shared offset 8192
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[B]], %[[FULL]], box[%arg5, %[[I]]]
// CHECK-NEXT: %[[RIGHT:.*]] = arith.addi %arg5, %c64_i32
// CHECK-NEXT: llvm.getelementptr %{{.*}}[8192]
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[B]], %[[FULL]], box[%[[RIGHT]], %[[I]]]
// CHECK-NOT: nvvm.cp.async
// CHECK: %[[UP:.*]] = arith.addi %[[AT]], %c1_i32
// CHECK-NEXT: %[[NEXT:.*]] = arith.andi %[[UP]], %c65535_i32
// CHECK-NEXT: %[[PAST:.*]] = arith.cmpi eq, %[[NEXT]], %c3_i32
// CHECK-NEXT: %[[ROUND:.*]] = arith.xori %[[UP]], %c65539_i32
// CHECK-NEXT: %[[CURSOR:.*]] = arith.select %[[PAST]], %[[ROUND]], %[[UP]]
// CHECK-NEXT: scf.yield %[[CURSOR]]
// CHECK: } else {
// CHECK-NEXT: nvvm.setmaxregister increase 232
// CHECK: %[[SLOT:.*]] = arith.andi %[[AT:.*]], %c65535_i32
// CHECK-NEXT: %[[PARITY:.*]] = arith.shrui %[[AT]], %c16_i32
// CHECK-NOT: arith.xori
// CHECK: nvvm.mbarrier.try_wait.parity %[[FULL:.*]], %[[PARITY]]
// CHECK-NEXT: %[[EMPTIES:.*]] = llvm.getelementptr %{{.*}}[24]
// CHECK-NEXT: %[[EMPTY:.*]] = llvm.getelementptr %[[EMPTIES]]
// CHECK-NEXT: nvvm.bar.warp.sync %c-1_i32
// CHECK-NEXT: %[[ZERO:.*]] = arith.cmpi eq, %[[LANE]], %c0_i32
// CHECK-NEXT: scf.if %[[ZERO]] {
// CHECK-NEXT: nvvm.mbarrier.arrive %[[EMPTY]]
// CHECK-NEXT: }
// CHECK-NOT: tile_gpu.sync
func.func @ring(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %m: i64, %n: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile_gpu.target = "sm_90a"} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a = tile_gpu.tensor_map of 0 extents [#tile_gpu.argument<2>, #tile_gpu.argument<4>] strides [#tile_gpu.argument<4>] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  %b = tile_gpu.tensor_map of 1 extents [#tile_gpu.argument<4>, #tile_gpu.argument<3>] strides [#tile_gpu.argument<3>] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  %c = tile_gpu.channel : !ring
  tile_gpu.roles warps 4 registers 40 alone {
    %first = tile_gpu.cursor 0 : !tile_gpu.cursor<3 parity = true>
    %last = scf.for %i = %zero to %steps step %one iter_args(%at = %first) -> (!tile_gpu.cursor<3 parity = true>) : i32 {
      %slot = tile_gpu.acquire %c[%at] : !ring
      tile_gpu.copy_box %a[%zero, %i] to %slot tile 0 : !llvm.ptr
      tile_gpu.copy_box %b[%i, %steps] to %slot tile 1 : !llvm.ptr
      tile_gpu.commit %slot
      %next = tile_gpu.advance %at : !tile_gpu.cursor<3 parity = true>
      scf.yield %next : !tile_gpu.cursor<3 parity = true>
    }
  } warps 8 registers 232 {
    %first = tile_gpu.cursor 0 : !tile_gpu.cursor<3 parity = true>
    %last = scf.for %i = %zero to %steps step %one iter_args(%at = %first) -> (!tile_gpu.cursor<3 parity = true>) : i32 {
      %lease = tile_gpu.wait %c[%at] : !ring
      tile_gpu.release %lease
      %next = tile_gpu.advance %at : !tile_gpu.cursor<3 parity = true>
      scf.yield %next : !tile_gpu.cursor<3 parity = true>
    }
  }
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!ring = !tile_gpu.channel<2 x (tensor<64x64xf16, #shared>) barriers = true>
#lanes = #tile_gpu.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [], repeats = [1, 1]>

// Two roles read: the slot is empty when the warps of both have said so. Lanes that read for themselves have done so before
// their warp says it; lanes that do not read have at least waited. Without registers of their own the roles keep those that they have.
// CHECK-LABEL: func.func @two_readers(
// CHECK: nvvm.mbarrier.init %{{.*}}, %c1_i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %c8_i32
// CHECK-NOT: nvvm.setmaxregister
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c8192_i32
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.bar.warp.sync %c-1_i32
// CHECK: nvvm.mbarrier.arrive %
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.bar.warp.sync %c-1_i32
// CHECK: nvvm.mbarrier.arrive %
func.func @two_readers(%pa: !tile.ptr<f16>, %m: i64) attributes {tile.kernel, tile.num_warps = 4 : i32, tile_gpu.target = "sm_90a"} {
  %zero = arith.constant 0 : i32
  %a = tile_gpu.tensor_map of 0 extents [#tile_gpu.argument<1>, 64] strides [64] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  %c = tile_gpu.channel : !ring
  tile_gpu.roles warps 4 alone {
    %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2 parity = true>
    %slot = tile_gpu.acquire %c[%at] : !ring
    tile_gpu.copy_box %a[%zero, %zero] to %slot tile 0 : !llvm.ptr
    tile_gpu.commit %slot
  } warps 4 {
    %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2 parity = true>
    %lease = tile_gpu.wait %c[%at] : !ring
    %v = tile_gpu.view %lease tile 0 : tensor<64x64xf16, #shared>
    %x = tile_gpu.read %v : tensor<64x64xf16, #shared> -> tensor<64x64xf16, #lanes>
    tile_gpu.release %lease
  } warps 4 {
    %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2 parity = true>
    %lease = tile_gpu.wait %c[%at] : !ring
    tile_gpu.release %lease
  }
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!ring = !tile_gpu.channel<1 x (tensor<64x64xf16, #shared>) barriers = true>
!turn = !tile_gpu.channel<1 x () barriers = true>

// Two channels, whose barriers one thread sets up: one fence makes all of them known.
// CHECK-LABEL: func.func @two_channels(
// CHECK: nvvm.mbarrier.init %[[RING:.*]], %c1_i32
// CHECK-NEXT: llvm.getelementptr
// CHECK-NEXT: nvvm.mbarrier.init %{{.*}}, %c4_i32
// CHECK-NOT: nvvm.fence.mbarrier.init
// CHECK: nvvm.mbarrier.init %{{.*}}, %c128_i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %c128_i32
// CHECK-NEXT: nvvm.fence.mbarrier.init
// CHECK-NOT: nvvm.fence.mbarrier.init
func.func @two_channels(%pa: !tile.ptr<f16>, %m: i64) attributes {tile.kernel, tile.num_warps = 4 : i32, tile_gpu.target = "sm_90a"} {
  %zero = arith.constant 0 : i32
  %a = tile_gpu.tensor_map of 0 extents [#tile_gpu.argument<1>, 64] strides [64] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  %c = tile_gpu.channel : !ring
  %turn = tile_gpu.channel : !turn
  tile_gpu.roles in_turn warps 4 alone {
    %at = tile_gpu.cursor 0 : !tile_gpu.cursor<1 parity = true>
    %slot = tile_gpu.acquire %c[%at] : !ring
    tile_gpu.copy_box %a[%zero, %zero] to %slot tile 0 : !llvm.ptr
    tile_gpu.commit %slot
  } warps 4 {
    %at = tile_gpu.cursor 0 : !tile_gpu.cursor<1 parity = true>
    %mine = tile_gpu.acquire %turn[%at] : !turn
    %lease = tile_gpu.wait %c[%at] : !ring
    tile_gpu.release %lease
    tile_gpu.commit %mine
  } warps 4 {
    %at = tile_gpu.cursor 0 : !tile_gpu.cursor<1 parity = true>
    %mine = tile_gpu.wait %turn[%at] : !turn
    %lease = tile_gpu.wait %c[%at] : !ring
    tile_gpu.release %lease
    tile_gpu.release %mine
  }
  return
}
