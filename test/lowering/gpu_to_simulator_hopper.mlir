// SPDX-License-Identifier: MIT
// RUN: tile-opt %s --tile-gpu-to-simulator -split-input-file | FileCheck %s

// Barriers in shared memory and tensor copies; more than the barrier of the CTA orders threads.
// CHECK: module attributes {tile_gpu.partial_order, tile_gpu.sites
// CHECK-LABEL: llvm.func @copies(
// CHECK: %[[WORDS:.*]] = llvm.alloca
// CHECK: llvm.call @tile_sim_mbarrier_init(
// CHECK: llvm.call @tile_sim_fence(
// CHECK: llvm.call @tile_sim_named_barrier(
// CHECK: llvm.call @tile_sim_mbarrier_arrive(
// CHECK: llvm.store %{{.*}}, %{{.*}} : i32, !llvm.ptr
// CHECK: llvm.call @tile_sim_tensor_load(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[WORDS]], %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: llvm.call @tile_sim_mbarrier_wait(
// CHECK: %[[STATE:.*]] = llvm.call @tile_sim_mbarrier_wait(
// CHECK: llvm.icmp "ne" %[[STATE]]
// CHECK: llvm.call @tile_sim_tensor_store(
// CHECK: llvm.call @tile_sim_bulk_commit(
// CHECK: llvm.call @tile_sim_bulk_wait(
// CHECK-NOT: nvvm.
llvm.func @copies(%map: !llvm.ptr, %s: !llvm.ptr<3>, %bar: !llvm.ptr<3>, %x: i32) attributes {nvvm.kernel} {
  nvvm.mbarrier.init %bar, %x : !llvm.ptr<3>, i32
  nvvm.fence.mbarrier.init
  nvvm.barrier id = %x number_of_threads = %x
  nvvm.mbarrier.arrive.expect_tx %bar, %x : !llvm.ptr<3>, i32
  %c = llvm.addrspacecast %s : !llvm.ptr<3> to !llvm.ptr<7>
  nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %map, %bar, box[%x, %x] : !llvm.ptr<7>, !llvm.ptr
  nvvm.mbarrier.try_wait.parity %bar, %x, %x : !llvm.ptr<3>, i32, i32
  %p = nvvm.mbarrier.try_wait %bar, %x : !llvm.ptr<3>, i32 -> i1
  nvvm.cp.async.bulk.tensor.global.shared.cta %map, %s, box[%x, %x] : !llvm.ptr, !llvm.ptr<3>
  nvvm.cp.async.bulk.commit.group
  nvvm.cp.async.bulk.wait_group 0
  llvm.return
}

// -----

// An operation whose registers go to another one says its word alone; what else sees them, sees that word in all
// of them.
!acc = !llvm.struct<(f32, f32, f32, f32)>
// CHECK-LABEL: llvm.func @matrices(
// CHECK: llvm.call @tile_sim_wgmma_fence(
// CHECK-COUNT-4: llvm.extractvalue
// CHECK: %[[FIRST:.*]] = llvm.call @tile_sim_wgmma(
// CHECK-NOT: llvm.extractvalue
// CHECK: llvm.store %[[FIRST]]
// CHECK: %[[SECOND:.*]] = llvm.call @tile_sim_wgmma(
// CHECK: llvm.call @tile_sim_wgmma_commit(
// CHECK: llvm.call @tile_sim_wgmma_wait(
// CHECK: llvm.store %[[SECOND]]
// CHECK: llvm.call @tile_sim_wgmma_take(
// CHECK-COUNT-4: llvm.load
llvm.func @matrices(%a: i64, %b: i64, %c: !acc, %p: i1, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  nvvm.wgmma.fence.aligned
  %0 = tile_gpu.ptx_wgmma [%a] * %b onto %c if %p {n = 8 : i32, type_a = f16, type_b = f16} : !acc, i64
  %1 = tile_gpu.ptx_wgmma [%a] * %b onto %0 {n = 8 : i32, type_a = f16, type_b = f16} : !acc, i64
  nvvm.wgmma.commit.group.sync.aligned
  %2 = tile_gpu.ptx_wgmma_wait 0 for %1 : !acc
  %3 = llvm.extractvalue %2[1] : !acc
  llvm.store %3, %out : f32, !llvm.ptr<1>
  llvm.return
}

// -----

// CHECK-LABEL: llvm.func @cluster(
// CHECK: llvm.call @tile_sim_place_in_cluster(
// CHECK: llvm.call @tile_sim_cluster_arrive(
// CHECK: llvm.call @tile_sim_cluster_wait(
// CHECK: llvm.call @tile_sim_mapa(
// CHECK: llvm.call @tile_sim_shared_read(
// A shared address as a number is an offset.
// CHECK: llvm.ptrtoint
// CHECK: %[[BASE:.*]] = llvm.ptrtoint
// CHECK: llvm.sub %{{.*}}, %[[BASE]]
llvm.func @cluster(%s: !llvm.ptr<3>) attributes {nvvm.kernel} {
  %r = nvvm.read.ptx.sreg.cluster.ctarank : i32
  nvvm.cluster.arrive {aligned}
  nvvm.cluster.wait {aligned}
  %f = nvvm.mapa %s, %r : !llvm.ptr<3> -> !llvm.ptr<7>
  %x = llvm.load %f : !llvm.ptr<7> -> i32
  %n = llvm.ptrtoint %s : !llvm.ptr<3> to i32
  llvm.return
}

// -----

// CHECK: module attributes {tile_gpu.changes_maps, tile_gpu.partial_order
// CHECK-LABEL: llvm.func @tensor_maps(
// CHECK: llvm.call @tile_sim_map_replace_shared(
// CHECK: llvm.call @tile_sim_map_replace_global(
// CHECK: llvm.call @tile_sim_map_publish(
// CHECK: llvm.call @tile_sim_map_copy(
// CHECK: llvm.call @tile_sim_map_release(
// CHECK: llvm.call @tile_sim_map_acquire(
llvm.func @tensor_maps(%s: !llvm.ptr<3>, %g: !llvm.ptr<1>, %m: !llvm.ptr, %x: i64) attributes {nvvm.kernel} {
  %size = llvm.mlir.constant(128 : i32) : i32
  tile_gpu.ptx_map_replace "global_address" of %s with %x : !llvm.ptr<3>, i64
  tile_gpu.ptx_map_replace "fill_mode" of %g to 1 : !llvm.ptr<1>
  tile_gpu.ptx_map_publish %s to %g : !llvm.ptr<3>, !llvm.ptr<1>
  tile_gpu.ptx_map_copy %m to %g : !llvm.ptr, !llvm.ptr<1>
  nvvm.fence.proxy.release #nvvm.mem_scope<gpu>
  nvvm.fence.proxy.acquire #nvvm.mem_scope<gpu> %m, %size
  llvm.return
}
