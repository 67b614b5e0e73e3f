// SPDX-License-Identifier: MIT
// A second operand that is computed in a role goes to shared memory while the product before it goes on.
// RUN: tile-opt %s --tile-gpu-plan=target=sm_90a -split-input-file | FileCheck %s --check-prefix=PLAN
// RUN: tile-opt %s --tile-layout-pipeline=target=sm_90a -split-input-file | FileCheck %s

// Three slots: of the product on its way, of the one that begins, of the operand that is being put. Both slots of the
// product before are released when this one has begun.
// PLAN-LABEL: func.func @weights(
// PLAN: tile.dot {{.*}} {tile_gpu.put_slots = 3 : i64}
// CHECK-LABEL: func.func @weights(
// CHECK: %[[PUTS:.*]] = tile_gpu.channel : <3 x(tensor<64x128xf16
// CHECK: warps 8 registers 232 {
// CHECK: scf.for {{.*}} iter_args(%{{.*}}, %[[AT:.*]] = %{{.*}}, %[[PUT_AT:.*]] = %{{.*}}, %[[COPIED_BEFORE:.*]] = %{{.*}}, %[[PUT_BEFORE:.*]] = %{{.*}})
// CHECK: %[[COPIED:.*]] = tile_gpu.wait %{{.*}}[%[[AT]]]
// CHECK: %[[W:.*]] = arith.negf
// CHECK: %[[SLOT:.*]] = tile_gpu.acquire %[[PUTS]][%[[PUT_AT]]]
// CHECK: tile_gpu.put %[[W]] to %[[SLOT]]
// CHECK: tile_gpu.commit %[[SLOT]]
// CHECK: %[[PUT:.*]] = tile_gpu.wait %[[PUTS]][%[[PUT_AT]]]
// CHECK: %[[B:.*]] = tile_gpu.view %[[PUT]]
// CHECK: tile.dot %{{.*}}, %[[B]], {{.*}} {tile_gpu.in_flight
// CHECK: tile_gpu.release %[[COPIED_BEFORE]]
// CHECK: tile_gpu.release %[[PUT_BEFORE]]
// CHECK: scf.yield {{.*}}, %[[COPIED]], %[[PUT]] :
// CHECK: tile_gpu.await_products
// CHECK: tile_gpu.release
// CHECK: tile_gpu.release
// CHECK: tile_gpu.drain %[[PUTS]]
func.func @weights(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %w = arith.negf %y : tensor<64x128xf16>
    %d = tile.dot %x, %w, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// The loop reads the sums, so no product goes on, and the put would stand between two waits.
// PLAN-LABEL: func.func @sums_are_read(
// PLAN-NOT: tile_gpu.
// CHECK-LABEL: func.func @sums_are_read(
// CHECK-NOT: tile_gpu.roles
func.func @sums_are_read(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %w = arith.negf %y : tensor<64x128xf16>
    %d = tile.dot %x, %w, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %e = arith.negf %d : tensor<128x128xf32>
    scf.yield %e : tensor<128x128xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}
