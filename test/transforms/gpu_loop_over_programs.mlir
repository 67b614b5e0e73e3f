// SPDX-License-Identifier: MIT
// Kernels that are split run many programs in each CTA.
// RUN: tile-opt %s --tile-gpu-plan=target=sm_90a --tile-gpu-loop-over-programs -split-input-file | FileCheck %s

// One axis is asked for: the number of a program is its place along it, and its remainder by the others. What no program
// changes comes before the loop: arithmetic of arguments, descriptors, asserts. Tiles and stores are within.
// CHECK-LABEL: func.func @one_axis(
// CHECK: %[[EVERY:.*]] = arith.addi %arg5, %{{.*}} : i32
// CHECK: tile.assert
// CHECK: tile.make_descriptor %arg0
// CHECK: tile.make_descriptor %arg1
// CHECK: tile.make_descriptor %arg2
// CHECK: %[[X:.*]] = tile.num_programs x
// CHECK: %[[Y:.*]] = tile.num_programs y
// CHECK: %[[Z:.*]] = tile.num_programs z
// CHECK: %[[PLANE:.*]] = arith.muli %[[X]], %[[Y]]
// CHECK: %[[ALL:.*]] = arith.muli %[[PLANE]], %[[Z]]
// CHECK: %[[FIRST:.*]] = tile_gpu.cta_id
// CHECK: %[[STEP:.*]] = tile_gpu.cta_count
// CHECK-NEXT: scf.for unsigned %[[NUMBER:.*]] = %[[FIRST]] to %[[ALL]] step %[[STEP]] : i32 {
// CHECK-NEXT: %[[ID:.*]] = arith.remui %[[NUMBER]], %[[X]]
// CHECK-NEXT: %[[KNOWN:.*]] = tile.assume %[[ID]] {range = array<i64: 0, 2147483646>}
// CHECK-NEXT: arith.constant dense
// CHECK-NEXT: %[[AT:.*]] = arith.muli %[[KNOWN]], %{{.*}}
// CHECK-NEXT: scf.for {{.*}} to %[[EVERY]]
// CHECK-NOT: tile.program_id
// CHECK: tile.descriptor_store
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @one_axis(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %id = tile.program_id x
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %every = arith.addi %steps, %one : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 128 : i32
  %at = arith.muli %id, %block : i32
  %few = arith.cmpi slt, %steps, %block : i32
  tile.assert %few, "few" : i1
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %m], [%m, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %sum = scf.for %i = %zero to %every step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%at, %from] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %c = tile.make_descriptor %pc, [%m, %m], [%m, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  tile.descriptor_store %c[%at, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// All three axes, x first; an axis that is asked for twice is found once. The kernel's own counts of programs stay.
// CHECK-LABEL: func.func @three_axes(
// CHECK: tile.num_programs z
// CHECK: %[[X:.*]] = tile.num_programs x
// CHECK: %[[Y:.*]] = tile.num_programs y
// CHECK: %[[PLANE:.*]] = arith.muli %[[X]], %[[Y]]
// CHECK: scf.for unsigned %[[NUMBER:.*]] =
// CHECK-DAG: %[[I:.*]] = arith.remui %[[NUMBER]], %[[X]]
// CHECK-DAG: %[[J0:.*]] = arith.divui %[[NUMBER]], %[[X]]
// CHECK-DAG: %[[J:.*]] = arith.remui %[[J0]], %[[Y]]
// CHECK-DAG: %[[K:.*]] = arith.divui %[[NUMBER]], %[[PLANE]]
// CHECK-DAG: tile.assume %[[I]] {range
// CHECK-DAG: tile.assume %[[J]] {range
// CHECK-DAG: tile.assume %[[K]] {range
// CHECK-NOT: tile.program_id
// CHECK-NOT: arith.remui
// CHECK: tile.dot
func.func @three_axes(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %k: i64) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %i = tile.program_id x
  %j = tile.program_id y
  %l = tile.program_id z
  %again = tile.program_id x
  %count = tile.num_programs z
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %row = arith.muli %i, %block : i32
  %column = arith.muli %j, %block : i32
  %deep = arith.muli %l, %block : i32
  %far = arith.addi %again, %count : i32
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %b = tile.make_descriptor %pb, [%k, %m], [%m, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %x = tile.descriptor_load %a[%row, %deep] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %y = tile.descriptor_load %b[%deep, %column] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %d = tile.dot %x, %y, %none : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %c = tile.make_descriptor %pc, [%m, %m], [%m, %unit] : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  tile.descriptor_store %c[%far, %column], %d : !tile.desc<64x64xf32>, tensor<64x64xf32>
  return
}

// -----

// Numbers along several axes are what the kernel begins with.
// CHECK-LABEL: func.func @first_of_all(
// CHECK: scf.for unsigned %[[NUMBER:.*]] =
// CHECK-NEXT: %[[X:.*]] = arith.remui %[[NUMBER]],
// CHECK-NEXT: %[[I:.*]] = tile.assume %[[X]]
// CHECK-NEXT: %[[ROW:.*]] = arith.divui %[[NUMBER]],
// CHECK-NEXT: %[[Y:.*]] = arith.remui %[[ROW]],
// CHECK-NEXT: %[[J:.*]] = tile.assume %[[Y]]
// CHECK-NEXT: arith.addi %[[J]], %[[I]]
func.func @first_of_all(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %k: i64) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %i = tile.program_id x
  %j = tile.program_id y
  %number = arith.addi %j, %i : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %zero = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : <f16> -> <128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %m], [%m, %unit] : <f16> -> <64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %m], [%m, %unit] : <f32> -> <128x128xf32>
  %x = tile.descriptor_load %a[%number, %zero] : <128x64xf16> -> tensor<128x64xf16>
  %y = tile.descriptor_load %b[%zero, %zero] : <64x128xf16> -> tensor<64x128xf16>
  %sum = tile.dot %x, %y, %none : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
  tile.descriptor_store %c[%number, %zero], %sum : <128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// Programs of unequal lengths: every second round that is whole is in reverse order.
// CHECK-LABEL: func.func @longer_and_longer(
// CHECK: %[[PLANE:.*]] = arith.muli
// CHECK: %[[ALL:.*]] = arith.muli %[[PLANE]]
// CHECK: %[[FIRST:.*]] = tile_gpu.cta_id
// CHECK: %[[STEP:.*]] = tile_gpu.cta_count
// CHECK: scf.for unsigned %[[NUMBER:.*]] = %[[FIRST]] to %[[ALL]] step %[[STEP]] : i32 {
// CHECK: %[[BEGIN:.*]] = arith.subi %[[NUMBER]], %[[FIRST]]
// CHECK: %[[ROUND:.*]] = arith.divui %[[BEGIN]], %[[STEP]]
// CHECK: %[[IS_ODD:.*]] = arith.trunci %[[ROUND]] : i32 to i1
// CHECK: %[[END:.*]] = arith.addi %[[BEGIN]], %[[STEP]]
// CHECK: %[[IS_WHOLE:.*]] = arith.cmpi ule, %[[END]], %[[ALL]]
// CHECK: %[[LAST:.*]] = arith.subi %[[END]], %[[FIRST]]
// CHECK: %[[REVERSED:.*]] = arith.subi %[[LAST]], %{{.*}}
// CHECK: %[[IS:.*]] = arith.andi %[[IS_ODD]], %[[IS_WHOLE]]
// CHECK: %[[PROGRAM:.*]] = arith.select %[[IS]], %[[REVERSED]], %[[NUMBER]]
// CHECK: arith.remui %[[PROGRAM]]
func.func @longer_and_longer(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %k: i64) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %id = tile.program_id x
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %steps = arith.addi %id, %one : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %m], [%m, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %m], [%m, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
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
