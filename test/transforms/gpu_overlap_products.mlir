// SPDX-License-Identifier: MIT
// A chain of two products gets roles where the second one can be made an iteration behind the first.
// RUN: tile-opt %s --tile-gpu-plan=target=sm_90a -split-input-file | FileCheck %s --check-prefix=PLAN
// RUN: tile-opt %s --tile-layout-pipeline=target=sm_90a -split-input-file | FileCheck %s
// RUN: tile-opt %s --tile-gpu-overlap-products | FileCheck %s --check-prefix=UNPLANNED
// RUN: sed 's/%%scaled :/%%scaled {tile_gpu.behind} :/' %s | tile-opt --tile-gpu-overlap-products | FileCheck %s --check-prefix=ALONE

// The pass obeys, and decides nothing by itself.
// UNPLANNED-NOT: tile_gpu.
// By a plan that is written by hand, a block that is no slot is carried to the next iteration.
// ALONE: scf.if
// ALONE: tile.dot
// ALONE: %[[V:.*]] = tile.descriptor_load
// ALONE: scf.for {{.*}} iter_args({{.*}} = %[[V]]{{[,)]}}
// ALONE: tile.dot {{.*}} {tile_gpu.in_flight}
// ALONE: tile.dot {{.*}} {tile_gpu.in_flight}
// ALONE: tile_gpu.await_products {{.*}} pending 1
// ALONE: tile_gpu.await_products
// ALONE: scf.yield
// ALONE: tile.dot
// ALONE-NOT: tile_gpu.

// Keys and values have channels of their own, and so have the queries, which stay.
// PLAN-LABEL: func.func @attention(
// PLAN-SAME: tile_gpu.plan = #tile_gpu.plan<warps = [4, 8], registers = [40, 232]>
// PLAN: tile.descriptor_load {{.*}}tile_gpu.fill = #tile_gpu.fill<channel = 0, slots = 1>
// PLAN: scf.for
// PLAN: tile.descriptor_load {{.*}}tile_gpu.fill = #tile_gpu.fill<channel = 1, slots = 2>
// PLAN: tile.dot
// PLAN-NOT: tile_gpu.behind
// PLAN: tile.descriptor_load {{.*}}tile_gpu.fill = #tile_gpu.fill<channel = 2, slots = 2>
// PLAN: tile.dot {{.*}} {tile_gpu.behind}

// CHECK-LABEL: func.func @attention(
// CHECK: warps 8 registers 232 {
// CHECK: %[[Q:.*]] = tile_gpu.wait
// CHECK: %[[QUERY:.*]] = tile_gpu.view %[[Q]]
// The scores and weights of the first step, if there is any step.
// CHECK: scf.if
// CHECK: tile.dot %[[QUERY]], %{{.*}}, %{{.*}} :
// CHECK: tile_gpu.release
// CHECK: %[[FIRST:.*]] = tile.fp_cast
// CHECK: scf.for {{.*}} iter_args({{.*}}%[[WEIGHTS:[^ ]*]] = %[[FIRST]])
// CHECK: %[[K:.*]] = tile_gpu.wait
// CHECK: %[[SCORES:.*]] = tile.dot %[[QUERY]], {{.*}} {tile_gpu.in_flight}
// CHECK: %[[V:.*]] = tile_gpu.wait
// CHECK: %[[VALUES:.*]] = tile_gpu.view %[[V]]
// CHECK: %[[SUMS:.*]] = tile.dot %[[WEIGHTS]], %[[VALUES]], {{.*}} {tile_gpu.in_flight}
// CHECK: tile_gpu.await_products %[[SCORES]] pending 1
// CHECK: tile_gpu.release %[[K]]
// CHECK: tile.reduce
// CHECK: %[[EXPONENTIALS:.*]] = math.exp2 {{.*}} : tensor<128x128xf32
// CHECK: tile_gpu.compute_first {{.*}}%[[EXPONENTIALS]]
// CHECK: tile_gpu.await_products %[[SUMS]] :
// CHECK: tile_gpu.release %[[V]]
// Registers of the weights are free again.
// CHECK: %[[NEXT:.*]] = tile.fp_cast %[[EXPONENTIALS]]
// CHECK: scf.yield {{.*}}%[[NEXT]]
// Nothing reads the queries any more: the next ones may come during the second product of the last step.
// CHECK: tile_gpu.release %[[Q]]
// CHECK: tile_gpu.wait
// CHECK: tile.dot {{.*}}
// CHECK-NOT: tile_gpu.in_flight
// CHECK: tile_gpu.release
// CHECK: } else {
// CHECK-NEXT: tile_gpu.release %[[Q]]
// CHECK-NEXT: scf.yield
// CHECK-NOT: tile_gpu.release
func.func @attention(%pq: !tile.ptr<f16>, %pk: !tile.ptr<f16>, %pv: !tile.ptr<f16>, %po: !tile.ptr<f32>, %queries: i64, %keys: i64, %limit: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 128 : i32
  %unit = arith.constant 1 : i64
  %length = arith.constant 128 : i64
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %lowest = arith.constant dense<0xFF800000> : tensor<128xf32>
  %q = tile.make_descriptor %pq, [%queries, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %k = tile.make_descriptor %pk, [%keys, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %v = tile.make_descriptor %pv, [%keys, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %o = tile.make_descriptor %po, [%queries, %length], [%length, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %id = tile.program_id x
  %row = arith.muli %id, %step : i32
  %query = tile.descriptor_load %q[%row, %zero] : !tile.desc<128x128xf16> -> tensor<128x128xf16>
  %result:2 = scf.for %i = %zero to %limit step %step iter_args(%top = %lowest, %sums = %none) -> (tensor<128xf32>, tensor<128x128xf32>) : i32 {
    %key = tile.descriptor_load %k[%i, %zero] : !tile.desc<128x128xf16> -> tensor<128x128xf16>
    %transposed = tile.permute %key [1, 0] : tensor<128x128xf16> -> tensor<128x128xf16>
    %scores = tile.dot %query, %transposed, %none : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    %greatest = tile.reduce(%scores) axis = 1 : (tensor<128x128xf32>) -> tensor<128xf32> {
    ^bb0(%x: f32, %y: f32):
      %more = tile.maximum %x, %y nan = ignore : f32
      tile.yield %more : f32
    }
    %next = tile.maximum %top, %greatest nan = ignore : tensor<128xf32>
    %column = tile.expand_dims %next {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
    %tops = tile.broadcast %column : tensor<128x1xf32> -> tensor<128x128xf32>
    %less = arith.subf %scores, %tops : tensor<128x128xf32>
    %p = math.exp2 %less : tensor<128x128xf32>
    %weights = tile.fp_cast %p : tensor<128x128xf32> -> tensor<128x128xf16>
    %change = arith.subf %top, %next : tensor<128xf32>
    %shrink = math.exp2 %change : tensor<128xf32>
    %shrinks = tile.expand_dims %shrink {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
    %factors = tile.broadcast %shrinks : tensor<128x1xf32> -> tensor<128x128xf32>
    %scaled = arith.mulf %sums, %factors : tensor<128x128xf32>
    %value = tile.descriptor_load %v[%i, %zero] : !tile.desc<128x128xf16> -> tensor<128x128xf16>
    %more = tile.dot %weights, %value, %scaled : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    scf.yield %next, %more : tensor<128xf32>, tensor<128x128xf32>
  }
  tile.descriptor_store %o[%row, %zero], %result#1 : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}
