// SPDX-License-Identifier: MIT
// Maps that one thread makes, and its waits.
// RUN: tile-opt %s --tile-gpu-distribute --canonicalize --cse | FileCheck %s
// RUN: tile-opt %s --tile-gpu-distribute --canonicalize --tile-gpu-choose-barriers --tile-gpu-to-llvm | FileCheck %s --check-prefix=LLVM
#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!ring = !tile_gpu.channel<2 x (tensor<64x64xf16, #shared>) barriers = true>

// Of the slots those before the cursor were filled in its round, the others in the round before. The thread replaces what
// is its own where the tensor has elements, releases the map and acquires it.
// CHECK-LABEL: func.func @own_maps(
// CHECK: %[[LIKE:.*]] = tile_gpu.tensor_map
// CHECK: %[[MEMORY:.*]] = tile_gpu.workspace 256
// CHECK-COUNT-2: nvvm.mbarrier.try_wait.parity
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[MEMORY]][128]
// CHECK: %[[MAP:.*]] = llvm.addrspacecast %[[PLACE]] : !llvm.ptr<1> to !llvm.ptr
// CHECK: arith.cmpi sgt
// CHECK: %[[BYTES:.*]] = arith.muli %{{.*}}, %c2_i64
// CHECK: tile_gpu.ptx_map_copy %[[LIKE]] to %[[PLACE]]
// CHECK-NEXT: scf.if
// CHECK: tile_gpu.ptx_map_replace "global_address" of %[[PLACE]]
// CHECK: tile_gpu.ptx_map_replace "global_dim" 0 of %[[PLACE]]
// CHECK: tile_gpu.ptx_map_replace "global_dim" 1 of %[[PLACE]]
// CHECK: tile_gpu.ptx_map_replace "global_stride" 0 of %[[PLACE]] with %[[BYTES]]
// CHECK-NEXT: }
// CHECK-NEXT: nvvm.fence.proxy.release
// CHECK-SAME: gpu
// CHECK-NEXT: nvvm.fence.proxy.acquire
// CHECK-SAME: %[[MAP]], %c128
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[MAP]],

// LLVM: module attributes {
// LLVM-SAME: tile_gpu.workspace = 256 : i32
// LLVM: llvm.func @own_maps(
// LLVM-SAME: %[[ALL:[a-z0-9]*]]: !llvm.ptr<1>) attributes
// LLVM: %[[CTA:.*]] = nvvm.read.ptx.sreg.ctaid.x
// LLVM: %[[WIDE:.*]] = llvm.zext %[[CTA]] : i32 to i64
// LLVM: %[[BEFORE:.*]] = llvm.mul %[[WIDE]], %{{.*}} : i64
// LLVM: llvm.getelementptr %[[ALL]][%[[BEFORE]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
func.func @own_maps(%p: !tile.ptr<f16>, %m: i64, %n: i64, %s: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile_gpu.target = "sm_90a"} {
  %like = tile_gpu.tensor_map of 0 extents [0, 0] strides [0] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  %memory = tile_gpu.workspace 256 : !llvm.ptr<1>
  %c = tile_gpu.channel : !ring
  %first = tile_gpu.cta_id
  tile_gpu.roles warps 4 registers 40 alone {
    %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2 parity = true>
    tile_gpu.await_copies %c[%at] : !ring
    %map = tile_gpu.device_map of %p extents [%m, %n] strides [%n] like %like in %memory at 128 : !tile.ptr<f16>, !llvm.ptr, !llvm.ptr<1> -> !llvm.ptr
    %slot = tile_gpu.acquire %c[%at] : !ring
    tile_gpu.copy_box %map[%s, %first] to %slot tile 0 : !llvm.ptr
    tile_gpu.commit %slot
  } warps 4 registers 240 {
    %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2 parity = true>
    %lease = tile_gpu.wait %c[%at] : !ring
    tile_gpu.release %lease
  }
  return
}

// Two that are made one right after the other are released together, and each is acquired.
// CHECK-LABEL: func.func @together(
// CHECK: tile_gpu.ptx_map_copy %{{.*}} to %[[A:.*]]
// CHECK-NOT: nvvm.fence
// CHECK: tile_gpu.ptx_map_copy %{{.*}} to %[[B:.*]]
// CHECK: nvvm.fence.proxy.release
// CHECK-NEXT: nvvm.fence.proxy.acquire
// CHECK-SAME: %[[MAP_B:[a-z0-9]*]], %c128
// CHECK-NEXT: nvvm.fence.proxy.acquire
// CHECK-SAME: %[[MAP_A:[a-z0-9]*]], %c128
// CHECK-NOT: nvvm.fence.proxy
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[MAP_A]],
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[MAP_B]],
!pair = !tile_gpu.channel<2 x (tensor<64x64xf16, #shared>, tensor<64x64xf16, #shared>) barriers = true>
func.func @together(%p: !tile.ptr<f16>, %m: i64, %n: i64, %s: i32, %when: i1) attributes {tile.kernel, tile.num_warps = 4 : i32, tile_gpu.target = "sm_90a"} {
  %like = tile_gpu.tensor_map of 0 extents [0, 0] strides [0] box [64, 64] of f16 swizzle 128 : !llvm.ptr
  %memory = tile_gpu.workspace 256 : !llvm.ptr<1>
  %c = tile_gpu.channel : !pair
  tile_gpu.roles warps 4 registers 40 alone {
    %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2 parity = true>
    tile_gpu.await_copies %c[%at] : !pair
    %a = tile_gpu.device_map of %p extents [%m, %n] strides [%n] like %like in %memory at 0 when %when : !tile.ptr<f16>, !llvm.ptr, !llvm.ptr<1> -> !llvm.ptr
    %b = tile_gpu.device_map of %p extents [%n, %m] strides [%m] like %like in %memory at 128 when %when : !tile.ptr<f16>, !llvm.ptr, !llvm.ptr<1> -> !llvm.ptr
    %slot = tile_gpu.acquire %c[%at] : !pair
    tile_gpu.copy_box %a[%s, %s] to %slot tile 0 : !llvm.ptr
    tile_gpu.copy_box %b[%s, %s] to %slot tile 1 : !llvm.ptr
    tile_gpu.commit %slot
  } warps 4 registers 240 {
    %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2 parity = true>
    %lease = tile_gpu.wait %c[%at] : !pair
    tile_gpu.release %lease
  }
  return
}
