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

// A meeting for shared memory alone, where nobody has touched any since the kernel began or the group met.
// CHECK-LABEL: func.func @first_exchange(
// CHECK: tile_gpu.load_global
// CHECK-NEXT: nvvm.shfl.sync
// CHECK-NEXT: llvm.store
// CHECK-NEXT: nvvm.barrier0
// CHECK-NEXT: return
func.func @first_exchange(%from: !tile.ptr<f32>, %shared: !llvm.ptr<3>) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %all = arith.constant -1 : i32
  %one = arith.constant 1 : i32
  %most = arith.constant 31 : i32
  %v = tile_gpu.load_global %from : (!tile.ptr<f32>) -> (f32)
  %w = nvvm.shfl.sync bfly %all, %v, %one, %most : f32 -> f32
  tile_gpu.sync shared
  llvm.store %w, %shared : f32, !llvm.ptr<3>
  tile_gpu.sync shared
  tile_gpu.sync shared
  return
}

// Which is for other memory as well stays.
// CHECK-LABEL: func.func @all_memory(
// CHECK-COUNT-2: nvvm.barrier0
func.func @all_memory() attributes {tile.kernel, tile.num_warps = 8 : i32} {
  tile_gpu.sync
  tile_gpu.sync
  return
}

// Some warps have met, which is no meeting of all; all have met, which is one of some.
// CHECK-LABEL: func.func @other_groups(
// CHECK: nvvm.barrier id =
// CHECK-NEXT: nvvm.barrier0
// CHECK-NEXT: return
func.func @other_groups() attributes {tile.kernel, tile.num_warps = 8 : i32} {
  tile_gpu.sync warps 4 from 0
  tile_gpu.sync shared
  tile_gpu.sync shared warps 4 from 0
  tile_gpu.sync shared warps 2 from 2
  return
}

// Around a loop the last iteration has touched it; on one way through a branch it has been touched.
// CHECK-LABEL: func.func @paths(
// CHECK: scf.for
// CHECK-NEXT: nvvm.barrier0
// CHECK-NEXT: llvm.store
// CHECK: scf.for
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.store
// CHECK-NEXT: nvvm.barrier0
// CHECK: scf.if
// CHECK-NEXT: llvm.store
// CHECK-NEXT: }
// CHECK-NEXT: nvvm.barrier0
// CHECK-NEXT: return
func.func @paths(%n: i32, %c: i1, %v: f32, %shared: !llvm.ptr<3>) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    tile_gpu.sync shared
    llvm.store %v, %shared : f32, !llvm.ptr<3>
  }
  tile_gpu.sync
  scf.for %i = %zero to %n step %one : i32 {
    tile_gpu.sync shared
    llvm.store %v, %shared : f32, !llvm.ptr<3>
    tile_gpu.sync shared
  }
  scf.if %c {
    llvm.store %v, %shared : f32, !llvm.ptr<3>
  }
  tile_gpu.sync shared
  return
}

// The condition of a while loop is computed once more than its body.
// CHECK-LABEL: func.func @while(
// CHECK: scf.while
// CHECK-NEXT: nvvm.barrier0
// CHECK: } do {
// CHECK-NEXT: llvm.store
// CHECK: }
// CHECK-NEXT: return
func.func @while(%c: i1, %v: f32, %shared: !llvm.ptr<3>) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  scf.while : () -> () {
    tile_gpu.sync shared
    scf.condition(%c)
  } do {
    tile_gpu.sync shared
    llvm.store %v, %shared : f32, !llvm.ptr<3>
    scf.yield
  }
  tile_gpu.sync shared
  return
}
