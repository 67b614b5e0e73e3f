// SPDX-License-Identifier: MIT
// Elements that a loop loads for its next iteration are carried in words.
// RUN: tile-opt %s --tile-gpu-carry-words | FileCheck %s

// The f32 between them stays an element.
// CHECK-LABEL: func.func @two_words(
// CHECK: %[[FIRST:.*]]:4 = tile_gpu.load_global
// CHECK: llvm.insertelement %[[FIRST]]#0
// CHECK: %[[LOW:.*]] = llvm.bitcast %{{.*}} : vector<2xf16> to i32
// CHECK: %[[HIGH:.*]] = llvm.bitcast %{{.*}} : vector<2xf16> to i32
// CHECK: %[[R:.*]]:3 = scf.for {{.*}} iter_args(%[[W:.*]] = %[[LOW]], %[[F:.*]] = %{{.*}}, %[[V:.*]] = %[[HIGH]]) -> (i32, f32, i32)
// CHECK: %[[IN:.*]] = llvm.bitcast %[[W]] : i32 to vector<2xf16>
// CHECK: %[[X:.*]] = llvm.extractelement %[[IN]][%c0_i32
// CHECK: %[[Y:.*]] = llvm.extractelement %[[IN]][%c1_i32
// CHECK: llvm.bitcast %[[V]] : i32 to vector<2xf16>
// CHECK: %[[NEXT:.*]]:4 = tile_gpu.load_global
// CHECK: tile_gpu.store_global %{{.*}}, %[[X]], %[[Y]] :
// CHECK: llvm.insertelement %[[NEXT]]#0
// CHECK: scf.yield %{{.*}}, %{{.*}}, %{{.*}} : i32, f32, i32
// CHECK: {tile_gpu.programs}
// CHECK: %[[LAST:.*]] = llvm.bitcast %[[R]]#0 : i32 to vector<2xf16>
// CHECK: llvm.extractelement %[[LAST]]
func.func @two_words(%p: !tile.ptr<f16>, %n: i32, %z: f32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a:4 = tile_gpu.load_global %p : (!tile.ptr<f16>) -> (f16, f16, f16, f16)
  %r:5 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a#0, %y = %a#1, %f = %z, %u = %a#2, %v = %a#3) -> (f16, f16, f32, f16, f16) : i32 {
    %q = tile.addptr %p, %i : !tile.ptr<f16>, i32
    %b:4 = tile_gpu.load_global %q : (!tile.ptr<f16>) -> (f16, f16, f16, f16)
    tile_gpu.store_global %q, %x, %y : !tile.ptr<f16>, f16, f16
    scf.yield %b#0, %b#1, %f, %b#2, %b#3 : f16, f16, f32, f16, f16
  } {tile_gpu.programs}
  tile_gpu.store_global %p, %r#0 : !tile.ptr<f16>, f16
  return
}

// Four of 8 bits are a word.
// CHECK-LABEL: func.func @bytes(
// CHECK: scf.for {{.*}} -> (i32)
func.func @bytes(%p: !tile.ptr<i8>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a:4 = tile_gpu.load_global %p : (!tile.ptr<i8>) -> (i8, i8, i8, i8)
  %r:4 = scf.for unsigned %i = %c0 to %n step %c1 iter_args(%x = %a#0, %y = %a#1, %u = %a#2, %v = %a#3) -> (i8, i8, i8, i8) : i32 {
    %b:4 = tile_gpu.load_global %p : (!tile.ptr<i8>) -> (i8, i8, i8, i8)
    tile_gpu.store_global %p, %x : !tile.ptr<i8>, i8
    scf.yield %b#0, %b#1, %b#2, %b#3 : i8, i8, i8, i8
  }
  return
}
