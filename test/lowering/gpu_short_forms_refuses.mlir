// SPDX-License-Identifier: MIT
// What keeps its general form.
// RUN: tile-opt %s --tile-gpu-short-forms | FileCheck %s --implicit-check-not=llvm.

// A power that is of use by itself, one that is added to less than 1, and one of another type.
// CHECK-LABEL: func.func @powers(
// CHECK-COUNT-3: math.exp
func.func @powers(%x: f32, %d: f64) -> (f32, f32, f32, f64) {
  %one = arith.constant 1.0 : f32
  %little = arith.constant 1.0e-30 : f32
  %wide = arith.constant 1.0 : f64
  %e = math.exp %x : f32
  %y = arith.addf %one, %e : f32
  %f = math.exp %y : f32
  %z = arith.addf %little, %f : f32
  %g = math.exp %d : f64
  %w = arith.addf %wide, %g : f64
  return %e, %y, %z, %w : f32, f32, f32, f64
}

// An exact quotient, and divisors that may be small: a difference, a product of two numbers, one of less than 1.
// CHECK-LABEL: func.func @quotients(
// CHECK-COUNT-4: arith.divf
func.func @quotients(%x: f32, %y: f32) -> (f32, f32, f32, f32) {
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %size = math.absf %x : f32
  %large = arith.addf %size, %one : f32
  %a = arith.divf %y, %large : f32
  %difference = arith.subf %size, %one : f32
  %b = arith.divf %y, %difference fastmath<arcp> : f32
  %product = arith.mulf %x, %y : f32
  %sum = arith.addf %product, %one : f32
  %c = arith.divf %y, %sum fastmath<arcp> : f32
  %small = arith.addf %size, %half : f32
  %d = arith.divf %y, %small fastmath<arcp> : f32
  return %a, %b, %c, %d : f32, f32, f32, f32
}

// A sign that is stored, and may be a NaN's.
// CHECK-LABEL: func.func @sign(
// CHECK: arith.negf
func.func @sign(%x: f32) -> (f32, f32) {
  %n = arith.negf %x : f32
  %y = arith.mulf %n, %x : f32
  return %n, %y : f32, f32
}
