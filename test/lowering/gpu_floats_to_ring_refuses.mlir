// SPDX-License-Identifier: MIT
// What has no meaning in a ring, and what is left of floats behind it.
// RUN: not tile-opt %s --tile-gpu-floats-to-ring -split-input-file 2>&1 | FileCheck %s

// CHECK: error: `math.erfc` has no meaning where floats are a ring: compiler/analysis/float_ring.h says what has
func.func @unknown(%x: f32) -> f32 {
  %0 = math.erfc %x : f32
  return %0 : f32
}
