// SPDX-License-Identifier: MIT
// Sums that a loop of a role adds to memory: the copy engine adds them, while the warps go on.
// RUN: tile-opt %s --tile-gpu-plan=target=sm_90a --tile-gpu-specialize-warps=target=sm_90a -split-input-file | FileCheck %s

// At the end of the role the warps wait until all is added. Parts of 32 columns have a slot each.
// CHECK-LABEL: func.func @adds(
// CHECK: %[[MAP:.*]] = tile_gpu.tensor_map of 2 {{.*}} box [128, 32] of f32 swizzle 128 written
// CHECK: %[[OUT:.*]] = tile_gpu.channel : <2 x(tensor<128x32xf32, {{.*}}>)>{{$}}
// CHECK: scf.for
// CHECK: %[[SUM:.*]] = tile.dot
// CHECK: tile_gpu.store_box %[[SUM]] to %[[MAP]][%{{.*}}, %{{.*}}] through %[[OUT]] adds
// CHECK-NOT: tile.descriptor_reduce
// CHECK: tile_gpu.await_stores
func.func @adds(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %length = arith.constant 64 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
  %a = tile.make_descriptor %pa, [%m, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%length, %m], [%m, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %c = tile.make_descriptor %pc, [%m, %m], [%m, %unit] : !tile.ptr<f32> -> !tile.desc<128x64xf32>
  scf.for %i = %zero to %steps step %one : i32 {
    %product = arith.muli %i, %block : i32
    %from = tile.assume %product {range = array<i64: 0, 1000000>} : i32
    %x = tile.descriptor_load %a[%from, %zero] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%zero, %from] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %none : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    tile.descriptor_reduce fadd, %c[%from, %from], %d : !tile.desc<128x64xf32>, tensor<128x64xf32>
  } {tile.specialize_warps}
  return
}

// -----

// Two groups of warps have the columns of 64 rows: each its own slot.
// CHECK-LABEL: func.func @adds_beside_each_other(
// CHECK: tile_gpu.channel : <2 x(tensor<64x32xf32, {{.*}}>)>{{$}}
// CHECK: tile_gpu.store_box {{.*}} adds
func.func @adds_beside_each_other(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %length = arith.constant 64 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %a = tile.make_descriptor %pa, [%m, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %b = tile.make_descriptor %pb, [%length, %m], [%m, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %c = tile.make_descriptor %pc, [%m, %m], [%m, %unit] : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  scf.for %i = %zero to %steps step %one : i32 {
    %product = arith.muli %i, %block : i32
    %from = tile.assume %product {range = array<i64: 0, 1000000>} : i32
    %x = tile.descriptor_load %a[%from, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %y = tile.descriptor_load %b[%zero, %from] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %none : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    tile.descriptor_reduce fadd, %c[%from, %from], %d : !tile.desc<64x64xf32>, tensor<64x64xf32>
  } {tile.specialize_warps}
  return
}

// -----

// What the program does with memory behind the loop comes when all is added.
// CHECK-LABEL: func.func @stores_afterwards(
// CHECK: scf.for
// CHECK: tile_gpu.store_box {{.*}} adds
// CHECK: }
// CHECK: tile_gpu.await_stores
// CHECK-NEXT: tile.barrier
// CHECK: tile.store
func.func @stores_afterwards(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %length = arith.constant 64 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
  %a = tile.make_descriptor %pa, [%m, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%length, %m], [%m, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %c = tile.make_descriptor %pc, [%m, %m], [%m, %unit] : !tile.ptr<f32> -> !tile.desc<128x64xf32>
  scf.for %i = %zero to %steps step %one : i32 {
    %product = arith.muli %i, %block : i32
    %from = tile.assume %product {range = array<i64: 0, 1000000>} : i32
    %x = tile.descriptor_load %a[%from, %zero] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%zero, %from] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %none : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    tile.descriptor_reduce fadd, %c[%from, %from], %d : !tile.desc<128x64xf32>, tensor<128x64xf32>
  } {tile.specialize_warps}
  %number = arith.constant 1.000000e+00 : f32
  tile.store %pc, %number : !tile.ptr<f32>
  return
}

// -----

// Threads add what an iteration then reads,
// CHECK-LABEL: func.func @reads_it_again(
// CHECK-NOT: adds
// CHECK: tile.descriptor_reduce
// CHECK: tile.load
func.func @reads_it_again(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %length = arith.constant 64 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
  %a = tile.make_descriptor %pa, [%m, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%length, %m], [%m, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %c = tile.make_descriptor %pc, [%m, %m], [%m, %unit] : !tile.ptr<f32> -> !tile.desc<128x64xf32>
  scf.for %i = %zero to %steps step %one : i32 {
    %product = arith.muli %i, %block : i32
    %from = tile.assume %product {range = array<i64: 0, 1000000>} : i32
    %x = tile.descriptor_load %a[%from, %zero] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%zero, %from] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %none : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    tile.descriptor_reduce fadd, %c[%from, %from], %d : !tile.desc<128x64xf32>, tensor<128x64xf32>
    %old = tile.load %pc : !tile.ptr<f32>
    tile.print "x"(%old) : f32
  } {tile.specialize_warps}
  return
}

// -----

// what is no sum,
// CHECK-LABEL: func.func @takes_the_largest(
// CHECK-NOT: adds
// CHECK: tile.descriptor_reduce fmax
func.func @takes_the_largest(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %length = arith.constant 64 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
  %a = tile.make_descriptor %pa, [%m, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%length, %m], [%m, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %c = tile.make_descriptor %pc, [%m, %m], [%m, %unit] : !tile.ptr<f32> -> !tile.desc<128x64xf32>
  scf.for %i = %zero to %steps step %one : i32 {
    %product = arith.muli %i, %block : i32
    %from = tile.assume %product {range = array<i64: 0, 1000000>} : i32
    %x = tile.descriptor_load %a[%from, %zero] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%zero, %from] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %none : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    tile.descriptor_reduce fmax, %c[%from, %from], %d : !tile.desc<128x64xf32>, tensor<128x64xf32>
  } {tile.specialize_warps}
  return
}

// -----

// and what may begin before the tensor: the engine knows no negative places.
// CHECK-LABEL: func.func @may_be_negative(
// CHECK-NOT: adds
// CHECK: tile.descriptor_reduce
func.func @may_be_negative(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %length = arith.constant 64 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
  %a = tile.make_descriptor %pa, [%m, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%length, %m], [%m, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %c = tile.make_descriptor %pc, [%m, %m], [%m, %unit] : !tile.ptr<f32> -> !tile.desc<128x64xf32>
  scf.for %i = %zero to %steps step %one : i32 {
    %product = arith.muli %i, %block : i32
    %from = tile.assume %product {range = array<i64: 0, 1000000>} : i32
    %x = tile.descriptor_load %a[%from, %zero] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%zero, %from] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %none : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    tile.descriptor_reduce fadd, %c[%product, %from], %d : !tile.desc<128x64xf32>, tensor<128x64xf32>
  } {tile.specialize_warps}
  return
}
