// SPDX-License-Identifier: MIT
// Floats that lie side by side are added by one instruction: of sm_90 up to 16 bytes, before it two f16.
// RUN: tile-opt %s --tile-gpu-distribute -canonicalize -cse -split-input-file | FileCheck %s

#line = #tile_gpu.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [], repeats = [1]>

// CHECK-LABEL: func.func @four(
// CHECK: tile_gpu.add_global %{{.*}}, %[[X:[a-z0-9]+]], %{{.*}}, %{{.*}}, %{{.*}} scope <gpu> : <f32>, f32, f32, f32, f32
// CHECK-NOT: atomic_global
// CHECK: return
func.func @four(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %x: f32) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %i = tile.arange 0 to 128 : tensor<128xi32, #line>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #line>
  %q = tile.addptr %ps, %i : tensor<128x!tile.ptr<f32>, #line>, tensor<128xi32, #line>
  %xs = tile.splat %x : f32 -> tensor<128xf32, #line>
  %old = tile.atomic_rmw fadd, %q, %xs ordering = relaxed scope = gpu : tensor<128x!tile.ptr<f32>, #line>
  return
}

// -----

#line = #tile_gpu.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [], repeats = [1]>

// The order is made by fences around all of them.
// CHECK-LABEL: func.func @two_of_f16(
// CHECK: llvm.fence syncscope("device") acq_rel
// CHECK-COUNT-2: tile_gpu.add_global %{{.*}}, %{{.*}}, %{{.*}} scope <gpu> : <f16>, f16, f16
// CHECK-NOT: add_global
// CHECK: llvm.fence syncscope("device") acq_rel
func.func @two_of_f16(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %x: f16) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_80"} {
  %i = tile.arange 0 to 128 : tensor<128xi32, #line>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<128x!tile.ptr<f16>, #line>
  %q = tile.addptr %ps, %i : tensor<128x!tile.ptr<f16>, #line>, tensor<128xi32, #line>
  %xs = tile.splat %x : f16 -> tensor<128xf16, #line>
  %old = tile.atomic_rmw fadd, %q, %xs ordering = acq_rel scope = gpu : tensor<128x!tile.ptr<f16>, #line>
  return
}

// -----

#line = #tile_gpu.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [], repeats = [1]>

// Old values that are of use, an address that may not be aligned, bf16 and f32 before sm_90, f64, maxima.
// CHECK-LABEL: func.func @looked_at(
// CHECK-NOT: add_global
func.func @looked_at(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %x: f32) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %i = tile.arange 0 to 128 : tensor<128xi32, #line>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #line>
  %q = tile.addptr %ps, %i : tensor<128x!tile.ptr<f32>, #line>, tensor<128xi32, #line>
  %xs = tile.splat %x : f32 -> tensor<128xf32, #line>
  %old = tile.atomic_rmw fadd, %q, %xs ordering = relaxed scope = gpu : tensor<128x!tile.ptr<f32>, #line>
  tile.store %q, %old : tensor<128x!tile.ptr<f32>, #line>
  return
}

// -----

#line = #tile_gpu.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [], repeats = [1]>

// CHECK-LABEL: func.func @anywhere(
// CHECK-NOT: add_global
func.func @anywhere(%p: !tile.ptr<f32>, %x: f32) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %i = tile.arange 0 to 128 : tensor<128xi32, #line>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #line>
  %q = tile.addptr %ps, %i : tensor<128x!tile.ptr<f32>, #line>, tensor<128xi32, #line>
  %xs = tile.splat %x : f32 -> tensor<128xf32, #line>
  %old = tile.atomic_rmw fadd, %q, %xs ordering = relaxed scope = gpu : tensor<128x!tile.ptr<f32>, #line>
  return
}

// -----

#line = #tile_gpu.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [], repeats = [1]>

// CHECK-LABEL: func.func @older(
// CHECK-NOT: add_global
func.func @older(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %h: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %x: f32, %y: bf16) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_89"} {
  %i = tile.arange 0 to 128 : tensor<128xi32, #line>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #line>
  %q = tile.addptr %ps, %i : tensor<128x!tile.ptr<f32>, #line>, tensor<128xi32, #line>
  %xs = tile.splat %x : f32 -> tensor<128xf32, #line>
  %old = tile.atomic_rmw fadd, %q, %xs ordering = relaxed scope = gpu : tensor<128x!tile.ptr<f32>, #line>
  %hs = tile.splat %h : !tile.ptr<bf16> -> tensor<128x!tile.ptr<bf16>, #line>
  %r = tile.addptr %hs, %i : tensor<128x!tile.ptr<bf16>, #line>, tensor<128xi32, #line>
  %ys = tile.splat %y : bf16 -> tensor<128xbf16, #line>
  %was = tile.atomic_rmw fadd, %r, %ys ordering = relaxed scope = gpu : tensor<128x!tile.ptr<bf16>, #line>
  return
}

// -----

#line = #tile_gpu.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [], repeats = [1]>

// CHECK-LABEL: func.func @other_updates(
// CHECK-NOT: add_global
func.func @other_updates(%p: !tile.ptr<f64> {tile.divisibility = 16 : i32}, %h: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %x: f64, %y: f32) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %i = tile.arange 0 to 128 : tensor<128xi32, #line>
  %ps = tile.splat %p : !tile.ptr<f64> -> tensor<128x!tile.ptr<f64>, #line>
  %q = tile.addptr %ps, %i : tensor<128x!tile.ptr<f64>, #line>, tensor<128xi32, #line>
  %xs = tile.splat %x : f64 -> tensor<128xf64, #line>
  %old = tile.atomic_rmw fadd, %q, %xs ordering = relaxed scope = gpu : tensor<128x!tile.ptr<f64>, #line>
  %hs = tile.splat %h : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #line>
  %r = tile.addptr %hs, %i : tensor<128x!tile.ptr<f32>, #line>, tensor<128xi32, #line>
  %ys = tile.splat %y : f32 -> tensor<128xf32, #line>
  %was = tile.atomic_rmw fmax, %r, %ys ordering = relaxed scope = gpu : tensor<128x!tile.ptr<f32>, #line>
  return
}
