// SPDX-License-Identifier: MIT
// Tiles that the copy engine stores, a slot of columns at a time.
// RUN: tile-opt %s -split-input-file --tile-gpu-plan=target=sm_90a --tile-gpu-specialize-warps=target=sm_90a --tile-descriptors-to-pointers --tile-widen-products=target=sm_90a --tile-assign-layouts=target=sm_90a --cse --canonicalize --tile-gpu-distribute --canonicalize --cse | FileCheck %s

// Two slots: before the threads write one again, the stores but the last have read. All meet; registers go to the slot by
// stmatrix; the fence, and all meet; one thread stores, each box at its columns, and commits. At the end it awaits all.
// CHECK-LABEL: func.func @two_slots(
// CHECK: tile_gpu.ptx_wgmma_wait
// CHECK: nvvm.mbarrier.arrive
// CHECK: scf.if %[[MINE:.*]] {
// CHECK-NEXT: nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK-NEXT: }
// CHECK-NEXT: tile_gpu.sync warps 8 from 4
// CHECK: nvvm.stmatrix
// CHECK: nvvm.fence.proxy
// CHECK-SAME: async.shared
// CHECK-NEXT: tile_gpu.sync warps 8 from 4
// CHECK-NEXT: scf.if %[[MINE]] {
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.global.shared.cta %{{.*}}, %[[SLOT:.*]], box[%c0_i32, %c0_i32]
// CHECK-NEXT: nvvm.cp.async.bulk.commit.group
// CHECK-NEXT: }
// CHECK: scf.if %[[MINE]] {
// CHECK-NEXT: nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK: tile_gpu.sync warps 8 from 4
// CHECK: nvvm.stmatrix
// CHECK: nvvm.fence.proxy
// CHECK: tile_gpu.sync warps 8 from 4
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %{{.*}}, %{{.*}}, box[%c64_i32, %c0_i32]
// CHECK-NEXT: nvvm.cp.async.bulk.commit.group
// CHECK-NEXT: }
// CHECK-NOT: nvvm.cp.async.bulk.tensor.global
// CHECK: scf.if %[[MINE]] {
// CHECK-NEXT: nvvm.cp.async.bulk.wait_group 0{{$}}
// CHECK-NEXT: }
func.func @two_slots(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %x = tile.descriptor_load %a[%zero, %zero] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
  %y = tile.descriptor_load %b[%zero, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
  %d = tile.dot %x, %y, %none : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
  %r = tile.fp_cast %d : tensor<128x128xf32> -> tensor<128x128xf16>
  tile.descriptor_store %c[%zero, %zero], %r : !tile.desc<128x128xf16>, tensor<128x128xf16>
  return
}

// -----

// One slot: it is read before it is written again.
// CHECK-LABEL: func.func @one_slot(
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK: nvvm.stmatrix
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK: nvvm.cp.async.bulk.wait_group 0{{$}}
func.func @one_slot(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %x = tile.descriptor_load %a[%zero, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %y = tile.descriptor_load %b[%zero, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %d = tile.dot %x, %y, %none : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %r = tile.fp_cast %d : tensor<64x64xf32> -> tensor<64x64xf16>
  tile.descriptor_store %c[%zero, %zero], %r : !tile.desc<64x64xf16>, tensor<64x64xf16>
  return
}

// -----

// Words of f32 lie two by two: stored as they are, without stmatrix.
// CHECK-LABEL: func.func @f32(
// CHECK: nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK-NOT: nvvm.stmatrix
// CHECK: llvm.store %{{.*}} : vector<2x{{.*}}>, !llvm.ptr<3>
// CHECK-NOT: nvvm.stmatrix
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %{{.*}}, %{{.*}}, box[%c0_i32, %c0_i32]
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %{{.*}}, %{{.*}}, box[%c32_i32, %c0_i32]
func.func @f32(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  %x = tile.descriptor_load %a[%zero, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %y = tile.descriptor_load %b[%zero, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %d = tile.dot %x, %y, %none : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.descriptor_store %c[%zero, %zero], %d : !tile.desc<64x64xf32>, tensor<64x64xf32>
  return
}

// -----

// More rows than a box has: a slot of two boxes.
// CHECK-LABEL: func.func @two_boxes(
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %{{.*}}, %{{.*}}, box[%c0_i32, %c0_i32]
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %{{.*}}, %{{.*}}, box[%c0_i32, %c256_i32]
// CHECK-NEXT: nvvm.cp.async.bulk.commit.group
func.func @two_boxes(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64) attributes {tile.kernel, tile.num_warps = 16 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %none = arith.constant dense<0.000000e+00> : tensor<512x32xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<512x32xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<32x32xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<512x32xf16>
  %x = tile.descriptor_load %a[%zero, %zero] : !tile.desc<512x32xf16> -> tensor<512x32xf16>
  %y = tile.descriptor_load %b[%zero, %zero] : !tile.desc<32x32xf16> -> tensor<32x32xf16>
  %d = tile.dot %x, %y, %none : tensor<512x32xf16>, tensor<32x32xf16>, tensor<512x32xf32>
  %r = tile.fp_cast %d : tensor<512x32xf32> -> tensor<512x32xf16>
  tile.descriptor_store %c[%zero, %zero], %r : !tile.desc<512x32xf16>, tensor<512x32xf16>
  return
}
