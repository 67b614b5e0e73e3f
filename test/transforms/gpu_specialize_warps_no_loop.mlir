// SPDX-License-Identifier: MIT
// A kernel that gets roles although nothing in it is a loop or a branch, alone in its file: the pass brings the dialects that
// it needs. The ring has the slots of the kernel: its programs go around it.
// RUN: tile-opt %s --tile-gpu-plan=target=sm_90a --tile-gpu-specialize-warps=target=sm_90a | FileCheck %s

// CHECK-LABEL: func.func @no_loop(
// CHECK: tile_gpu.channel : <3 x
// CHECK: tile_gpu.roles warps 4 alone {
// CHECK: tile_gpu.acquire
// CHECK: tile_gpu.copy_box
// CHECK-NOT: tile_gpu.copy_box
// CHECK: } warps 4 {
// CHECK: tile_gpu.wait
// CHECK: tile.dot
// CHECK-NEXT: tile_gpu.release
// CHECK: scf.if
// CHECK-NEXT: tile_gpu.store_box
// CHECK: } else {
// CHECK-NEXT: tile.descriptor_store
func.func @no_loop(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %i = tile.program_id x
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %row = arith.muli %i, %block : i32
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %x = tile.descriptor_load %a[%row, %block] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %d = tile.dot %x, %x, %none : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %c = tile.make_descriptor %pc, [%m, %m], [%m, %unit] : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  tile.descriptor_store %c[%row, %row], %d : !tile.desc<64x64xf32>, tensor<64x64xf32>
  return
}
