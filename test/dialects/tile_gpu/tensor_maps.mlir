// SPDX-License-Identifier: MIT
// RUN: tile-opt %s | tile-opt | FileCheck %s

// CHECK-LABEL: func @tensor_maps
// CHECK: tile_gpu.ptx_map_replace "global_address" of %{{.*}} with %{{.*}} : !llvm.ptr<3>, i64
// CHECK: tile_gpu.ptx_map_replace "box_dim" 1 of %{{.*}} with %{{.*}} : !llvm.ptr<1>, i32
// CHECK: tile_gpu.ptx_map_replace "fill_mode" of %{{.*}} to 1 : !llvm.ptr<3>
// CHECK: tile_gpu.ptx_map_publish %{{.*}} to %{{.*}} : <3>, <1>
// CHECK: tile_gpu.ptx_map_copy %{{.*}} to %{{.*}} : !llvm.ptr, <1>
func.func @tensor_maps(%s: !llvm.ptr<3>, %g: !llvm.ptr<1>, %x: i64, %n: i32, %p: !llvm.ptr) {
  tile_gpu.ptx_map_replace "global_address" of %s with %x : !llvm.ptr<3>, i64
  tile_gpu.ptx_map_replace "box_dim" 1 of %g with %n : !llvm.ptr<1>, i32
  tile_gpu.ptx_map_replace "fill_mode" of %s to 1 : !llvm.ptr<3>
  tile_gpu.ptx_map_publish %s to %g : !llvm.ptr<3>, !llvm.ptr<1>
  tile_gpu.ptx_map_copy %p to %g : !llvm.ptr, !llvm.ptr<1>
  return
}
