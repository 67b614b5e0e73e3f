// SPDX-License-Identifier: MIT
// Plans that nobody would choose are followed.
// RUN: tile-opt %s --tile-gpu-specialize-warps=target=sm_90a -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @seven_slots(
// CHECK-NOT: tile_gpu.plan
// CHECK: tile_gpu.channel : <7 x(tensor<64x64xf16, #{{.*}}>, tensor<64x64xf16, #{{.*}}>) barriers = true>
// CHECK: tile_gpu.roles warps 4 registers 48 alone {
// CHECK: } warps 4 registers 200 {
func.func @seven_slots(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %k: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile_gpu.plan = #tile_gpu.plan<warps = [4, 4], registers = [48, 200]>} {
  %unit = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %b = tile.make_descriptor %pb, [%k, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %c = tile.make_descriptor %pc, [%m, %k], [%k, %unit] : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  %acc = scf.for %i = %zero to %steps step %one iter_args(%sum = %none) -> (tensor<64x64xf32>) : i32 {
    %kk = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %kk] {tile_gpu.fill = #tile_gpu.fill<channel = 9, slots = 7>} : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %y = tile.descriptor_load %b[%kk, %zero] {tile_gpu.fill = #tile_gpu.fill<channel = 9, slots = 7>} : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %acc : !tile.desc<64x64xf32>, tensor<64x64xf32>
  return
}

// -----

// Without fills, the plan has nothing to follow; without a plan, fills mean nothing.
// CHECK-LABEL: func.func @no_plan(
// CHECK-NOT: tile_gpu.roles
func.func @no_plan(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %k: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %unit = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %b = tile.make_descriptor %pb, [%k, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %c = tile.make_descriptor %pc, [%m, %k], [%k, %unit] : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  %acc = scf.for %i = %zero to %steps step %one iter_args(%sum = %none) -> (tensor<64x64xf32>) : i32 {
    %kk = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %kk] {tile_gpu.fill = #tile_gpu.fill<channel = 0, slots = 2>} : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %y = tile.descriptor_load %b[%kk, %zero] {tile_gpu.fill = #tile_gpu.fill<channel = 0, slots = 2>} : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %acc : !tile.desc<64x64xf32>, tensor<64x64xf32>
  return
}

// -----

// A channel for each operand.
// CHECK-LABEL: func.func @two_channels(
// CHECK: tile_gpu.channel : <2 x(tensor<64x64xf16, #{{[^>]*>}}>) barriers = true>
// CHECK: tile_gpu.channel : <5 x(tensor<64x64xf16, #{{[^>]*>}}>) barriers = true>
// CHECK: tile_gpu.roles
// CHECK: tile_gpu.commit
// CHECK: tile_gpu.commit
// CHECK: } warps 4
// CHECK: tile_gpu.wait
// CHECK: tile_gpu.wait
// CHECK: tile.dot
// CHECK: tile_gpu.release
// CHECK: tile_gpu.release
func.func @two_channels(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %k: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile_gpu.plan = #tile_gpu.plan<warps = [4, 4], registers = [0, 0]>} {
  %unit = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %b = tile.make_descriptor %pb, [%k, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %c = tile.make_descriptor %pc, [%m, %k], [%k, %unit] : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  %acc = scf.for %i = %zero to %steps step %one iter_args(%sum = %none) -> (tensor<64x64xf32>) : i32 {
    %kk = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %kk] {tile_gpu.fill = #tile_gpu.fill<channel = 0, slots = 2>} : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %y = tile.descriptor_load %b[%kk, %zero] {tile_gpu.fill = #tile_gpu.fill<channel = 1, slots = 5>} : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %acc : !tile.desc<64x64xf32>, tensor<64x64xf32>
  return
}
