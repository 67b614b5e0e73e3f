// SPDX-License-Identifier: MIT
// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --emit-bytecode | tile-opt | FileCheck %s

// CHECK: func.func @kernel(%{{.*}}: !tile.ptr<f16> {tile.divisibility = 16 : i32, tile.name = "x", tile.type = "f16*"},
// CHECK-SAME: %{{.*}}: i32 {tile.name = "n", tile.type = "u32"})
// CHECK-SAME: attributes {tile.fp_fusion = false, tile.kernel, tile.max_registers = 168 : i32, tile.num_stages = 3 : i32, tile.num_warps = 8 : i32, tile.ping_pong}
func.func @kernel(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32, tile.name = "x", tile.type = "f16*"},
                  %n: i32 {tile.name = "n", tile.type = "u32"})
    attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32,
                tile.max_registers = 168 : i32, tile.fp_fusion = false, tile.ping_pong} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // CHECK: scf.for
  scf.for %i = %zero to %n step %one : i32 {
    tile.barrier
  // CHECK: } {tile.num_stages = 4 : i32, tile.unroll = 2 : i32}
  } {tile.num_stages = 4 : i32, tile.unroll = 2 : i32}
  return
}

// CHECK: func.func @table(%{{.*}}: !tile.ptr<!tile.ptr<f8E4M3FN>> {tile.type = "e4m3**"})
func.func @table(%x: !tile.ptr<!tile.ptr<f8E4M3FN>> {tile.type = "e4m3**"}) {
  return
}
