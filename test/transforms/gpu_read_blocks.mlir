// SPDX-License-Identifier: MIT
// Blocks that a role reads into registers: for something else than a product, or to compute an operand.
// RUN: tile-opt %s --tile-gpu-plan=target=sm_90a --tile-gpu-specialize-warps=target=sm_90a -split-input-file | FileCheck %s
// RUN: tile-opt %s --tile-gpu-plan=target=sm_90a --tile-gpu-specialize-warps=target=sm_90a --tile-assign-layouts=target=sm_90a -split-input-file | FileCheck %s --check-prefix=LAYOUT

// The product multiplies x where it lies, and the row sums read it.
// CHECK-LABEL: func.func @used_otherwise(
// CHECK: warps 8 registers 232 {
// CHECK: %[[LEASE:.*]] = tile_gpu.wait
// CHECK: %[[X:.*]] = tile_gpu.view %[[LEASE]] tile 0
// CHECK: %[[Y:.*]] = tile_gpu.view %[[LEASE]] tile 1
// CHECK: %[[READ:.*]] = tile_gpu.read %[[X]] : tensor<128x64xf16, #{{.*}}> -> tensor<128x64xf16>
// CHECK: tile.dot %[[X]], %[[Y]]
// CHECK-NEXT: tile_gpu.release %[[LEASE]]
// CHECK: tile.fp_cast %[[READ]]

// The rows of x lie in registers as those of the sums do, so the row sums need no conversion.
// LAYOUT-LABEL: func.func @used_otherwise(
// LAYOUT: tile_gpu.read {{.*}} -> tensor<128x64xf16, #tile_gpu.layout<register = {{\[\[}}0, 1], [8, 0], [0, 8],
// LAYOUT-NOT: tile_gpu.convert_layout
// LAYOUT: return
func.func @used_otherwise(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
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
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %z = tile.fp_cast %x : tensor<128x64xf16> -> tensor<128x64xf32>
    %s = tile.reduce (%z) axis = 1 : (tensor<128x64xf32>) -> tensor<128xf32> {
    ^bb0(%p: f32, %q: f32):
      %add = arith.addf %p, %q : f32
      tile.yield %add : f32
    }
    %e = tile.expand_dims %s {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
    %w = tile.broadcast %e : tensor<128x1xf32> -> tensor<128x128xf32>
    %f = arith.addf %d, %w : tensor<128x128xf32>
    scf.yield %f : tensor<128x128xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// The loop carries x. The product goes on into the next iteration, and its slot is released there.
// CHECK-LABEL: func.func @carried(
// CHECK: warps 8 registers 232 {
// CHECK: scf.for {{.*}} iter_args(%{{.*}}, %{{.*}}, %[[BEFORE:.*]] = %{{.*}}, %{{.*}})
// CHECK: %[[LEASE:.*]] = tile_gpu.wait
// CHECK: %[[READ:.*]] = tile_gpu.read
// CHECK: %[[SUM:.*]] = tile.dot {{.*}} {tile_gpu.in_flight}
// CHECK: tile_gpu.release %[[BEFORE]]
// CHECK: scf.yield %[[SUM]], %[[READ]], %[[LEASE]]
func.func @carried(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %first = arith.constant dense<0.000000e+00> : tensor<128x64xf16>
  %sum, %last = scf.for %i = %zero to %steps step %one iter_args(%acc = %none, %held = %first) -> (tensor<128x128xf32>, tensor<128x64xf16>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d, %x : tensor<128x128xf32>, tensor<128x64xf16>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// The sums begin with the block itself.
// CHECK-LABEL: func.func @added_to(
// CHECK: warps 4 {
// CHECK: %[[X:.*]] = tile_gpu.view
// CHECK: %[[READ:.*]] = tile_gpu.read %[[X]]
// CHECK: %[[T:.*]] = tile.permute %[[X]] [1, 0]
// CHECK: tile.dot %[[X]], %[[T]], %[[READ]]
func.func @added_to(%pa: !tile.ptr<f32>, %pc: !tile.ptr<f32>, %m: i64, %k: i64) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  %c = tile.make_descriptor %pc, [%m, %m], [%m, %unit] : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  %x = tile.descriptor_load %a[%zero, %zero] : !tile.desc<64x64xf32> -> tensor<64x64xf32>
  %t = tile.permute %x [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  %d = tile.dot %x, %t, %x : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  tile.descriptor_store %c[%zero, %zero], %d : !tile.desc<64x64xf32>, tensor<64x64xf32>
  return
}

// -----

// Both operands are computed, and the plan is written by hand. The unit takes A out of registers, so A is read as the unit takes it. B goes back to
// shared memory.
// CHECK-LABEL: func.func @computed(
// CHECK: warps 8 registers 232 {
// CHECK: %[[LEASE:.*]] = tile_gpu.wait
// CHECK: %[[X:.*]] = tile_gpu.read
// CHECK: %[[Y:.*]] = tile_gpu.read
// CHECK: tile_gpu.release %[[LEASE]]
// CHECK: %[[A:.*]] = arith.mulf %[[X]]
// CHECK: %[[B:.*]] = arith.negf %[[Y]]
// CHECK: tile.dot %[[A]], %[[B]]
// LAYOUT-LABEL: func.func @computed(
// LAYOUT: tile_gpu.read {{.*}} -> tensor<128x64xf16, #tile_gpu.layout<register = {{\[\[}}0, 1], [8, 0], [0, 8],
// LAYOUT: tile_gpu.read {{.*}} -> tensor<64x128xf16, #tile_gpu.layout<register = {{\[\[}}0, 1], [0, 2], [0, 4],
// LAYOUT: %[[B:.*]] = arith.negf
// LAYOUT: tile_gpu.convert_layout %[[B]] : {{.*}} -> tensor<64x128xf16, #tile_gpu.layout<shared
func.func @computed(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile_gpu.plan = #tile_gpu.plan<warps = [4, 8], registers = [40, 232]>} {
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
    %x = tile.descriptor_load %a[%zero, %from] {tile_gpu.fill = #tile_gpu.fill<channel = 0, slots = 3>} : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] {tile_gpu.fill = #tile_gpu.fill<channel = 0, slots = 3>} : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %two = arith.constant dense<2.000000e+00> : tensor<128x64xf16>
    %z = arith.mulf %x, %two : tensor<128x64xf16>
    %w = arith.negf %y : tensor<64x128xf16>
    %d = tile.dot %z, %w, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// A block that no product needs has a channel of its own. It is copied after the blocks of the loop, and waited for
// where it is used.
// CHECK-LABEL: func.func @beside(
// CHECK-DAG: %[[RING:.*]] = tile_gpu.channel : <3 x(tensor<128x64xf16
// CHECK-DAG: %[[ONE:.*]] = tile_gpu.channel : <1 x(tensor<128x128xf16
// CHECK: warps 4 registers 40 alone {
// CHECK: scf.for
// CHECK: tile_gpu.acquire %[[RING]]
// CHECK: tile_gpu.acquire %[[ONE]]
// CHECK: warps 8 registers 232 {
// CHECK: tile_gpu.wait %[[RING]]
// CHECK: await_products
// CHECK: %[[LEASE:.*]] = tile_gpu.wait %[[ONE]]
// CHECK: %[[R:.*]] = tile_gpu.read
// CHECK-NEXT: tile_gpu.release %[[LEASE]]
// CHECK: tile.fp_cast %[[R]]
func.func @beside(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %r = tile.make_descriptor %pb, [%m, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %early = tile.descriptor_load %r[%zero, %zero] : !tile.desc<128x128xf16> -> tensor<128x128xf16>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %e = tile.fp_cast %early : tensor<128x128xf16> -> tensor<128x128xf32>
  %f = arith.addf %sum, %e : tensor<128x128xf32>
  tile.descriptor_store %c[%block, %zero], %f : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}
