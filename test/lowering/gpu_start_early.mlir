// SPDX-License-Identifier: MIT
// Where a kernel waits for the one before it, beside whose end it may have been started.
// RUN: tile-opt %s --split-input-file --tile-gpu-start-early | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-gpu-start-early --tile-gpu-to-llvm | FileCheck %s --check-prefix=LLVM

// Behind what needs no memory, once.
// CHECK-LABEL: func.func @behind_indices(
// CHECK-SAME: tile_gpu.starts_early
// CHECK-NEXT: nvvm.griddepcontrol launch_dependents
// CHECK: nvvm.read.ptx.sreg.tid.x
// CHECK: nvvm.shfl.sync
// CHECK: nvvm.barrier0
// CHECK-NEXT: nvvm.griddepcontrol wait
// CHECK-NEXT: tile_gpu.load_global
// CHECK-NOT: griddepcontrol
// The launch asks the module.
// LLVM: module attributes {
// LLVM-SAME: tile_gpu.starts_early
func.func @behind_indices(%from: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %all = arith.constant -1 : i32
  %one = arith.constant 1 : i32
  %most = arith.constant 31 : i32
  %lane = nvvm.shfl.sync bfly %all, %tid, %one, %most : i32 -> i32
  nvvm.barrier0
  %x = tile_gpu.load_global %from : (!tile.ptr<f32>) -> (f32)
  tile_gpu.store_global %from, %x : !tile.ptr<f32>, f32
  return
}

// -----

// Each role by itself; a way without memory waits, too, for a kernel that is over promises that those before it
// are. What one thread does to mbarriers is waited for by nobody, and a loop is waited for as a whole.
// CHECK-LABEL: func.func @roles(
// CHECK: scf.if
// CHECK-NEXT: nvvm.mbarrier.init
// CHECK-NEXT: }
// CHECK: nvvm.barrier0
// CHECK-NEXT: scf.if
// CHECK-NEXT: nvvm.setmaxregister decrease 40
// CHECK-NEXT: scf.if
// CHECK-NEXT: nvvm.griddepcontrol wait
// CHECK-NEXT: scf.for
// CHECK-NEXT: tile_gpu.store_global
// CHECK: } else {
// CHECK-NEXT: nvvm.griddepcontrol wait
// CHECK-NEXT: }
// CHECK: } else {
// CHECK-NEXT: nvvm.setmaxregister increase 232
// CHECK-NEXT: nvvm.griddepcontrol wait
// CHECK-NEXT: tile_gpu.store_global
// CHECK-NEXT: }
// CHECK-NEXT: tile_gpu.store_global
func.func @roles(%to: !tile.ptr<f32>, %bar: !llvm.ptr<3>, %first: i1, %producer: i1, %x: f32)
    attributes {tile.kernel, tile.num_warps = 8 : i32, tile_gpu.target = "sm_90a"} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %many = arith.constant 8 : i32
  scf.if %first {
    nvvm.mbarrier.init %bar, %one : !llvm.ptr<3>, i32
  }
  nvvm.barrier0
  scf.if %producer {
    nvvm.setmaxregister decrease 40
    scf.if %first {
      scf.for %i = %zero to %many step %one : i32 {
        tile_gpu.store_global %to, %x : !tile.ptr<f32>, f32
      }
    }
  } else {
    nvvm.setmaxregister increase 232
    tile_gpu.store_global %to, %x : !tile.ptr<f32>, f32
  }
  tile_gpu.store_global %to, %x : !tile.ptr<f32>, f32
  return
}

// -----

// A kernel that touches nothing waits before it ends.
// CHECK-LABEL: func.func @nothing(
// CHECK-NEXT: nvvm.griddepcontrol launch_dependents
// CHECK-NEXT: nvvm.griddepcontrol wait
// CHECK-NEXT: return
func.func @nothing() attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  return
}
