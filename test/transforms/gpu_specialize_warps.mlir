// SPDX-License-Identifier: MIT
// Kernels whose loops multiply blocks of described tensors, as two programs: copies by one thread, products by the rest.
// RUN: tile-opt %s --tile-gpu-plan=target=sm_90a --tile-gpu-specialize-warps=target=sm_90a -split-input-file | FileCheck %s


// The whole: maps and a channel before the roles; the first one has coordinates and no tile, the second one has tiles and
// no copies. A product goes on while the next slot is waited for, and its slot is released one step later. Descriptors that the launcher encodes are gone.
// CHECK-LABEL: func.func @whole(
// CHECK-NOT: tile.make_descriptor
// CHECK: %[[A:.*]] = tile_gpu.tensor_map of 0 extents [#tile_gpu.argument<3>, #tile_gpu.argument<5>] strides [#tile_gpu.argument<5>] box [128, 64] of f16 swizzle 128 : !llvm.ptr
// CHECK: %[[B:.*]] = tile_gpu.tensor_map of 1 extents [#tile_gpu.argument<5>, #tile_gpu.argument<4>] strides [#tile_gpu.argument<4>] box [64, 64] of f16 swizzle 128 : !llvm.ptr
// CHECK: %[[RING:.*]] = tile_gpu.channel : <3 x(tensor<128x64xf16, {{.*}}>, tensor<64x128xf16, {{.*}}>) barriers = true>
// CHECK: %[[C:.*]] = tile_gpu.tensor_map of 2 extents [#tile_gpu.argument<3>, #tile_gpu.argument<4>] strides [#tile_gpu.argument<4>] box [128, 64] of f16 swizzle 128 written : !llvm.ptr
// CHECK: %[[OUT:.*]] = tile_gpu.channel : <2 x(tensor<128x64xf16, {{.*}}>)>{{$}}
// CHECK: tile_gpu.roles warps 4 registers 40 alone {
// CHECK: %[[FIRST:.*]] = tile_gpu.cursor 0 : <3 parity = true>
// CHECK: scf.for %[[I:.*]] = %c0{{.*}} to %{{.*}} step %c1{{.*}} iter_args(%[[AT:.*]] = %[[FIRST]]) -> (!tile_gpu.cursor<3 parity = true>)  : i32 {
// CHECK-NEXT: %[[FROM:.*]] = arith.muli %[[I]], %c64
// CHECK-NEXT: %[[SLOT:.*]] = tile_gpu.acquire %[[RING]][%[[AT]]]
// CHECK-NEXT: tile_gpu.copy_box %[[A]][%c0_i32, %[[FROM]]] to %[[SLOT]] tile 0
// CHECK-NEXT: tile_gpu.copy_box %[[B]][%[[FROM]], %c0_i32] to %[[SLOT]] tile 1
// CHECK-NEXT: tile_gpu.commit %[[SLOT]]
// CHECK-NEXT: %[[NEXT:.*]] = tile_gpu.advance %[[AT]]
// CHECK-NEXT: scf.yield %[[NEXT]] : !tile_gpu.cursor<3 parity = true>
// CHECK-NEXT: }
// CHECK-NEXT: } warps 8 registers 232 {
// CHECK: %[[ZEROS:.*]] = arith.constant dense
// CHECK: %[[IS_ANY:.*]] = arith.cmpi slt, %c0_i32, %{{.*}} : i32
// CHECK: %[[START:.*]] = tile_gpu.cursor 0 : <3 parity = true>
// CHECK: %[[SUM:.*]]:2 = scf.if %[[IS_ANY]] -> (tensor<128x128xf32>, !tile_gpu.cursor<3 parity = true>) {
// CHECK: %[[NONE:.*]] = tile_gpu.no_lease %[[RING]]
// CHECK: %[[LOOP:.*]]:3 = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[ZEROS]], %[[LAST:.*]] = %[[NONE]], %[[HERE:.*]] = %[[START]])
// CHECK: %[[LEASE:.*]] = tile_gpu.wait %[[RING]][%[[HERE]]]
// CHECK-NEXT: %[[X:.*]] = tile_gpu.view %[[LEASE]] tile 0 : tensor<128x64xf16
// CHECK-NEXT: %[[Y:.*]] = tile_gpu.view %[[LEASE]] tile 1 : tensor<64x128xf16
// CHECK-NOT: tile.descriptor_load
// CHECK-NEXT: %[[D:.*]] = tile.dot %[[X]], %[[Y]], %[[ACC]] {tile_gpu.in_flight}
// CHECK-NEXT: tile_gpu.release %[[LAST]]
// CHECK-NEXT: %[[THERE:.*]] = tile_gpu.advance %[[HERE]]
// CHECK-NEXT: scf.yield %[[D]], %[[LEASE]], %[[THERE]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[ALL:.*]] = tile_gpu.await_products %[[LOOP]]#0
// CHECK-NEXT: tile_gpu.release %[[LOOP]]#1
// CHECK-NEXT: scf.yield %[[ALL]], %[[LOOP]]#2
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[ZEROS]], %[[START]]
// CHECK: %[[R:.*]] = tile.fp_cast %[[SUM]]#0
// CHECK-NEXT: tile_gpu.store_box %[[R]] to %[[C]][%c0_i32, %c0_i32] through %[[OUT]]
// CHECK-NEXT: tile_gpu.await_stores
// CHECK-NEXT: }
func.func @whole(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %r = tile.fp_cast %sum : tensor<128x128xf32> -> tensor<128x128xf16>
  tile.descriptor_store %c[%zero, %zero], %r : !tile.desc<128x128xf16>, tensor<128x128xf16>
  return
}

// -----

// Each side's cursor goes on through the loop around the ring's, and past a branch that leaves the ring alone. What the
// branch depends on, and what the outer loop carries for the coordinates, is in both programs; the sums are in one.
// CHECK-LABEL: func.func @nested(
// CHECK: tile_gpu.roles warps 4 registers 40 alone {
// CHECK: %[[FIRST:.*]] = tile_gpu.cursor 0
// CHECK: %[[OUTER:.*]]:2 = scf.for {{.*}} iter_args(%[[ROW:.*]] = %{{.*}}, %[[AT:.*]] = %[[FIRST]]) -> (i32, !tile_gpu.cursor<3 parity = true>)
// CHECK: %[[IS:.*]] = arith.cmpi slt
// CHECK: %[[AFTER:.*]] = scf.if %[[IS]] -> (!tile_gpu.cursor<3 parity = true>) {
// CHECK: %[[INNER:.*]] = scf.for {{.*}} iter_args(%[[IN:.*]] = %[[AT]])
// CHECK: tile_gpu.acquire %{{.*}}[%[[IN]]]
// CHECK: tile_gpu.copy_box %{{.*}}[%[[ROW]], %
// CHECK: scf.yield %[[INNER]]
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[AT]]
// CHECK: }
// CHECK: %[[DOWN:.*]] = arith.addi %[[ROW]]
// CHECK: scf.yield %[[DOWN]], %[[AFTER]]
// CHECK: } warps 8 registers 232 {
// CHECK: %[[START:.*]] = tile_gpu.cursor 0
// CHECK: scf.for {{.*}} iter_args(%[[ALL:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %[[HERE:.*]] = %[[START]])
// CHECK: %[[GIVEN:.*]]:2 = scf.if %{{.*}} -> (tensor<128x128xf32>, !tile_gpu.cursor<3 parity = true>) {
// CHECK: %[[PRODUCT:.*]]:2 = scf.if
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[ALL]], %{{.*}} = %{{.*}}, %[[NOW:.*]] = %[[HERE]])
// CHECK: tile_gpu.wait %{{.*}}[%[[NOW]]]
// CHECK: tile_gpu.release
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[ALL]], %[[HERE]]
// CHECK: scf.yield %[[PRODUCT]]#0, %[[PRODUCT]]#1
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[ALL]], %[[HERE]]
// CHECK: }
// CHECK: scf.yield %[[GIVEN]]#0, %{{.*}}, %[[GIVEN]]#1
func.func @nested(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %all:2 = scf.for %j = %zero to %steps step %one iter_args(%before = %none, %row = %zero) -> (tensor<128x128xf32>, i32) : i32 {
    %is = arith.cmpi slt, %j, %block : i32
    %given = scf.if %is -> (tensor<128x128xf32>) {
      %sum = scf.for %i = %zero to %j step %one iter_args(%acc = %before) -> (tensor<128x128xf32>) : i32 {
        %from = arith.muli %i, %block : i32
        %x = tile.descriptor_load %a[%row, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
        %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
        %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
        scf.yield %d : tensor<128x128xf32>
      }
      scf.yield %sum : tensor<128x128xf32>
    } else {
      scf.yield %before : tensor<128x128xf32>
    }
    %next = arith.addi %row, %block : i32
    scf.yield %given, %next : tensor<128x128xf32>, i32
  }
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %r = tile.fp_cast %all#0 : tensor<128x128xf32> -> tensor<128x128xf16>
  tile.descriptor_store %c[%zero, %zero], %r : !tile.desc<128x128xf16>, tensor<128x128xf16>
  return
}

// -----

// A branch without results and without an else gets both for the cursor.
// CHECK-LABEL: func.func @no_else(
// CHECK: tile_gpu.roles
// CHECK: scf.if %{{.*}} -> (!tile_gpu.cursor<3 parity = true>) {
// CHECK: tile_gpu.commit
// CHECK: } else {
// CHECK-NEXT: scf.yield
// CHECK: } warps 8
// CHECK: scf.if %{{.*}} -> (!tile_gpu.cursor<3 parity = true>) {
// CHECK: tile_gpu.release
// CHECK: tile_gpu.store_box
// CHECK: scf.yield
// CHECK: } else {
// CHECK-NEXT: scf.yield
func.func @no_else(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %is = arith.cmpi slt, %steps, %block : i32
  scf.if %is {
    %x = tile.descriptor_load %a[%zero, %zero] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%zero, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %sum = tile.dot %x, %y, %none : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %r = tile.fp_cast %sum : tensor<128x128xf32> -> tensor<128x128xf16>
    tile.descriptor_store %c[%zero, %zero], %r : !tile.desc<128x128xf16>, tensor<128x128xf16>
  }
  return
}

// -----

// Two products of a block have a slot together; what both multiply is copied once. The release follows the last one.
// CHECK-LABEL: func.func @two_products(
// CHECK: tile_gpu.channel : <2 x(tensor<128x64xf16, {{.*}}>, tensor<64x128xf16, {{.*}}>, tensor<64x128xf16, {{.*}}>) barriers = true>
// CHECK: tile_gpu.copy_box %{{.*}} to %[[SLOT:.*]] tile 0
// CHECK: tile_gpu.copy_box %{{.*}} to %[[SLOT]] tile 1
// CHECK: tile_gpu.copy_box %{{.*}} to %[[SLOT]] tile 2
// CHECK-NOT: tile_gpu.copy_box
// CHECK: tile_gpu.commit
// CHECK-NOT: tile_gpu.acquire
// CHECK: } warps 8
// CHECK: %[[LEASE:.*]] = tile_gpu.wait
// CHECK: %[[X:.*]] = tile_gpu.view %[[LEASE]] tile 0
// CHECK: %[[Y:.*]] = tile_gpu.view %[[LEASE]] tile 1
// CHECK: %[[Z:.*]] = tile_gpu.view %[[LEASE]] tile 2
// CHECK: tile.dot %[[X]], %[[Y]]
// CHECK-NOT: tile_gpu.release
// CHECK: tile.dot %[[X]], %[[Z]]
// CHECK-NEXT: tile_gpu.release %[[LEASE]]
// CHECK-NOT: tile_gpu.release
func.func @two_products(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %e, %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none, %other = %none) -> (tensor<128x128xf32>, tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %z = tile.descriptor_load %b[%from, %block] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %f = tile.dot %x, %z, %other : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d, %f : tensor<128x128xf32>, tensor<128x128xf32>
  }
  %r = tile.fp_cast %sum : tensor<128x128xf32> -> tensor<128x128xf16>
  tile.descriptor_store %c[%zero, %zero], %r : !tile.desc<128x128xf16>, tensor<128x128xf16>
  return
}

// -----

// Two loops have a stage and a cursor each; the second loop's has as many slots as its own attribute says.
// CHECK-LABEL: func.func @two_loops(
// CHECK: %[[ONE:.*]] = tile_gpu.channel : <3 x({{.*}}) barriers = true>
// CHECK: %[[TWO:.*]] = tile_gpu.channel : <2 x({{.*}}) barriers = true>
// CHECK: tile_gpu.roles
// CHECK: scf.for
// CHECK: tile_gpu.acquire %[[ONE]]
// CHECK: scf.for
// CHECK: tile_gpu.acquire %[[TWO]]
// CHECK: } warps 8
// CHECK: scf.for
// CHECK: tile_gpu.wait %[[ONE]]
// CHECK: tile_gpu.release
// CHECK: scf.for
// CHECK: tile_gpu.wait %[[TWO]]
// CHECK: tile_gpu.release
func.func @two_loops(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %before = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %before) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  } {tile.num_stages = 2 : i32}
  %r = tile.fp_cast %sum : tensor<128x128xf32> -> tensor<128x128xf16>
  tile.descriptor_store %c[%zero, %zero], %r : !tile.desc<128x128xf16>, tensor<128x128xf16>
  return
}

// -----

// Operands that are stored by columns are copied as they lie and transposed as views, which moves nothing. NaN is what
// the map fills with.
// CHECK-LABEL: func.func @transposed(
// CHECK: tile_gpu.tensor_map of 0 extents [#tile_gpu.argument<5>, #tile_gpu.argument<3>] {{.*}} box [64, 64] of f16 swizzle 128 nan : !llvm.ptr
// CHECK: tile_gpu.tensor_map of 1 {{.*}} box [128, 64] of f16 swizzle 128 : !llvm.ptr
// CHECK: %[[X:.*]] = tile_gpu.view %{{.*}} tile 0 : tensor<64x128xf16, #tile_gpu.layout<shared offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8]
// CHECK: %[[Y:.*]] = tile_gpu.view %{{.*}} tile 1 : tensor<128x64xf16
// CHECK: %[[XT:.*]] = tile.permute %[[X]] [1, 0] : {{.*}} -> tensor<128x64xf16, #tile_gpu.layout<shared offset = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [8, 1]
// CHECK: %[[YT:.*]] = tile.permute %[[Y]] [1, 0] : {{.*}} -> tensor<64x128xf16, #tile_gpu.layout<shared
// CHECK: tile.dot %[[XT]], %[[YT]]
// CHECK: tile_gpu.release
func.func @transposed(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %a = tile.make_descriptor %pa, [%k, %m], [%m, %unit] padding = nan : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %b = tile.make_descriptor %pb, [%n, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %xs = tile.descriptor_load %a[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %ys = tile.descriptor_load %b[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %x = tile.permute %xs [1, 0] : tensor<64x128xf16> -> tensor<128x64xf16>
    %y = tile.permute %ys [1, 0] : tensor<128x64xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %r = tile.fp_cast %sum : tensor<128x128xf32> -> tensor<128x128xf16>
  tile.descriptor_store %c[%zero, %zero], %r : !tile.desc<128x128xf16>, tensor<128x128xf16>
  return
}

// -----

// A corner that may lie before the tensor and rows that may end within 16 bytes: the engine stores when neither is so, else
// the threads do.
// CHECK-LABEL: func.func @conditional_store(
// CHECK: warps 8
// CHECK: %[[SEVEN:.*]] = arith.constant 7 : i64
// CHECK: %[[REST:.*]] = arith.andi %{{.*}}, %[[SEVEN]] : i64
// CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[REST]], %{{.*}} : i64
// CHECK: %[[SIGN:.*]] = arith.cmpi sge, %[[AT:.*]], %{{.*}} : i32
// CHECK: %[[BOTH:.*]] = arith.andi %[[WHOLE]], %[[SIGN]] : i1
// CHECK: %[[MOSTLY:.*]] = llvm.intr.expect %[[BOTH]], %true
// CHECK: scf.if %[[MOSTLY]] {
// CHECK-NEXT: tile_gpu.store_box %[[R:.*]] to %{{.*}}[%[[AT]], %c0_i32]
// CHECK-NEXT: } else {
// CHECK-NEXT: tile.descriptor_store %{{.*}}[%[[AT]], %c0_i32], %[[R]] {tile_gpu.in_place}
// CHECK-NEXT: }
// CHECK: tile_gpu.await_stores
func.func @conditional_store(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i64, %n: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %r = tile.fp_cast %sum : tensor<128x128xf32> -> tensor<128x128xf16>
  tile.descriptor_store %c[%steps, %zero], %r : !tile.desc<128x128xf16>, tensor<128x128xf16>
  return
}

// -----

// What does not lie as a product does, what comes through pointers, and what is narrower than 32 bytes, is stored by the
// threads, and nobody awaits anything.
// CHECK-LABEL: func.func @other_stores(
// CHECK: tile_gpu.roles
// CHECK-NOT: tile_gpu.store_box
// CHECK-NOT: tile_gpu.await_stores
// CHECK: tile.descriptor_store %{{.*}} : <128xf32>, tensor<128xf32>
// CHECK: tile.descriptor_store %{{.*}} : <128x128xf16>, tensor<128x128xf16>
// CHECK-NOT: tile_gpu.store_box
// CHECK-NOT: tile_gpu.await_stores
func.func @other_stores(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64, %steps: i32, %pd: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %s = tile.reduce (%sum) axis = 1 : (tensor<128x128xf32>) -> tensor<128xf32> {
  ^bb0(%p: f32, %q: f32):
    %add = arith.addf %p, %q : f32
    tile.yield %add : f32
  }
  %e = tile.make_descriptor %pd, [%m], [%unit] : !tile.ptr<f32> -> !tile.desc<128xf32>
  tile.descriptor_store %e[%zero], %s : !tile.desc<128xf32>, tensor<128xf32>
  %turn = tile.permute %sum [1, 0] : tensor<128x128xf32> -> tensor<128x128xf32>
  %r = tile.fp_cast %turn : tensor<128x128xf32> -> tensor<128x128xf16>
  tile.descriptor_store %c[%zero, %zero], %r : !tile.desc<128x128xf16>, tensor<128x128xf16>
  return
}

// -----

// One group of four warps keeps the registers that it has, and stores 64 rows; three parts of 32 columns go around three
// slots.
// CHECK-LABEL: func.func @one_group(
// CHECK: tile_gpu.tensor_map of 1 {{.*}} box [64, 32] of f16 swizzle 64
// CHECK: tile_gpu.tensor_map of 2 {{.*}} box [64, 32] of f16 swizzle 64 written
// CHECK: tile_gpu.channel : <3 x(tensor<64x32xf16, {{.*}}>)>{{$}}
// CHECK: tile_gpu.roles warps 4 alone {
// CHECK: } warps 4 {
// CHECK: tile_gpu.store_box {{.*}} : tensor<64x96xf16>
func.func @one_group(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<64x96xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x96xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x96xf16>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<64x96xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x96xf16> -> tensor<64x96xf16>
    %d = tile.dot %x, %y, %acc : tensor<64x64xf16>, tensor<64x96xf16>, tensor<64x96xf32>
    scf.yield %d : tensor<64x96xf32>
  }
  %r = tile.fp_cast %sum : tensor<64x96xf32> -> tensor<64x96xf16>
  tile.descriptor_store %c[%zero, %zero], %r : !tile.desc<64x96xf16>, tensor<64x96xf16>
  return
}

// -----

// Bytes that lie along K.
// CHECK-LABEL: func.func @bytes(
// CHECK: tile_gpu.tensor_map of 0 {{.*}} box [128, 64] of f8E4M3FN swizzle 64 : !llvm.ptr
// CHECK: tile_gpu.tensor_map of 1 {{.*}} box [128, 64] of f8E4M3FN swizzle 64 : !llvm.ptr
// CHECK: tile_gpu.roles
// CHECK: tile.permute {{.*}} -> tensor<64x128xf8E4M3FN, #tile_gpu.layout<shared
func.func @bytes(%pa: !tile.ptr<f8E4M3FN>, %pb: !tile.ptr<f8E4M3FN>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f8E4M3FN> -> !tile.desc<128x64xf8E4M3FN>
  %b = tile.make_descriptor %pb, [%n, %k], [%k, %unit] : !tile.ptr<f8E4M3FN> -> !tile.desc<128x64xf8E4M3FN>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf8E4M3FN> -> tensor<128x64xf8E4M3FN>
    %z = tile.descriptor_load %b[%zero, %from] : !tile.desc<128x64xf8E4M3FN> -> tensor<128x64xf8E4M3FN>
    %y = tile.permute %z [1, 0] : tensor<128x64xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf8E4M3FN>, tensor<64x128xf8E4M3FN>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// A column that may lie within 16 bytes, or before the tensor.
// CHECK-LABEL: func.func @store_at_any_column(
// CHECK: warps 8
// CHECK: %[[SEVEN:.*]] = arith.constant 7 : i32
// CHECK: %[[REST:.*]] = arith.andi %[[AT:.*]], %[[SEVEN]] : i32
// CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[REST]], %{{.*}} : i32
// CHECK: %[[SIGN:.*]] = arith.cmpi sge, %[[AT]], %{{.*}} : i32
// CHECK: %[[BOTH:.*]] = arith.andi %[[WHOLE]], %[[SIGN]] : i1
// CHECK: %[[MOSTLY:.*]] = llvm.intr.expect %[[BOTH]], %true
// CHECK: scf.if %[[MOSTLY]] {
// CHECK-NEXT: tile_gpu.store_box %{{.*}} to %{{.*}}[%c0_i32, %[[AT]]]
func.func @store_at_any_column(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %r = tile.fp_cast %sum : tensor<128x128xf32> -> tensor<128x128xf16>
  tile.descriptor_store %c[%zero, %steps], %r : !tile.desc<128x128xf16>, tensor<128x128xf16>
  return
}

// -----

// Results that the program reads again, or stores again, are stored by the threads: the engine stores some time later.
// CHECK-LABEL: func.func @not_last(
// CHECK: tile_gpu.roles
// CHECK: tile.descriptor_store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile_gpu.store_box
func.func @not_last(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %r = tile.fp_cast %sum : tensor<128x128xf32> -> tensor<128x128xf16>
  tile.descriptor_store %c[%zero, %zero], %r : !tile.desc<128x128xf16>, tensor<128x128xf16>
  tile.barrier
  tile.descriptor_store %c[%zero, %zero], %r : !tile.desc<128x128xf16>, tensor<128x128xf16>
  return
}

// -----

// The launch computes extents and strides, in as many bits as the kernel: 2 * n and n + m in 32, n * 64 in 64.
// CHECK-LABEL: func.func @computed_from_arguments(
// CHECK: tile_gpu.tensor_map of 0 extents [#tile_gpu.computed<multiply(#tile_gpu.argument<3>, 2 : i64) narrow = true>, #tile_gpu.computed<divide(#tile_gpu.computed<add(#tile_gpu.argument<3>, #tile_gpu.argument<5>) narrow = true>, 2 : i64)>]
// CHECK-SAME: strides [#tile_gpu.computed<multiply(#tile_gpu.argument<3>, 64 : i64)>]
// CHECK: tile_gpu.tensor_map of 1 extents [#tile_gpu.computed<subtract(#tile_gpu.argument<3>, #tile_gpu.argument<5>)>, #tile_gpu.computed<maximum(#tile_gpu.computed<ceil_divide(#tile_gpu.argument<3>, 8 : i64)>, 16 : i64)>]
// CHECK: tile_gpu.tensor_map of 2 extents [#tile_gpu.argument<3>, #tile_gpu.computed<minimum(#tile_gpu.argument<3>, 512 : i64)>]
// CHECK: tile_gpu.roles
func.func @computed_from_arguments(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %n: i32, %steps: i32, %m: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %unit = arith.constant 1 : i64
  %length = arith.constant 64 : i64
  %block = arith.constant 64 : i32
  %twice = arith.muli %n, %two : i32
  %rows = arith.extsi %twice : i32 to i64
  %wide = arith.extsi %n : i32 to i64
  %stride = arith.muli %wide, %length : i64
  %both = arith.addi %n, %m : i32
  %half = arith.divsi %both, %two : i32
  %columns = arith.extsi %half : i32 to i64
  %other = arith.extsi %m : i32 to i64
  %less = arith.subi %wide, %other : i64
  %eight = arith.constant 8 : i32
  %parts = tile.ceildivsi %n, %eight : i32
  %sixteen = arith.constant 16 : i32
  %most = arith.maxsi %parts, %sixteen : i32
  %groups = arith.extsi %most : i32 to i64
  %end = arith.constant 512 : i64
  %some = arith.minsi %wide, %end : i64
  %a = tile.make_descriptor %pa, [%rows, %columns], [%stride, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%less, %groups], [%stride, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%wide, %some], [%wide, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}
