// SPDX-License-Identifier: MIT
// A loop carries two numbers that offsets are made of: the simulator, which computes each a second time in 64 bits,
// does not mistake one for the other.
// RUN: tile fuzz --replay %s --device simulator | FileCheck %s
// CHECK: agrees
// fuzz: seed 1 floats small grid 1 1 elements 32768 64 scalars 8
func.func @fuzz(%a: !tile.ptr<i32> {tile.name = "in_i32", tile.divisibility = 16 : i32},
               %c: !tile.ptr<i32> {tile.name = "out_i32", tile.divisibility = 16 : i32},
               %n: i32 {tile.name = "n0"}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c621 = arith.constant 621 : i32
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%next = %c0) -> (i32) : i32 {
    %at = arith.addi %i, %c621 : i32
    %p = tile.addptr %a, %at : !tile.ptr<i32>, i32
    %x = tile.load %p : !tile.ptr<i32>
    %y = arith.andi %x, %c3 : i32
    %end = arith.addi %next, %y : i32
    %q = tile.addptr %c, %next : !tile.ptr<i32>, i32
    tile.store %q, %x : !tile.ptr<i32>
    %left = arith.subi %end, %next : i32
    %more = arith.maxsi %left, %c1 : i32
    %to = arith.addi %next, %more : i32
    scf.yield %to : i32
  }
  return
}
