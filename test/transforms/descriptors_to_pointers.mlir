// SPDX-License-Identifier: MIT
// RUN: tile-opt %s --tile-descriptors-to-pointers | FileCheck %s

// CHECK-LABEL: func.func @load(
// CHECK: %[[BASE:.*]] = tile.assume %arg0 {divisible = 16 : i64} : !tile.ptr<f16>
// CHECK: %[[STRIDE:.*]] = tile.assume %arg3 {divisible = 8 : i64} : i64
// CHECK: %[[DOWN:.*]] = arith.muli %{{.*}}, %[[STRIDE]] : i64
// CHECK: %[[ROW:.*]] = tile.addptr %[[BASE]], %[[DOWN]] : !tile.ptr<f16>, i64
// CHECK: %[[START:.*]] = tile.addptr %[[ROW]], %{{.*}} : !tile.ptr<f16>, i64
// CHECK: tile.splat %[[START]] : !tile.ptr<f16> -> tensor<96x64x!tile.ptr<f16>>
// CHECK: tile.arange 0 to 96
// CHECK: arith.cmpi sge
// CHECK: arith.cmpi slt
// CHECK: tile.addptr
// CHECK: tile.arange 0 to 64
// CHECK: %[[P:.*]] = tile.addptr
// CHECK: %[[M:.*]] = arith.andi {{.*}} : tensor<96x64xi1>
// CHECK: tile.load %[[P]], %[[M]] : tensor<96x64x!tile.ptr<f16>>
func.func @load(%p: !tile.ptr<f16>, %m: i64, %n: i64, %s: i64, %i: i32, %k: i32) -> tensor<96x64xf16> {
  %one = arith.constant 1 : i64
  %d = tile.make_descriptor %p, [%m, %n], [%s, %one] : !tile.ptr<f16> -> !tile.desc<96x64xf16>
  %x = tile.descriptor_load %d[%i, %k] : !tile.desc<96x64xf16> -> tensor<96x64xf16>
  return %x : tensor<96x64xf16>
}

// Outside is NaN; an extent of 1 is dropped.
// CHECK-LABEL: func.func @padded(
// CHECK: arith.constant 0x7E00 : f16
// CHECK: tile.load {{.*}}, {{.*}}, {{.*}} : tensor<64x!tile.ptr<f16>>
func.func @padded(%p: !tile.ptr<f16>, %m: i64, %n: i64, %s: i64, %i: i32, %k: i32) -> tensor<64xf16> {
  %one = arith.constant 1 : i64
  %d = tile.make_descriptor %p, [%m, %n], [%s, %one] padding = nan : !tile.ptr<f16> -> !tile.desc<1x64xf16>
  %x = tile.descriptor_load %d[%i, %k] : !tile.desc<1x64xf16> -> tensor<64xf16>
  return %x : tensor<64xf16>
}

// CHECK-LABEL: func.func @stores(
// CHECK: tile.store
// CHECK: tile.atomic_rmw fadd, {{.*}} ordering = relaxed scope = gpu
func.func @stores(%p: !tile.ptr<f32>, %m: i64, %i: i32, %x: tensor<64xf32>) {
  %one = arith.constant 1 : i64
  %d = tile.make_descriptor %p, [%m], [%one] : !tile.ptr<f32> -> !tile.desc<64xf32>
  tile.descriptor_store %d[%i], %x : !tile.desc<64xf32>, tensor<64xf32>
  tile.descriptor_reduce fadd, %d[%i], %x : !tile.desc<64xf32>, tensor<64xf32>
  return
}

// A branch chooses between the parts.
// CHECK-LABEL: func.func @chosen(
// CHECK: scf.if {{.*}} -> (!tile.ptr<f32>, i64, i64, i1)
// CHECK: tile.load
func.func @chosen(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %m: i64, %i: i32, %c: i1) -> tensor<64xf32> {
  %one = arith.constant 1 : i64
  %d = scf.if %c -> !tile.desc<64xf32> {
    %0 = tile.make_descriptor %p, [%m], [%one] : !tile.ptr<f32> -> !tile.desc<64xf32>
    scf.yield %0 : !tile.desc<64xf32>
  } else {
    %0 = tile.make_descriptor %q, [%m], [%one] : !tile.ptr<f32> -> !tile.desc<64xf32>
    scf.yield %0 : !tile.desc<64xf32>
  }
  %x = tile.descriptor_load %d[%i] : !tile.desc<64xf32> -> tensor<64xf32>
  return %x : tensor<64xf32>
}

// What the launch has promised is not checked; what nothing is known of is.
// CHECK-LABEL: func.func @checked(
// CHECK-NOT: its base
// CHECK: tile.assert %{{.*}}, "descriptor: extent 0 cannot be negative"
// CHECK-NOT: extent 1
// CHECK: tile.assert %{{.*}}, "descriptor: stride 0 must be a multiple of 16 bytes, and not negative"
// CHECK-NOT: tile.assert
// CHECK: return
func.func @checked(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.type = "f32*"}, %m: i64 {tile.type = "i64"},
                   %n: i64 {tile.divisibility = 16 : i32, tile.type = "i64"}, %i: i32) -> tensor<8x16xf32> {
  %one = arith.constant 1 : i64
  %d = tile.make_descriptor %p, [%m, %n], [%m, %one] : !tile.ptr<f32> -> !tile.desc<8x16xf32>
  %0 = tile.descriptor_load %d[%i, %i] : !tile.desc<8x16xf32> -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
