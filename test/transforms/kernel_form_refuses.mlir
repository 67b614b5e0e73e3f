// SPDX-License-Identifier: MIT
// What no operation's own verifier sees is refused by each pass on tiles, with a place: blocks that branch, constants
// without elements, tensors that are no tiles. The passes ignore a function without a body.
// RUN: tile-opt %s --tile-assign-layouts --split-input-file --verify-diagnostics
// RUN: tile-opt %s --tile-widen-products --split-input-file --verify-diagnostics
// RUN: tile-opt %s --tile-descriptors-to-pointers --split-input-file --verify-diagnostics
// RUN: tile-opt %s --tile-gpu-pipeline-loops --split-input-file --verify-diagnostics

func.func private @elsewhere(i32)

// -----

func.func @elided() {
  // expected-error @+1 {{the elements of this constant are not known here; write them as `dense<...>`}}
  %0 = arith.constant dense_resource<__elided__> : tensor<32xf32>
  return
}

// -----

// expected-error @+1 {{this has blocks that branch to each other: kernels branch with scf.if and loops}}
func.func @blocks(%c: i1) {
  cf.cond_br %c, ^one, ^two
^one:
  return
^two:
  return
}

// -----

// expected-error @+1 {{'tensor<0xf32>' is not a tile: extent 0 is not r * 2^k with an odd r <= 31}}
func.func @nothing(%x: tensor<0xf32>) {
  return
}

// -----

// expected-error @+1 {{'tensor<?xf32>' is not a tile: a tile has at least one extent, and all extents are static}}
func.func @unknown(%x: tensor<?xf32>) {
  return
}

// -----

// expected-error @+1 {{'tensor<*xf32>' is not a tile: its extents are not known}}
func.func @unranked(%x: tensor<*xf32>) {
  return
}

// -----

func.func @odd(%x: i32) {
  // expected-error @+1 {{'tensor<37xi32>' is not a tile: extent 37 is not}}
  %0 = arith.constant dense<1> : tensor<37xi32>
  return
}

// -----

func.func @huge() {
  // expected-error @+1 {{is not a tile: a tile has at most 1048576 elements}}
  %0 = arith.constant dense<1> : tensor<2048x1024xi32>
  return
}

// -----

func.func @index() {
  // expected-error @+1 {{'tensor<32xindex>' is not a tile: its elements are neither pointers nor numbers of the language}}
  %0 = arith.constant dense<1> : tensor<32xindex>
  return
}
