// SPDX-License-Identifier: MIT
// Two CTAs share a program: the rows of the product are divided, and all that is made of it.
// RUN: tile-opt %s --tile-gpu-plan=target=sm_90a --tile-gpu-partition-over-ctas -split-input-file | FileCheck %s
// RUN: tile-opt %s --tile-gpu-plan=target=sm_90a --tile-gpu-partition-over-ctas --tile-gpu-specialize-warps=target=sm_90a -split-input-file | FileCheck %s --check-prefix=ROLES

// Operand A, the sums, what an epilogue makes of them and the result are of half the rows, at the rank's place. B is as
// it was, and each CTA has half of its boxes copied to both.
// CHECK-LABEL: func.func @product(
// CHECK: %[[RANK:.*]] = tile_gpu.cta_rank
// CHECK: arith.constant dense<0.000000e+00> : tensor<128x128xf32>
// CHECK: %[[OFFSET:.*]] = arith.muli %[[RANK]], %{{.*}} : i32
// CHECK: %[[OWN:.*]] = arith.addi %arg6, %[[OFFSET]]
// CHECK: tile.descriptor_load %{{.*}}[%[[OWN]], %{{.*}}] {{.*}} : <128x64xf16> -> tensor<128x64xf16>
// CHECK: tile.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}] {{.*}} : <64x128xf16> -> tensor<64x128xf16>
// CHECK: tile.dot {{.*}} tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
// CHECK: arith.addf {{.*}} : tensor<128x128xf32>
// CHECK: tile.fp_cast {{.*}} -> tensor<128x128xf16>
// CHECK: %[[BELOW:.*]] = arith.muli %[[RANK]], %{{.*}} : i32
// CHECK: %[[ROW:.*]] = arith.addi %arg6, %[[BELOW]]
// CHECK: tile.descriptor_store %{{.*}}[%[[ROW]], %arg6], %{{.*}} : <128x128xf16>, tensor<128x128xf16>
// ROLES-LABEL: func.func @product(
// ROLES: tile_gpu.copy_box %{{.*}} tile 0 : !llvm.ptr
// ROLES: tile_gpu.copy_box %{{.*}} tile 1 shared : !llvm.ptr
func.func @product(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f16>, %m: i64, %k: i64, %steps: i32, %at: i32)
    attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_ctas = 2 : i32} {
  %unit = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<256x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<256x64xf16>
  %b = tile.make_descriptor %pb, [%k, %m], [%m, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %m], [%m, %unit] : !tile.ptr<f16> -> !tile.desc<256x128xf16>
  %acc = scf.for %i = %zero to %steps step %one iter_args(%sum = %none) -> (tensor<256x128xf32>) : i32 {
    %kk = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%at, %kk] : !tile.desc<256x64xf16> -> tensor<256x64xf16>
    %aligned = tile.assume %at {divisible = 8 : i64} : i32
    %y = tile.descriptor_load %b[%kk, %aligned] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %sum : tensor<256x64xf16>, tensor<64x128xf16>, tensor<256x128xf32>
    scf.yield %d : tensor<256x128xf32>
  }
  %twice = arith.addf %acc, %acc : tensor<256x128xf32>
  %r = tile.fp_cast %twice : tensor<256x128xf32> -> tensor<256x128xf16>
  tile.descriptor_store %c[%at, %at], %r : !tile.desc<256x128xf16>, tensor<256x128xf16>
  return
}

// -----

// One block is both operands: each CTA has its rows of it, and all of it.
// CHECK-LABEL: func.func @gram(
// CHECK: tile.descriptor_load %{{.*}}[%arg{{[0-9]+}}, %{{.*}}] {{.*}} : <128x64xf16> -> tensor<128x64xf16>
// CHECK: %[[OWN:.*]] = tile.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}] {{.*}} : <64x64xf16> -> tensor<64x64xf16>
// CHECK: %[[ALL:.*]] = tile.permute %{{.*}} [1, 0] : tensor<128x64xf16> -> tensor<64x128xf16>
// CHECK: tile.dot %[[OWN]], %[[ALL]], {{.*}} tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>
// ROLES-LABEL: func.func @gram(
// ROLES: tile_gpu.copy_box %{{.*}} tile 0 shared : !llvm.ptr
// ROLES: tile_gpu.copy_box %{{.*}} tile 1 : !llvm.ptr
func.func @gram(%pa: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %k: i64, %steps: i32, %at: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_ctas = 2 : i32} {
  %unit = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %c = tile.make_descriptor %pc, [%m, %m], [%m, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %acc = scf.for %i = %zero to %steps step %one iter_args(%sum = %none) -> (tensor<128x128xf32>) : i32 {
    %kk = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%at, %kk] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %t = tile.permute %x [1, 0] : tensor<128x64xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %t, %sum : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.descriptor_store %c[%at, %at], %acc : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// Rows of the tile are columns of what is stored: each CTA stores its own columns.
// CHECK-LABEL: func.func @stored_transposed(
// CHECK: %[[RANK:.*]] = tile_gpu.cta_rank
// CHECK: tile.dot {{.*}} tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
// CHECK: tile.permute {{.*}} [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
// CHECK: %[[BESIDE:.*]] = arith.muli %[[RANK]], %{{.*}} : i32
// CHECK: %[[COLUMN:.*]] = arith.addi %arg7, %[[BESIDE]]
// CHECK: tile.descriptor_store %{{.*}}[%arg6, %[[COLUMN]]], %{{.*}} : <64x64xf32>, tensor<64x64xf32>
// ROLES-LABEL: func.func @stored_transposed(
// ROLES: tile_gpu.copy_box %{{.*}} tile 0 : !llvm.ptr
// ROLES: tile_gpu.copy_box %{{.*}} tile 1 shared : !llvm.ptr
func.func @stored_transposed(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %k: i64, %steps: i32, %row: i32, %column: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_ctas = 2 : i32} {
  %unit = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %m], [%m, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %acc = scf.for %i = %zero to %steps step %one iter_args(%sum = %none) -> (tensor<128x64xf32>) : i32 {
    %kk = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%column, %kk] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %aligned = tile.assume %row {divisible = 8 : i64} : i32
    %y = tile.descriptor_load %b[%kk, %aligned] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %sum : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  }
  %c = tile.make_descriptor %pc, [%m, %m], [%m, %unit] : !tile.ptr<f32> -> !tile.desc<64x128xf32>
  %t = tile.permute %acc [1, 0] : tensor<128x64xf32> -> tensor<64x128xf32>
  tile.descriptor_store %c[%row, %column], %t : !tile.desc<64x128xf32>, tensor<64x128xf32>
  return
}

// -----

// Scales of rows: each CTA loads those of its own.
// CHECK-LABEL: func.func @scales(
// CHECK: %[[RANK:.*]] = tile_gpu.cta_rank
// CHECK: %[[HALF:.*]] = tile.arange 0 to 128 : tensor<128xi32>
// CHECK: %[[BELOW:.*]] = arith.muli %[[RANK]], %{{.*}} : i32
// CHECK: %[[FIRST:.*]] = tile.splat %[[BELOW]] : i32 -> tensor<128xi32>
// CHECK: %[[OWN:.*]] = arith.addi %[[HALF]], %[[FIRST]] : tensor<128xi32>
// CHECK: tile.addptr %{{.*}}, %[[OWN]] : tensor<128x!tile.ptr<f32>>
// CHECK: tile.load %{{.*}} : tensor<128x!tile.ptr<f32>>
// CHECK: tile.expand_dims {{.*}} : tensor<128xf32> -> tensor<128x1xf32>
// CHECK: tile.broadcast {{.*}} : tensor<128x1xf32> -> tensor<128x128xf32>
// CHECK: arith.mulf {{.*}} : tensor<128x128xf32>
func.func @scales(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %ps: !tile.ptr<f32>, %m: i64, %k: i64, %steps: i32, %at: i32)
    attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_ctas = 2 : i32} {
  %unit = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<256x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<256x64xf16>
  %b = tile.make_descriptor %pb, [%k, %m], [%m, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %m], [%m, %unit] : !tile.ptr<f32> -> !tile.desc<256x128xf32>
  %i = tile.arange 0 to 256 : tensor<256xi32>
  %acc = scf.for %step = %zero to %steps step %one iter_args(%sum = %none) -> (tensor<256x128xf32>) : i32 {
    %kk = arith.muli %step, %block : i32
    %x = tile.descriptor_load %a[%at, %kk] : !tile.desc<256x64xf16> -> tensor<256x64xf16>
    %y = tile.descriptor_load %b[%kk, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %none : tensor<256x64xf16>, tensor<64x128xf16>, tensor<256x128xf32>
    %q = tile.splat %ps : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
    %r = tile.addptr %q, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
    %s = tile.load %r : tensor<256x!tile.ptr<f32>>
    %e = tile.expand_dims %s {axis = 1 : i32} : tensor<256xf32> -> tensor<256x1xf32>
    %w = tile.broadcast %e : tensor<256x1xf32> -> tensor<256x128xf32>
    %f = arith.mulf %d, %w : tensor<256x128xf32>
    %g = arith.addf %sum, %f : tensor<256x128xf32>
    scf.yield %g : tensor<256x128xf32>
  }
  tile.descriptor_store %c[%at, %zero], %acc : !tile.desc<256x128xf32>, tensor<256x128xf32>
  return
}

// -----

// A residual is loaded, and the result stored, through the same tile of pointers: each CTA has those of its rows.
// CHECK-LABEL: func.func @through_pointers(
// CHECK: %[[RANK:.*]] = tile_gpu.cta_rank
// CHECK: tile.arange 0 to 128 : tensor<128xi32>
// CHECK: %[[BELOW:.*]] = arith.muli %[[RANK]], %{{.*}} : i32
// CHECK: %[[FIRST:.*]] = tile.splat %[[BELOW]] : i32 -> tensor<64xi32>
// CHECK: arith.addi %{{.*}}, %[[FIRST]] : tensor<64xi32>
// CHECK: tile.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x64x!tile.ptr<f32>>
// CHECK: arith.addf {{.*}} : tensor<64x64xf32>
// CHECK: tile.store %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x64x!tile.ptr<f32>>
// ROLES-LABEL: func.func @through_pointers(
// ROLES: tile_gpu.roles
func.func @through_pointers(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %k: i64, %steps: i32, %rows: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_ctas = 2 : i32} {
  %unit = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %m], [%m, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %acc = scf.for %step = %zero to %steps step %one iter_args(%sum = %none) -> (tensor<128x64xf32>) : i32 {
    %kk = arith.muli %step, %block : i32
    %x = tile.descriptor_load %a[%zero, %kk] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%kk, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %sum : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  }
  %i = tile.arange 0 to 128 : tensor<128xi32>
  %j = tile.arange 0 to 64 : tensor<64xi32>
  %wide = arith.constant dense<64> : tensor<128x1xi32>
  %column = tile.expand_dims %i {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %row = tile.expand_dims %j {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %begin = arith.muli %column, %wide : tensor<128x1xi32>
  %begins = tile.broadcast %begin : tensor<128x1xi32> -> tensor<128x64xi32>
  %beside = tile.broadcast %row : tensor<1x64xi32> -> tensor<128x64xi32>
  %at = arith.addi %begins, %beside : tensor<128x64xi32>
  %ps = tile.splat %pc : !tile.ptr<f32> -> tensor<128x64x!tile.ptr<f32>>
  %ptr = tile.addptr %ps, %at : tensor<128x64x!tile.ptr<f32>>, tensor<128x64xi32>
  %all = tile.splat %rows : i32 -> tensor<128x1xi32>
  %exists = arith.cmpi slt, %column, %all : tensor<128x1xi32>
  %mask = tile.broadcast %exists : tensor<128x1xi1> -> tensor<128x64xi1>
  %old = tile.load %ptr, %mask, %none : tensor<128x64x!tile.ptr<f32>>
  %new = arith.addf %acc, %old : tensor<128x64xf32>
  tile.store %ptr, %new, %mask : tensor<128x64x!tile.ptr<f32>>
  return
}
