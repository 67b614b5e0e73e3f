// SPDX-License-Identifier: MIT
// Kernels that stay one program, each for one reason.
// RUN: tile-opt %s --tile-gpu-plan=target=sm_90a --tile-gpu-specialize-warps=target=sm_90a -split-input-file | FileCheck %s
// RUN: tile-opt %s --tile-gpu-plan=target=sm_90a --tile-gpu-loop-over-programs -split-input-file | FileCheck %s
// RUN: tile-opt %s --tile-gpu-plan="target=sm_90a remarks=true" --tile-gpu-specialize-warps="target=sm_90a remarks=true" -split-input-file 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// What is said of each, in turn.
// REMARK: remark: this kernel gets no roles of warps: the sums need too many registers of a thread; use a smaller block or more warps
// REMARK: remark: this kernel gets no roles of warps: no warp is left to copy; use num_warps = 16 or less
// REMARK: remark: this kernel gets no roles of warps: max_registers limits all threads alike, and roles need different numbers of registers; leave it out
// REMARK: remark: this kernel gets no roles of warps: the sums need too many registers of a thread; use a smaller block or more warps
// REMARK: remark: this kernel gets no roles of warps: the sums need too many registers of a thread; use a smaller block or more warps
// CHECK-NOT: tile_gpu.

// Two warps that hold all sums, and as many warps as a CTA can have.
// CHECK-LABEL: func.func @two_warps(
// CHECK-NOT: tile_gpu.
func.func @two_warps(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 2 : i32} {
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
    scf.yield %d : tensor<128x128xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// CHECK-LABEL: func.func @thirty_two_warps(
// CHECK-NOT: tile_gpu.
func.func @thirty_two_warps(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 32 : i32} {
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
    scf.yield %d : tensor<128x128xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// A limit of registers is for all threads alike.
// CHECK-LABEL: func.func @limited_registers(
// CHECK-NOT: tile_gpu.
func.func @limited_registers(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %n: i64, %k: i64, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.max_registers = 128 : i32} {
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
    scf.yield %d : tensor<128x128xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// Of sixteen warps a thread has 104 registers, and 96 when it begins, by which the assembler takes instructions.
// CHECK-LABEL: func.func @sixteen_warps(
// CHECK-NOT: tile_gpu.
func.func @sixteen_warps(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %k: i64, %steps: i32)
    attributes {tile.kernel, tile.num_warps = 16 : i32} {
  %unit = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<256x144xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<256x64xf16>
  %b = tile.make_descriptor %pb, [%k, %m], [%m, %unit] : !tile.ptr<f16> -> !tile.desc<64x144xf16>
  %c = tile.make_descriptor %pc, [%m, %m], [%m, %unit] : !tile.ptr<f32> -> !tile.desc<256x144xf32>
  %acc = scf.for %i = %zero to %steps step %one iter_args(%sum = %none) -> (tensor<256x144xf32>) : i32 {
    %kk = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %kk] : !tile.desc<256x64xf16> -> tensor<256x64xf16>
    %y = tile.descriptor_load %b[%kk, %zero] : !tile.desc<64x144xf16> -> tensor<64x144xf16>
    %d = tile.dot %x, %y, %sum : tensor<256x64xf16>, tensor<64x144xf16>, tensor<256x144xf32>
    scf.yield %d : tensor<256x144xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %acc : !tile.desc<256x144xf32>, tensor<256x144xf32>
  return
}

// -----

// Of eight it has 240 at most.
// CHECK-LABEL: func.func @eight_warps(
// CHECK-NOT: tile_gpu.
func.func @eight_warps(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %m: i64, %k: i64, %steps: i32)
    attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %unit = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<256x224xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<256x64xf16>
  %b = tile.make_descriptor %pb, [%k, %m], [%m, %unit] : !tile.ptr<f16> -> !tile.desc<64x224xf16>
  %c = tile.make_descriptor %pc, [%m, %m], [%m, %unit] : !tile.ptr<f32> -> !tile.desc<256x224xf32>
  %acc = scf.for %i = %zero to %steps step %one iter_args(%sum = %none) -> (tensor<256x224xf32>) : i32 {
    %kk = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %kk] : !tile.desc<256x64xf16> -> tensor<256x64xf16>
    %y = tile.descriptor_load %b[%kk, %zero] : !tile.desc<64x224xf16> -> tensor<64x224xf16>
    %d = tile.dot %x, %y, %sum : tensor<256x64xf16>, tensor<64x224xf16>, tensor<256x224xf32>
    scf.yield %d : tensor<256x224xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %acc : !tile.desc<256x224xf32>, tensor<256x224xf32>
  return
}
