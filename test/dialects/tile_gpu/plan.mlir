// SPDX-License-Identifier: MIT
// The attributes of a plan are read and printed.
// RUN: tile-opt %s | tile-opt | FileCheck %s

// CHECK: tile_gpu.plan = #tile_gpu.plan<warps = [4, 8], registers = [40, 232]>
func.func @roles(%a: !tile.desc<64x64xf16>, %n: i32) attributes {tile.kernel, tile_gpu.plan = #tile_gpu.plan<warps = [4, 8], registers = [40, 232]>} {
  // CHECK: scf.for
  scf.for %i = %n to %n step %n : i32 {
    // CHECK: tile.descriptor_load %{{.*}} {tile_gpu.fill = #tile_gpu.fill<channel = 1, slots = 3>}
    %x = tile.descriptor_load %a[%i, %i] {tile_gpu.fill = #tile_gpu.fill<channel = 1, slots = 3>} : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  // CHECK: } {tile_gpu.in_turn, tile_gpu.programs}
  } {tile_gpu.in_turn, tile_gpu.programs}
  return
}

// CHECK-LABEL: func.func @anchored(
// CHECK: tile.make_descriptor %{{.*}} {tile_gpu.anchored} :
func.func @anchored(%p: !tile.ptr<f16>, %m: i64) {
  %d = tile.make_descriptor %p, [%m, %m], [%m, %m] {tile_gpu.anchored} : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  return
}

// CHECK: tile_gpu.plan = #tile_gpu.plan<warps = [4, 4, 4], registers = [0, 0, 0], in_turn = true>
func.func @in_turn() attributes {tile.kernel, tile_gpu.plan = #tile_gpu.plan<warps = [4, 4, 4], registers = [0, 0, 0], in_turn = true>} {
  return
}
