// SPDX-License-Identifier: MIT
// RUN: tile-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{a plan with in_turn = false must have 2 roles, not 3 numbers of warps and 2 of registers}}
func.func @roles() attributes {tile_gpu.plan = #tile_gpu.plan<warps = [4, 8, 8], registers = [40, 232]>} {
  return
}

// -----

// expected-error @+1 {{a plan with in_turn = true must have 3 roles, not 2 numbers of warps and 2 of registers}}
func.func @in_turn() attributes {tile_gpu.plan = #tile_gpu.plan<warps = [4, 8], registers = [40, 232], in_turn = true>} {
  return
}

// -----

// expected-error @+1 {{a role of a plan must have warps, not 0}}
func.func @warps() attributes {tile_gpu.plan = #tile_gpu.plan<warps = [4, 0], registers = [40, 232]>} {
  return
}

// -----

// expected-error @+1 {{a role of a plan must have 0 or more registers, not -1}}
func.func @registers() attributes {tile_gpu.plan = #tile_gpu.plan<warps = [4, 4], registers = [-1, 232]>} {
  return
}

// -----

func.func @slots(%a: !tile.desc<64x64xf16>, %i: i32) {
  // expected-error @+1 {{a channel must have 1 to 32 slots, not 0}}
  %x = tile.descriptor_load %a[%i, %i] {tile_gpu.fill = #tile_gpu.fill<channel = 1, slots = 0>} : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  return
}

// -----

func.func @channel(%a: !tile.desc<64x64xf16>, %i: i32) {
  // expected-error @+1 {{a channel must have a number of 0 or more, not -1}}
  %x = tile.descriptor_load %a[%i, %i] {tile_gpu.fill = #tile_gpu.fill<channel = -1, slots = 1>} : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  return
}

// -----

// expected-error @+1 {{`tile_gpu.plan` must be a #tile_gpu.plan, at a kernel}}
func.func @plan() attributes {tile_gpu.plan} {
  return
}

// -----

func.func @fill(%p: !tile.ptr<f16>) {
  // expected-error @+1 {{`tile_gpu.fill` must be a #tile_gpu.fill, at a tile.descriptor_load}}
  %x = tile.load %p {tile_gpu.fill = #tile_gpu.fill<channel = 1, slots = 2>} : !tile.ptr<f16>
  return
}

// -----

func.func @loop(%n: i32) {
  // expected-error @+1 {{`tile_gpu.in_turn` must be a unit attribute, at an scf.for}}
  scf.for %i = %n to %n step %n : i32 {
  } {tile_gpu.in_turn = 1}
  return
}

// -----

// expected-error @+1 {{`tile_gpu.programs` must be a unit attribute, at an scf.for}}
func.func @programs() attributes {tile_gpu.programs} {
  return
}

// -----

func.func @no_slots(%x: tensor<16x16xf16>, %sum: tensor<16x16xf32>) {
  // expected-error @+1 {{`tile_gpu.put_slots` must be a positive number of type i64, at a tile.dot}}
  %0 = tile.dot %x, %x, %sum {tile_gpu.put_slots = 0 : i64} : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  return
}

// -----

func.func @elsewhere(%x: i32) {
  // expected-error @+1 {{`tile_gpu.put_slots` must be a positive number of type i64, at a tile.dot}}
  %0 = arith.addi %x, %x {tile_gpu.put_slots = 3 : i64} : i32
  return
}

// -----

func.func @behind_what(%x: tensor<16x16xf16>, %sum: tensor<16x16xf32>) {
  // expected-error @+1 {{`tile_gpu.behind` must be a unit attribute, at a tile.dot}}
  %0 = tile.dot %x, %x, %sum {tile_gpu.behind = 1 : i64} : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  return
}

// -----

func.func @behind_nothing(%x: i32) {
  // expected-error @+1 {{`tile_gpu.behind` must be a unit attribute, at a tile.dot}}
  %0 = arith.addi %x, %x {tile_gpu.behind} : i32
  return
}

// -----

func.func @anchored_by(%p: !tile.ptr<f16>, %m: i64) {
  // expected-error @+1 {{`tile_gpu.anchored` must be a unit attribute, at a tile.make_descriptor}}
  %0 = tile.make_descriptor %p, [%m, %m], [%m, %m] {tile_gpu.anchored = 1 : i64} : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  return
}

// -----

func.func @anchored_number(%x: i32) {
  // expected-error @+1 {{`tile_gpu.anchored` must be a unit attribute, at a tile.make_descriptor}}
  %0 = arith.addi %x, %x {tile_gpu.anchored} : i32
  return
}
