// SPDX-License-Identifier: MIT
// Two groups of warps that take the iterations of a kernel's own loop in turn, counted through the loop around it; and
// maps of tensors that stay the same in that loop.
// RUN: tile-opt %s --tile-gpu-plan=target=sm_90a --tile-gpu-specialize-warps=target=sm_90a -split-input-file | FileCheck %s

// The producer makes the map of what changes with %g alone in the first iteration of the inner loop, that of the others
// in each. The consumers make theirs in one of the first two, of which each has one: that of the first tile of all
// before its products, the later ones behind them, where the stores by the map before are over. Whose turn it is goes
// through both loops, as the cursors do, and whether the tile is a later one.
// CHECK-LABEL: func.func @groups(
// CHECK: %[[TURN:.*]] = tile_gpu.channel : <1 x() barriers = true>
// CHECK: tile_gpu.roles in_turn warps 4 registers 56 alone {
// CHECK: scf.for %[[G:.*]] =
// CHECK: scf.for %[[T:.*]] = %[[FROM:.*]] to %{{.*}} step %[[STEP:.*]] iter_args(
// CHECK: %[[SINCE:.*]] = arith.subi %[[T]], %[[FROM]]
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1
// CHECK-NEXT: %[[STEPS:.*]] = arith.muli %[[STEP]], %[[ONE]]
// CHECK-NEXT: %[[NOW:.*]] = arith.cmpi ult, %[[SINCE]], %[[STEPS]]
// CHECK-NEXT: scf.if %[[NOW]] {
// CHECK-NEXT: tile_gpu.await_copies
// CHECK-NEXT: }
// CHECK-NEXT: %[[A:.*]] = tile_gpu.device_map {{.*}} when %[[NOW]]
// CHECK-NEXT: tile_gpu.await_copies
// CHECK-NEXT: %[[B:.*]] = tile_gpu.device_map {{.*}} at 128 :
// CHECK: tile_gpu.copy_box %[[A]][
// CHECK-NEXT: tile_gpu.copy_box %[[B]][
// CHECK: } warps 4 registers 224 {
// CHECK: %[[FIRST:.*]] = arith.constant true
// CHECK: scf.for {{.*}} iter_args(%[[OUTER:.*]] = %[[FIRST]],
// CHECK-SAME: %[[NONE:[a-z0-9_]*]] = %false)
// CHECK: %[[R:.*]]:4 = scf.for %[[T:.*]] = %[[FROM:.*]] to %{{.*}} step %[[STEP:.*]] iter_args(%[[MINE:.*]] = %[[OUTER]],
// CHECK-SAME: %[[LATER:[a-z0-9_]*]] = %[[NONE]])
// CHECK: scf.if %[[MINE]]
// CHECK: tile.make_descriptor
// CHECK: %[[AMONG:.*]] = arith.cmpi ult
// CHECK-NEXT: %[[FIRST:.*]] = arith.xori %[[LATER]], %[[YES:.*]] :
// CHECK-NEXT: %[[EARLY:.*]] = arith.andi %[[AMONG]], %[[FIRST]]
// CHECK-NEXT: tile_gpu.device_map {{.*}} at [[PLACE:[0-9]+]] when %[[EARLY]]
// CHECK: tile_gpu.acquire %[[TURN]]
// CHECK: tile.dot
// CHECK: arith.subi %[[T]], %[[FROM]]
// CHECK-NEXT: %[[TWO:.*]] = arith.constant 2
// CHECK-NEXT: arith.muli %[[STEP]], %[[TWO]]
// CHECK-NEXT: %[[AMONG:.*]] = arith.cmpi ult
// CHECK-NEXT: %[[NOW:.*]] = arith.andi %[[AMONG]], %[[LATER]]
// CHECK-NEXT: scf.if %[[NOW]] {
// CHECK-NEXT: tile_gpu.await_stores
// CHECK-NEXT: }
// CHECK-NEXT: %[[C:.*]] = tile_gpu.device_map {{.*}} at [[PLACE]] when %[[NOW]]
// CHECK-NEXT: tile_gpu.store_box %{{.*}} to %[[C]][
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[YES]] :
// CHECK: } else {
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[LATER]] :
// CHECK: arith.xori %[[MINE]]
// CHECK: scf.yield %[[R]]#0,
// CHECK: } warps 4 registers 224 {
// CHECK: arith.constant false
func.func @groups(%pa: !tile.ptr<!tile.ptr<f16>>, %pb: !tile.ptr<!tile.ptr<f16>>, %pc: !tile.ptr<!tile.ptr<f16>>, %count: i32, %tiles: !tile.ptr<i32>, %step: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.ping_pong} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %width = arith.constant 64 : i64
  %some = arith.xori %count, %step : i32   // which the launcher does not compute
  %narrow = tile.assume %some {divisible = 8 : i64, range = array<i64: 0, 1000>} : i32
  %cols = arith.extsi %narrow : i32 to i64
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  scf.for %g = %zero to %count step %one : i32 {
    %at = tile.addptr %tiles, %g : !tile.ptr<i32>, i32
    %to = tile.load %at : !tile.ptr<i32>
    %from = arith.addi %g, %one : i32
    scf.for %t = %from to %to step %step : i32 {
      %qa = tile.addptr %pa, %g : !tile.ptr<!tile.ptr<f16>>, i32
      %ra = tile.load %qa : !tile.ptr<!tile.ptr<f16>>
      %sa = tile.assume %ra {divisible = 16 : i64} : !tile.ptr<f16>
      %a = tile.make_descriptor %sa, [%width, %cols], [%width, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
      %qb = tile.addptr %pb, %t : !tile.ptr<!tile.ptr<f16>>, i32
      %rb = tile.load %qb : !tile.ptr<!tile.ptr<f16>>
      %sb = tile.assume %rb {divisible = 16 : i64} : !tile.ptr<f16>
      %b = tile.make_descriptor %sb, [%width, %cols], [%width, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
      %x = tile.descriptor_load %a[%zero, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
      %y = tile.descriptor_load %b[%zero, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
      %d = tile.dot %x, %y, %none : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      %r = tile.fp_cast %d : tensor<64x64xf32> -> tensor<64x64xf16>
      %qc = tile.addptr %pc, %g : !tile.ptr<!tile.ptr<f16>>, i32
      %rc = tile.load %qc : !tile.ptr<!tile.ptr<f16>>
      %sc = tile.assume %rc {divisible = 16 : i64} : !tile.ptr<f16>
      %c = tile.make_descriptor %sc, [%width, %cols], [%width, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
      tile.descriptor_store %c[%zero, %zero], %r : !tile.desc<64x64xf16>, tensor<64x64xf16>
    } {tile.specialize_warps}
  } {tile.specialize_warps}
  return
}
