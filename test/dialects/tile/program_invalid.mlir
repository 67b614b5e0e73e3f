// SPDX-License-Identifier: MIT
// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @axis() {
  // expected-error @+1 {{unknown Axis 'w'}}
  %0 = tile.program_id w
  return
}

// -----

func.func @no_fact(%n: i32) {
  // expected-error @+1 {{states no fact: give `divisible`, `contiguous`, `constant` or `range`}}
  %0 = tile.assume %n : i32
  return
}

// -----

func.func @divisible_float(%x: f32) {
  // expected-error @+1 {{only `constant` can be assumed of floats, here of elements 'f32'}}
  %0 = tile.assume %x {divisible = 4 : i64} : f32
  return
}

// -----

func.func @divisible_by_zero(%n: i32) {
  // expected-error @+1 {{`divisible` is at least 1, not 0}}
  %0 = tile.assume %n {divisible = 0 : i64} : i32
  return
}

// -----

func.func @runs_of_a_scalar(%n: i32) {
  // expected-error @+1 {{`contiguous` is about runs along the last axis, and a scalar has no axes}}
  %0 = tile.assume %n {contiguous = 4 : i64} : i32
  return
}

// -----

func.func @runs_that_do_not_fit(%t: tensor<16x48xi32>) {
  // expected-error @+1 {{runs of `constant = 32` do not divide the last axis of extent 48}}
  %0 = tile.assume %t {constant = 32 : i64} : tensor<16x48xi32>
  return
}

// -----

func.func @negative_runs(%t: tensor<16xi32>) {
  // expected-error @+1 {{`contiguous` is a number of elements, at least 1, not -4}}
  %0 = tile.assume %t {contiguous = -4 : i64} : tensor<16xi32>
  return
}

// -----

func.func @range_of_pointers(%p: !tile.ptr<f32>) {
  // expected-error @+1 {{a `range` is for integers, not for '!tile.ptr<f32>'}}
  %0 = tile.assume %p {range = array<i64: 0, 1>} : !tile.ptr<f32>
  return
}

// -----

func.func @range_with_one_end(%n: i32) {
  // expected-error @+1 {{a `range` has two ends, not 1}}
  %0 = tile.assume %n {range = array<i64: 0>} : i32
  return
}

// -----

func.func @backward_range(%n: i32) {
  // expected-error @+1 {{`range` ends before it begins: [4, 3]}}
  %0 = tile.assume %n {range = array<i64: 4, 3>} : i32
  return
}

// -----

func.func @wide_range(%n: i32) {
  // expected-error @+1 {{`range` [0, 4294967295] does not fit 'i32', whose values are read as signed}}
  %0 = tile.assume %n {range = array<i64: 0, 4294967295>} : i32
  return
}

// -----

func.func @assumed_number(%n: i32) {
  // expected-error @+1 {{operand #0 must be a condition or a tile of conditions, but got 'i32'}}
  tile.assume_true %n : i32
  return
}

// -----

func.func @apart_tile(%p: !tile.ptr<f16>, %q: tensor<8x!tile.ptr<f16>>) {
  // expected-error @+1 {{operand #1 must be the address of an element in global memory, but got 'tensor<8x!tile.ptr<f16>>'}}
  tile.assume_apart %p, %q : !tile.ptr<f16>, tensor<8x!tile.ptr<f16>>
  return
}

// -----

func.func @mask_of_assert(%c: tensor<8xi1>, %m: tensor<4xi1>) {
  // expected-error @+1 {{the mask has the condition's shape}}
  "tile.assert"(%c, %m) {message = "m"} : (tensor<8xi1>, tensor<4xi1>) -> ()
  return
}

// -----

func.func @signs_of_print(%n: i32) {
  // expected-error @+1 {{`unsigned_operands` has 2 entries for 1 values}}
  tile.print "n"(%n) {unsigned_operands = array<i1: true, true>} : i32
  return
}
