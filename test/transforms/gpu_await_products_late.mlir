// SPDX-License-Identifier: MIT
// Several products of one iteration of a role: each begins when what it multiplies is there, and goes on until its sums are
// needed.
// RUN: tile-opt %s --tile-layout-pipeline=target=sm_90a -split-input-file | FileCheck %s
// What is decided stays.
// RUN: tile-opt %s --tile-layout-pipeline=target=sm_90a -split-input-file -o %t.once
// RUN: tile-opt %t.once --tile-gpu-await-products-late -split-input-file | FileCheck %s
// RUN: tile-opt %s --tile-layout-pipeline=target=sm_80 -split-input-file | FileCheck %s --check-prefix=OTHERS --implicit-check-not=in_flight --implicit-check-not=await_products
// OTHERS-LABEL: func.func @gradients(
// OTHERS-LABEL: func.func @two_sums(
// OTHERS-LABEL: func.func @chain(

// Gradients of attention. The second product needs nothing of the first, so it begins at once. What the iteration only hands
// on (a, b) begins behind what it needs: b behind the product whose sums it adds to memory. The slot of the copied blocks is
// read until the last product is over; what is put for the fifth product, until that one is.
// CHECK-LABEL: func.func @gradients(
// CHECK: registers 232 {
// CHECK: scf.for
// CHECK: tile_gpu.wait
// CHECK: scf.for
// CHECK: %[[SLOT:.*]] = tile_gpu.wait
// CHECK: %[[S:.*]] = tile.dot {{.*}} {tile_gpu.in_flight}
// CHECK-NOT: tile_gpu.wait
// CHECK: %[[T:.*]] = tile.dot {{.*}} {tile_gpu.in_flight}
// CHECK-NOT: tile.dot
// CHECK: tile_gpu.await_products %[[S]] pending 1
// CHECK: math.exp2
// CHECK: %[[A:.*]] = tile.dot {{.*}} {tile_gpu.in_flight}
// CHECK: tile_gpu.await_products %[[T]] pending 1
// CHECK: tile_gpu.put
// CHECK: %[[PUT:.*]] = tile_gpu.wait
// CHECK: %[[C:.*]] = tile.dot {{.*}} {tile_gpu.in_flight}
// CHECK-NEXT: %[[B:.*]] = tile.dot {{.*}} {tile_gpu.in_flight}
// CHECK-NOT: tile_gpu.release
// CHECK: %[[ALL_A:.*]] = tile_gpu.await_products %[[A]] pending 1
// CHECK: %[[ALL_C:.*]] = tile_gpu.await_products %[[C]] pending 1
// CHECK-NOT: tile_gpu.release %[[SLOT]]
// CHECK: tile_gpu.store_box %[[ALL_C]] {{.*}} adds
// CHECK: %[[ALL_B:.*]] = tile_gpu.await_products %[[B]] :
// CHECK-NEXT: tile_gpu.release %[[SLOT]]
// CHECK-NEXT: scf.yield %[[ALL_A]], %[[ALL_B]]
// CHECK: tile_gpu.await_stores
// CHECK-NEXT: tile.barrier
func.func @gradients(%pk: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pv: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pq: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %po: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %queries: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %length = arith.constant 64 : i64
  %rows = arith.constant 128 : i64
  %block = arith.constant 64 : i32
  %no_scores = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
  %no_sums = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %k = tile.make_descriptor %pk, [%rows, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %v = tile.make_descriptor %pv, [%rows, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %q = tile.make_descriptor %pq, [%queries, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %c = tile.make_descriptor %pc, [%length, %queries], [%queries, %unit] : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  %o = tile.make_descriptor %po, [%rows, %length], [%length, %unit] : !tile.ptr<f32> -> !tile.desc<128x64xf32>
  %key = tile.descriptor_load %k[%zero, %zero] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
  %value = tile.descriptor_load %v[%zero, %zero] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
  %across = tile.permute %key [1, 0] : tensor<128x64xf16> -> tensor<64x128xf16>
  %all:2 = scf.for %i = %zero to %steps step %one iter_args(%a = %no_scores, %b = %no_scores) -> (tensor<128x64xf32>, tensor<128x64xf32>) : i32 {
    %product = arith.muli %i, %block : i32
    %from = tile.assume %product {range = array<i64: 0, 1000000>} : i32
    %query = tile.descriptor_load %q[%from, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %transposed = tile.permute %query [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %key, %transposed, %no_scores : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %p = math.exp2 %s : tensor<128x64xf32>
    %p16 = tile.fp_cast %p : tensor<128x64xf32> -> tensor<128x64xf16>
    %more_a = tile.dot %p16, %query, %a : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %t = tile.dot %value, %transposed, %no_scores : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %less = arith.subf %t, %s : tensor<128x64xf32>
    %d = arith.mulf %p, %less : tensor<128x64xf32>
    %d16 = tile.fp_cast %d : tensor<128x64xf32> -> tensor<128x64xf16>
    %more_b = tile.dot %d16, %query, %b : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %part = tile.dot %across, %d16, %no_sums : tensor<64x128xf16>, tensor<128x64xf16>, tensor<64x64xf32>
    tile.descriptor_reduce fadd, %c[%zero, %from], %part : !tile.desc<64x64xf32>, tensor<64x64xf32>
    scf.yield %more_a, %more_b : tensor<128x64xf32>, tensor<128x64xf32>
  } {tile.specialize_warps}
  %sum = arith.addf %all#0, %all#1 : tensor<128x64xf32>
  tile.descriptor_store %o[%zero, %zero], %sum : !tile.desc<128x64xf32>, tensor<128x64xf32>
  return
}

// -----

// Two products that an iteration only hands on are awaited at its end, together.
// CHECK-LABEL: func.func @two_sums(
// CHECK: scf.for
// CHECK: %[[SLOT:.*]] = tile_gpu.wait
// CHECK: %[[A:.*]] = tile.dot {{.*}} {tile_gpu.in_flight}
// CHECK: %[[B:.*]] = tile.dot {{.*}} {tile_gpu.in_flight}
// CHECK-NOT: tile_gpu.release
// CHECK: %[[ALL_A:.*]] = tile_gpu.await_products %[[A]] pending 1
// CHECK: %[[ALL_B:.*]] = tile_gpu.await_products %[[B]] :
// CHECK: tile_gpu.release %[[SLOT]]
// CHECK: scf.yield %[[ALL_B]], %[[ALL_A]],
func.func @two_sums(%pk: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %po: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %length = arith.constant 64 : i64
  %block = arith.constant 128 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %k = tile.make_descriptor %pk, [%m, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %o = tile.make_descriptor %po, [%m, %m], [%m, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %all:2 = scf.for %i = %zero to %steps step %one iter_args(%a = %none, %b = %none) -> (tensor<128x128xf32>, tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %k[%from, %zero] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %k[%zero, %zero] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %xt = tile.permute %x [1, 0] : tensor<128x64xf16> -> tensor<64x128xf16>
    %yt = tile.permute %y [1, 0] : tensor<128x64xf16> -> tensor<64x128xf16>
    %more_a = tile.dot %x, %yt, %a : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %more_b = tile.dot %y, %xt, %b : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %more_a, %more_b : tensor<128x128xf32>, tensor<128x128xf32>
  }
  %sum = arith.addf %all#0, %all#1 : tensor<128x128xf32>
  tile.descriptor_store %o[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// A product goes on with the sums of the one before: nobody waits in between, and both stay in front of what needs them.
// CHECK-LABEL: func.func @chain(
// CHECK: scf.for
// CHECK: %[[S1:.*]] = tile.dot {{.*}} {tile_gpu.in_flight}
// CHECK: %[[S2:.*]] = tile.dot {{.*}}, %[[S1]] {tile_gpu.in_flight}
// CHECK: %[[T:.*]] = tile.dot {{.*}} {tile_gpu.in_flight}
// CHECK: tile_gpu.await_products %[[S2]] pending 1
// CHECK: math.exp2
// CHECK: tile_gpu.await_products %[[T]] :
func.func @chain(%pk: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %po: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %length = arith.constant 64 : i64
  %block = arith.constant 128 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
  %k = tile.make_descriptor %pk, [%m, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %q = tile.make_descriptor %pk, [%m, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %o = tile.make_descriptor %po, [%m, %length], [%length, %unit] : !tile.ptr<f32> -> !tile.desc<128x64xf32>
  %key = tile.descriptor_load %k[%zero, %zero] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
  %all = scf.for %i = %zero to %steps step %one iter_args(%sum = %none) -> (tensor<128x64xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %q[%from, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %y = tile.descriptor_load %q[%i, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %xt = tile.permute %x [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
    %yt = tile.permute %y [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
    %s1 = tile.dot %key, %xt, %none : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %s2 = tile.dot %key, %yt, %s1 : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %p = math.exp2 %s2 : tensor<128x64xf32>
    %t = tile.dot %key, %y, %none : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %d = arith.mulf %p, %t : tensor<128x64xf32>
    %more = arith.addf %sum, %d : tensor<128x64xf32>
    scf.yield %more : tensor<128x64xf32>
  }
  tile.descriptor_store %o[%zero, %zero], %all : !tile.desc<128x64xf32>, tensor<128x64xf32>
  return
}
