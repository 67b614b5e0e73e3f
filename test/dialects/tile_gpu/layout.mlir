// SPDX-License-Identifier: MIT
// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --emit-bytecode | tile-opt | FileCheck %s

// 32 lanes of 4 warps with two neighbouring elements each.
// CHECK-LABEL: func.func private @blocked(
// CHECK-SAME: #tile_gpu.layout<register = {{\[\[}}1]], lane = {{\[\[}}2], [4], [8], [16], [32]], warp = {{\[\[}}64], [128]], block = [], repeats = [1]>
func.func private @blocked(tensor<256xf32, #tile_gpu.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]],
                                                            warp = [[64], [128]], block = [], repeats = [1]>>)

// The odd factor of an extent repeats registers.
// CHECK-LABEL: func.func private @repeated(
// CHECK-SAME: lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = [], repeats = [1, 3]>
func.func private @repeated(tensor<16x24xf32, #tile_gpu.layout<register = [[0, 1], [8, 0]],
    lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = [], repeats = [1, 3]>>)

// Lanes and warps that hold replicas contribute nothing; an XOR of two columns is as good as either.
// CHECK-LABEL: func.func private @replicas(
// CHECK-SAME: register = [], lane = {{\[\[}}1], [3], [0], [0], [0]], warp = {{\[\[}}0]], block = [], repeats = [1]
func.func private @replicas(tensor<4xi1, #tile_gpu.layout<register = [], lane = [[1], [3], [0], [0], [0]],
                                                          warp = [[0]], block = [], repeats = [1]>>)

// CHECK-LABEL: func.func private @cluster(
// CHECK-SAME: block = {{\[\[}}32]], repeats = [1]>
func.func private @cluster(tensor<64xf16, #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]],
                                                           warp = [], block = [[32]], repeats = [1]>>)

// A layout of shared memory maps offsets. Here the second row's columns are exchanged.
// CHECK-LABEL: func.func private @shared(
// CHECK-SAME: #tile_gpu.layout<shared offset = {{\[\[}}0, 1], [0, 2], [1, 1]], repeats = [1, 5]>
func.func private @shared(tensor<2x20xf16, #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [1, 1]], repeats = [1, 5]>>)
