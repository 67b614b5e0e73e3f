// SPDX-License-Identifier: MIT
// Asserts after the roles have begun: the warps that multiply tell the role that copies when they end. No product is
// in flight where a check may end them.
// RUN: tile-opt %s --tile-gpu-plan=target=sm_90a --tile-gpu-specialize-warps=target=sm_90a -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @in_the_loop(
// CHECK: %[[RING:.*]] = tile_gpu.channel : <3 x(tensor<128x64xf16, {{.*}}>, tensor<64x128xf16, {{.*}}>) barriers = true>
// CHECK: %[[END:.*]] = tile_gpu.channel : <1 x() barriers = true>
// CHECK: tile_gpu.roles end %[[END]] : !tile_gpu.channel<1 x() barriers = true> warps 4 registers 40 alone {
// CHECK-NOT: tile.assert
// CHECK: scf.for {{.*}} iter_args(%[[AT:.*]] = %
// CHECK: tile_gpu.await_slot_or_end %[[RING]][%[[AT]]] copied(%[[RING]]) [%[[AT]]]
// CHECK-NEXT: tile_gpu.acquire %[[RING]][%[[AT]]]
// CHECK: } warps 8 registers 232 {
// CHECK: scf.for
// CHECK: tile.assert
// CHECK: tile_gpu.wait %[[RING]]
// CHECK-NOT: tile_gpu.in_flight
// CHECK: tile.dot
// CHECK-NOT: tile_gpu.in_flight
// CHECK: tile_gpu.release
// CHECK: tile_gpu.store_box
func.func @in_the_loop(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %in = arith.cmpi slt, %i, %block : i32
    tile.assert %in, "far" : i1
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// Behind the loop a check costs nothing: products go on in the loop. A block that is loaded before it has a ring of its
// own, and the copies of both are awaited before the role ends.
// CHECK-LABEL: func.func @behind_the_loop(
// CHECK: %[[OUTER:.*]] = tile_gpu.channel : <1 x(tensor<128x64xf16, {{.*}}>) barriers = true>
// CHECK: %[[RING:.*]] = tile_gpu.channel : <3 x(tensor<64x128xf16, {{.*}}>) barriers = true>
// CHECK: tile_gpu.roles end
// CHECK: %[[FIRST:.*]] = tile_gpu.cursor 0 : <1 parity = true>
// CHECK: %[[START:.*]] = tile_gpu.cursor 0 : <3 parity = true>
// CHECK: tile_gpu.await_slot_or_end %[[OUTER]][%[[FIRST]]] copied(%[[OUTER]], %[[RING]]) [%[[FIRST]], %[[START]]]
// CHECK: %[[SECOND:.*]] = tile_gpu.advance %[[FIRST]]
// CHECK: scf.for {{.*}} iter_args(%[[AT:.*]] = %[[START]])
// CHECK: tile_gpu.await_slot_or_end %[[RING]][%[[AT]]] copied(%[[OUTER]], %[[RING]]) [%[[SECOND]], %[[AT]]]
// CHECK: } warps 8
// CHECK: tile.dot {{.*}} {tile_gpu.in_flight}
// CHECK: tile.assert
func.func @behind_the_loop(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %x = tile.descriptor_load %a[%zero, %zero] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %small = arith.cmpf olt, %sum, %sum : tensor<128x128xf32>
  tile.assert %small, "large" : tensor<128x128xi1>
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}
