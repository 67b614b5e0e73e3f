// SPDX-License-Identifier: MIT
// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --emit-bytecode | tile-opt | FileCheck %s

// CHECK-LABEL: func.func @pointers(
// CHECK-SAME: !tile.ptr<i1>, %{{.*}}: !tile.ptr<f8E4M3FN>, %{{.*}}: !tile.ptr<!tile.ptr<bf16>>
func.func @pointers(%a: !tile.ptr<i1>, %b: !tile.ptr<f8E4M3FN>, %c: !tile.ptr<!tile.ptr<bf16>>) {
  return
}

// CHECK-LABEL: func.func @tiles_of_pointers(
// CHECK-SAME: tensor<4x!tile.ptr<f64>>
func.func @tiles_of_pointers(%a: tensor<4x!tile.ptr<f64>>) {
  return
}

// CHECK-LABEL: func.func @descriptors(
// CHECK-SAME: !tile.desc<16xi8>, %{{.*}}: !tile.desc<1x2x3x144x64xf16>
func.func @descriptors(%a: !tile.desc<16xi8>, %b: !tile.desc<1x2x3x144x64xf16>) {
  return
}
