// SPDX-License-Identifier: MIT
// RUN: tile-opt %s --tile-gpu-to-simulator=marks-places=true | FileCheck %s

// A result that comes round a loop is needed where the loop uses it, and not by the branch that passes it on:
// places 0 (the first load), 1 (its branch), 2 (the store), 3 (the load of the next round), 4 (the way back).
// CHECK: tile_gpu.places = {{\[}}
// CHECK-SAME: array<f32: 0.{{[^>]*}}>, array<i32>
// CHECK-SAME: array<f32: 1.{{[^>]*}}>, array<i32>
// CHECK-SAME: array<f32: 0.{{[^>]*}}>, array<i32: 0, 3>
// CHECK-SAME: array<f32: 0.{{[^>]*}}>, array<i32>
// CHECK-SAME: array<f32: 1.{{[^>]*}}>, array<i32>
llvm.func @ahead(%p: !llvm.ptr<1>, %n: i32, %c: i1) attributes {nvvm.kernel} {
  %first = tile_gpu.ptx_load %p if %c else %n : i32 : (!llvm.ptr<1>) -> (i32)
  llvm.br ^loop(%first : i32)
^loop(%x: i32):
  tile_gpu.ptx_store %p, %x if %c : !llvm.ptr<1>, i32
  %next = tile_gpu.ptx_load %p if %c else %n : i32 : (!llvm.ptr<1>) -> (i32)
  llvm.cond_br %c, ^loop(%next : i32), ^end
^end:
  llvm.return
}
