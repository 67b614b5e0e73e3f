// SPDX-License-Identifier: MIT
// Elements that a loop carries one by one.
// RUN: tile-opt %s --tile-gpu-carry-words | FileCheck %s

// No word: computed, of two loads, in another order, two words' halves, half a word.
// CHECK-LABEL: func.func @no_words(
// CHECK: scf.for {{.*}} -> (f16, f16)
// CHECK: scf.for {{.*}} -> (f16, f16)
// CHECK: scf.for {{.*}} -> (f16, f16)
// CHECK: scf.for {{.*}} -> (f16, f16)
// CHECK: scf.for {{.*}} -> (f16)
func.func @no_words(%p: !tile.ptr<f16>, %n: i32, %c: f16) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a:4 = tile_gpu.load_global %p : (!tile.ptr<f16>) -> (f16, f16, f16, f16)
  %computed:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c, %y = %c) -> (f16, f16) : i32 {
    %b:2 = tile_gpu.load_global %p : (!tile.ptr<f16>) -> (f16, f16)
    scf.yield %b#0, %b#1 : f16, f16
  }
  %two:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a#0, %y = %a#1) -> (f16, f16) : i32 {
    %b = tile_gpu.load_global %p : (!tile.ptr<f16>) -> (f16)
    %d = tile_gpu.load_global %p : (!tile.ptr<f16>) -> (f16)
    scf.yield %b, %d : f16, f16
  }
  %order:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a#1, %y = %a#0) -> (f16, f16) : i32 {
    %b:2 = tile_gpu.load_global %p : (!tile.ptr<f16>) -> (f16, f16)
    scf.yield %b#1, %b#0 : f16, f16
  }
  %halves:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a#1, %y = %a#2) -> (f16, f16) : i32 {
    %b:2 = tile_gpu.load_global %p : (!tile.ptr<f16>) -> (f16, f16)
    scf.yield %b#0, %b#1 : f16, f16
  }
  %half = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a#0) -> (f16) : i32 {
    %b:2 = tile_gpu.load_global %p : (!tile.ptr<f16>) -> (f16, f16)
    scf.yield %b#0 : f16
  }
  return
}
