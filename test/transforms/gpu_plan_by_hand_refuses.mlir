// SPDX-License-Identifier: MIT
// Plans that cannot be followed are errors, at the op that contradicts them.
// RUN: tile-opt %s --tile-gpu-specialize-warps=target=sm_90a -split-input-file -verify-diagnostics

// expected-error @+1 {{the plan of this kernel cannot be followed: no load of a product fills a channel that this GPU can fill}}
func.func @no_fills(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %k: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile_gpu.plan = #tile_gpu.plan<warps = [4, 4], registers = [0, 0]>} {
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
    %x = tile.descriptor_load %a[%zero, %kk] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %y = tile.descriptor_load %b[%kk, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %acc : !tile.desc<64x64xf32>, tensor<64x64xf32>
  return
}

// -----

func.func @one_operand(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %k: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile_gpu.plan = #tile_gpu.plan<warps = [4, 4], registers = [0, 0]>} {
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
    %y = tile.descriptor_load %b[%kk, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    // expected-error @+1 {{the plan of this kernel cannot be followed: all blocks that a product needs must fill a channel, or none of them}}
    %d = tile.dot %x, %y, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %acc : !tile.desc<64x64xf32>, tensor<64x64xf32>
  return
}

// -----

func.func @two_depths(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %k: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile_gpu.plan = #tile_gpu.plan<warps = [4, 4], registers = [0, 0]>} {
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
    // expected-error @+1 {{the plan of this kernel cannot be followed: the loads of one channel must be in one loop body or branch, and name one number of slots}}
    %y = tile.descriptor_load %b[%kk, %zero] {tile_gpu.fill = #tile_gpu.fill<channel = 0, slots = 3>} : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %acc : !tile.desc<64x64xf32>, tensor<64x64xf32>
  return
}

// -----

// expected-error @+1 {{the plan of this kernel cannot be followed: each role that multiplies must have the kernel's tile.num_warps}}
func.func @other_warps(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %k: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile_gpu.plan = #tile_gpu.plan<warps = [4, 8], registers = [0, 0]>} {
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

// expected-error @+1 {{the plan of this kernel cannot be followed: in_turn needs a loop that is marked tile_gpu.in_turn}}
func.func @no_turns(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %k: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile_gpu.plan = #tile_gpu.plan<warps = [4, 4, 4], registers = [0, 0, 0], in_turn = true>} {
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

func.func @another_loop(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %k: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile_gpu.plan = #tile_gpu.plan<warps = [4, 4, 4], registers = [0, 0, 0], in_turn = true>} {
  %unit = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %b = tile.make_descriptor %pb, [%k, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %c = tile.make_descriptor %pc, [%m, %k], [%k, %unit] : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  // expected-error @+1 {{the plan of this kernel cannot be followed: in_turn needs a loop that is marked tile_gpu.in_turn}}
  %acc = scf.for %i = %zero to %steps step %one iter_args(%sum = %none) -> (tensor<64x64xf32>) : i32 {
    %kk = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %kk] {tile_gpu.fill = #tile_gpu.fill<channel = 0, slots = 2>} : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %y = tile.descriptor_load %b[%kk, %zero] {tile_gpu.fill = #tile_gpu.fill<channel = 0, slots = 2>} : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  } {tile_gpu.in_turn}
  tile.descriptor_store %c[%zero, %zero], %acc : !tile.desc<64x64xf32>, tensor<64x64xf32>
  return
}

// -----

func.func @anchored_without_alignment(%pa: !tile.ptr<!tile.ptr<f16>>, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 4 : i32, tile_gpu.plan = #tile_gpu.plan<warps = [4, 4], registers = [0, 0]>} {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %width = arith.constant 64 : i64
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %q = tile.load %pa : !tile.ptr<!tile.ptr<f16>>
  // expected-error @+1 {{the plan of this kernel cannot be followed: the map of this tensor cannot be anchored: the length and the distance of its rows must be known at the launch, and its base must be promised to be aligned}}
  %a = tile.make_descriptor %q, [%width, %width], [%width, %unit] {tile_gpu.anchored} : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %b = tile.make_descriptor %pb, [%width, %width], [%width, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %c = tile.make_descriptor %pc, [%width, %width], [%width, %unit] : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  %x = tile.descriptor_load %a[%zero, %zero] {tile_gpu.fill = #tile_gpu.fill<channel = 0, slots = 1>} : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %y = tile.descriptor_load %b[%zero, %zero] {tile_gpu.fill = #tile_gpu.fill<channel = 0, slots = 1>} : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %d = tile.dot %x, %y, %none : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.descriptor_store %c[%zero, %zero], %d : !tile.desc<64x64xf32>, tensor<64x64xf32>
  return
}
