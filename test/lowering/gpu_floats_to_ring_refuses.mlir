// SPDX-License-Identifier: MIT
// What has no meaning in a ring, and what is left of floats behind it.
// RUN: not tile-opt %s --tile-gpu-floats-to-ring -split-input-file 2>&1 | FileCheck %s

// CHECK: error: `math.erfc` has no meaning for ring floats; compiler/analysis/float_ring.h lists what has one
func.func @unknown(%x: f32) -> f32 {
  %0 = math.erfc %x : f32
  return %0 : f32
}
