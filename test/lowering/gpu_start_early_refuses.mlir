// SPDX-License-Identifier: MIT
// Kernels that begin when those before them are over: of GPUs that know no other way, and of none.
// RUN: tile-opt %s --tile-gpu-start-early | FileCheck %s

// CHECK-NOT: starts_early
// CHECK-NOT: griddepcontrol
// CHECK-LABEL: func.func @ampere(
func.func @ampere(%to: !tile.ptr<f32>, %x: f32) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_80"} {
  tile_gpu.store_global %to, %x : !tile.ptr<f32>, f32
  return
}

// What names no GPU runs on all.
func.func @any(%to: !tile.ptr<f32>, %x: f32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  tile_gpu.store_global %to, %x : !tile.ptr<f32>, f32
  return
}

func.func private @elsewhere() attributes {tile_gpu.target = "sm_90"}
// CHECK-NOT: starts_early
// CHECK-NOT: griddepcontrol
