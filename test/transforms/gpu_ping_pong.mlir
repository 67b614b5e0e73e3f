// SPDX-License-Identifier: MIT
// Two groups of warps that take the programs in turn.
// RUN: tile-opt %s --tile-gpu-plan=target=sm_90a --tile-gpu-loop-over-programs --tile-gpu-specialize-warps=target=sm_90a | FileCheck %s
// RUN: tile-opt %s --tile-gpu-plan="target=sm_90a remarks=true" --tile-gpu-loop-over-programs --tile-gpu-specialize-warps="target=sm_90a remarks=true" 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// REMARK: remark: multiplied from shared memory by 4 and 4 warps in ping-pong; another role copies the blocks ahead, into 3 slots of 16 KiB

// Each has every second program. In the other one's its cursor goes through the same loops, and nothing else is done.
// Slots are waited for by who has the turn: the first one from the start, and each until the product of its last slot
// has begun, or there is no product. Each has a place of its own for what it stores.
// CHECK-LABEL: func.func @in_turn(
// CHECK: %[[RING:.*]] = tile_gpu.channel : <3 x(
// CHECK: %[[TURN:.*]] = tile_gpu.channel : <1 x() barriers = true>
// CHECK: %[[OUT:.*]] = tile_gpu.channel : <1 x(tensor<64x64xf16, {{.*}}>)>{{$}}
// CHECK: %[[OTHER_OUT:.*]] = tile_gpu.channel : <1 x(tensor<64x64xf16, {{.*}}>)>{{$}}
// CHECK: tile_gpu.roles in_turn warps 4 registers 40 alone {
// CHECK: tile_gpu.copy_box
// CHECK: } warps 4 registers 232 {
// CHECK: %[[FIRST:.*]] = arith.constant true
// CHECK: scf.for {{.*}} iter_args(%[[MINE:.*]] = %[[FIRST]], %[[AT:.*]] = %{{.*}}, %[[MY_TURN:.*]] = %{{.*}})
// CHECK-NEXT: scf.if %[[MINE]]
// CHECK: %[[SLOT:.*]] = tile_gpu.acquire %[[TURN]][%[[MY_TURN]]]
// CHECK: scf.if
// CHECK: %[[NONE:.*]] = tile_gpu.no_lease %[[RING]]
// CHECK-NEXT: %[[R:.*]]:3 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[LAST:.*]] = %[[NONE]], %{{.*}} = %[[AT]])
// CHECK: %[[LEASE:.*]] = tile_gpu.wait %[[RING]]
// CHECK: tile.dot {{.*}} {tile_gpu.in_flight}
// CHECK-NEXT: tile_gpu.release %[[LAST]]
// CHECK: %[[LEFT:.*]] = arith.subi %{{.*}}, %[[I:.*]] : i32
// CHECK-NEXT: %[[IS_LAST:.*]] = arith.cmpi ule, %[[LEFT]], %{{.*}} : i32
// CHECK-NEXT: scf.if %[[IS_LAST]] {
// CHECK-NEXT: tile_gpu.commit %[[SLOT]]
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %{{.*}}, %[[LEASE]], %{{.*}}
// CHECK-NEXT: }
// CHECK-NEXT: tile_gpu.await_products %[[R]]#0
// CHECK-NEXT: tile_gpu.release %[[R]]#1
// CHECK: } else {
// CHECK-NEXT: tile_gpu.commit %[[SLOT]]
// CHECK: tile_gpu.store_box {{.*}} through %[[OUT]]
// CHECK: } else {
// CHECK: scf.for {{.*}} iter_args(%[[SKIPPED:.*]] = %[[AT]])
// CHECK: tile_gpu.advance %[[SKIPPED]]
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %{{.*}}, %[[MY_TURN]]
// CHECK: arith.xori %[[MINE]]
// CHECK: tile_gpu.await_stores
// CHECK-NEXT: } warps 4 registers 232 {
// CHECK: %[[SECOND:.*]] = arith.constant false
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[SECOND]],
// CHECK: %[[MY_LEASE:.*]] = tile_gpu.wait %[[TURN]]
// CHECK: tile_gpu.wait %[[RING]]
// CHECK: scf.if
// CHECK-NEXT: tile_gpu.release %[[MY_LEASE]]
// CHECK: tile_gpu.store_box {{.*}} through %[[OTHER_OUT]]
func.func @in_turn(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.ping_pong} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %p = tile.program_id x
  %row = arith.muli %p, %block : i32
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<64x64xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%row, %from] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %r = tile.fp_cast %sum : tensor<64x64xf32> -> tensor<64x64xf16>
  tile.descriptor_store %c[%row, %zero], %r : !tile.desc<64x64xf16>, tensor<64x64xf16>
  return
}
