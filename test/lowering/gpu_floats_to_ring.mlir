// SPDX-License-Identifier: MIT
// Floats compute on their bits; what only moves them stays.
// RUN: tile-opt %s --tile-gpu-floats-to-ring | FileCheck %s
// RUN: tile-opt %s --tile-gpu-floats-to-ring -o %t && FileCheck %s --check-prefix=NO-FLOATS < %t
// NO-FLOATS-NOT: arith.{{add|mul|cmp|neg|ext|trunc}}f

// CHECK: module attributes {tile_gpu.ring_floats}
// CHECK-LABEL: func.func @sums(
// CHECK-DAG: %[[A:.*]] = arith.bitcast %arg0 : f32 to i32
// CHECK-DAG: %[[B:.*]] = arith.bitcast %arg1 : f32 to i32
// CHECK: %[[SUM:.*]] = arith.addi %[[A]], %[[B]] : i32
// CHECK: %[[F:.*]] = arith.bitcast %[[SUM]] : i32 to f32
// CHECK: arith.muli
// CHECK: arith.addi
// CHECK: arith.cmpi slt, {{.*}} : i32
// CHECK: arith.select {{.*}} : f32
func.func @sums(%a: f32, %b: f32, %c: f32) -> f32 {
  %0 = arith.addf %a, %b : f32
  %1 = math.fma %0, %b, %c : f32
  %2 = arith.cmpf ult, %1, %a : f32
  %3 = arith.select %2, %1, %c : f32
  return %3 : f32
}

// The sign is extended, what is narrower is cut off, and a whole constant is itself.
// CHECK-LABEL: func.func @conversions(
// CHECK: arith.bitcast %arg0 : f16 to i16
// CHECK: arith.extsi {{.*}} : i16 to i32
// CHECK: arith.trunci {{.*}} : i32 to i8
// CHECK: arith.bitcast {{.*}} : i8 to f8E4M3FN
// CHECK: arith.extui %arg1 : i8 to i16
// CHECK: arith.constant -3 : i16
// CHECK: arith.maxsi {{.*}} : i16
func.func @conversions(%h: f16, %i: i8) -> (f8E4M3FN, f16) {
  %0 = tile.fp_cast %h : f16 -> f32
  %1 = tile.fp_cast %0 : f32 -> f8E4M3FN
  %2 = arith.uitofp %i : i8 to f16
  %3 = arith.constant -3.0 : f16
  %4 = tile.maximum %2, %3 nan = ignore : f16
  return %1, %4 : f8E4M3FN, f16
}

// CHECK-LABEL: func.func @atomic(
// CHECK: tile_gpu.atomic_global <add>
func.func @atomic(%p: !tile.ptr<f32>, %x: f32) -> f32 {
  %0 = tile_gpu.atomic_global <fadd> %p, %x ordering <relaxed> scope <gpu> : !tile.ptr<f32>, f32
  return %0 : f32
}

// Several at once: one after the other.
// CHECK-LABEL: func.func @adds(
// CHECK: tile_gpu.atomic_global <add>
// CHECK: %[[NEXT:.*]] = tile.addptr %arg0, %{{.*}} : !tile.ptr<f32>, i32
// CHECK: tile_gpu.atomic_global <add> %[[NEXT]]
// CHECK-NOT: add_global
func.func @adds(%p: !tile.ptr<f32>, %x: f32) {
  tile_gpu.add_global %p, %x, %x scope <gpu> : !tile.ptr<f32>, f32, f32
  return
}
